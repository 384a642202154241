"""Offsets that a log has from transactions: they count from their marker on, RequireStable does not tell them before, and as
long as they are pending they keep their group."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from virtual_shard import GROUP, VirtualShard

from barnabas.broker import group_records
from barnabas.coordinator.committed import CommittedOffset, OffsetKey
from barnabas.coordinator.pending import Marker, PendingOffsets, Transactional
from barnabas.coordinator.records import offset_record
from barnabas.coordinator.shard import DeleteGroup, FetchStable, ForgetTopics, ListShard
from barnabas.errors import GroupIdNotFoundError, UnstableOffsetCommitError
from barnabas.protocol.messages.offset_delete import OffsetDeleteRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest

KEY = OffsetKey(GROUP, "orders", 0)
ABORT, COMMIT = b"\0\0\0\0", b"\0\0\0\1"
DAY_MS = 24 * 3_600_000


def write(virtual: VirtualShard, offset: int | None, producer_id: int = 7) -> Any:
    """A producer writes an offset, or a tombstone, in a transaction."""
    key, value = group_records.encode(offset_record(*KEY, CommittedOffset(offset or 0)))
    assert key is not None
    return virtual.write((producer_id, 0), key, None if offset is None else value)


def end(virtual: VirtualShard, marker: bytes, producer_id: int = 7) -> Any:
    return virtual.write((producer_id, 0), marker, b"\0\0\0\0\0\0", is_control=True)


@pytest.fixture
def virtual() -> VirtualShard:
    """Offset 1 is committed; producer 7 has written 42 in a transaction, as the log's bytes say it."""
    virtual = VirtualShard()
    virtual.reload()
    virtual.commit("", -1, 1)
    write(virtual, 42)
    return virtual


@pytest.fixture
def unfinished() -> VirtualShard:
    """The group has nothing but what producer 7 has written."""
    virtual = VirtualShard()
    virtual.reload()
    write(virtual, 42)
    return virtual


def stable(virtual: VirtualShard) -> tuple[int, int]:
    topic = OffsetFetchRequest.OffsetFetchRequestTopics(name="orders", partition_indexes=[0])
    group = OffsetFetchRequest.OffsetFetchRequestGroup(group_id=GROUP, topics=[topic])
    (found,) = virtual.ask(FetchStable(group)).topics[0].partitions
    return found.error_code, found.committed_offset


def groups(virtual: VirtualShard) -> list[tuple[str, ...]]:
    return [tuple(group) for group in virtual.ask(ListShard())]


def delete_offset(virtual: VirtualShard) -> int:
    partition = OffsetDeleteRequest.OffsetDeleteRequestPartition(partition_index=0)
    topic = OffsetDeleteRequest.OffsetDeleteRequestTopic(name="orders", partitions=[partition])
    return int(virtual.ask(OffsetDeleteRequest(group_id=GROUP, topics=[topic])).error_code)


def test_an_open_transaction_is_not_told(virtual: VirtualShard) -> None:
    assert virtual.fetch()[0] == 1
    assert stable(virtual) == (UnstableOffsetCommitError.code, -1)


@pytest.mark.parametrize(("marker", "offset"), [(COMMIT, 42), (ABORT, 1)])
def test_the_marker_decides(virtual: VirtualShard, marker: bytes, offset: int) -> None:
    end(virtual, marker)
    assert virtual.fetch()[0] == offset
    assert stable(virtual) == (0, offset)


def test_a_later_commit_outside_of_transactions_stays(virtual: VirtualShard) -> None:
    virtual.commit("", -1, 50)
    assert stable(virtual)[0] == UnstableOffsetCommitError.code
    end(virtual, COMMIT)
    assert stable(virtual) == (0, 50)


@pytest.mark.parametrize("order", [(7, 8), (8, 7)])
def test_of_two_transactions_the_later_record_counts_whichever_ends_first(
    virtual: VirtualShard, order: tuple[int, int]
) -> None:
    write(virtual, 43, producer_id=8)
    end(virtual, COMMIT, order[0])
    assert stable(virtual)[0] == UnstableOffsetCommitError.code
    end(virtual, COMMIT, order[1])
    assert stable(virtual) == (0, 43)


def test_other_producers_do_not_end_it(virtual: VirtualShard) -> None:
    virtual.shard.replay_marker(8, 0, is_commit=True)
    assert stable(virtual)[0] == UnstableOffsetCommitError.code


@pytest.mark.parametrize("how", ["offset", "group", "topic", "in the transaction"])
def test_what_is_deleted_does_not_come_back_with_the_marker(virtual: VirtualShard, how: str) -> None:
    if how == "offset":
        assert delete_offset(virtual) == 0
    elif how == "group":
        assert virtual.ask(DeleteGroup(GROUP)) == 0
        assert groups(virtual) == []
    elif how == "topic":
        virtual.ask(ForgetTopics(frozenset({"orders", "payments"})))
    else:
        write(virtual, None)
    assert stable(virtual) == (0, -1)
    end(virtual, COMMIT)
    virtual.reload()
    assert virtual.fetch()[0] == -1


def test_a_group_is_there_with_its_first_transaction(unfinished: VirtualShard) -> None:
    assert groups(unfinished) == [(GROUP, "", "Empty", "classic")]
    assert stable(unfinished) == (UnstableOffsetCommitError.code, -1)
    assert unfinished.fetch()[0] == -1
    end(unfinished, ABORT)
    unfinished.reload()
    assert groups(unfinished) == [(GROUP, "", "Empty", "classic")], "until its tombstone, or an hour's check"
    unfinished.advance(unfinished.settings.offsets_check_interval_ms)
    assert groups(unfinished) == []
    assert unfinished.ask(DeleteGroup(GROUP)) == GroupIdNotFoundError.code


@pytest.mark.parametrize("how", ["offset", "group", "topic"])
def test_what_is_only_pending_can_be_deleted(unfinished: VirtualShard, how: str) -> None:
    if how == "offset":
        assert delete_offset(unfinished) == 0
    elif how == "group":
        assert unfinished.ask(DeleteGroup(GROUP)) == 0
    else:
        unfinished.ask(ForgetTopics(frozenset({"orders"})))
    end(unfinished, COMMIT)
    assert unfinished.fetch()[0] == -1
    unfinished.reload()
    assert unfinished.fetch()[0] == -1


def test_a_group_without_offsets_is_there_until_it_is_looked_at(virtual: VirtualShard) -> None:
    delete_offset(virtual)
    for _ in range(2):
        assert groups(virtual) == [(GROUP, "", "Empty", "classic")]
        assert delete_offset(virtual) == 0
        virtual.reload()
    virtual.advance(virtual.settings.offsets_check_interval_ms)
    assert groups(virtual) == []
    virtual.reload()
    assert groups(virtual) == []


def test_nothing_expires_that_a_transaction_may_replace(virtual: VirtualShard) -> None:
    virtual.advance(30 * DAY_MS)
    assert virtual.fetch()[0] == 1
    end(virtual, ABORT)
    virtual.advance(virtual.settings.offsets_check_interval_ms)
    assert virtual.fetch()[0] == -1
    assert groups(virtual) == []


def test_a_group_does_not_expire_under_a_transaction(unfinished: VirtualShard) -> None:
    unfinished.advance(30 * DAY_MS)
    assert len(groups(unfinished)) == 1
    end(unfinished, COMMIT)
    assert unfinished.fetch()[0] == 42


STEP = st.one_of(
    st.tuples(st.just("commit"), st.just(0)),
    st.tuples(st.sampled_from(["write", COMMIT, ABORT]), st.integers(1, 3)),
    st.tuples(st.sampled_from(["delete", "reload"]), st.just(0)),
)


def play(steps: list[tuple[Any, int]]) -> None:
    """As Kafka's `OffsetMetadataManager` has it: each offset remembers where its record stands in the log."""
    virtual = VirtualShard()
    counting: int | None = None
    pending: dict[int, int] = {}
    for step, producer_id in steps:
        place = len(virtual.log)
        if step == "commit":
            virtual.commit("", -1, place)
            counting = place
        elif step == "write":
            write(virtual, place, producer_id)
            pending[producer_id] = place
        elif step == "delete":
            delete_offset(virtual)
            counting, pending = None, {}
        elif step == "reload":
            virtual.reload()
        else:
            end(virtual, step, producer_id)
            written = pending.pop(producer_id, None)
            if step == COMMIT and written is not None and (counting is None or written > counting):
                counting = written
        told = -1 if counting is None else counting
        assert virtual.fetch()[0] == told
        assert stable(virtual) == ((UnstableOffsetCommitError.code, -1) if pending else (0, told))


@settings(max_examples=100, deadline=None)
@given(st.lists(STEP, max_size=30))
def test_the_last_record_that_counts_is_told(steps: list[tuple[Any, int]]) -> None:
    play(steps)


MUTANTS: dict[str, tuple[str, Any, list[tuple[Any, int]]]] = {
    "a marker overtakes what came later": ("overtake", lambda *_: None, [("write", 1), ("commit", 0), (COMMIT, 1)]),
    "what was deleted comes back": ("forget", lambda *_: None, [("write", 1), ("delete", 0), (COMMIT, 1)]),
    "what was aborted counts": (
        "end",
        lambda self, producer_id, original=PendingOffsets.end, **_: original(self, producer_id, is_commit=True),
        [("write", 1), (ABORT, 1)],
    ),
    "an open transaction is told": ("holds", lambda *_: False, [("write", 1)]),
}


@pytest.mark.parametrize("defect", MUTANTS)
def test_seeded_defects_are_caught(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name, mutant, steps = MUTANTS[defect]
    play(steps)
    monkeypatch.setattr(PendingOffsets, name, mutant)
    with pytest.raises(AssertionError):
        play(steps)


@pytest.mark.parametrize("key", [None, b"", b"\0\0\0\2", b"\xff\xff"])
def test_what_is_no_offset_and_no_marker_is_passed_over(key: Any) -> None:
    for is_control in (False, True):
        assert group_records.decode_in_transaction((7, 0), key, b"", is_control=is_control) is None


def test_what_is_read_is_what_was_written(virtual: VirtualShard) -> None:
    assert write(virtual, 5)[0] == Transactional(7, KEY)
    assert end(virtual, COMMIT) == (Marker(7, 0), True)
