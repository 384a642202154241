# Written by tools/protocol/generate.py from the option definitions of Apache Kafka 4.3.0. Do not edit.
"""Every option of a group of Apache Kafka 4.3.0: type, default and valid values. Facts, no behaviour."""

from __future__ import annotations

from barnabas.controller.config_key import ConfigKey

__all__ = ["GROUP_OPTIONS", "GROUP_SYNONYMS"]

_KEYS = (
    ConfigKey("consumer.assignment.interval.ms", "INT", "1000", low=0),
    ConfigKey("consumer.heartbeat.interval.ms", "INT", "5000", low=1),
    ConfigKey("consumer.session.timeout.ms", "INT", "45000", low=1),
    ConfigKey("share.assignment.interval.ms", "INT", "1000", low=0),
    ConfigKey("share.auto.offset.reset", "STRING", "latest", rule="auto-offset-reset"),
    ConfigKey("share.delivery.count.limit", "INT", "5", low=2),
    ConfigKey("share.heartbeat.interval.ms", "INT", "5000", low=1),
    ConfigKey("share.isolation.level", "STRING", "read_uncommitted", choices=("read_committed", "read_uncommitted")),
    ConfigKey("share.partition.max.record.locks", "INT", "2000", low=100),
    ConfigKey("share.record.lock.duration.ms", "INT", "30000", low=1000),
    ConfigKey("share.renew.acknowledge.enable", "BOOLEAN", "true"),
    ConfigKey("share.session.timeout.ms", "INT", "45000", low=1),
    ConfigKey("streams.assignment.interval.ms", "INT", "1000", low=0),
    ConfigKey("streams.heartbeat.interval.ms", "INT", "5000", low=1),
    ConfigKey("streams.initial.rebalance.delay.ms", "INT", "3000", low=0),
    ConfigKey("streams.num.standby.replicas", "INT", "0", low=0),
    ConfigKey("streams.session.timeout.ms", "INT", "45000", low=1),
)

GROUP_OPTIONS: dict[str, ConfigKey] = {key.name: key for key in _KEYS}

GROUP_SYNONYMS: dict[str, tuple[tuple[str, int], ...]] = {
    "consumer.assignment.interval.ms": (("group.consumer.assignment.interval.ms", 1),),
    "consumer.heartbeat.interval.ms": (("group.consumer.heartbeat.interval.ms", 1),),
    "consumer.session.timeout.ms": (("group.consumer.session.timeout.ms", 1),),
    "share.assignment.interval.ms": (("group.share.assignment.interval.ms", 1),),
    "share.delivery.count.limit": (("group.share.delivery.count.limit", 1),),
    "share.heartbeat.interval.ms": (("group.share.heartbeat.interval.ms", 1),),
    "share.partition.max.record.locks": (("group.share.partition.max.record.locks", 1),),
    "share.record.lock.duration.ms": (("group.share.record.lock.duration.ms", 1),),
    "share.session.timeout.ms": (("group.share.session.timeout.ms", 1),),
    "streams.assignment.interval.ms": (("group.streams.assignment.interval.ms", 1),),
    "streams.heartbeat.interval.ms": (("group.streams.heartbeat.interval.ms", 1),),
    "streams.initial.rebalance.delay.ms": (("group.streams.initial.rebalance.delay.ms", 1),),
    "streams.num.standby.replicas": (("group.streams.num.standby.replicas", 1),),
    "streams.session.timeout.ms": (("group.streams.session.timeout.ms", 1),),
}
"""Option -> broker options that give its default, first set one wins: (name, factor to this one's unit)."""
