"""What `to_arrow` can be asked for."""

from __future__ import annotations

import datetime as dt
import json

import pyarrow as pa
import pytest

from barnabas.columns import Records, batches, encode_avro

MOMENT = dt.datetime(2026, 5, 17, 12, 30, 15, 123000, tzinfo=dt.UTC)
CLIENT = ["topic", "partition", "offset", "timestamp", "timestamp_type", "key", "value", "headers"]
SPARK = ["topic", "partition", "offset", "timestamp", "timestampType", "key", "value", "headers"]
LONG = b"more than the twelve bytes that a view holds itself"


def fetched(values: list[bytes | None], **columns) -> Records:
    table = pa.table({"value": pa.array(values, pa.binary()), **columns})
    data = b"".join(bytes(batch) for batch in batches(table, batch_size=1024, timestamp=int(MOMENT.timestamp() * 1000)))
    return Records.from_bytes("orders", 7, data)


RECORDS = fetched([b"v", None, LONG, b""] * 40, key=pa.array([None, b"k", b"", LONG] * 40))


@pytest.mark.parametrize("views", [False, True])
@pytest.mark.parametrize(("dialect", "names"), [("client", CLIENT), ("spark", SPARK)])
def test_any_subset_in_any_order(dialect, names, views):
    whole = RECORDS.to_arrow(dialect=dialect, views=views)
    assert whole.column_names == names
    assert whole.num_rows == 160
    for chosen in ([], names[:1], names[::-1], names[2:5], ["value", "offset"]):
        table = RECORDS.to_arrow(chosen, dialect=dialect, views=views)
        assert table.num_rows == 160
        assert table.schema == pa.schema([whole.schema.field(name) for name in chosen])
        assert table == whole.select(chosen)
        table.validate(full=True)
    part = RECORDS[50:61].to_arrow(dialect=dialect, views=views)
    part.validate(full=True)
    assert part.to_pylist() == whole.slice(50, 11).to_pylist()


def test_views_hold_the_same_cells():
    table = RECORDS.to_arrow(["key", "value"], views=True)
    assert [str(field.type) for field in table.schema] == ["binary_view", "binary_view"]
    assert table.to_pylist() == RECORDS.to_arrow(["key", "value"]).to_pylist()


def test_views_outlive_what_they_point_into():
    records = fetched([LONG + bytes([index]) for index in range(200)])
    table = records[20:30].to_arrow(["value"], views=True)
    expected = [LONG + bytes([index]) for index in range(20, 30)]
    del records
    assert table["value"].to_pylist() == expected


def test_the_types_of_the_dialects():
    client = RECORDS.to_arrow(["timestamp", "timestamp_type", "partition", "offset"]).schema
    assert client.types == [pa.timestamp("ms", tz="UTC"), pa.int8(), pa.int32(), pa.int64()]
    spark = RECORDS.to_arrow(["timestamp", "timestampType", "partition", "offset"], dialect="spark").schema
    assert spark.types == [pa.timestamp("us", tz="UTC"), pa.int32(), pa.int32(), pa.int64()]
    assert RECORDS[:1].to_arrow(["timestamp"])["timestamp"].to_pylist() == [MOMENT]


def test_lists_of_offsets_and_timestamps():
    assert RECORDS.offsets()[:3] == RECORDS.to_arrow(["offset"])["offset"].to_pylist()[:3]
    assert set(RECORDS.timestamps()) == {int(MOMENT.timestamp() * 1000)}
    assert RECORDS[5:7].timestamps() == RECORDS.timestamps()[5:7]


ROWS = [b'{"id": 1, "name": "a"}', b"no json", b'{"id": 3}', None]
SCHEMA = pa.schema([("id", pa.int64()), ("name", pa.string())])


def test_typed_columns_beside_the_records_own():
    records = fetched(ROWS)
    table = records.to_arrow(["partition", "offset"], schema=SCHEMA)
    assert table.schema == pa.schema(
        [pa.field("partition", pa.int32(), nullable=False), pa.field("offset", pa.int64(), nullable=False), *SCHEMA]
    )
    assert [row["id"] for row in table.to_pylist()] == [1, None, 3, None]
    assert table["offset"].to_pylist() == [0, 1, 2, 3]
    # A column that the schema has keeps its place there.
    schema = pa.schema([("id", pa.int64()), ("offset", pa.int64())])
    assert records.to_arrow(["offset"], schema=schema).column_names == ["id", "offset"]
    schema = pa.schema([("id", pa.int64()), ("timestampType", pa.int32())])
    assert records.to_arrow(["timestampType"], schema=schema, dialect="spark")["timestampType"].to_pylist() == [0] * 4


def test_what_becomes_of_values_that_do_not_fit():
    records = fetched(ROWS)
    schema = SCHEMA.append(pa.field("_corrupt_record", pa.string()))
    assert records.to_arrow(schema=schema)["_corrupt_record"].to_pylist() == [None, "no json", None, None]
    assert records.to_arrow(schema=SCHEMA, mode="DROPMALFORMED")["id"].to_pylist() == [1, 3, None]
    with pytest.raises(ValueError, match="orders-7 at offset 1"):
        records.to_arrow(schema=SCHEMA, mode="FAILFAST")
    schema = SCHEMA.append(pa.field("bad", pa.binary()))
    found = records.to_arrow(schema=schema, options={"columnNameOfCorruptRecord": "bad"})
    assert found["bad"].to_pylist() == [None, b"no json", None, None]


POLICIES = {
    "json": (b'{"id": 1}', b'{"id": "x"}', {}),
    "csv": (b"1", b"x", {}),
    "text": (b"1", b"x", {}),
    "avro": (b"\2", b"", {"avroSchema": '{"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}'}),
}


@pytest.mark.parametrize("record_format", POLICIES)
def test_each_policy_for_each_format(record_format):
    good, bad, options = POLICIES[record_format]
    records = Records.from_bytes("orders", 7, b"".join(bytes(batch) for batch in batches([good, bad, good, None])))
    columns = pa.schema([("id", pa.int64())])

    def found(schema, **arguments):
        return records.to_arrow(schema=schema, format=record_format, options=options, **arguments).to_pydict()

    assert found(columns) == {"id": [1, None, 1, None]}
    with_raw = columns.append(pa.field("_corrupt_record", pa.binary()))
    assert found(with_raw) == {"id": [1, None, 1, None], "_corrupt_record": [None, bad, None, None]}
    assert found(columns, mode="DROPMALFORMED") == {"id": [1, 1, None]}
    with pytest.raises(ValueError, match="orders-7 at offset 1"):
        found(columns, mode="FAILFAST")


AVRO = json.dumps({"type": "record", "name": "row", "fields": [{"name": "id", "type": "long"}]})


def test_avro_with_a_schema_or_a_resolver():
    ids = pa.table({"id": pa.array([5, 6, 7], pa.int64())})
    plain = Records.from_bytes("t", 0, batches(encode_avro(ids, AVRO))[0])
    found = plain.to_arrow(format="avro", options={"avroSchema": AVRO})
    assert found.to_pydict() == {"id": [5, 6, 7]}
    framed = Records.from_bytes("t", 0, batches(encode_avro(ids, AVRO, schema_id=9))[0])
    asked = []

    def resolver(schema_id: int) -> str | None:
        asked.append(schema_id)
        return AVRO if schema_id == 9 else None

    found = framed.to_arrow(schema=ids.schema, format="avro", resolver=resolver)
    assert found.to_pydict() == {"id": [5, 6, 7]}
    assert asked == [9]
    with pytest.raises(ValueError, match="at offset 0"):
        framed.to_arrow(schema=ids.schema, format="avro", resolver=lambda _: None, mode="FAILFAST")

    def failing(_: int) -> str:
        raise ConnectionError("the registry is down")

    with pytest.raises(ConnectionError, match="down"):
        framed.to_arrow(schema=ids.schema, format="avro", resolver=failing)


def test_a_resolver_is_asked_for_what_keys_name():
    ids = pa.table(encode_avro(pa.table({"id": pa.array([5, 6], pa.int64())}), AVRO, schema_id=9))
    table = pa.table({"key": ids["value"], "value": pa.array([None, b"\0\0\0\0\7"])})
    records = Records.from_bytes("t", 0, batches(table)[0])
    found = records.to_arrow(
        schema=pa.schema([("id", pa.int64())]), format="avro", options={"part": "key"}, resolver={9: AVRO}.get
    )
    assert found.to_pydict() == {"id": [5, 6]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"columns": ["offsets"]}, '"offsets" is not a Kafka column .*timestamp_type'),
        ({"columns": ["offset"] * 2}, "twice"),
        ({"dialect": "hive"}, "client"),
        ({"schema": SCHEMA, "mode": "LENIENT"}, "PERMISSIVE"),
        ({"schema": SCHEMA, "format": "xml"}, "xml"),
        ({"schema": SCHEMA, "options": {"no such": 1}}, "no such"),
        ({"options": {}}, "schema="),
        ({"schema": 7}, "__arrow_c_schema__"),
    ],
)
def test_what_is_not_known_is_said(arguments, message):
    with pytest.raises(ValueError, match=message):
        RECORDS.to_arrow(**arguments)


def test_data_frames():
    frame = RECORDS.to_pandas(["offset", "value"])
    assert list(frame["value"])[:2] == [b"v", None]
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(RECORDS)["value"].to_list() == RECORDS.values()
    assert RECORDS.to_polars(["value"], views=True)["value"].to_list() == RECORDS.values()
