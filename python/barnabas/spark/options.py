"""The data source's options: names and meanings of spark-sql-kafka, and a few of our own.

An unknown option names the nearest known one. Options that begin with `kafka.` go to the client, and those of a format
(`timestampFormat`, `sep`, `avroSchema` …) to its decoder: each checks its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from barnabas.client.options import CONSUMER, PRODUCER
from barnabas.errors import ConfigError
from barnabas.spark.filters import parse as parse_filter
from barnabas.spark.given import EARLIEST, LATEST, Given, Start, json_object
from barnabas.spark.java_regex import compile_java_regex
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.spark.filters import Condition

__all__ = ["EARLIEST", "LATEST", "ReadOptions", "Start", "WriteOptions"]

_READ_NAMES: Final = (
    "subscribe",
    "subscribePattern",
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
    "minOffsetsPerTrigger",
    "maxOffsetsPerTrigger",
    "maxTriggerDelay",
    "minPartitions",
    "maxRecordsPerPartition",
    "kafkaConsumer.pollTimeoutMs",
    "format",
    "mode",
    "kafkaColumns",
    "filter",
    "pushFilters",
    "targetRowsPerTask",
    "targetBytesPerTask",
    "maxBytesPerTrigger",
    "latestPerKey",
    "keepTombstones",
    "inferSchema",
    "samplingRecords",
    "schemaResolver",
)
_WRITE_NAMES: Final = (
    "topic",
    "includeHeaders",
    "format",
    "dedupHeaders",
    "writeId",
    "batchId",
    "schemaId",
    "checkpointLocation",
    "queryName",
)
_WITHOUT_EFFECT: Final = ("fetchOffset.numRetries", "fetchOffset.retryIntervalMs", "groupIdPrefix", "path")
"""Options of spark-sql-kafka that answer a question which does not arise here: no group is joined, and the client has
retries of its own (`kafka.retry.backoff.ms`). Spark adds `path` by itself."""

_TIMES: Final = (
    "timestampFormat",
    "dateFormat",
    "timestampNTZFormat",
    "enableDateTimeParsingFallback",
    "timeZone",
    "locale",
    "epochUnit",
)
_VALUES: Final = ("columnNameOfCorruptRecord", "part")
_DECODERS: Final = {
    "raw": (),
    "text": _VALUES,
    "json": (
        *_VALUES,
        *_TIMES,
        "allowComments",
        "allowUnquotedFieldNames",
        "allowSingleQuotes",
        "allowNumericLeadingZeros",
        "allowNonNumericNumbers",
        "allowBackslashEscapingAnyCharacter",
        "allowUnquotedControlChars",
        "singleVariantColumn",
    ),
    "csv": (
        *_VALUES,
        *_TIMES,
        "sep",
        "delimiter",
        "quote",
        "escape",
        "comment",
        "charToEscapeQuoteEscaping",
        "nullValue",
        "emptyValue",
        "nanValue",
        "positiveInf",
        "negativeInf",
        "ignoreLeadingWhiteSpace",
        "ignoreTrailingWhiteSpace",
        "maxColumns",
        "maxCharsPerColumn",
        "unescapedQuoteHandling",
        "columns",
    ),
    "avro": (
        *_VALUES,
        "avroSchema",
        "jsonFormatSchema",
        "recursiveFieldMaxDepth",
        "enableStableIdentifiersForUnionType",
        "stableIdentifierPrefixForUnionType",
        "datetimeRebaseMode",
        "refuseTrailingBytes",
    ),
}
"""What each format of `barnabas.columns` can be told; docs/columns.md says what it means."""
_ENCODERS: Final = {
    "raw": (),
    "json": (
        "ignoreNullFields",
        "writeNonAsciiCharacterAsCodePoint",
        "timestampFormat",
        "dateFormat",
        "timestampNTZFormat",
        "timeZone",
    ),
    "avro": ("avroSchema",),
}
_FOREIGN: Final = tuple(sorted({name for known in (*_DECODERS.values(), *_ENCODERS.values()) for name in known}))
_MODES: Final = ("PERMISSIVE", "FAILFAST", "DROPMALFORMED")

MAX_TRIGGER_DELAY_MS: Final = 900_000
"""How long minOffsetsPerTrigger may hold a batch back, unless maxTriggerDelay says; as in spark-sql-kafka."""
SAMPLING_RECORDS: Final = 1_000
"""How many values inferSchema looks at, unless samplingRecords says."""
ROWS_PER_TASK: Final = 20_000
"""Partitions with few offsets share a task up to so many: a task costs Spark more than reading so many records."""


@dataclass(frozen=True)
class ReadOptions:
    """How to read.

    Attributes:
        client: The client's options by Kafka's names.
        topics: The topics to read all partitions of.
        pattern: A Java regular expression; all partitions of the topics that it matches are read.
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
        offsets_per_trigger_min: Fewest offsets of one micro-batch, unless it has been held back long enough.
        trigger_delay_ms: How long that is.
        partitions_min: Fewest Spark partitions of a batch.
        records_per_partition: Most records of one Spark partition.
        rows_per_task: Partitions with fewer offsets share a Spark partition up to so many.
        bytes_per_task: Ranges with more bytes are split; small ones share a task up to so many.
        bytes_per_trigger: Most bytes of one micro-batch, of the leaders' logs.
        idle_timeout_ms: How long a task waits for records that should be there.
        record_format: How values are read: `raw`, `json`, `avro`, `csv`, `text`, or what the schema asks for.
        format_options: What the format's decoder is told, by names in lower case.
        mode: What becomes of a value that does not fit: PERMISSIVE (nulls), FAILFAST or DROPMALFORMED.
        kafka_columns: The fields of a typed schema that are Kafka's columns, if the user named them.
        conditions: What rows must meet to be shipped.
        push_filters: Whether a batch read takes filters from Spark's plan.
        latest_per_key: Whether a batch read has only the latest record of each key of a partition.
        keep_tombstones: Whether keys whose latest value is null have a row then.
        infer_schema: Whether the columns are those that a sample of the values has.
        sampling_records: How many values that sample has.
        resolver: The function (`module:function`) that tells the schemas which Avro values name by their ids; None if
            they name none.
    """

    client: dict[str, str]
    topics: tuple[str, ...]
    pattern: str | None
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
    offsets_per_trigger_min: int | None
    trigger_delay_ms: int
    partitions_min: int | None
    records_per_partition: int | None
    rows_per_task: int
    bytes_per_task: int | None
    bytes_per_trigger: int | None
    idle_timeout_ms: int
    record_format: str | None
    format_options: dict[str, str]
    mode: str
    kafka_columns: tuple[str, ...] | None
    conditions: tuple[Condition, ...]
    push_filters: bool
    latest_per_key: bool
    keep_tombstones: bool
    infer_schema: bool
    sampling_records: int
    resolver: str | None

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
        given = Given(options, _READ_NAMES, _WRITE_NAMES, _WITHOUT_EFFECT, _FOREIGN)
        push_filters = given.flag("pushFilters", default=False)
        if streaming and push_filters:
            raise ConfigError("pushFilters is for batch queries: Spark pushes no filter to a stream; use option filter")
        if streaming and (end := given.first("endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp")):
            raise ConfigError(f"{end} is for batch queries: a stream has no end")
        latest_per_key = _latest_per_key(given, streaming=streaming)
        topics, pattern, partitions = _subscription(given)
        least, most = given.number("minOffsetsPerTrigger", low=1), given.number("maxOffsetsPerTrigger", low=1)
        if least is not None and most is not None and least > most:
            raise ConfigError(f"option minOffsetsPerTrigger ({least}) is above maxOffsetsPerTrigger ({most})")
        record_format = given.choice("format", tuple(_DECODERS), "") or None
        resolver = given.text("schemaResolver")
        if resolver is not None and (record_format != "avro" or given.text("jsonFormatSchema") is not None):
            raise ConfigError(
                "option schemaResolver is for format=avro without jsonFormatSchema: it tells which schemas values name"
            )
        client = given.client(CONSUMER)
        # Spark keeps the offsets, so no group is joined; barnabas.spark.OffsetReporter publishes them to a group.
        client.pop("group.id", None)
        starting, ending = _positions(given, streaming=streaming)
        return cls(
            client=client,
            topics=topics,
            pattern=pattern,
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
            offsets_per_trigger=most,
            offsets_per_trigger_min=least,
            trigger_delay_ms=given.milliseconds("maxTriggerDelay", MAX_TRIGGER_DELAY_MS),
            partitions_min=given.number("minPartitions", low=1),
            records_per_partition=given.number("maxRecordsPerPartition", low=1),
            rows_per_task=given.number("targetRowsPerTask", low=1) or ROWS_PER_TASK,
            bytes_per_task=given.size("targetBytesPerTask"),
            bytes_per_trigger=given.size("maxBytesPerTrigger"),
            idle_timeout_ms=given.number("kafkaConsumer.pollTimeoutMs", low=1) or 120_000,
            record_format=record_format,
            format_options=_format_options(given, record_format or "json", _DECODERS),
            mode=given.choice("mode", _MODES, "PERMISSIVE"),
            kafka_columns=given.names("kafkaColumns"),
            conditions=parse_filter(text) if (text := given.text("filter")) else (),
            push_filters=push_filters,
            latest_per_key=latest_per_key,
            keep_tombstones=given.flag("keepTombstones", default=False),
            infer_schema=given.flag("inferSchema", default=False),
            sampling_records=given.number("samplingRecords", low=1) or SAMPLING_RECORDS,
            resolver=resolver,
        )


@dataclass(frozen=True)
class WriteOptions:
    """How to write.

    Attributes:
        client: The producer's options by Kafka's names.
        topic: The topic of all rows; otherwise the column `topic` names it.
        record_format: `raw` (the column `value` is written as it is), or `json` or `avro`: all columns that are not
            Kafka's become the value.
        format_options: What the format's encoder is told, by names in lower case.
        schema_id: The id that Avro values begin with, as schema registries frame them; none if None.
        dedup_headers: Whether each record says in headers which row of which micro-batch it is.
        write_id: The write's name in these headers, the same when it is repeated; None for Spark's id of the streaming
            query, or for a fresh id of a batch write.
        batch_id: Which batch of the write it is in these headers; None for Spark's number of the micro-batch, or 0.
    """

    client: dict[str, str]
    topic: str | None
    record_format: str
    format_options: dict[str, str]
    schema_id: int | None
    dedup_headers: bool
    write_id: str | None
    batch_id: int | None

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> WriteOptions:
        """Reads the options of `write` or `writeStream`.

        Args:
            options: The options, names in any case.

        Raises:
            ConfigError: An option is unknown, not supported, missing or wrong.
        """
        given = Given(options, _WRITE_NAMES, _READ_NAMES, _WITHOUT_EFFECT, _FOREIGN)
        record_format = given.choice("format", tuple(_ENCODERS), "raw")
        schema_id = given.number("schemaId", low=0)
        if schema_id is not None and record_format != "avro":
            raise ConfigError("option schemaId is for format=avro: it names the schema that values were written with")
        dedup_headers = given.flag("dedupHeaders", default=False)
        if not dedup_headers and (name := given.first("writeId", "batchId")):
            raise ConfigError(f"option {name} is for dedupHeaders=true: it stands in the headers that tell rows apart")
        if given.text("writeId") == "":
            raise ConfigError("option writeId is empty: it names the write, the same when it is repeated")
        return cls(
            client=given.client(PRODUCER),
            topic=given.text("topic"),
            record_format=record_format,
            format_options=_format_options(given, record_format, _ENCODERS),
            schema_id=schema_id,
            dedup_headers=dedup_headers,
            write_id=given.text("writeId"),
            batch_id=given.number("batchId", low=0),
        )


def _latest_per_key(given: Given, *, streaming: bool) -> bool:
    if not given.flag("latestPerKey", default=False):
        if given.text("keepTombstones") is not None:
            raise ConfigError("option keepTombstones is for latestPerKey=true: other reads have every record")
        return False
    if streaming:
        raise ConfigError(
            "latestPerKey is for batch queries: the rows of a stream change the table; merge them in foreachBatch"
        )
    if name := given.first("minPartitions", "maxRecordsPerPartition"):
        raise ConfigError(f"option {name} splits partitions, but latestPerKey=true has one task look at all of one")
    return True


def _positions(given: Given, *, streaming: bool) -> tuple[Start, Start]:
    starting = given.offsets("startingOffsets", "latest" if streaming else "earliest")
    ending = given.offsets("endingOffsets", "latest")
    if ending == "earliest" or (isinstance(ending, dict) and EARLIEST in ending.values()):
        raise ConfigError("endingOffsets cannot be earliest (-2): nothing ends there")
    if not streaming and starting == "latest":
        raise ConfigError("startingOffsets=latest would give a batch query nothing to read")
    if not streaming and isinstance(starting, dict) and LATEST in starting.values():
        raise ConfigError("startingOffsets of a batch query cannot be latest (-1)")
    return starting, ending


def _subscription(given: Given) -> tuple[tuple[str, ...], str | None, tuple[TopicPartition, ...]]:
    subscribe, pattern, assign = given.names("subscribe"), given.text("subscribePattern"), given.text("assign")
    if given.first("subscribe", "subscribePattern", "assign", "kafka.bootstrap.servers") is None:
        raise ConfigError(
            "options kafka.bootstrap.servers and subscribe are missing; in SQL use CREATE TEMPORARY VIEW: Spark "
            "does not hand the options of CREATE TABLE to sources in Python"
        )
    if sum(option is not None for option in (subscribe, pattern, assign)) != 1:
        raise ConfigError(
            "exactly one of the options subscribe (topics), subscribePattern (a regular expression) and assign "
            "(partitions) must be given"
        )
    if pattern is not None:
        compile_java_regex(pattern)
        return (), pattern, ()
    if subscribe is not None:
        if not subscribe:
            raise ConfigError("option subscribe names no topic")
        return subscribe, None, ()
    found = json_object("assign", assign or "")
    partitions = []
    for topic, numbers in found.items():
        if not isinstance(numbers, list) or not all(type(number) is int and number >= 0 for number in numbers):
            raise ConfigError(f"""option assign looks like {{"topic": [0, 1]}}, got {assign!r}""")
        partitions += [TopicPartition(topic, number) for number in numbers]
    if not partitions:
        raise ConfigError("option assign names no partition")
    return (), None, tuple(sorted(set(partitions)))


def _format_options(given: Given, record_format: str, formats: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The options of a format, none of them another's."""
    found = given.foreign()
    known = {name.lower(): name for name in formats[record_format]}
    for name in found:
        if name not in known:
            others = [other for other, names in formats.items() if name in {one.lower() for one in names}]
            hint = f"; it is one of format={' and format='.join(others)}" if others else ""
            raise ConfigError(f"option {name} has no meaning with format={record_format}{hint}")
    return {known[name]: value for name, value in found.items()}
