# Written by tools/protocol/generate.py from the option definitions of Apache Kafka 4.3.0. Do not edit.
"""Every topic option of Apache Kafka 4.3.0: type, default and valid values. Facts, no behaviour."""

from __future__ import annotations

from barnabas.controller.config_key import ConfigKey

__all__ = ["BROKER_SYNONYMS", "LOG_OPTIONS_OF_THE_BROKER", "TOPIC_OPTIONS"]

_KEYS = (
    ConfigKey("cleanup.policy", "LIST", "delete", choices=("compact", "delete"), rule="list"),
    ConfigKey("compression.gzip.level", "INT", "-1", low=1, high=9, or_equal=-1),
    ConfigKey("compression.lz4.level", "INT", "9", low=1, high=17),
    ConfigKey(
        "compression.type", "STRING", "producer", choices=("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
    ),
    ConfigKey("compression.zstd.level", "INT", "3", low=-131072, high=22),
    ConfigKey("delete.retention.ms", "LONG", "86400000", low=0),
    ConfigKey("file.delete.delay.ms", "LONG", "60000", low=0),
    ConfigKey("flush.messages", "LONG", "9223372036854775807", low=1),
    ConfigKey("flush.ms", "LONG", "9223372036854775807", low=0),
    ConfigKey("follower.replication.throttled.replicas", "LIST", "", rule="throttled-replicas"),
    ConfigKey("index.interval.bytes", "INT", "4096", low=0),
    ConfigKey("internal.segment.bytes", "INT", None, internal=True),
    ConfigKey("leader.replication.throttled.replicas", "LIST", "", rule="throttled-replicas"),
    ConfigKey("local.retention.bytes", "LONG", "-2", low=-2),
    ConfigKey("local.retention.ms", "LONG", "-2", low=-2),
    ConfigKey("max.compaction.lag.ms", "LONG", "9223372036854775807", low=1),
    ConfigKey("max.message.bytes", "INT", "1048588", low=0),
    ConfigKey("message.timestamp.after.max.ms", "LONG", "3600000", low=0),
    ConfigKey("message.timestamp.before.max.ms", "LONG", "9223372036854775807", low=0),
    ConfigKey("message.timestamp.type", "STRING", "CreateTime", choices=("CreateTime", "LogAppendTime")),
    ConfigKey("min.cleanable.dirty.ratio", "DOUBLE", "0.5", low=0, high=1),
    ConfigKey("min.compaction.lag.ms", "LONG", "0", low=0),
    ConfigKey("min.insync.replicas", "INT", "1", low=1),
    ConfigKey("preallocate", "BOOLEAN", "false"),
    ConfigKey("remote.log.copy.disable", "BOOLEAN", "false"),
    ConfigKey("remote.log.delete.on.disable", "BOOLEAN", "false"),
    ConfigKey("remote.storage.enable", "BOOLEAN", "false"),
    ConfigKey("retention.bytes", "LONG", "-1"),
    ConfigKey("retention.ms", "LONG", "604800000", low=-1),
    ConfigKey("segment.bytes", "INT", "1073741824", low=1048576),
    ConfigKey("segment.index.bytes", "INT", "10485760", low=4),
    ConfigKey("segment.jitter.ms", "LONG", "0", low=0),
    ConfigKey("segment.ms", "LONG", "604800000", low=1),
    ConfigKey("unclean.leader.election.enable", "BOOLEAN", "false"),
)

TOPIC_OPTIONS: dict[str, ConfigKey] = {key.name: key for key in _KEYS}

LOG_OPTIONS_OF_THE_BROKER = ("producer.id.expiration.ms",)
"""Broker options that every log goes by, set at any time, which no topic can set for itself."""

BROKER_SYNONYMS: dict[str, tuple[tuple[str, int], ...]] = {
    "cleanup.policy": (("log.cleanup.policy", 1),),
    "compression.gzip.level": (("compression.gzip.level", 1),),
    "compression.lz4.level": (("compression.lz4.level", 1),),
    "compression.type": (("compression.type", 1),),
    "compression.zstd.level": (("compression.zstd.level", 1),),
    "delete.retention.ms": (("log.cleaner.delete.retention.ms", 1),),
    "file.delete.delay.ms": (("log.segment.delete.delay.ms", 1),),
    "flush.messages": (("log.flush.interval.messages", 1),),
    "flush.ms": (("log.flush.interval.ms", 1), ("log.flush.scheduler.interval.ms", 1)),
    "index.interval.bytes": (("log.index.interval.bytes", 1),),
    "local.retention.bytes": (("log.local.retention.bytes", 1),),
    "local.retention.ms": (("log.local.retention.ms", 1),),
    "max.compaction.lag.ms": (("log.cleaner.max.compaction.lag.ms", 1),),
    "max.message.bytes": (("message.max.bytes", 1),),
    "message.timestamp.after.max.ms": (("log.message.timestamp.after.max.ms", 1),),
    "message.timestamp.before.max.ms": (("log.message.timestamp.before.max.ms", 1),),
    "message.timestamp.type": (("log.message.timestamp.type", 1),),
    "min.cleanable.dirty.ratio": (("log.cleaner.min.cleanable.ratio", 1),),
    "min.compaction.lag.ms": (("log.cleaner.min.compaction.lag.ms", 1),),
    "min.insync.replicas": (("min.insync.replicas", 1),),
    "preallocate": (("log.preallocate", 1),),
    "retention.bytes": (("log.retention.bytes", 1),),
    "retention.ms": (("log.retention.ms", 1), ("log.retention.minutes", 60000), ("log.retention.hours", 3600000)),
    "segment.bytes": (("log.segment.bytes", 1),),
    "segment.index.bytes": (("log.index.size.max.bytes", 1),),
    "segment.jitter.ms": (("log.roll.jitter.ms", 1), ("log.roll.jitter.hours", 3600000)),
    "segment.ms": (("log.roll.ms", 1), ("log.roll.hours", 3600000)),
    "unclean.leader.election.enable": (("unclean.leader.election.enable", 1),),
}
"""Option -> broker options that give its default, first set one wins: (name, factor to this one's unit)."""
