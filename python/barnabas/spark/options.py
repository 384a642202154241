"""The data source's options: names and meanings of spark-sql-kafka, and a few of our own.

An option that spark-sql-kafka has and this source has not yet says so; an unknown one names the nearest known one.
Options that begin with `kafka.` go to the client, which checks them.
"""

from __future__ import annotations

import difflib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from barnabas.client.options import CONSUMER, PRODUCER
from barnabas.errors import ConfigError
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.config import OptionTable

__all__ = ["EARLIEST", "LATEST", "ReadOptions", "Start", "WriteOptions"]

EARLIEST: Final = -2
"""Stands for a partition's first offset, as in spark-sql-kafka."""
LATEST: Final = -1
"""Stands for a partition's end, as in spark-sql-kafka."""

_READ_NAMES: Final = (
    "subscribe",
    "assign",
    "startingOffsets",
    "startingOffsetsByTimestamp",
    "startingTimestamp",
    "startingOffsetsByTimestampStrategy",
    "endingOffsets",
    "endingOffsetsByTimestamp",
    "endingTimestamp",
    "failOnDataLoss",
    "includeHeaders",
    "maxOffsetsPerTrigger",
    "minPartitions",
    "maxRecordsPerPartition",
    "kafkaConsumer.pollTimeoutMs",
    "format",
    "mode",
    "kafkaColumns",
)
_WRITE_NAMES: Final = ("topic", "includeHeaders", "checkpointLocation", "queryName", "path")
_WITHOUT_EFFECT: Final = ("fetchOffset.numRetries", "fetchOffset.retryIntervalMs", "groupIdPrefix")
_UNSUPPORTED: Final = {
    "subscribePattern": "name the topics with subscribe",
    "minOffsetsPerTrigger": "use a trigger with a processing time",
    "maxTriggerDelay": "use a trigger with a processing time",
    "kafka.group.id": "offsets are kept in the checkpoint, no group is joined",
}
_REFUSED_CLIENT_OPTIONS: Final = {
    "auto.offset.reset": "use startingOffsets",
    "enable.auto.commit": "offsets are kept in the checkpoint",
    "key.deserializer": "keys are columns: cast or decode them in the query",
    "value.deserializer": "values are columns: cast them in the query or give a schema",
    "key.serializer": "cast the key column in the query",
    "value.serializer": "make the value column in the query, for example with to_json",
    "interceptor.classes": "transform the DataFrame instead",
}
_RECORD_FORMATS: Final = ("raw", "json")
_MODES: Final = ("PERMISSIVE", "FAILFAST")

Start = str | dict[TopicPartition, int]
"""A position for all partitions (`earliest` or `latest`), or one for each."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read.

    Attributes:
        client: The client's options by Kafka's names.
        topics: The topics to read all partitions of.
        partitions: The partitions to read, instead of topics.
        starting: Where to start.
        starting_times: Times in milliseconds to start at, by partition, before `starting` is looked at.
        starting_time: One such time for all partitions, before `starting_times` is looked at.
        latest_without_match: Whether a partition without a record at or after its starting time starts at its end;
            otherwise that is an error.
        ending: Where a batch query ends.
        ending_times: Times in milliseconds to end before, by partition.
        ending_time: One such time for all partitions.
        fail_on_data_loss: Whether offsets that are gone are an error; otherwise they are left out.
        include_headers: Whether the raw columns have headers.
        offsets_per_trigger: Most offsets of one micro-batch.
        partitions_min: Fewest Spark partitions of a batch.
        records_per_partition: Most records of one Spark partition.
        idle_timeout_ms: How long a task waits for records that should be there.
        record_format: How values are read: `raw`, `json`, or what the schema asks for.
        fail_fast: Whether a value that does not fit the schema is an error; otherwise it gives nulls.
        kafka_columns: The fields of a typed schema that are Kafka's columns, if the user named them.
    """

    client: dict[str, str]
    topics: tuple[str, ...]
    partitions: tuple[TopicPartition, ...]
    starting: Start
    starting_times: dict[TopicPartition, int]
    starting_time: int | None
    latest_without_match: bool
    ending: Start
    ending_times: dict[TopicPartition, int]
    ending_time: int | None
    fail_on_data_loss: bool
    include_headers: bool
    offsets_per_trigger: int | None
    partitions_min: int | None
    records_per_partition: int | None
    idle_timeout_ms: int
    record_format: str | None
    fail_fast: bool
    kafka_columns: tuple[str, ...] | None

    @property
    def starts_by_time(self) -> bool:
        """Whether the start is a time."""
        return self.starting_time is not None or bool(self.starting_times)

    @classmethod
    def parse(cls, options: Mapping[str, str], *, streaming: bool) -> ReadOptions:
        """Reads the options of `spark.read` or `spark.readStream`.

        Args:
            options: The options, names in any case.
            streaming: Whether they are of `readStream`, which has other defaults and no end.

        Raises:
            ConfigError: An option is unknown, not supported, missing or wrong.
        """
        given = _Given(options, _READ_NAMES)
        if streaming and (end := given.first("endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp")):
            raise ConfigError(f"{end} is for batch queries: a stream has no end")
        topics, partitions = _subscription(given)
        starting = given.offsets("startingOffsets", "latest" if streaming else "earliest")
        ending = given.offsets("endingOffsets", "latest")
        if not streaming and starting == "latest":
            raise ConfigError("startingOffsets=latest would give a batch query nothing to read")
        if ending == "earliest" or (isinstance(ending, dict) and EARLIEST in ending.values()):
            raise ConfigError("endingOffsets cannot be earliest (-2): nothing ends there")
        if not streaming and isinstance(starting, dict) and LATEST in starting.values():
            raise ConfigError("startingOffsets of a batch query cannot be latest (-1)")
        record_format = given.choice("format", _RECORD_FORMATS, "")
        names = given.text("kafkaColumns")
        return cls(
            client=given.client(CONSUMER),
            topics=topics,
            partitions=partitions,
            starting=starting,
            starting_times=given.partition_map("startingOffsetsByTimestamp"),
            starting_time=given.number("startingTimestamp", low=0),
            latest_without_match=given.choice("startingOffsetsByTimestampStrategy", ("error", "latest"), "error")
            == "latest",
            ending=ending,
            ending_times=given.partition_map("endingOffsetsByTimestamp"),
            ending_time=given.number("endingTimestamp", low=0),
            fail_on_data_loss=given.flag("failOnDataLoss", default=True),
            include_headers=given.flag("includeHeaders", default=False),
            offsets_per_trigger=given.number("maxOffsetsPerTrigger", low=1),
            partitions_min=given.number("minPartitions", low=1),
            records_per_partition=given.number("maxRecordsPerPartition", low=1),
            idle_timeout_ms=given.number("kafkaConsumer.pollTimeoutMs", low=1) or 120_000,
            record_format=record_format or None,
            fail_fast=given.choice("mode", _MODES, "PERMISSIVE") == "FAILFAST",
            kafka_columns=None if names is None else tuple(name.strip() for name in names.split(",") if name.strip()),
        )


@dataclass(frozen=True)
class WriteOptions:
    """How to write.

    Attributes:
        client: The producer's options by Kafka's names.
        topic: The topic of all rows; otherwise the column `topic` names it.
    """

    client: dict[str, str]
    topic: str | None

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> WriteOptions:
        """Reads the options of `writeStream`.

        Args:
            options: The options, names in any case.

        Raises:
            ConfigError: An option is unknown, not supported, missing or wrong.
        """
        given = _Given(options, _WRITE_NAMES)
        return cls(client=given.client(PRODUCER), topic=given.text("topic"))


class _Given:
    """The options that the user gave, by their names in lower case: Spark does not keep the case of all of them."""

    def __init__(self, options: Mapping[str, str], names: tuple[str, ...]) -> None:
        self._values = {name.lower(): value for name, value in options.items()}
        self._names = {name.lower(): name for name in names}
        every_name = {*_READ_NAMES, *_WRITE_NAMES, *_WITHOUT_EFFECT, *_UNSUPPORTED}
        ignored = {name.lower() for name in _WITHOUT_EFFECT}
        elsewhere = {name.lower(): name for name in every_name}
        unsupported = {name.lower(): name for name in _UNSUPPORTED}
        for name in self._values:
            if name in unsupported:
                known = unsupported[name]
                raise ConfigError(f"option {known} is not supported yet: {_UNSUPPORTED[known]}")
            if name in self._names or name in ignored or name.startswith("kafka."):
                continue
            if name in elsewhere:
                raise ConfigError(f"option {elsewhere[name]} has no meaning here")
            nearest = difflib.get_close_matches(name, [*elsewhere, "kafka.bootstrap.servers"], n=1)
            hint = f"; did you mean {elsewhere.get(nearest[0], nearest[0])}?" if nearest else ""
            raise ConfigError(f"unknown option {name}{hint}")

    def text(self, name: str) -> str | None:
        return self._values.get(name.lower())

    def first(self, *names: str) -> str | None:
        return next((name for name in names if self.text(name) is not None), None)

    def flag(self, name: str, *, default: bool) -> bool:
        text = self.text(name)
        if text is None:
            return default
        if text.lower() not in ("true", "false"):
            raise ConfigError(f"option {name} is true or false, got {text!r}")
        return text.lower() == "true"

    def number(self, name: str, low: int) -> int | None:
        text = self.text(name)
        if text is None:
            return None
        if not text.strip().isdecimal() or int(text) < low:
            raise ConfigError(f"option {name} is a whole number of at least {low}, got {text!r}")
        return int(text)

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        text = self.text(name)
        if text is None:
            return default
        found = next((choice for choice in choices if choice.lower() == text.strip().lower()), None)
        if found is None:
            raise ConfigError(f"option {name} is one of {', '.join(choices)}, got {text!r}")
        return found

    def offsets(self, name: str, default: str) -> Start:
        text = self.text(name)
        if text is None:
            return default
        if text.strip().lower() in ("earliest", "latest"):
            return text.strip().lower()
        return _partition_map(name, text, low=EARLIEST)

    def partition_map(self, name: str) -> dict[TopicPartition, int]:
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


def _subscription(given: _Given) -> tuple[tuple[str, ...], tuple[TopicPartition, ...]]:
    subscribe, assign = given.text("subscribe"), given.text("assign")
    if (subscribe is None) == (assign is None):
        raise ConfigError("exactly one of the options subscribe (topics) and assign (partitions) must be given")
    if subscribe is not None:
        topics = tuple(dict.fromkeys(topic.strip() for topic in subscribe.split(",") if topic.strip()))
        if not topics:
            raise ConfigError("option subscribe names no topic")
        return topics, ()
    found = _json_object("assign", assign or "")
    partitions = []
    for topic, numbers in found.items():
        if not isinstance(numbers, list) or not all(type(number) is int and number >= 0 for number in numbers):
            raise ConfigError(f"""option assign looks like {{"topic": [0, 1]}}, got {assign!r}""")
        partitions += [TopicPartition(topic, number) for number in numbers]
    if not partitions:
        raise ConfigError("option assign names no partition")
    return (), tuple(sorted(set(partitions)))


def _partition_map(name: str, text: str, low: int) -> dict[TopicPartition, int]:
    example = f"""option {name} looks like {{"topic": {{"0": 23, "1": 42}}}}, got {text!r}"""
    found: dict[TopicPartition, int] = {}
    for topic, numbers in _json_object(name, text).items():
        if not isinstance(numbers, dict):
            raise ConfigError(example)
        for partition, value in numbers.items():
            if not partition.isdecimal() or type(value) is not int or value < low:
                raise ConfigError(example)
            found[TopicPartition(topic, int(partition))] = value
    return found


def _json_object(name: str, text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"option {name} is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise ConfigError(f"option {name} is a JSON object, got {text!r}")
    return found
