"""Offsets that a log has from transactions: they count from their marker on, and RequireStable does not tell them before."""

from __future__ import annotations

from typing import Any

import pytest
from virtual_shard import GROUP, VirtualShard

from barnabas.broker import group_records
from barnabas.coordinator.committed import OffsetKey
from barnabas.coordinator.pending import Marker, Transactional
from barnabas.coordinator.shard import FetchStable
from barnabas.errors import UnstableOffsetCommitError
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest

KEY = OffsetKey(GROUP, "orders", 0)
PRODUCER = (7, 0)


@pytest.fixture
def virtual() -> VirtualShard:
    """Offset 1 is committed; producer 7 has written 42 in a transaction, as the log's bytes say it."""
    virtual = VirtualShard()
    virtual.commit("", -1, 42)
    key, value = group_records.encode(virtual.log[-1])
    virtual.commit("", -1, 1)
    read(virtual, key, value, is_control=False)
    return virtual


def read(virtual: VirtualShard, key: bytes | None, value: bytes | None, *, is_control: bool) -> None:
    record = group_records.decode_in_transaction(PRODUCER, key, value, is_control=is_control)
    assert record is not None
    virtual.shard.replay(record, 100)


def stable(virtual: VirtualShard) -> tuple[int, int]:
    topic = OffsetFetchRequest.OffsetFetchRequestTopics(name="orders", partition_indexes=[0])
    group = OffsetFetchRequest.OffsetFetchRequestGroup(group_id=GROUP, topics=[topic])
    (found,) = virtual.ask(FetchStable(group)).topics[0].partitions
    return found.error_code, found.committed_offset


def test_an_open_transaction_is_not_told(virtual: VirtualShard) -> None:
    assert virtual.fetch()[0] == 1
    assert stable(virtual) == (UnstableOffsetCommitError.code, -1)


@pytest.mark.parametrize(("marker", "offset"), [(b"\0\0\0\1", 42), (b"\0\0\0\0", 1)])
def test_the_marker_decides(virtual: VirtualShard, marker: bytes, offset: int) -> None:
    read(virtual, marker, b"\0\0\0\0\0\0", is_control=True)
    assert virtual.fetch()[0] == offset
    assert stable(virtual) == (0, offset)


def test_a_later_commit_outside_of_transactions_stays(virtual: VirtualShard) -> None:
    virtual.commit("", -1, 50)
    assert stable(virtual)[0] == UnstableOffsetCommitError.code
    read(virtual, b"\0\0\0\1", b"\0\0\0\0\0\0", is_control=True)
    assert stable(virtual) == (0, 50)


def test_other_producers_do_not_end_it(virtual: VirtualShard) -> None:
    virtual.shard.replay_marker(8, 0, is_commit=True)
    assert stable(virtual)[0] == UnstableOffsetCommitError.code


@pytest.mark.parametrize("key", [None, b"", b"\0\0\0\2", b"\xff\xff"])
def test_what_is_no_offset_and_no_marker_is_passed_over(key: Any) -> None:
    for is_control in (False, True):
        assert group_records.decode_in_transaction(PRODUCER, key, b"", is_control=is_control) is None


def test_what_is_read_is_what_was_written(virtual: VirtualShard) -> None:
    key, value = group_records.encode(virtual.log[-1])
    found = group_records.decode_in_transaction(PRODUCER, key, value, is_control=False)
    assert found == (Transactional(7, KEY), virtual.log[-1][1])
    assert group_records.decode_in_transaction(PRODUCER, b"\0\0\0\1", b"", is_control=True) == (Marker(7, 0), True)
