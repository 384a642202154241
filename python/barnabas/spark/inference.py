"""Columns that nobody names: those that a sample of the values has, those of an Avro schema, or one for whole values.

The sample is spread over all partitions that have records, and over parts of each, because producers change with time;
what one lacks is taken from the others.
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType, VariantType

from barnabas import columns
from barnabas.columns import Records
from barnabas.errors import ConfigError
from barnabas.spark.offsets import Cluster, OffsetRange, check_ranges
from barnabas.spark.options import ReadOptions
from barnabas.spark.reader import read_columns
from barnabas.spark.schemas import kafka_fields, of_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = [
    "avro_columns",
    "columns_of",
    "fair_shares",
    "gather",
    "inferred_columns",
    "parts_of",
    "sample",
    "variant_column",
]

_PARTS: Final = 4
"""Parts of a partition that values are taken from, as long as there are not too many in all."""
_PARTS_IN_ALL: Final = 64
_FETCH_BYTES: Final = str(1 << 16)
"""What one fetch brings of a partition: a sample needs little of each."""

Sampled = list[tuple[bytes, str]]
"""Values, each with the place of its record for errors."""


def columns_of(options: Mapping[str, str]) -> StructType | None:
    """The columns of a read that names none, if the options say where they are to come from.

    Args:
        options: The options of `spark.read` or `spark.readStream`.

    Raises:
        ConfigError: An option is wrong, or no columns come of them.
        KafkaError: The topics cannot be read.
    """
    given = {name.lower(): value for name, value in options.items()}
    is_avro = given.get("format", "").strip().lower() == "avro" and "avroschema" in given
    if not is_avro and not given.keys() & {"inferschema", "singlevariantcolumn"}:
        return None
    try:
        parsed = ReadOptions.parse(given, streaming=False)
    except ConfigError as error:
        # Spark does not say here whether it is a stream, whose start may be one that a batch cannot have.
        unplaced = {name: value for name, value in given.items() if not name.startswith("starting")}
        try:
            ReadOptions.parse(given, streaming=True)
            parsed = ReadOptions.parse(unplaced, streaming=False)
        except ConfigError:
            raise error from None
    if "singleVariantColumn" in parsed.format_options:
        return variant_column(parsed)
    if parsed.infer_schema:
        return inferred_columns(parsed)
    return avro_columns(parsed) if is_avro else None


def inferred_columns(options: ReadOptions) -> StructType:
    """The columns that `spark.read.json` would find in a sample of the values, after those of `kafkaColumns`.

    Args:
        options: The read's options.

    Raises:
        ConfigError: The format is not JSON, there are no values, or none has a field; a value is bad under FAILFAST.
        KafkaError: The topics cannot be read.
    """
    if options.record_format not in (None, "json"):
        raise ConfigError(
            f"inferSchema=true is for JSON values, not for format={options.record_format}: give the columns by "
            f".schema(...){' or option avroSchema' if options.record_format == 'avro' else ''}"
        )
    kafka_fields(options.kafka_columns or ())
    part = options.format_options.get("part", "value")
    sampled = sample(options, part)
    if not sampled:
        raise ConfigError(f"inferSchema=true found no {part}s to look at: give the columns by .schema(...)")
    try:
        schema = pa.schema(
            columns.infer_schema(
                [value for value, _ in sampled], options={**options.format_options, "mode": options.mode}
            )
        )
    except ValueError as error:
        if len(error.args) == 1:
            raise ConfigError(str(error)) from error
        message, index = error.args
        raise ConfigError(f"inferSchema=true: {sampled[index][1]}: {message.partition(': ')[2]}") from error
    if not len(schema):
        raise ConfigError(
            f"inferSchema=true: none of {len(sampled)} {part}s has a field; raise samplingRecords, or give the columns "
            "by .schema(...)"
        )
    return _with_kafka_columns(from_arrow_schema(schema, prefer_timestamp_ntz=True), options)


def variant_column(options: ReadOptions) -> StructType:
    """The column of option singleVariantColumn, after those of `kafkaColumns`.

    Args:
        options: The read's options.

    Raises:
        ConfigError: inferSchema is to find the columns, too, or a column of Kafka's has the name.
    """
    name = options.format_options["singleVariantColumn"]
    if options.infer_schema:
        raise ConfigError("singleVariantColumn and inferSchema=true both give the columns: leave one of them out")
    if name in (options.kafka_columns or ()):
        raise ConfigError(f"options singleVariantColumn and kafkaColumns both name a column {name}")
    return _with_kafka_columns(StructType([StructField(name, VariantType())]), options)


def avro_columns(options: ReadOptions) -> StructType:
    """The columns of option avroSchema, as `from_avro` would have them, after those of `kafkaColumns`.

    Args:
        options: The read's options.

    Raises:
        ConfigError: The schema's text is wrong.
    """
    try:
        table = Records.from_bytes("", 0, b"").to_arrow([], format="avro", options=options.format_options)
    except ValueError as error:
        raise ConfigError(f"option avroSchema: {error}") from error
    return _with_kafka_columns(from_arrow_schema(table.schema, prefer_timestamp_ntz=True), options)


def _with_kafka_columns(found: StructType, options: ReadOptions) -> StructType:
    """Kafka's columns that option kafkaColumns names, and then the fields that have other names."""
    kafka = kafka_fields(options.kafka_columns or ())
    names = {field.name for field in kafka}
    return StructType([*kafka, *(of_value(field) for field in found.fields if field.name not in names)])


def sample(options: ReadOptions, part: str = "value") -> Sampled:
    """As many values as option samplingRecords says, or all if there are not so many.

    Args:
        options: The read's options.
        part: `value`, or `key` for keys instead. Nulls are not counted.

    Raises:
        KafkaError: The topics cannot be read.
    """
    with Cluster(options) as cluster:
        start = cluster.starting()
        end = cluster.ending(start)
        ranges = check_ranges(start, end, cluster.earliest(start), fail_on_data_loss=False)
    client = {"max.partition.fetch.bytes": _FETCH_BYTES, **options.client}
    schema = pa.schema([(part, pa.binary()), ("offset", pa.int64())])

    def read(wanted: OffsetRange) -> Iterator[tuple[bytes, int]]:
        for batch in read_columns(wanted, client, schema, options.idle_timeout_ms):
            for value, offset in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                if value is not None:
                    yield value, offset

    return gather(parts_of(ranges), options.sampling_records, read)


def parts_of(ranges: Sequence[OffsetRange]) -> list[OffsetRange]:
    """Parts of partitions to take values from: first one of each partition, then the next of each.

    Args:
        ranges: What there is.
    """
    most = max(1, min(_PARTS, _PARTS_IN_ALL // max(1, len(ranges))))
    found = []
    for index in range(most):
        for one in ranges:
            count = min(most, len(one))
            if index < count:
                edges = [one.start + len(one) * edge // count for edge in (index, index + 1)]
                found.append(OffsetRange(one.topic, one.partition, *edges))
    return found


def gather(
    parts: Sequence[OffsetRange], wanted: int, read: Callable[[OffsetRange], Iterator[tuple[bytes, int]]]
) -> Sampled:
    """As many values as are wanted, evenly from the beginnings of parts; what one lacks is taken from the others.

    Offsets say only how many records there may be: transactions and compaction leave gaps, and nulls do not count. So
    each round shares out what is still missing, and looks at twice as many offsets for each value.

    Args:
        parts: Where values are.
        wanted: How many.
        read: Reads the values of a range with their offsets.
    """
    found: list[Sampled] = [[] for _ in parts]
    position = [part.start for part in parts]
    missing, effort = wanted, 1
    while missing > 0:
        shares = fair_shares([part.end - at for part, at in zip(parts, position, strict=True)], missing)
        if not any(shares):
            break
        for index, (part, share) in enumerate(zip(parts, shares, strict=True)):
            if share:
                look = replace(part, start=position[index], end=min(part.end, position[index] + share * effort))
                taken = list(itertools.islice(read(look), share))
                position[index] = taken[-1][1] + 1 if len(taken) == share else look.end
                found[index] += [(value, f"{part.topic}-{part.partition} at offset {at}") for value, at in taken]
                missing -= len(taken)
        effort *= 2
    return [value for values in found for value in values]


def fair_shares(left: Sequence[int], wanted: int) -> list[int]:
    """How much to take of each so that `wanted` comes together: the same of all, as far as they have it.

    Args:
        left: How much each has.
        wanted: How much is wanted of all.
    """
    shares = [0] * len(left)
    while wanted > 0:
        open_ = [index for index, has in enumerate(left) if has > shares[index]]
        if not open_:
            break
        each = max(1, wanted // len(open_))
        for index in open_[:wanted]:
            more = min(each, left[index] - shares[index])
            shares[index] += more
            wanted -= more
    return shares
