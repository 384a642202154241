"""Options of groups and of metrics subscriptions: what a request may set, in Kafka's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from barnabas.controller.broker_options import KAFKA_OPTIONS
from barnabas.controller.client_metrics_options import CLIENT_METRICS_OPTIONS
from barnabas.controller.config_key import InvalidConfigValue
from barnabas.controller.group_options import GROUP_OPTIONS, GROUP_SYNONYMS
from barnabas.errors import InvalidConfigError, InvalidRequestError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.controller.broker_configs import BrokerConfigs

__all__ = ["group_default", "refused_client_metrics", "refused_group_configs"]

_BOUNDED = (
    "consumer.heartbeat.interval.ms",
    "consumer.session.timeout.ms",
    "consumer.assignment.interval.ms",
    "share.heartbeat.interval.ms",
    "share.session.timeout.ms",
    "share.record.lock.duration.ms",
    "share.delivery.count.limit",
    "share.partition.max.record.locks",
    "share.assignment.interval.ms",
    "streams.heartbeat.interval.ms",
    "streams.session.timeout.ms",
    "streams.num.standby.replicas",
    "streams.assignment.interval.ms",
)
"""Options that options of the broker bound, in the order in which Kafka looks at them."""

_KINDS = ("consumer", "share", "streams")
_METRICS_INTERVAL_MS = (100, 3_600_000)
_MATCHED = frozenset(
    {
        "client_instance_id",
        "client_id",
        "client_software_name",
        "client_software_version",
        "client_source_address",
        "client_source_port",
    }
)

Refusal = tuple[int, str]


def group_default(name: str, broker: BrokerConfigs) -> str | None:
    """Returns what a group goes by that does not set an option itself."""
    for option, _ in GROUP_SYNONYMS.get(name, ()):
        value = broker.value(option)
        if value is not None:
            return value
    return GROUP_OPTIONS[name].default


def refused_group_configs(group_id: str, configs: Mapping[str, str], broker: BrokerConfigs) -> Refusal | None:
    """Returns (error code, why) if a group cannot get these options."""
    if not group_id:
        return InvalidRequestError.code, "Default group resources are not allowed."
    for name in configs:
        if name not in GROUP_OPTIONS:
            return InvalidConfigError.code, f"Unknown group config name: {name}"
    numbers = {}
    try:
        for name, key in GROUP_OPTIONS.items():
            text = configs[name] if name in configs else group_default(name, broker)
            value = key.parse(text or "")
            if isinstance(value, int):
                numbers[name] = value
    except InvalidConfigValue as error:
        return InvalidConfigError.code, str(error)
    why = _out_of_bounds(numbers, broker)
    return None if why is None else (InvalidConfigError.code, why)


def _out_of_bounds(numbers: Mapping[str, int], broker: BrokerConfigs) -> str | None:
    for name in _BOUNDED:
        kind, _, what = name.partition(".")
        least, most = (f"group.{kind}.{word}.{what.removeprefix('num.')}" for word in ("min", "max"))
        if least in KAFKA_OPTIONS and numbers[name] < broker.number(least):
            return f"{name} must be greater than or equal to {least}"
        if numbers[name] > broker.number(most):
            return f"{name} must be less than or equal to {most}"
    for kind in _KINDS:
        session, interval = f"{kind}.session.timeout.ms", f"{kind}.heartbeat.interval.ms"
        if numbers[session] <= numbers[interval]:
            return f"{session} must be greater than {interval}"
    return None


def refused_client_metrics(name: str, configs: Mapping[str, str]) -> Refusal | None:
    """Returns (error code, why) if a metrics subscription cannot get these options."""
    if not name:
        return InvalidRequestError.code, "Subscription name can't be empty"
    for option in configs:
        if option not in CLIENT_METRICS_OPTIONS:
            return InvalidRequestError.code, f"Unknown client metrics configuration: {option}"
    try:
        values = {option: CLIENT_METRICS_OPTIONS[option].parse(text) for option, text in configs.items()}
    except InvalidConfigValue as error:
        return InvalidConfigError.code, str(error)
    interval_ms = values.get("interval.ms")
    low, high = _METRICS_INTERVAL_MS
    if isinstance(interval_ms, int) and not low <= interval_ms <= high:
        return (
            InvalidRequestError.code,
            f"Invalid value {interval_ms} for interval.ms, interval must be between {low} and {high} (1 hour)",
        )
    patterns = values.get("match")
    for text in patterns if isinstance(patterns, list) else []:
        if not _is_match(text):
            return InvalidConfigError.code, f"Illegal client matching pattern: {text}"
    return None


def _is_match(text: str) -> bool:
    parts = text.split("=")
    # As Java splits: nothing comes of empty ends.
    while parts and not parts[-1]:
        parts.pop()
    if len(parts) != 2 or parts[0].strip() not in _MATCHED:
        return False
    try:
        re.compile(parts[1].strip())
    except re.error:
        return False
    return True
