"""A topic's options: what a request may set, and what is in force with where it comes from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from barnabas.controller.broker_configs import SOURCE_DEFAULT, BrokerConfigs
from barnabas.controller.config_key import InvalidConfigValue, Setting
from barnabas.controller.image import is_data_plane_option
from barnabas.controller.topic_options import BROKER_SYNONYMS, LOG_OPTIONS_OF_THE_BROKER, TOPIC_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "SOURCE_TOPIC",
    "broker_topic_defaults",
    "dynamic_data_plane_options",
    "dynamic_topic_defaults",
    "effective_topic_config",
    "invalid_topic_config",
]

SOURCE_TOPIC = 1

_THROTTLED = re.compile(r"\*|([0-9]+:[0-9]+(,[0-9]+:[0-9]+)*)?", re.ASCII)
_TIERED = {
    "local.retention.bytes": "-2",
    "local.retention.ms": "-2",
    "remote.log.copy.disable": "false",
    "remote.log.delete.on.disable": "false",
}
"""Options of tiered storage, with the one value that says what is so without it."""


def invalid_topic_config(configs: Mapping[str, str | None], defaults: Mapping[str, str] | None = None) -> str | None:
    """Returns why these options cannot be set for a topic, in Kafka's words; None when they can.

    Args:
        configs: All options that the topic would set itself.
        defaults: Topic options that the broker's own options decide.
    """
    for name, value in configs.items():
        key = TOPIC_OPTIONS.get(name)
        if key is None:
            return f"Unknown topic config name: {name}"
        if value is None:
            return f"Null value not supported for topic configs: {name}"
        try:
            key.parse(value)
        except InvalidConfigValue as error:
            return str(error)
        why = _invalid_replicas(name, value) or _needs_tiered_storage(name, value)
        if why is not None:
            return why
    return _conflict({**(defaults or {}), **{name: value for name, value in configs.items() if value is not None}})


def _invalid_replicas(name: str, value: str) -> str | None:
    if not name.endswith(".replication.throttled.replicas"):
        return None
    items = [item.strip() for item in value.split(",")] if value.strip() else []
    if _THROTTLED.fullmatch(",".join(items)):
        return None
    return (
        f"Invalid value [{', '.join(items)}] for configuration {name}: {name} must be the literal '*' or a list of "
        "replicas in the following format: [partitionId]:[brokerId],[partitionId]:[brokerId],..."
    )


def _needs_tiered_storage(name: str, value: str) -> str | None:
    if name == "remote.storage.enable" and value.strip().lower() == "true":
        return (
            "Tiered Storage functionality is disabled in the broker. "
            "Topic cannot be configured with remote log storage."
        )
    without = _TIERED.get(name)
    if without is not None and value.strip().lower() != without:
        return (
            f"Invalid value {value} for configuration {name}: it only concerns tiered storage, which this broker lacks"
        )
    return None


def _conflict(configs: Mapping[str, str]) -> str | None:
    """Returns which of the options in force contradict each other."""
    lags = {}
    for name in ("min.compaction.lag.ms", "max.compaction.lag.ms"):
        lags[name] = int(configs.get(name) or TOPIC_OPTIONS[name].default or 0)
    low, high = lags.values()
    if low > high:
        return f"conflict topic config setting min.compaction.lag.ms ({low}) > max.compaction.lag.ms ({high})"
    return None


def broker_topic_defaults(broker_options: Mapping[str, str]) -> dict[str, str]:
    """Returns the topic options that a broker's own options decide, in the topic's units."""
    defaults = {}
    for name in BROKER_SYNONYMS:
        found = _broker_default(name, broker_options)
        if found is not None:
            defaults[name] = found
    return defaults


def _broker_default(name: str, broker_options: Mapping[str, str]) -> str | None:
    for synonym, factor in BROKER_SYNONYMS.get(name, ()):
        value = broker_options.get(synonym)
        if value is not None:
            if name == "retention.ms" and int(value) < 0:
                return "-1"  # "For ever" in any unit.
            return value if factor == 1 else str(int(value) * factor)
    return None


def dynamic_topic_defaults(broker: BrokerConfigs) -> dict[str, str]:
    """Returns what logs go by beside their topics' own options: broker options that were set after the start."""
    layers = (broker.cluster, broker.broker)
    of_the_broker = {name: layer[name] for layer in layers for name in LOG_OPTIONS_OF_THE_BROKER if name in layer}
    return {**broker_topic_defaults(broker.cluster), **broker_topic_defaults(broker.broker), **of_the_broker}


def dynamic_data_plane_options(broker: BrokerConfigs) -> dict[str, str]:
    """Returns the options of the data plane that were set after the start, for this broker or for all."""
    layers = {**broker.cluster, **broker.broker}
    return {name: value for name, value in layers.items() if is_data_plane_option(name)}


def effective_topic_config(own: Mapping[str, str], broker: BrokerConfigs) -> list[Setting]:
    """Returns every topic option in force, by name, for a topic that sets `own` itself."""
    settings = []
    for name, key in sorted(TOPIC_OPTIONS.items()):
        if name in own:
            settings.append(Setting(name, own[name], SOURCE_TOPIC))
        elif not key.internal:
            settings.append(_default_setting(name, broker))
    return settings


def _default_setting(name: str, broker: BrokerConfigs) -> Setting:
    for source, options in broker.layers():
        value = _broker_default(name, options)
        if value is not None:
            return Setting(name, value, source)
    return Setting(name, TOPIC_OPTIONS[name].default, SOURCE_DEFAULT)
