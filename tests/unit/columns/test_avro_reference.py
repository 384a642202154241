"""Typed columns from Avro values and back, against fastavro on generated schemas, readers and values."""

from __future__ import annotations

import io
import json
import math
import os
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from barnabas.columns import Records, batches, encode_avro

PROMOTIONS = {
    "int": ("long", "float", "double"),
    "long": ("float", "double"),
    "float": ("double",),
    "string": ("bytes",),
}
VALUES = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32),
    "double": st.floats(),
    "bytes": st.binary(max_size=12),
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
}
_moments = st.datetimes(
    datetime.fromisoformat("0001-01-02"), datetime.fromisoformat("9999-12-30"), timezones=st.just(UTC)
)
LOGICAL: list[tuple[dict[str, Any], st.SearchStrategy[Any]]] = [
    ({"type": "int", "logicalType": "date"}, st.dates()),
    ({"type": "long", "logicalType": "timestamp-micros"}, _moments),
    (
        {"type": "long", "logicalType": "timestamp-millis"},
        _moments.map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)),
    ),
    (
        {"type": "long", "logicalType": "local-timestamp-micros"},
        _moments.map(lambda at: at.replace(tzinfo=None)),
    ),
    (
        {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 3},
        st.integers(-(10**20) + 1, 10**20 - 1).map(lambda number: Decimal(number).scaleb(-3)),
    ),
]


class Schemas:
    """Draws schemas with names that are not used twice, and a strategy for the values of each."""

    def __init__(self, draw: st.DrawFn) -> None:
        """Takes hypothesis's function to draw with."""
        self.draw = draw
        self.count = 0

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def record(self, depth: int) -> tuple[dict[str, Any], st.SearchStrategy[Any]]:
        fields, values = [], {}
        for _ in range(self.draw(st.integers(1, 3))):
            name = self.name("f")
            schema, values[name] = self.any(depth)
            fields.append({"name": name, "type": schema})
        return {"type": "record", "name": self.name("R"), "fields": fields}, st.fixed_dictionaries(values)

    def any(self, depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        kinds = ["primitive", "primitive", "logical", "enum", "fixed"]
        if depth < 3:
            kinds += ["array", "map", "record", "nullable", "nullable", "union"]
        return getattr(self, self.draw(st.sampled_from(kinds)))(depth + 1)

    def primitive(self, _depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        name = self.draw(st.sampled_from([name for name in VALUES if name != "null"]))
        return name, VALUES[name]

    def logical(self, _depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        return self.draw(st.sampled_from(LOGICAL))

    def enum(self, _depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        symbols = ["A", "B", "C"]
        return {"type": "enum", "name": self.name("E"), "symbols": symbols}, st.sampled_from(symbols)

    def fixed(self, _depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        size = self.draw(st.integers(0, 5))
        return {"type": "fixed", "name": self.name("F"), "size": size}, st.binary(min_size=size, max_size=size)

    def array(self, depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        schema, values = self.any(depth)
        return {"type": "array", "items": schema}, st.lists(values, max_size=3)

    def map(self, depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        schema, values = self.any(depth)
        return {"type": "map", "values": schema}, st.dictionaries(VALUES["string"], values, max_size=3)

    def nullable(self, _depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        schema, values = self.draw(st.sampled_from([self.primitive, self.logical, self.enum, self.record]))(3)
        return ["null", schema] if self.draw(st.booleans()) else [schema, "null"], st.none() | values

    def union(self, _depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        # Of types whose values fastavro tells apart, and none that can be promoted to another: it takes the first that
        # matches, the Java library first looks for the same type. Members of Spark's struct are numbered without null.
        names = self.draw(st.lists(st.sampled_from(["null", "int", "string", "boolean"]), unique=True, min_size=3))
        values = {name: VALUES[name] for name in names}
        return names, st.one_of(list(values.values()))


@st.composite
def written(draw: st.DrawFn) -> tuple[dict[str, Any], list[Any]]:
    schema, values = Schemas(draw).record(0)
    return schema, draw(st.lists(values, min_size=1, max_size=6))


def evolved(draw: st.DrawFn, schema: Any) -> Any:
    """A reader's schema: promoted, reordered, fewer and more fields, another name."""
    if isinstance(schema, str):
        return draw(st.sampled_from((schema, schema, *PROMOTIONS.get(schema, ()))))
    inner = {"array": "items", "map": "values"}
    if isinstance(schema, list) or schema["type"] not in (*inner, "record"):
        return schema
    if schema["type"] in inner:
        member = inner[schema["type"]]
        return {**schema, member: evolved(draw, schema[member])}
    fields = [evolved_field(draw, field) for field in schema["fields"] if draw(st.integers(0, 5)) > 0]
    if not fields or draw(st.booleans()):
        added = [("int", 7), (["null", "string"], None), ({"type": "array", "items": "double"}, [0.5, 1.0])]
        new_type, default = draw(st.sampled_from(added))
        fields.append({"name": f"added_{schema['name']}", "type": new_type, "default": default})
    return {**schema, "fields": draw(st.permutations(fields))}


def evolved_field(draw: st.DrawFn, field: dict[str, Any]) -> dict[str, Any]:
    field = {"name": field["name"], "type": evolved(draw, field["type"])}
    if isinstance(field["type"], str) and draw(st.integers(0, 4)) == 0:
        field["type"] = ["null", field["type"]]
    if draw(st.integers(0, 5)) == 0:
        return {**field, "name": "new_" + field["name"], "aliases": [field["name"]]}
    return field


@st.composite
def read_as_another(draw: st.DrawFn) -> tuple[dict[str, Any], dict[str, Any], list[Any]]:
    schema, values = draw(written())
    return schema, evolved(draw, schema), values


def binary(schema: dict[str, Any], values: list[Any]) -> list[bytes]:
    parsed = fastavro.parse_schema(schema)
    encoded = []
    for value in values:
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, value, strict=True)
        encoded.append(out.getvalue())
    return encoded


def records_of(values: list[bytes | None]) -> Records:
    return Records.from_bytes("t", 0, bytes(batches(values)[0]))


def in_columns(schema: Any, value: Any) -> Any:  # noqa: PLR0911
    """A value that fastavro read as Spark's columns show it."""
    if isinstance(schema, list):
        members = [branch for branch in schema if branch != "null"]
        if value is None or len(members) == 1:
            return None if value is None else in_columns(members[0], value)
        kinds = {bool: "boolean", int: "int", str: "string", bytes: "bytes"}
        return {f"member{at}": value if kinds[type(value)] == name else None for at, name in enumerate(members)}
    if isinstance(schema, str):
        return value
    if schema["type"] == "record":
        return {field["name"]: in_columns(field["type"], value[field["name"]]) for field in schema["fields"]}
    if schema["type"] == "array":
        return [in_columns(schema["items"], item) for item in value]
    if schema["type"] == "map":
        return {key: in_columns(schema["values"], item) for key, item in value.items()}
    return value


def same(found: Any, expected: Any) -> bool:
    if isinstance(expected, float) and isinstance(found, float):
        return found == expected or (math.isnan(found) and math.isnan(expected))
    if isinstance(expected, dict) and isinstance(found, list):
        # pyarrow shows maps as pairs.
        found = dict(found)
    if isinstance(expected, dict):
        return (
            found is not None
            and found.keys() == expected.keys()
            and all(same(found[key], expected[key]) for key in found)
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    return type(found) is type(expected) and found == expected


def plain(value: Any) -> Any:
    """Moments in Python's own UTC."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(plain(item) for item in value)
    return value.astimezone(UTC) if isinstance(value, datetime) and value.tzinfo is not None else value


EXAMPLES = int(os.environ.get("SEEDS", "60"))
many = settings(deadline=None, max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))


@many
@given(written())
def test_columns_hold_what_fastavro_wrote_and_are_encoded_as_it_does(case):
    schema, values = case
    encoded = binary(schema, values)
    table = records_of(encoded).to_arrow(format="avro", mode="FAILFAST", options={"avroSchema": json.dumps(schema)})
    for row, value in zip(table.to_pylist(), values, strict=True):
        assert same(plain(row), in_columns(schema, value)), (row, value)
    again = pa.table(encode_avro(table, json.dumps(schema)))["value"].to_pylist()
    assert again == encoded


@many
@given(read_as_another())
def test_another_schema_reads_as_in_fastavro(case):
    writer, reader, values = case
    encoded = binary(writer, values)
    options = {"avroSchema": json.dumps(reader), "jsonFormatSchema": json.dumps(writer)}
    table = records_of(encoded).to_arrow(format="avro", mode="FAILFAST", options=options)
    parsed = fastavro.parse_schema(writer), fastavro.parse_schema(reader)
    for row, value in zip(table.to_pylist(), encoded, strict=True):
        expected = fastavro.schemaless_reader(io.BytesIO(value), *parsed)
        assert same(plain(row), in_columns(reader, _as_floats(reader, expected))), (row, expected)


def _as_floats(schema: Any, value: Any) -> Any:  # noqa: PLR0911
    """What fastavro leaves as an int, or as text, where the reader has a float or bytes."""
    if isinstance(schema, list):
        members = [branch for branch in schema if branch != "null"]
        return _as_floats(members[0], value) if len(members) == 1 and value is not None else value
    if schema in ("float", "double") and isinstance(value, int):
        return _single(value) if schema == "float" else float(value)
    if schema == "float" and isinstance(value, float):
        return _single(value)
    if schema == "bytes" and isinstance(value, str):
        return value.encode()
    if not isinstance(schema, dict) or value is None:
        return value
    if schema["type"] == "record":
        return {field["name"]: _as_floats(field["type"], value[field["name"]]) for field in schema["fields"]}
    if schema["type"] == "array":
        return [_as_floats(schema["items"], item) for item in value]
    if schema["type"] == "map":
        return {key: _as_floats(schema["values"], item) for key, item in value.items()}
    return value


def _single(value: float) -> float:
    return pa.scalar(value, pa.float64()).cast(pa.float32()).as_py() if isinstance(value, float) else _rounded(value)


def _rounded(value: int) -> float:
    return pa.array([value], pa.int64()).cast(pa.float32(), safe=False)[0].as_py()


@many
@given(written(), st.data())
def test_damaged_values_are_nulls_or_values_and_never_more(case, data):
    schema, values = case
    encoded = binary(schema, values)
    damaged = []
    for value in encoded:
        mutable = bytearray(value)
        if mutable:
            mutable[data.draw(st.integers(0, len(mutable) - 1))] = data.draw(st.integers(0, 255))
        damaged.append(bytes(mutable[: data.draw(st.integers(0, len(mutable)))]))
    options = {"avroSchema": json.dumps(schema)}
    table = records_of(damaged).to_arrow(format="avro", options=options)
    assert table.num_rows == len(values)
    whole = records_of(encoded).to_arrow(format="avro", options=options)
    for at, (value, broken) in enumerate(zip(encoded, damaged, strict=True)):
        if value == broken:
            assert table.slice(at, 1).equals(whole.slice(at, 1)) or not _is_finite(whole.slice(at, 1).to_pylist())


def _is_finite(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isnan(value)
    if isinstance(value, dict):
        return all(map(_is_finite, value.values()))
    if isinstance(value, list | tuple):
        return all(map(_is_finite, value))
    return True


def framed(schema_id: int, value: bytes) -> bytes:
    return b"\0" + schema_id.to_bytes(4) + value


def test_a_resolver_is_asked_once_for_each_schema():
    old = {"type": "record", "name": "R", "fields": [{"name": "a", "type": "int"}]}
    new = {"type": "record", "name": "R", "fields": [{"name": "b", "type": "string"}, {"name": "a", "type": "long"}]}
    values = [framed(1, v) for v in binary(old, [{"a": 1}, {"a": 2}])] + [
        framed(2, v) for v in binary(new, [{"b": "x", "a": 3}])
    ]
    asked: list[int] = []

    def resolver(schema_id: int) -> str | None:
        asked.append(schema_id)
        return {1: json.dumps(old), 2: json.dumps(new)}.get(schema_id)

    schema = pa.schema([("a", pa.int64()), ("b", pa.string())])
    table = records_of([*values, None, framed(3, b""), b"\1"]).to_arrow(schema=schema, format="avro", resolver=resolver)
    nothing = {"a": None, "b": None}
    assert table.to_pylist() == [
        {"a": 1, "b": None},
        {"a": 2, "b": None},
        {"a": 3, "b": "x"},
        nothing,
        nothing,
        nothing,
    ]
    assert sorted(asked) == [1, 2, 3]
    with pytest.raises(ValueError, match="t-0 at offset 0: schema 3"):
        records_of([framed(3, b"")]).to_arrow(schema=schema, format="avro", resolver=resolver, mode="FAILFAST")


def test_an_error_column_gets_the_value():
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "a", "type": "int"}, {"name": "d", "type": {"type": "int", "logicalType": "date"}}],
    }
    good = binary(schema, [{"a": 1, "d": date(2020, 2, 29)}])[0]
    wanted = pa.schema([("d", pa.date32()), ("_corrupt_record", pa.binary())])
    table = records_of([good, b"\2"]).to_arrow(schema=wanted, format="avro", options={"avroSchema": json.dumps(schema)})
    assert table.to_pylist() == [
        {"d": date(2020, 2, 29), "_corrupt_record": None},
        {"d": None, "_corrupt_record": b"\2"},
    ]
