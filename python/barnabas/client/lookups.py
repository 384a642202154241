"""Looks up where reading begins: each leader is asked for itself, so that one that is away keeps no others waiting."""

from __future__ import annotations

import functools
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from barnabas import errors
from barnabas.client.operations import offsets
from barnabas.client.operations.api import Backoff
from barnabas.client.operations.metadata import check_topics, read_cluster
from barnabas.client.subscription import ByDuration, Phase, Reset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from barnabas.client.cluster import Cluster
    from barnabas.client.driver import Driver, Task
    from barnabas.client.operations.api import Operation
    from barnabas.client.subscription import PartitionState, ResetRule, SubscriptionState
    from barnabas.types import OffsetAndTimestamp, TopicPartition

    T = TypeVar("T")

__all__ = ["Lookups"]

_TIMESTAMP: Final = {Reset.EARLIEST: offsets.EARLIEST, Reset.LATEST: offsets.LATEST}


class _Lookup:
    """What is being looked up for one partition; another seek, or another assignment, makes it void."""

    __slots__ = ("backoff", "due", "reset", "state")

    def __init__(self, state: PartitionState, backoff: Backoff) -> None:
        self.state = state
        self.reset: ResetRule = state.reset
        self.backoff = backoff
        self.due: float | None = 0.0
        """When to ask (again), by the driver's clock; None while it is being asked."""


class Lookups:
    """Sets the positions of partitions that are to be reset; `start` never waits."""

    def __init__(
        self,
        state: SubscriptionState,
        driver: Driver,
        backoff: tuple[float, float],
        on_error: Callable[[BaseException], None],
        *,
        read_committed: bool,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._state = state
        self._driver = driver
        self._backoff = backoff
        self._on_error = on_error
        self._read_committed = read_committed
        self._wall_clock = wall_clock
        self._lookups: dict[TopicPartition, _Lookup] = {}
        self._tasks: set[Task[Any]] = set()

    def start(self, resetting: Iterable[TopicPartition]) -> None:
        """Asks for those partitions that are not being asked for, and whose last failure is long enough ago."""
        now = self._driver.now()
        old, self._lookups = self._lookups, {}
        due: dict[TopicPartition, _Lookup] = {}
        for partition in resetting:
            lookup = old.get(partition)
            if lookup is None or not self._is_current(partition, lookup):
                lookup = _Lookup(self._state.partitions[partition], Backoff(*self._backoff))
            self._lookups[partition] = lookup
            if lookup.due is not None and lookup.due <= now:
                lookup.due = None
                due[partition] = lookup
        if due:
            topics = {partition.topic for partition in due}
            self._begin("finding leaders", read_cluster(topics), lambda task: self._ask(due, task))

    def drop(self) -> None:
        """Gives up what is under way."""
        for task in self._tasks:
            self._driver.drop(task)
        self._tasks.clear()
        self._lookups.clear()

    def _ask(self, due: dict[TopicPartition, _Lookup], task: Task[Cluster]) -> None:
        """Asks the leaders, once it is known who they are."""
        if task.error is not None:
            self._failed(due, task.error)
            return
        cluster = task.value()
        wanted = {partition: self._timestamp(lookup.reset) for partition, lookup in due.items()}
        leaders = offsets.by_leader(cluster, due)
        for leader, partitions in leaders.items():
            asked = {partition: due.pop(partition) for partition, _ in partitions}
            operation = offsets.list_offsets_of_leader(leader, partitions, wanted, read_committed=self._read_committed)
            self._begin("resetting offsets", operation, functools.partial(self._take, asked))
        try:
            check_topics(cluster, sorted({partition.topic for partition in due}))
        except errors.KafkaError as error:
            self._failed(due, error)
        else:
            self._ask_later(due)

    def _take(
        self,
        asked: dict[TopicPartition, _Lookup],
        task: Task[dict[TopicPartition, OffsetAndTimestamp | errors.KafkaError | None]],
    ) -> None:
        """Sets positions by a leader's answer."""
        if task.error is not None:
            self._failed(asked, task.error)
            return
        for partition, found in task.value().items():
            lookup = asked.get(partition)
            if lookup is None or self._lookups.get(partition) is not lookup or not self._is_current(partition, lookup):
                continue
            if isinstance(found, errors.KafkaError):
                self._on_error(found)
                continue
            del asked[partition], self._lookups[partition]
            if found is not None:
                # Without an epoch: nothing has been read before this offset that could have been cut.
                self._state.set_position(partition, found.offset)
            elif isinstance(lookup.reset, ByDuration):
                # Nothing is that young; the next record will be.
                self._state.request_reset(partition, Reset.LATEST)
        self._ask_later(asked)

    def _failed(self, asked: dict[TopicPartition, _Lookup], error: BaseException) -> None:
        if any(self._is_current(partition, lookup) for partition, lookup in asked.items()):
            self._on_error(error)
        self._ask_later(asked)

    def _ask_later(self, asked: dict[TopicPartition, _Lookup]) -> None:
        now = self._driver.now()
        for lookup in asked.values():
            lookup.due = now + lookup.backoff.wait().seconds
        if asked:
            # For whoever waits in a poll to come by here again.
            self._driver.call_at(min(lookup.due or now for lookup in asked.values()), lambda: None)

    def _is_current(self, partition: TopicPartition, lookup: _Lookup) -> bool:
        """Whether an answer still counts: the partition was neither taken away nor sought meanwhile."""
        state = self._state.partitions.get(partition)
        return state is lookup.state and state.phase is Phase.RESETTING and state.reset == lookup.reset

    def _begin(self, name: str, operation: Operation[T], then: Callable[[Task[T]], None]) -> None:
        def done(task: Task[T]) -> None:
            self._tasks.discard(task)
            then(task)

        task = self._driver.start(name, operation, None, done)
        if not task.done:
            self._tasks.add(task)

    def _timestamp(self, reset: ResetRule) -> int:
        if isinstance(reset, ByDuration):
            return max(0, round((self._wall_clock() - reset.seconds) * 1000))
        return _TIMESTAMP[reset]
