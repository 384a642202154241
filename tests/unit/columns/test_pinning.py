"""What keeps fetched buffers alive, and for how long."""

from __future__ import annotations

import gc
import random

import pytest

from barnabas.columns import Records, batches

VALUE = b"x" * 1000
COUNT = 2000
# Bytes of an encoded record, at most.
SIZE = 1016


def values(count: int = COUNT) -> list[bytes]:
    return [index.to_bytes(4, "big") + VALUE for index in range(count)]


def fetched(count: int = COUNT, partition: int = 0) -> Records:
    data = b"".join(bytes(batch) for batch in batches(values(count), batch_size=256 * 1024))
    return Records.from_bytes("t", partition, data)


def test_one_record_does_not_pin_what_was_fetched():
    records = fetched()
    assert records.pinned_bytes > 1_900_000
    one = records[1234]
    offset = one.offset
    tail = records[1233:1236]
    del records
    assert tail.pinned_bytes < 64 * 1024
    assert one.value == tail[1].value == values()[1234]
    assert one.offset == offset == tail[1].offset
    assert tail.values() == values()[1233:1236]
    assert tail.to_arrow()["value"].to_pylist() == values()[1233:1236]
    assert [record.value for record in tail] == values()[1233:1236]


def test_more_than_half_stays_where_it_is():
    records = fetched()
    pinned = records.pinned_bytes
    most = records[: COUNT * 3 // 4]
    view = memoryview(most[7])
    del records
    assert most.pinned_bytes == pinned
    assert bytes(view) == values()[7]
    less = most[: COUNT // 4]
    del most
    assert less.pinned_bytes < pinned // 3
    assert less.values() == values()[: COUNT // 4]
    # The view's bytes are the fetched ones, whatever became of the records.
    assert bytes(view) == values()[7]


def test_records_that_die_one_after_the_other_let_their_bytes_go():
    records = fetched()
    kept = dict(enumerate(records))
    first = records[:1]
    del records
    pinned = first.pinned_bytes
    order = list(kept)
    random.Random(3).shuffle(order)  # noqa: S311
    for left, index in zip(range(COUNT - 1, 0, -1), order, strict=False):
        del kept[index]
        size = (left + 1) * SIZE
        assert first.pinned_bytes <= max(2 * size, 64 * 1024)
    assert first.pinned_bytes < pinned // 20
    for index, record in kept.items():
        assert record.value == values()[index]


def test_partitions_let_go_of_each_other():
    one = b"".join(bytes(batch) for batch in batches(values(), batch_size=256 * 1024))
    records = Records.from_bytes("t", 0, one)
    parts = [records[start : start + 100] for start in range(0, COUNT, 100)]
    del records
    while len(parts) > 1:
        parts.pop(0)
        size = sum(len(part) for part in parts) * SIZE
        assert parts[0].pinned_bytes <= max(2 * size, 64 * 1024)
    assert parts[0].values() == values()[-100:]


def test_the_same_record_twice_counts_twice():
    records = fetched()
    one, other = records[5], records[5]
    last = records[-1:]
    del records, one
    gc.collect()
    assert last.pinned_bytes < 64 * 1024
    assert other.value == values()[5]


def test_a_record_that_is_used_very_often_stays():
    records = fetched()
    many = [records[5] for _ in range(1000)]
    last = records[-1:]
    del records
    del many[1:]
    assert many[0].value == values()[5]
    many.clear()
    assert last.values() == [values()[-1]]


def test_nothing_is_moved_while_little_is_fetched():
    records = fetched(20)
    pinned = records.pinned_bytes
    one = records[3:4]
    del records
    assert one.pinned_bytes == pinned
    assert one.values() == [values()[3]]


def test_iterating_does_not_copy():
    records = fetched()
    pinned = records.pinned_bytes
    for _ in records:
        pass
    list(records)
    assert records.pinned_bytes == pinned


def test_detached_records_pin_only_themselves():
    records = fetched()
    some = records[10:20].detach()
    assert some.pinned_bytes < 11_000
    assert some.values() == values()[10:20]
    assert some.offsets() == list(range(10, 20))
    assert some[2:4].values() == values()[12:14]
    assert records[0:0].detach().values() == []


def test_views_of_values_are_read_only_and_in_place():
    records = fetched(3)
    view = memoryview(records[1])
    assert (view.readonly, view.format, view.ndim, view.nbytes) == (True, "B", 1, 1004)
    assert view == values(3)[1]
    with pytest.raises(TypeError):
        view[0] = 1
    whole = memoryview(records)
    assert values(3)[2] in bytes(whole)
    del records
    gc.collect()
    assert view == values(3)[1]


def test_a_null_value_has_no_bytes():
    (batch,) = batches([None, b""])
    records = Records.from_bytes("t", 0, batch)
    with pytest.raises(BufferError, match="null"):
        memoryview(records[0])
    assert memoryview(records[1]).nbytes == 0


def test_the_bytes_of_several_batches_are_joined():
    whole = fetched()
    joined = memoryview(whole)
    assert joined.nbytes == whole.pinned_bytes
    part = memoryview(whole[100:200])
    assert bytes(part) in bytes(joined)


def test_what_was_read_from_lives_as_long_as_needed():
    data = bytearray(b"".join(bytes(batch) for batch in batches(values(10))))
    records = Records.from_bytes("t", 0, memoryview(data))
    data[:] = bytes(len(data))
    assert records.values() == values(10)
