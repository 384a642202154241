"""The runtime of replicated state machines: when answers leave, what a failure costs, how loading goes."""

from __future__ import annotations

from typing import Any

import pytest
from fake_data_plane import FakeDataPlane

from barnabas.broker.deadlines import Deadlines
from barnabas.broker.runtime import (
    LOAD_SLICE_RECORDS,
    RELOAD_BACKOFF_MS,
    TOO_LARGE_RETRY_MS,
    Failed,
    Replica,
    ReplicaState,
    Role,
)
from barnabas.errors import MessageTooLargeError
from barnabas.machine import Caller, Deadline, Moment, Reply, Result

LOADING, LOST = 14, 16
NOW = Moment(0.0, 1_700_000_000_000)


class Counter:
    """A machine that counts: "add" appends, "read" answers the count, "soft" changes memory only.

    "all", "each" and "else" append three at once: all or nothing, one by one, or one instead.
    """

    def __init__(self) -> None:
        self.count = 0
        self.memory = 0
        self.is_loaded = False

    def handle(self, caller: Caller, request: Any, now: Moment) -> Result:
        if request == "add":
            return Result(records=["+"], replies=[Reply(caller.token, self.count + 1)])
        if request == "soft":
            return Result(replies=[Reply(caller.token, "kept")], soft=[1], deadlines=[Deadline(("late",), 50.0)])
        if request == "hurry":
            return Result(replies=[Reply(caller.token, self.count, waits=False)])
        if request in ("all", "each", "else"):
            reply = Reply(caller.token, request)
            result = Result(records=["+"] * 3, replies=[reply], soft=[3], is_separable=request == "each")
            if request == "else":
                result.otherwise = lambda: Result(records=["+"], replies=[reply])
            return result
        if request == "break":
            raise ZeroDivisionError
        return Result(replies=[Reply(caller.token, (self.count, self.memory))])

    def expire(self, key: tuple[Any, ...], now: Moment) -> Result:
        return Result(records=["+"])

    def apply(self, change: Any) -> None:
        self.memory += change

    def replay(self, record: Any, offset: int) -> None:
        assert (record, offset) == ("+", self.count)
        self.count += 1

    def loaded(self, now: Moment) -> Result:
        self.is_loaded = True
        return Result(deadlines=[Deadline(("loaded",), now.stamp_ms + 1_000.0)])


class World:
    def __init__(self, records: int = 0) -> None:
        self.core = FakeDataPlane()
        self.core.records = [(None, b"+")] * records
        self.core.committed = records
        self.deadlines = Deadlines()
        self.answers: list[Any] = []
        self.commits: list[int] = []
        self.losses: list[bool] = []
        role = Role(
            encode=lambda record: (None, record.encode()),
            decode=lambda _key, value: None if value is None else value.decode(),
            loading_code=LOADING,
            lost_code=LOST,
            committed=self.commits.append,
            lost=lambda: self.losses.append(True),
        )
        self.replica = Replica(self.core, self.deadlines, ("t", 0), Counter, role)  # type: ignore[arg-type]
        self.replica.load(NOW)

    def ask(self, request: str, token: int = 1) -> None:
        self.replica.submit(Caller(token, 0), request, NOW, self.answers.append)

    def commit(self, offset: int) -> None:
        self.core.committed = offset
        self.replica.on_appended(offset - 1, 0, NOW)

    def finish_read(self, until: int) -> None:
        _, offset = self.core.reads[-1]
        self.replica.on_read(0, b"%d-%d" % (offset, until), until, NOW)


def test_empty_log_is_ready_at_once() -> None:
    world = World()
    world.ask("read")
    assert (world.replica.state, world.answers) == (ReplicaState.ACTIVE, [(0, 0)])


def test_answers_wait_for_the_commit_of_everything_before_them() -> None:
    world = World()
    world.ask("add", 1)
    world.ask("read", 2)
    world.ask("add", 3)
    world.ask("read", 4)
    assert world.answers == []
    world.commit(1)
    assert world.answers == [1, (1, 0)]
    world.commit(2)
    assert world.answers == [1, (1, 0), 2, (2, 0)]
    assert world.commits == [1, 2]


def test_answer_that_repeats_what_was_told_does_not_wait() -> None:
    world = World()
    world.ask("add", 1)
    world.ask("hurry", 2)
    assert world.answers == [1]
    assert world.replica.machine.count == 1  # type: ignore[attr-defined]


def test_commit_is_told_before_the_answers_leave() -> None:
    world = World()
    order: list[str] = []
    world.replica.role = world.replica.role._replace(committed=lambda _offset: order.append("published"))
    world.replica.submit(Caller(1, 0), "add", NOW, lambda _answer: order.append("answered"))
    world.commit(1)
    assert order == ["published", "answered"]


@pytest.mark.parametrize("how", ["refused at once", "failed later"])
def test_failed_append_costs_the_machine_and_it_is_loaded_again(how: str) -> None:
    world = World()
    world.ask("soft", 1)
    world.ask("add", 2)
    world.commit(1)
    world.answers.clear()
    world.core.refuses = how == "refused at once"
    world.ask("add", 3)
    if how == "failed later":
        world.core.records.pop()
        world.replica.on_appended(1, 5, NOW)
    assert world.answers == [Failed(LOST)]
    assert world.losses == [True]
    world.ask("read", 4)
    assert world.answers[-1] == Failed(LOADING)
    assert world.deadlines.due(RELOAD_BACKOFF_MS) == [(world.replica, ("reload",))]
    assert len(world.deadlines) == 0, "a deadline of the lost machine is left"
    world.core.refuses = False
    world.core.epoch += 1
    world.replica.expire(("reload",), NOW)
    world.finish_read(1)
    world.replica.run_slice(NOW)
    world.answers.clear()
    world.ask("read", 5)
    assert world.answers == [(1, 0)], "memory must be gone, records must be there"
    world.ask("add", 6)
    world.commit(2)
    assert world.answers[-1] == 2


def test_request_that_cannot_be_handled_is_refused_alone() -> None:
    world = World()
    world.ask("break", 1)
    world.ask("read", 2)
    assert world.answers == [Failed(-1), (0, 0)]


def test_what_no_batch_can_hold_is_refused_alone() -> None:
    world = World()
    world.ask("soft", 1)
    world.core.batch_bytes_max = 2
    world.ask("all", 2)
    world.ask("read", 3)
    assert world.answers == ["kept", Failed(-1), (0, 1)]
    assert (world.losses, world.core.records) == ([], [])
    world.core.batch_bytes_max = 3
    world.ask("all", 4)
    world.commit(3)
    world.ask("read", 5)
    assert world.answers[3:] == ["all", (3, 4)]


def test_what_no_batch_can_hold_may_have_a_substitute() -> None:
    world = World()
    world.core.batch_bytes_max = 2
    world.ask("else", 1)
    assert world.answers == []
    world.commit(1)
    world.ask("read", 2)
    assert world.answers == ["else", (1, 0)]


def test_records_that_stand_for_themselves_are_divided_among_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("barnabas.broker.runtime.SEPARATE_BATCH_BYTES", 2)
    world = World()
    world.core.batch_bytes_max = 2
    world.ask("each", 1)
    world.commit(2)
    assert world.answers == [], "the last batch is not committed"
    world.commit(3)
    world.ask("read", 2)
    assert world.answers == ["each", (3, 3)]


def test_a_batch_too_large_behind_others_costs_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("barnabas.broker.runtime.SEPARATE_BATCH_BYTES", 1)
    world = World()
    append, is_last = world.core.append, iter([False, True])

    def the_second_fails(*given: Any) -> int:
        if next(is_last):
            raise MessageTooLargeError
        return append(*given)

    monkeypatch.setattr(world.core, "append", the_second_fails)
    world.ask("each", 1)
    assert (world.answers, world.losses) == ([Failed(LOST)], [True])


def test_a_deadline_whose_consequence_no_batch_can_hold_comes_again() -> None:
    world = World()
    world.core.batch_bytes_max = 0
    world.replica.expire(("late",), NOW)
    assert (world.losses, world.core.records) == ([], [])
    assert world.deadlines.due(TOO_LARGE_RETRY_MS) == [(world.replica, ("late",))]
    world.core.batch_bytes_max = 1
    world.replica.expire(("late",), NOW)
    assert len(world.core.records) == 1


def test_loading_reads_on_and_replays_in_slices() -> None:
    count = 3 * LOAD_SLICE_RECORDS
    world = World(records=count + 10)
    world.core.tick_ms = 0.5  # two portions of records fit into a slice
    world.ask("read")
    assert world.answers == [Failed(LOADING)]
    world.finish_read(count)
    slices = 0
    while world.replica.wants_slice:
        world.replica.run_slice(NOW)
        slices += 1
    assert slices > 1
    assert world.replica.state is ReplicaState.LOADING
    world.finish_read(count + 10)
    world.replica.run_slice(NOW)
    assert world.replica.state is ReplicaState.ACTIVE
    world.ask("read")
    assert world.answers[-1] == (count + 10, 0)
    assert world.deadlines.due(1_000.0) == [(world.replica, ("loaded",))]


def test_failed_read_is_tried_again_later_and_later() -> None:
    world = World(records=1)
    waits = []
    for _ in range(3):
        world.replica.on_read(56, b"", 0, NOW)
        at = world.deadlines.next_ms()
        assert at is not None
        waits.append(at)
        world.deadlines.due(at)
        world.replica.expire(("reload",), NOW)
    assert waits == [RELOAD_BACKOFF_MS, 2 * RELOAD_BACKOFF_MS, 4 * RELOAD_BACKOFF_MS]


def test_partition_that_is_not_here_yet_is_looked_for_again() -> None:
    world = World()
    other = FakeDataPlane()
    other.is_here = False
    replica = Replica(other, world.deadlines, ("t", 1), Counter, world.replica.role)  # type: ignore[arg-type]
    replica.load(NOW)
    assert replica.state is ReplicaState.LOADING
    other.is_here = True
    ((owner, key),) = world.deadlines.due(RELOAD_BACKOFF_MS)
    owner.expire(key, NOW)
    assert replica.state is ReplicaState.ACTIVE


def test_closed_replica_refuses_and_answers_nobody_twice() -> None:
    world = World()
    world.ask("add", 1)
    world.replica.close()
    world.commit(1)
    world.ask("read", 2)
    assert world.answers == [Failed(LOST), Failed(LOST)]
