"""The clients that a worker process keeps, in virtual time."""

from __future__ import annotations

import pytest

from barnabas.client.options import CONSUMER
from barnabas.errors import ConfigError
from barnabas.spark.clients import Clients

A, B, C, D = ({"bootstrap.servers": f"{name}:9092"} for name in "abcd")
IDLE_S = 540.0
"""Kafka's default of connections.max.idle.ms."""


class Time:
    """A clock that is told how late it is, and calls back what is due."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.due: list[tuple[float, object]] = []

    def after(self, delay_s, call):
        self.due.append((self.now + delay_s, call))

    def pass_by(self, seconds):
        until = self.now + seconds
        while self.due and (first := min(self.due, key=lambda one: one[0]))[0] <= until:
            self.due.remove(first)
            self.now = first[0]
            first[1]()
        self.now = until


@pytest.fixture
def clock():
    return Time()


@pytest.fixture
def closed():
    return []


@pytest.fixture
def clients(clock, closed):
    return Clients(CONSUMER, lambda config: [config], closed.append, 2, now=lambda: clock.now, after=clock.after)


def use(clients, config):
    with clients.lent(config) as client:
        return client


def test_tasks_with_the_same_options_have_the_same_client(clients, closed):
    first = use(clients, A)
    assert use(clients, dict(A)) is first == [A]
    assert use(clients, B) is not first
    assert closed == []


def test_the_client_that_was_used_longest_ago_makes_room(clients, closed):
    first, second = use(clients, A), use(clients, B)
    use(clients, A)
    use(clients, C)
    assert closed == [second]
    assert use(clients, A) is first


def test_a_client_that_nobody_used_for_so_long_is_closed(clients, clock, closed):
    first, second = use(clients, A), use(clients, B)
    clock.pass_by(IDLE_S - 1)
    assert closed == []
    use(clients, A)
    clock.pass_by(1)
    assert closed == [second]
    clock.pass_by(IDLE_S - 2)
    assert closed == [second]
    clock.pass_by(1)
    assert closed == [second, first]
    # Nothing is left to look at.
    assert clock.due == []
    assert use(clients, A) is not first


def test_one_look_is_due_however_many_tasks_there_were(clients, clock):
    for _ in range(100):
        use(clients, A)
    assert len(clock.due) == 1


def test_a_client_in_use_stays_open(clients, clock, closed):
    with clients.lent(A) as first:
        use(clients, B)
        with clients.lent(A) as again:
            assert again is first
        clock.pass_by(10 * IDLE_S)
        use(clients, B)
        use(clients, C)
        use(clients, D)
        assert first not in closed
        clock.pass_by(10 * IDLE_S)
    assert first not in closed
    assert use(clients, A) is first
    clock.pass_by(IDLE_S)
    assert first in closed


def test_options_say_how_long(clients, clock, closed):
    short = use(clients, A | {"connections.max.idle.ms": "1000"})
    use(clients, B | {"connections.max.idle.ms": "-1"})
    clock.pass_by(1)
    assert closed == [short]
    clock.pass_by(1e9)
    assert closed == [short]
    with pytest.raises(ConfigError, match=r"connections\.max\.idle\.ms"):
        use(clients, A | {"connections.max.idle.ms": "soon"})


def test_the_client_of_a_task_that_failed_is_not_used_again(clients, closed):
    with clients.lent(A) as held:
        with pytest.raises(RuntimeError), clients.lent(A) as failed:
            raise RuntimeError
        assert failed is held
        assert closed == []
        assert use(clients, A) is not failed
    assert closed == [failed]


def test_a_task_of_which_not_all_is_taken_did_not_fail(clients, closed):
    def rows():
        with clients.lent(A) as client:
            while True:
                yield client

    taken = rows()
    first = next(taken)
    taken.close()
    assert use(clients, A) is first
    assert closed == []
