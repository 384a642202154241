"""A broker's options: set for a start, for all brokers at any time, for one broker at any time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from barnabas.controller.broker_options import KAFKA_OPTIONS
from barnabas.controller.broker_quota_options import BROKER_QUOTA_OPTIONS
from barnabas.controller.config_key import ConfigKey, InvalidConfigValue
from barnabas.controller.image import BROKER_RESOURCE, Image

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from barnabas.controller.settings import ControllerSettings

__all__ = [
    "SOURCE_DEFAULT",
    "SOURCE_DYNAMIC_BROKER",
    "SOURCE_DYNAMIC_DEFAULT",
    "SOURCE_STATIC_BROKER",
    "BrokerConfigs",
    "broker_synonyms",
    "option_of",
    "refused_broker_configs",
]

SOURCE_DYNAMIC_BROKER = 2
SOURCE_DYNAMIC_DEFAULT = 3
SOURCE_STATIC_BROKER = 4
SOURCE_DEFAULT = 5

_LISTENER = re.compile(r"listener\.name\.[^.]*\.(.*)", re.DOTALL)
_FAMILIES = (
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
)
_OF_ALL_LISTENERS = frozenset({"max.connections", "max.connection.creation.rate", "num.network.threads"})
_STORES = re.compile(r"ssl\.(key\.password|keystore\..*|truststore\..*)")
_MEBIBYTE = 1 << 20
_POOLS = (
    "background.threads",
    "num.io.threads",
    "num.network.threads",
    "num.recovery.threads.per.data.dir",
    "num.replica.fetchers",
)
"""Numbers of threads, which may at most double or halve in one step."""


def broker_synonyms(name: str) -> tuple[str, ...]:
    """Returns the options that decide a value together, strongest first."""
    for family in _FAMILIES:
        if name in family:
            return family
    if name == "log.flush.interval.ms":
        return (name, "log.flush.scheduler.interval.ms")
    found = _LISTENER.fullmatch(name)
    return (name,) if found is None else (name, found[1])


def option_of(name: str, settings: ControllerSettings) -> ConfigKey | None:
    """Returns the option of that name, Kafka's or our own."""
    return KAFKA_OPTIONS.get(name) or settings.own_options.get(name)


class BrokerConfigs(NamedTuple):
    """What sets a broker's options, strongest first.

    Attributes:
        broker: Set for this broker at any time.
        cluster: Set for all brokers at any time.
        static: Set for this start.
    """

    broker: Mapping[str, str]
    cluster: Mapping[str, str]
    static: Mapping[str, str]

    @classmethod
    def of(cls, image: Image, settings: ControllerSettings) -> BrokerConfigs:
        """Returns the options in force. What the metadata log holds and this version refuses is left out."""
        broker, cluster = (
            _acceptable(image.configs.get((BROKER_RESOURCE, name), {}), is_for_one=bool(name))
            for name in (str(settings.node_id), "")
        )
        return cls(broker, cluster, settings.static_options)

    def layers(self) -> Iterator[tuple[int, Mapping[str, str]]]:
        """Yields (source, what it sets), strongest first."""
        yield SOURCE_DYNAMIC_BROKER, self.broker
        yield SOURCE_DYNAMIC_DEFAULT, self.cluster
        yield SOURCE_STATIC_BROKER, self.static

    def texts(self) -> dict[str, str]:
        """Returns what is set. Who sets an option puts weaker names of the same thing out of force."""
        texts = dict(self.static)
        for layer in (self.cluster, self.broker):
            for name, value in layer.items():
                if _LISTENER.fullmatch(name) is None:
                    for synonym in broker_synonyms(name):
                        texts.pop(synonym, None)
                texts[name] = value
        return texts

    def value(self, name: str) -> str | None:
        """Returns an option's text, set or default."""
        for _, layer in self.layers():
            if name in layer:
                return layer[name]
        key = KAFKA_OPTIONS.get(name)
        return None if key is None else key.default

    def number(self, name: str) -> int:
        """Returns an option of Kafka that is a whole number."""
        return int(self.value(name) or 0)

    def synonyms(self, name: str, settings: ControllerSettings) -> list[tuple[str, str | None, int]]:
        """Returns (option, value, source) of everything that could give an option's value, strongest first."""
        names = broker_synonyms(name)
        found = [(other, layer[other], source) for source, layer in self.layers() for other in names if other in layer]
        for other in names:
            key = option_of(other, settings)
            if key is not None and key.default is not None:
                found.append((other, key.default, SOURCE_DEFAULT))
        # As in Kafka, what stands before the option itself is not told.
        first = next((index for index, item in enumerate(found) if item[0] == name), len(found))
        return list(found[first:])


def _acceptable(configs: Mapping[str, str], *, is_for_one: bool) -> dict[str, str]:
    return {name: value for name, value in configs.items() if _refusal({name: value}, is_for_one=is_for_one) is None}


def _refusal(configs: Mapping[str, str], *, is_for_one: bool) -> str | None:
    """Returns why options cannot be set at any time, each for itself."""
    fixed = [name for name in configs if name in KAFKA_OPTIONS and KAFKA_OPTIONS[name].mode == "read-only"]
    fixed += [name for name in configs if name.startswith("barnabas.")]
    if fixed:
        return f"Cannot update these configs dynamically: [{', '.join(fixed)}]"
    bare = [name for name in configs if _STORES.fullmatch(name) and name in KAFKA_OPTIONS]
    if bare:
        return (
            "These security configs can be dynamically updated only per-listener using the listener prefix: "
            f"[{', '.join(bare)}]"
        )
    for name, value in configs.items():
        found = _LISTENER.fullmatch(name)
        base = name if found is None else found[1]
        key = KAFKA_OPTIONS.get(base) or BROKER_QUOTA_OPTIONS.get(base)
        if key is None:
            continue
        try:
            key.parse(value)
        except InvalidConfigValue as error:
            return str(error)
    if not is_for_one:
        single = [name for name in configs if _is_of_one_broker(name)]
        if single:
            return (
                "Cannot update these configs at default cluster level, broker id must be specified: "
                f"[{', '.join(single)}]"
            )
    return None


def _is_of_one_broker(name: str) -> bool:
    found = _LISTENER.fullmatch(name)
    if found is not None:
        return found[1] not in _OF_ALL_LISTENERS
    key = KAFKA_OPTIONS.get(name)
    return key is not None and key.mode == "per-broker"


def refused_broker_configs(configs: Mapping[str, str], current: BrokerConfigs, *, is_for_one: bool) -> str | None:
    """Returns why a broker (or all of them) cannot get these options at any time, in Kafka's words; None if it can.

    Args:
        configs: All options that would be set at that level.
        current: What is in force now.
        is_for_one: Whether they would be set for one broker.
    """
    why = _refusal(configs, is_for_one=is_for_one)
    if why is not None:
        return why
    after = current._replace(broker=configs) if is_for_one else current._replace(cluster=configs)
    why = _refused_overrides(after.value("max.connections.per.ip.overrides") or "")
    if why is not None:
        return why
    if after.number("log.cleaner.dedupe.buffer.size") // max(after.number("log.cleaner.threads"), 1) <= _MEBIBYTE:
        exception = (
            "java.lang.IllegalArgumentException: requirement failed: "
            "log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread."
        )
        return f"Invalid value {exception} for configuration Invalid dynamic configuration"
    why = _refused_threads(current, after)
    if why is not None:
        # Kafka's text: the exception that says why is the "value" of one that says that something is wrong.
        exception = f"org.apache.kafka.common.config.ConfigException: {why}"
        return f"Invalid value {exception} for configuration Invalid dynamic configuration"
    # Loaded with the first change, because a broker's start is counted in milliseconds.
    from barnabas.controller.listeners import refused_listener_change  # noqa: PLC0415

    return refused_listener_change(current.texts(), after.texts())


def _refused_overrides(text: str) -> str | None:
    for item in text.split(",") if text else []:
        count = item.rpartition(":")[2].strip()
        if re.fullmatch(r"[+-]?[0-9]+", count, re.ASCII) is None:
            return f'For input string: "{count}"'
    return None


def _refused_threads(current: BrokerConfigs, after: BrokerConfigs) -> str | None:
    old, new = current.number("log.cleaner.threads"), after.number("log.cleaner.threads")
    if new != old:
        if new < 1:
            return "Log cleaner threads should be at least 1"
        if new < old // 2:
            return f"Log cleaner threads cannot be reduced to less than half the current value {old}"
        if new > 2 * old:
            return f"Log cleaner threads cannot be increased to more than double the current value {old}"
    for name in _POOLS:
        old, new = current.number(name), after.number(name)
        begin = f"Dynamic thread count update validation failed for {name}={new}"
        if new < old // 2:
            return f"{begin}, value should be at least half the current value {old}"
        if new > 2 * old:
            return f"{begin}, value should not be greater than double the current value {old}"
    return None
