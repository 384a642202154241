"""Which columns a read has: Kafka's own, or typed ones from the records' values.

Without a schema, and with a schema of which every field is one of Kafka's columns by name and type, rows have Kafka's
columns as spark-sql-kafka names them. Any other schema is typed: its fields are decoded from the value, which is JSON
unless option `format` says avro, csv or text. In mode PERMISSIVE a field `_corrupt_record` gets what does not fit.

A typed schema may mix in Kafka's columns. A field is taken from the record rather than from the value when it has both
the name and the type of one of Kafka's columns: `offset BIGINT` is the record's offset, `offset STRING` is a field of
the value. Where that is not what is meant, option `kafkaColumns` lists the fields to take from the record, and no
others are: `kafkaColumns=offset,partition`, or an empty list for none. Without a schema it lists the columns to read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampType,
    VariantType,
)

from barnabas import columns
from barnabas.errors import ConfigError
from barnabas.spark.filters import fit
from barnabas.spark.resolvers import resolver as load_resolver

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    import pyarrow as pa

    from barnabas.spark.filters import Condition
    from barnabas.spark.options import ReadOptions

__all__ = ["Decoding", "has_variant", "kafka_fields", "of_value", "schema_without_fields"]

_HEADER: Final = StructType([StructField("key", StringType()), StructField("value", BinaryType())])
_RAW: Final = StructType(
    [
        StructField("key", BinaryType()),
        StructField("value", BinaryType()),
        StructField("topic", StringType()),
        StructField("partition", IntegerType()),
        StructField("offset", LongType()),
        StructField("timestamp", TimestampType()),
        StructField("timestampType", IntegerType()),
    ]
)
_HEADERS: Final = StructField("headers", ArrayType(_HEADER))
_OF_VALUE: Final = "barnabas.value"
"""In a field's metadata: it is read from the value, whatever its name and type are."""
_OTHER_WAYS: Final = {"json": " or set inferSchema=true", "avro": " or option avroSchema", "csv": "", "text": ""}
"""How values of each format can get fields without a schema of the user's."""
_TYPES: Final = {field.name: field.dataType for field in (*_RAW.fields, _HEADERS)}


def schema_without_fields(options: Mapping[str, str]) -> StructType:
    """The columns of a read of which nothing says what fields values have: Kafka's, in the order of spark-sql-kafka.

    Args:
        options: The read's options. `kafkaColumns` names the columns, otherwise `includeHeaders` adds one to the rest.

    Raises:
        ConfigError: Fields of the values are asked for all the same, or no column is left.
    """
    given = {name.lower(): str(value) for name, value in options.items()}
    record_format = given.get("format", "raw").strip().lower()
    if record_format in _OTHER_WAYS:
        raise ConfigError(
            f"format={record_format} reads fields of the values, but nothing says which: name them by .schema(...)"
            f"{_OTHER_WAYS[record_format]}"
        )
    if "kafkacolumns" in given:
        fields = kafka_fields(name.strip() for name in given["kafkacolumns"].split(",") if name.strip())
        if not fields:
            raise ConfigError("option kafkaColumns names no column, and there is no schema with others")
        return StructType(fields)
    include_headers = given.get("includeheaders", "false").lower() == "true"
    return StructType([*_RAW.fields, _HEADERS]) if include_headers else StructType(list(_RAW.fields))


def kafka_fields(names: Iterable[str]) -> list[StructField]:
    """Kafka's columns of these names.

    Args:
        names: The names.

    Raises:
        ConfigError: One is none of Kafka's columns.
    """
    fields = []
    for name in names:
        if name not in _TYPES:
            raise ConfigError(
                f"option kafkaColumns names {name!r}, which is none of Kafka's columns ({_columns_text()})"
            )
        fields.append(StructField(name, _TYPES[name]))
    return fields


def of_value(field: StructField) -> StructField:
    """A field that is read from the value, though its name and type may be those of one of Kafka's columns.

    Args:
        field: The field.
    """
    metadata = {_OF_VALUE: True} if _is_kafka_column(field) else None
    # Values that do not fit are null in mode PERMISSIVE, whatever the schema that they were written with says.
    return StructField(field.name, field.dataType, nullable=True, metadata=metadata)


@dataclass(frozen=True)
class Decoding:
    """How records become rows; small enough to travel with every task.

    Attributes:
        schema: The rows' schema.
        raw_columns: The fields that come from the record itself; None if all do.
        record_format: What values are, where fields come from them: json, avro, csv or text.
        format_options: What the format's decoder is told, with the mode for values that do not fit.
        conditions: What rows must meet, all of it, to be shipped.
        resolver: The function that tells the schemas which Avro values name; None if they name none.
    """

    schema: StructType
    raw_columns: tuple[str, ...] | None
    record_format: str
    format_options: dict[str, str]
    conditions: tuple[Condition, ...]
    resolver: str | None = None

    @classmethod
    def choose(cls, schema: StructType, options: ReadOptions) -> Decoding:
        """Decides by schema and options; the module's text says how.

        Args:
            schema: The rows' schema.
            options: The read's options.

        Raises:
            ConfigError: Schema and options contradict each other, or a field has a type that cannot be read.
        """
        kafka = tuple(field.name for field in schema.fields if _is_kafka_column(field))
        is_raw = len(kafka) == len(schema.fields)
        if options.record_format == "raw" and not is_raw:
            others = ", ".join(field.simpleString() for field in schema.fields if field.name not in kafka)
            raise ConfigError(
                f"format=raw reads Kafka's columns ({_columns_text()}), but the schema has {others}; "
                "leave out option format to read these fields from JSON values, or set it to avro, csv or text"
            )
        if options.kafka_columns is None and options.record_format is None and not options.infer_schema:
            _check_casts(schema)
        if options.kafka_columns is not None:
            kafka = _named(options.kafka_columns, schema)
            is_raw = is_raw and len(kafka) == len(schema.fields)
        raw_columns = None if is_raw and options.record_format in (None, "raw") else kafka
        record_format = "json" if options.record_format in (None, "raw") else options.record_format
        format_options = {**options.format_options, "mode": options.mode}
        if options.resolver is not None:
            load_resolver(options.resolver)
        decoding = cls(schema, raw_columns, record_format, format_options, (), options.resolver)
        decoding.check()
        return decoding.filtered(*options.conditions)

    def arrow_schema(self) -> pa.Schema:
        """The Arrow schema that Spark expects, to the letter."""
        try:
            return to_arrow_schema(self.schema, timezone="UTC")
        except TypeError:
            # Spark before 4.2 takes no time zone and has timestamps in UTC.
            return to_arrow_schema(self.schema)

    def check(self) -> None:
        """Finds out whether every field can be read.

        Raises:
            ConfigError: One cannot.
        """
        knows_schema = self.resolver is not None or {"avroSchema", "jsonFormatSchema"} & self.format_options.keys()
        if self.record_format == "avro" and not knows_schema:
            raise ConfigError(
                "format=avro needs option avroSchema, the text of the values' schema, or option schemaResolver where "
                "values begin with a schema registry's five bytes"
            )
        corrupt = self.format_options.get("columnNameOfCorruptRecord", "_corrupt_record")
        for field in self.schema.fields:
            if field.name == corrupt and not isinstance(field.dataType, StringType | BinaryType):
                raise ConfigError(
                    f"column {field.name} gets the values that do not fit, as string or binary; the schema has it as "
                    f"{field.dataType.simpleString()} (option columnNameOfCorruptRecord names another column)"
                )
            if has_variant(field.dataType) and self.record_format != "json":
                raise ConfigError(
                    f"column {field.name}: type VARIANT is read from JSON, not from format={self.record_format}"
                )
        try:
            columns.check_schema(
                self.arrow_schema(),
                self.raw_columns,
                format=self.record_format,
                options=self.format_options,
                names_schemas=self.resolver is not None,
            )
        except ValueError as error:
            raise ConfigError(str(error)) from error

    def filtered(self, *conditions: Condition) -> Decoding:
        """The same with more conditions.

        Args:
            conditions: What rows must meet, too.

        Raises:
            ConfigError: One cannot be asked of the columns.
        """
        return replace(self, conditions=(*self.conditions, *fit(conditions, self.arrow_schema())))

    def record_columns(self) -> Collection[str]:
        """The names of the columns that come from the record itself."""
        return self.schema.names if self.raw_columns is None else self.raw_columns


def _is_kafka_column(field: StructField) -> bool:
    # The text of a type says nothing of nulls, which do not matter here.
    kafka_type = _TYPES.get(field.name)
    if kafka_type is None or _OF_VALUE in field.metadata:
        return False
    return bool(kafka_type.simpleString() == field.dataType.simpleString())


def _check_casts(schema: StructType) -> None:
    """Refuses what looks like Kafka's columns with keys or values cast to text: fields are rarely meant."""
    texts = [field.name for field in schema.fields if field.name in ("key", "value") and field.dataType == StringType()]
    if texts and all(field.name in _TYPES for field in schema.fields):
        name = texts[0]
        raise ConfigError(
            f"column {name} of the schema is string, and Kafka's is binary: read it as binary and write "
            f"string({name}) in the query, or set format=json if {name} is a field of JSON values"
        )


def _named(names: tuple[str, ...], schema: StructType) -> tuple[str, ...]:
    fields = {field.name: field for field in schema.fields}
    kafka_fields(names)
    for name in names:
        if name not in fields:
            raise ConfigError(
                f"option kafkaColumns names {name}, which the schema lacks: add `{name} {_TYPES[name].simpleString()}` "
                "to it, or take it out of the option"
            )
        if not _is_kafka_column(fields[name]):
            raise ConfigError(
                f"option kafkaColumns names {name}, whose type is {_TYPES[name].simpleString()}, "
                f"but the schema has {fields[name].simpleString()}"
            )
    return tuple(name for name in fields if name in names)


def _columns_text() -> str:
    return ", ".join(f"{name} {data_type.simpleString()}" for name, data_type in _TYPES.items())


def has_variant(data_type: DataType) -> bool:
    """Whether a type is VARIANT or holds some.

    Args:
        data_type: The type.
    """
    if isinstance(data_type, StructType):
        return any(has_variant(field.dataType) for field in data_type.fields)
    if isinstance(data_type, ArrayType):
        return has_variant(data_type.elementType)
    if isinstance(data_type, MapType):
        return has_variant(data_type.valueType)
    return isinstance(data_type, VariantType)
