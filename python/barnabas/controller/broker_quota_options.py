# Written by tools/protocol/generate.py from the option definitions of Apache Kafka 4.3.0. Do not edit.
"""Every quota of a broker, for any time, of Apache Kafka 4.3.0: type, default and valid values. Facts, no behaviour."""

from __future__ import annotations

from barnabas.controller.config_key import ConfigKey

__all__ = ["BROKER_QUOTA_OPTIONS"]

_KEYS = (
    ConfigKey("follower.replication.throttled.rate", "LONG", "9223372036854775807", low=0, mode="cluster-wide"),
    ConfigKey("leader.replication.throttled.rate", "LONG", "9223372036854775807", low=0, mode="cluster-wide"),
    ConfigKey(
        "replica.alter.log.dirs.io.max.bytes.per.second", "LONG", "9223372036854775807", low=0, mode="cluster-wide"
    ),
)

BROKER_QUOTA_OPTIONS: dict[str, ConfigKey] = {key.name: key for key in _KEYS}
