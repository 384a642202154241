# Written by tools/protocol/generate.py from the option definitions of Apache Kafka 4.3.0. Do not edit.
"""Every option of a metrics subscription of Apache Kafka 4.3.0: type, default and valid values. Facts, no behaviour."""

from __future__ import annotations

from barnabas.controller.config_key import ConfigKey

__all__ = ["CLIENT_METRICS_OPTIONS"]

_KEYS = (
    ConfigKey("interval.ms", "INT", "300000"),
    ConfigKey("match", "LIST", "", rule="list"),
    ConfigKey("metrics", "LIST", "", rule="list"),
)

CLIENT_METRICS_OPTIONS: dict[str, ConfigKey] = {key.name: key for key in _KEYS}
