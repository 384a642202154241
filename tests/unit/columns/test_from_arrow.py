"""Arrow tables to record batches, read again by aiokafka's decoder."""

from __future__ import annotations

import ctypes
import datetime as dt
import struct
import sys

import pyarrow as pa
import pytest
from aiokafka.record.default_records import _DefaultRecordBatchPy as AiokafkaBatch
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas.columns import Records, batches, encode_avro, encode_json

CELLS = [b"one", None, b"", b"a longer one than twelve bytes", b"two!"]
FIXED = [b"four", None, b"1234", b"    ", b"\0\0\0\0"]


def rows(data: object, **options) -> list[tuple]:
    found = []
    for batch in batches(data, **options):
        read = AiokafkaBatch(bytes(batch))
        assert read.validate_crc()
        rows = [(row.timestamp, row.key, row.value, list(row.headers)) for row in read]
        assert len(rows) == batch.record_count
        found += rows
    return found


def table(**columns) -> pa.Table:
    return pa.table(columns)


@pytest.mark.parametrize(
    "data_type",
    [
        pa.binary(),
        pa.large_binary(),
        pa.binary_view(),
        pa.string(),
        pa.large_string(),
        pa.string_view(),
        pa.dictionary(pa.int8(), pa.binary()),
        pa.dictionary(pa.int64(), pa.string()),
        pa.dictionary(pa.uint16(), pa.large_string()),
    ],
    ids=str,
)
@pytest.mark.parametrize("part", [slice(None), slice(1, 4)], ids=["whole", "sliced"])
def test_every_kind_of_bytes(data_type, part):
    cells = CELLS if "binary" in str(data_type) else [cell and cell.decode() for cell in CELLS]
    plain = pa.array(cells, pa.binary() if "binary" in str(data_type) else pa.string())
    column = plain.dictionary_encode().cast(data_type) if pa.types.is_dictionary(data_type) else plain.cast(data_type)
    assert column.type == data_type
    found = rows(table(value=column, key=column).slice(part.start or 0, len(CELLS[part])))
    assert [row[2] for row in found] == CELLS[part]
    assert [row[1] for row in found] == CELLS[part]


def test_fixed_size_binary_and_columns_of_nulls():
    found = rows(table(value=pa.array(FIXED, pa.binary(4)), key=pa.nulls(5)))
    assert [row[1:3] for row in found] == [(None, cell) for cell in FIXED]


HEADERS = [[("a", b"1"), ("a", None)], None, [], [("é", b"")], [("x", b"y")]]


@pytest.mark.parametrize(
    "data_type",
    [
        pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])),
        pa.large_list(pa.struct([("value", pa.binary()), ("key", pa.string())])),
        pa.map_(pa.string(), pa.binary()),
    ],
    ids=str,
)
def test_headers(data_type):
    is_map = pa.types.is_map(data_type)
    cells = [row if is_map or row is None else [{"key": k, "value": v} for k, v in row] for row in HEADERS]
    found = rows(table(value=CELLS, headers=pa.array(cells, data_type)).slice(0))
    assert [row[3] for row in found] == [row or [] for row in HEADERS]
    assert [row[3] for row in rows(table(value=CELLS, headers=pa.array(cells, data_type)).slice(3))] == [
        row or [] for row in HEADERS[3:]
    ]


MOMENT = dt.datetime(2026, 5, 17, 12, 30, 15, 123456, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("data_type", "expected"),
    [
        (pa.timestamp("s"), 1_779_021_015_000),
        (pa.timestamp("ms", tz="UTC"), 1_779_021_015_123),
        (pa.timestamp("us", tz="Europe/Paris"), 1_779_021_015_123),
        (pa.timestamp("ns"), 1_779_021_015_123),
    ],
    ids=str,
)
def test_timestamps_of_every_unit(data_type, expected):
    column = pa.array([MOMENT, None], pa.timestamp("us", tz="UTC")).cast(data_type, safe=False)
    assert [row[0] for row in rows(table(value=[b"", b""], timestamp=column), timestamp=77)] == [expected, 77]
    assert [row[0] for row in rows(table(value=[b"", b""], timestamp=pa.array([5, -1])))] == [5, -1]


def test_rows_of_topics_and_partitions_have_batches_of_their_own():
    data = table(
        topic=pa.array(["a", "a", "b", None, "a"]).dictionary_encode(),
        partition=pa.array([0, 0, 1, None, 7], pa.int16()),
        value=[b"1", b"2", b"3", b"4", b"5"],
        offset=[9, 9, 9, 9, 9],
    )
    found = [(batch.topic, batch.partition, Records.from_bytes("t", 0, batch).values()) for batch in batches(data)]
    assert found == [
        ("a", 0, [b"1", b"2"]),
        ("b", 1, [b"3"]),
        (None, None, [b"4"]),
        ("a", 7, [b"5"]),
    ]


def test_batches_are_full_at_their_size_and_a_large_record_is_alone():
    values = [b"x" * 400] * 10 + [b"y" * 5000] + [b"z"] * 3
    for data in (values, tuple(values), table(value=values)):
        made = batches(data, batch_size=2048)
        assert [batch.record_count for batch in made] == [4, 4, 2, 1, 3]
        assert [row[2] for row in rows(data, batch_size=2048)] == values
        assert all(len(bytes(batch)) == len(batch) <= 2048 for batch in made if batch.record_count > 1)


@pytest.mark.parametrize(("compression", "level"), [("gzip", 9), ("lz4", None), ("snappy", None), ("zstd", 3)])
def test_compressed_batches(compression, level):
    values = [b"again and again "] * 5000
    made = batches(table(value=values), compression=compression, level=level)
    assert sum(len(batch) for batch in made) < 40_000
    found = Records.from_bytes("t", 0, b"".join(bytes(batch) for batch in made))
    assert found.values() == values


def test_what_was_read_can_be_written():
    first = batches(table(value=CELLS, key=CELLS, headers=pa.array([[("k", b"v")]] * 5, pa.map_("string", "binary"))))
    records = Records.from_bytes("t", 3, first[0])
    (again,) = batches(records)
    assert (again.topic, again.partition) == ("t", 3)
    assert bytes(again) == bytes(first[0])
    (again,) = batches(records.to_arrow(dialect="spark"))
    assert bytes(again) == bytes(first[0])
    (again,) = batches(records.to_arrow(["key", "value", "timestamp", "headers"], views=True))
    assert bytes(again) == bytes(first[0])


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.none() | st.binary(max_size=40), st.none() | st.binary(max_size=40)), max_size=50),
    st.integers(0, 60),
)
def test_any_cells(cells, skipped):
    data = table(
        key=pa.array([key for key, _ in cells], pa.binary_view()),
        value=pa.array([value for _, value in cells], pa.large_binary()),
    ).slice(skipped)
    assert [row[1:3] for row in rows(data)] == cells[skipped:]


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (7, TypeError, "__arrow_c_stream__"),
        ([b"", "text"], TypeError, "value 1 is bytes or None, not str"),
        (table(value=[1, 2]), TypeError, "Int64.*encode_avro"),
        (table(key=[b""]), ValueError, 'no column "value"'),
        (table(value=[b""], price=[1]), ValueError, '"price" has no place'),
        (table(value=[b""], partition=[-1]), ValueError, "row 0.*0 to 2147483647"),
        (table(value=[b""], partition=["0"]), TypeError, "whole numbers"),
        (table(value=[b""], topic=[b"t"]), TypeError, "strings"),
        (table(value=[b"", b""], topic=[None, ""]), ValueError, "row 1.*not empty"),
        (table(value=[b""], timestamp=[1.0]), TypeError, "milliseconds"),
        (table(value=[b""], timestamp=pa.array([-5000], pa.timestamp("ms"))), ValueError, "1970"),
        (table(value=[b""], headers=[b"h"]), TypeError, "map"),
        (
            table(value=[b""], headers=pa.array([[{"key": None, "value": b""}]])),
            ValueError,
            "a header has no key",
        ),
        (pa.Table.from_arrays([pa.array([b""]), pa.array([b""])], ["value", "value"]), ValueError, "twice"),
    ],
)
def test_what_cannot_be_written_is_said(data, error, message):
    with pytest.raises(error, match=f"(?s){message}"):
        batches(data)


def test_options_are_checked():
    for options in ({"compression": "brotli"}, {"batch_size": 1}, {"compression": "gzip", "level": 99}):
        with pytest.raises(ValueError, match=r"."):
            batches([b""], **options)


def broken(data_type: pa.DataType, buffers: list, length: int = 2) -> pa.Table:
    return pa.table({"value": pa.Array.from_buffers(data_type, length, buffers)})


def ints(code: str, *numbers: int) -> pa.Buffer:
    return pa.py_buffer(struct.pack(f"<{len(numbers)}{code}", *numbers))


DATA = pa.py_buffer(b"0123456789abcdef")


@pytest.mark.parametrize(
    "data",
    [
        broken(pa.binary(), [None, ints("i", 0, 100, 16), DATA]),
        broken(pa.binary(), [None, ints("i", 8, 12, 10), DATA]),
        broken(pa.binary(), [None, ints("i", 0, -4, 16), DATA]),
        broken(pa.large_string(), [None, ints("q", 0, 2**40, 16), DATA]),
        broken(pa.binary_view(), [None, pa.py_buffer(struct.pack("<8i", 13, 0, 9, 0, 13, 0, 0, 0)), DATA]),
        broken(pa.binary_view(), [None, pa.py_buffer(struct.pack("<8i", 13, 0, 0, 0, 13, 0, 0, 9)), DATA]),
        broken(pa.binary_view(), [None, pa.py_buffer(struct.pack("<8i", -1, 0, 0, 0, 1, 0, 0, 0)), DATA]),
        pa.table({"value": pa.DictionaryArray.from_arrays(pa.array([0, 7]), pa.array([b"a"]), safe=False)}),
        pa.table({"value": pa.DictionaryArray.from_arrays(pa.array([0, -1]), pa.array([b"a"]), safe=False)}),
    ],
)
def test_broken_arrays_are_refused(data):
    with pytest.raises(ValueError, match="broken"):
        batches(data)


def test_a_broken_headers_list_is_refused():
    inner = pa.array([{"key": "k", "value": b"v"}])
    headers = pa.Array.from_buffers(pa.list_(inner.type), 2, [None, ints("i", 0, 9, 1)], children=[inner])
    with pytest.raises(ValueError, match="broken"):
        batches(pa.table({"value": [b"", b""], "headers": headers}))


def test_what_stands_under_a_null_is_not_looked_at():
    mask = pa.py_buffer(b"\x02")
    data = broken(pa.binary(), [mask, ints("i", 0, 3, 16), DATA])
    assert [row[2] for row in rows(data)] == [None, b"3456789abcdef"]
    data = pa.table(
        {"value": pa.DictionaryArray.from_arrays(pa.array([9, 0], mask=None), pa.array([b"a"]), safe=False)}
    )
    with pytest.raises(ValueError, match="broken"):
        batches(data)


def test_a_producer_that_fails_is_an_error():
    class Failing:
        def __arrow_c_stream__(self, requested_schema=None):
            raise RuntimeError("no data today")

    with pytest.raises(TypeError, match="no data today"):
        batches(Failing())


def test_avro_values_beside_what_is_kept():
    data = table(key=[b"k1", b"k2"], id=pa.array([1, 2], pa.int64()), name=["a", None])
    made = encode_avro(data, keep=["key"])
    encoded = pa.table(made)
    assert encoded.column_names == ["value", "key"]
    assert encoded["value"].type == pa.binary()
    assert [row[1] for row in rows(made)] == [b"k1", b"k2"]
    named = pa.table(encode_avro(data, keep=["key"], schema_id=7))["value"].to_pylist()
    assert [value[:5] for value in named] == [b"\0\0\0\0\x07"] * 2
    for keep in (["id"], ["headers"]):
        with pytest.raises(ValueError, match=keep[0]):
            encode_avro(data, keep=keep)


def test_json_values_beside_what_is_kept():
    data = table(key=[b"k1", b"k2"], id=pa.array([1, 2], pa.int64()), name=["a", None])
    made = encode_json(data, keep=["key"])
    assert [row[1:3] for row in rows(made)] == [(b"k1", b'{"id":1,"name":"a"}'), (b"k2", b'{"id":2}')]
    made = encode_json(data, keep=["key"], options={"ignoreNullFields": False})
    assert [row[2] for row in rows(made)] == [b'{"id":1,"name":"a"}', b'{"id":2,"name":null}']


def test_no_reference_is_kept():
    value = b"unique %d" % ctypes.sizeof(ctypes.c_void_p)
    before = sys.getrefcount(value)
    made = batches([value] * 100)
    assert sys.getrefcount(value) == before
    records = Records.from_bytes("t", 0, bytes(made[0]))
    assert records.values() == [value] * 100
