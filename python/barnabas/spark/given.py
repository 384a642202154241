"""Reads options as Spark gives them: text by names in any case."""

from __future__ import annotations

import difflib
import json
import re
from typing import TYPE_CHECKING, Final

from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from barnabas.config import OptionTable

__all__ = ["EARLIEST", "LATEST", "Given", "Start", "json_object"]

EARLIEST: Final = -2
"""Stands for a partition's first offset, as in spark-sql-kafka."""
LATEST: Final = -1
"""Stands for a partition's end, as in spark-sql-kafka."""

Start = str | dict[TopicPartition, int]
"""A position for all partitions (`earliest` or `latest`), or one for each."""

_REFUSED_CLIENT_OPTIONS: Final = {
    "auto.offset.reset": "use startingOffsets",
    "enable.auto.commit": "offsets are kept in the checkpoint",
    "key.deserializer": "keys are columns: cast or decode them in the query",
    "value.deserializer": "values are columns: cast them in the query or give a schema",
    "key.serializer": "cast the key column in the query",
    "value.serializer": "make the value column in the query, for example with to_json",
    "interceptor.classes": "transform the DataFrame instead",
}
_COUNTERPARTS: Final = {"topic": "subscribe", "subscribe": "topic"}
"""What names the topics of a read, and the topic of a write: the one where the other has no meaning."""
_PARTITIONS_EXAMPLE: Final = """{"topic": {"0": 23, "1": 42}}"""
_MILLISECONDS: Final = {
    "us": 0.001,
    "ms": 1,
    "s": 1_000,
    "m": 60_000,
    "min": 60_000,
    "h": 3_600_000,
    "d": 86_400_000,
    "": 1,
}
"""Units of times in Spark's options (`JavaUtils.timeStringAs`)."""
_SHIFTS: Final = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
"""Units of bytes in Spark's options (`JavaUtils.byteStringAs`), as powers of two."""


class Given:
    """The options that the user gave, by their names in lower case: Spark does not keep the case of all of them.

    Args:
        options: The options, names in any case.
        names: Those that have a meaning here.
        elsewhere: Those that have one somewhere else, by which a mistake can be told.
        ignored: Those of spark-sql-kafka that are accepted and change nothing.
        foreign: Those that somebody else checks.

    Raises:
        ConfigError: An option is unknown, or has no meaning here.
    """

    def __init__(
        self,
        options: Mapping[str, str],
        names: Iterable[str],
        elsewhere: Iterable[str],
        ignored: Iterable[str],
        foreign: Iterable[str] = (),
    ) -> None:
        self._values = {name.lower(): value for name, value in options.items()}
        self._foreign = {name.lower() for name in foreign}
        here = {name.lower() for name in (*names, *ignored)} | self._foreign
        known = {name.lower(): name for name in (*names, *elsewhere, *foreign)}
        for name in self._values:
            if name in here or name.startswith("kafka."):
                continue
            if name in known:
                hint = f"; did you mean {_COUNTERPARTS[name]}?" if name in _COUNTERPARTS else ""
                raise ConfigError(f"option {known[name]} has no meaning here{hint}")
            nearest = difflib.get_close_matches(name, [*known, "kafka.bootstrap.servers"], n=1)
            hint = f"; did you mean {known.get(nearest[0], nearest[0])}?" if nearest else ""
            raise ConfigError(f"unknown option {name}{hint}")

    def foreign(self) -> dict[str, str]:
        """The options that somebody else checks, by their names in lower case."""
        return {name: value for name, value in self._values.items() if name in self._foreign}

    def text(self, name: str) -> str | None:
        """An option's text, if it is given."""
        return self._values.get(name.lower())

    def first(self, *names: str) -> str | None:
        """The first of these options that is given."""
        return next((name for name in names if self.text(name) is not None), None)

    def flag(self, name: str, *, default: bool) -> bool:
        """An option that is true or false."""
        text = self.text(name)
        if text is None:
            return default
        if text.lower() not in ("true", "false"):
            raise ConfigError(f"option {name} is true or false, got {text!r}")
        return text.lower() == "true"

    def number(self, name: str, low: int) -> int | None:
        """An option that is a whole number of at least `low`."""
        text = self.text(name)
        if text is None:
            return None
        if not text.strip().isdecimal() or int(text) < low:
            raise ConfigError(f"option {name} is a whole number of at least {low}, got {text!r}")
        return int(text)

    def milliseconds(self, name: str, default: int) -> int:
        """An option that is a time: `500ms`, `30s`, `15m`, or a number of milliseconds."""
        text = self.text(name)
        if text is None:
            return default
        found = re.fullmatch(r"\s*([0-9]+)\s*([a-z]*)\s*", text.lower(), re.ASCII)
        if found is None or found[2] not in _MILLISECONDS:
            raise ConfigError(f"option {name} is a time such as 500ms, 30s, 15m or 1h, got {text!r}")
        return int(int(found[1]) * _MILLISECONDS[found[2]])

    def size(self, name: str) -> int | None:
        """An option that is a number of bytes: `64m`, `1g`, or a plain number."""
        text = self.text(name)
        if text is None:
            return None
        found = re.fullmatch(r"\s*([0-9]+)\s*([kmgt]?)b?\s*", text.lower(), re.ASCII)
        if found is None or int(found[1]) == 0:
            raise ConfigError(f"option {name} is a number of bytes such as 64m or 1g, got {text!r}")
        return int(found[1]) << _SHIFTS[found[2]]

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """An option that is one of some words, in any case."""
        text = self.text(name)
        if text is None:
            return default
        found = next((choice for choice in choices if choice.lower() == text.strip().lower()), None)
        if found is None:
            raise ConfigError(f"option {name} is one of {', '.join(choices)}, got {text!r}")
        return found

    def names(self, name: str) -> tuple[str, ...] | None:
        """An option that is a list with commas."""
        text = self.text(name)
        return None if text is None else tuple(dict.fromkeys(one.strip() for one in text.split(",") if one.strip()))

    def offsets(self, name: str, default: str) -> Start:
        """An option that is a position."""
        text = self.text(name)
        if text is None:
            return default
        if text.strip().lower() in ("earliest", "latest"):
            return text.strip().lower()
        if not text.lstrip().startswith("{"):
            raise ConfigError(f"option {name} is earliest, latest or {_PARTITIONS_EXAMPLE}, got {text!r}")
        return _partition_map(name, text, low=EARLIEST)

    def partition_map(self, name: str) -> dict[TopicPartition, int]:
        """An option that is a number for each of some partitions."""
        text = self.text(name)
        return {} if text is None else _partition_map(name, text, low=0)

    def client(self, table: OptionTable) -> dict[str, str]:
        """The options that begin with `kafka.`, checked by the client's own table."""
        found = {
            name.removeprefix("kafka."): value for name, value in self._values.items() if name.startswith("kafka.")
        }
        for name, advice in _REFUSED_CLIENT_OPTIONS.items():
            if name in found:
                raise ConfigError(f"option kafka.{name} cannot be set: {advice}")
        if "bootstrap.servers" not in found:
            raise ConfigError("option kafka.bootstrap.servers is missing: the addresses (host:port) of the brokers")
        try:
            table.parse(found, {})
        except ConfigError as error:
            raise ConfigError(f"option kafka.*: {error}") from error
        return found


def json_object(name: str, text: str) -> dict[str, object]:
    """An option's text as a JSON object.

    Raises:
        ConfigError: It is none.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"option {name} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ConfigError(f"option {name} is a JSON object, got {text!r}")
    return found


def _partition_map(name: str, text: str, low: int) -> dict[TopicPartition, int]:
    example = f"option {name} looks like {_PARTITIONS_EXAMPLE}, got {text!r}"
    found: dict[TopicPartition, int] = {}
    for topic, numbers in json_object(name, text).items():
        if not isinstance(numbers, dict):
            raise ConfigError(example)
        for partition, value in numbers.items():
            if not partition.isdecimal() or type(value) is not int or value < low:
                raise ConfigError(example)
            found[TopicPartition(topic, int(partition))] = value
    return found
