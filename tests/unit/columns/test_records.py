"""`Records` over batches that aiokafka's encoder wrote."""

from __future__ import annotations

import copy
import gc
import pickle
import sys

import pyarrow as pa
import pytest
from aiokafka.record.default_records import _DefaultRecordBatchBuilderPy

from barnabas._core import Record, Records
from barnabas.errors import CorruptMessageError
from barnabas.types import TopicPartition

Row = tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]


def encode(rows: list[Row], base_offset: int = 0, compression: int = 0) -> bytes:
    builder = _DefaultRecordBatchBuilderPy(
        magic=2,
        compression_type=compression,
        is_transactional=False,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=1 << 20,
    )
    for index, (timestamp, key, value, headers) in enumerate(rows):
        assert builder.append(index, timestamp, key, value, headers) is not None
    data = bytearray(builder.build())
    data[0:8] = base_offset.to_bytes(8, "big")  # outside of the CRC
    return bytes(data)


ROWS: list[Row] = [
    (1000, b"k0", b"v0", []),
    (1001, None, b"", [("h", b"1"), ("h", None), ("é", b"")]),
    (999, b"", None, []),
    (1003, b"k3", b"x" * 1000, []),
]


def records(rows: list[Row] = ROWS, **where) -> Records:
    return Records.from_bytes("t", 3, encode(rows, **where))


def plain(record: Record) -> Row:
    return record.timestamp, record.key, record.value, record.headers


def test_a_record_is_equal_by_value():
    found, again = records(base_offset=40), records(base_offset=40)
    assert list(found) == list(again)
    assert len({*found, *again}) == len(ROWS)
    timestamp, key, value, headers = ROWS[1]
    others = [
        (timestamp + 1, key, value, headers),
        (timestamp, b"", value, headers),
        (timestamp, key, None, headers),
        (timestamp, key, value, headers[:2]),
    ]
    for other in others:
        assert found[1] != records([ROWS[0], other], base_offset=40)[1]
    assert found[0] != records(base_offset=41)[0]
    assert found[0] != Records.from_bytes("other", 3, encode(ROWS, base_offset=40))[0]
    assert found[0] != Records.from_bytes("t", 4, encode(ROWS, base_offset=40))[0]
    assert found[0] != plain(found[0])


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_hold_what_they_were_made_of_and_no_more(protocol):
    found = records(base_offset=40, compression=1)
    for part in (found, found[1:3], found[:0], found[3:]):
        again = pickle.loads(pickle.dumps(part, protocol))  # noqa: S301 - our own
        assert list(again) == list(part)
        assert again.to_arrow().equals(part.to_arrow())
    for record in found:
        assert pickle.loads(pickle.dumps(record, protocol)) == record  # noqa: S301 - as above
    assert len(pickle.dumps(found[0], protocol)) < 400 < len(pickle.dumps(found, protocol))
    assert copy.copy(found[1]) == found[1]


@pytest.mark.parametrize("compression", [0, 1, 3])
def test_records_have_what_was_written(compression):
    found = records(base_offset=40, compression=compression)
    assert [plain(record) for record in found] == ROWS
    assert [record.offset for record in found] == [40, 41, 42, 43]
    first = found[0]
    assert (first.topic, first.partition, first.timestamp_type, first.leader_epoch) == ("t", 3, 0, None)
    assert found.values() == [row[2] for row in ROWS]
    assert found.keys() == [row[1] for row in ROWS]


def test_it_is_a_sequence():
    found = records()
    assert len(found) == 4
    assert bool(found)
    assert not records([])
    assert [found[index].offset for index in range(-4, 4)] == [0, 1, 2, 3, 0, 1, 2, 3]
    for index in (4, -5, sys.maxsize):
        with pytest.raises(IndexError):
            found[index]
    with pytest.raises(TypeError):
        found["0"]
    assert [record.offset for record in reversed(found)] == [3, 2, 1, 0]
    assert found[1:3].values() == [b"", None]
    assert found[1:3][1].offset == 2
    assert found[-2:].keys() == [b"", b"k3"]
    assert len(found[3:1]) == 0
    assert found[2:][1:].values() == [b"x" * 1000]
    with pytest.raises(ValueError, match="step 1"):
        found[::2]


def test_several_batches_and_a_range_of_offsets():
    data = encode(ROWS) + encode(ROWS, base_offset=10) + encode(ROWS[:1], base_offset=20)
    found = Records.from_bytes("t", 0, data, first_offset=2, end_offset=12)
    assert [record.offset for record in found] == [2, 3, 10, 11]
    assert len(found) == 4
    assert [found[index].offset for index in range(4)] == [2, 3, 10, 11]
    assert found[1:3].values() == [b"x" * 1000, b"v0"]
    assert found[1:3].to_arrow()["offset"].to_pylist() == [3, 10]
    assert len(Records.from_bytes("t", 0, data, first_offset=21)) == 0


def test_by_partition_keeps_the_order():
    found = records().by_partition()
    assert list(found) == [TopicPartition("t", 3)]
    assert found["t", 3].values() == records().values()


def test_to_arrow():
    table = records(base_offset=7).to_arrow()
    assert table.schema == pa.schema(
        [
            pa.field("topic", pa.string(), nullable=False),
            pa.field("partition", pa.int32(), nullable=False),
            pa.field("offset", pa.int64(), nullable=False),
            pa.field("timestamp", pa.timestamp("ms", tz="UTC")),
            pa.field("timestamp_type", pa.int8(), nullable=False),
            pa.field("key", pa.binary()),
            pa.field("value", pa.binary()),
            pa.field(
                "headers",
                pa.list_(pa.field("element", pa.struct([("key", pa.string()), ("value", pa.binary())]))),
                nullable=False,
            ),
        ]
    )
    rows = table.to_pylist()
    assert [row["offset"] for row in rows] == [7, 8, 9, 10]
    assert [(row["key"], row["value"]) for row in rows] == [(row[1], row[2]) for row in ROWS]
    assert [[(h["key"], h["value"]) for h in row["headers"]] for row in rows] == [row[3] for row in ROWS]
    assert table["timestamp"].cast(pa.int64()).to_pylist() == [1000, 1001, 999, 1003]
    assert pa.table(records(base_offset=7)) == table
    assert records([]).to_arrow().num_rows == 0


def test_detached_records_are_the_same():
    found = records()[1:3]
    detached = found.detach()
    assert [plain(record) for record in detached] == [plain(record) for record in found]


def test_a_record_outlives_its_records():
    record = records()[3]
    gc.collect()
    assert record.value == b"x" * 1000


def test_reprs():
    assert repr(records()) == "<Records: 4 of 1 partitions>"
    assert repr(records()[3]) == (
        "Record(topic='t', partition=3, offset=3, timestamp=1003, key=b'k3', value=b'" + "x" * 32 + "'...)"
    )
    assert "key=None" in repr(records()[1])


def test_iterators_are_independent():
    found = records()
    one, other = iter(found), iter(found)
    assert next(one).offset == 0
    assert next(one).offset == 1
    assert next(other).offset == 0
    assert [record.offset for record in one] == [2, 3]
    assert next(one, None) is None
    assert iter(one) is one


@pytest.mark.parametrize("position", [20, 70])
def test_a_flipped_bit_is_found(position):
    data = bytearray(encode(ROWS))
    data[position] ^= 1
    with pytest.raises(CorruptMessageError):
        Records.from_bytes("t", 0, bytes(data))


def test_a_torn_tail_is_left_out():
    data = encode(ROWS) + encode(ROWS, base_offset=4)
    assert len(Records.from_bytes("t", 0, data[:-1])) == 4


def test_records_are_not_made_by_hand():
    for kind in (Records, Record):
        with pytest.raises(TypeError):
            kind()
