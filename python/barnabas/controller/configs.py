"""A topic's options: what a request may set, and what is in force with where it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.controller.config_key import InvalidConfigValue, Setting
from barnabas.controller.topic_options import BROKER_SYNONYMS, TOPIC_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "SOURCE_DEFAULT",
    "SOURCE_STATIC_BROKER",
    "SOURCE_TOPIC",
    "broker_topic_defaults",
    "effective_topic_config",
    "invalid_topic_config",
]

SOURCE_TOPIC = 1
SOURCE_STATIC_BROKER = 4
SOURCE_DEFAULT = 5


def invalid_topic_config(configs: Mapping[str, str | None]) -> str | None:
    """Returns why these options cannot be set for a topic, in Kafka's words; None when they can."""
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
    return None


def broker_topic_defaults(broker_options: Mapping[str, str]) -> dict[str, str]:
    """Returns the topic options that a broker's own options decide, in the topic's units."""
    defaults = {}
    for name, synonyms in BROKER_SYNONYMS.items():
        for synonym, factor in synonyms:
            value = broker_options.get(synonym)
            if value is not None:
                defaults[name] = value if factor == 1 else str(int(value) * factor)
                break
    return defaults


def effective_topic_config(own: Mapping[str, str], broker_defaults: Mapping[str, str]) -> list[Setting]:
    """Returns every topic option in force, by name, for a topic that sets `own` itself."""
    settings = []
    for name, key in sorted(TOPIC_OPTIONS.items()):
        if name in own:
            settings.append(Setting(name, own[name], SOURCE_TOPIC))
        elif name in broker_defaults:
            settings.append(Setting(name, broker_defaults[name], SOURCE_STATIC_BROKER))
        else:
            settings.append(Setting(name, key.default, SOURCE_DEFAULT))
    return settings
