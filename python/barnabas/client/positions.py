"""Gives every assigned partition a position: committed offset, reset rule or seek, then hands it to the fetcher."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any, Final

from barnabas import errors
from barnabas.client.codes import Code
from barnabas.client.lookups import Lookups
from barnabas.client.operations import offsets
from barnabas.client.operations.api import Backoff
from barnabas.client.subscription import Phase, Reset
from barnabas.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from barnabas.client.core import FetchCore
    from barnabas.client.driver import Driver, Task
    from barnabas.client.subscription import PartitionState, SubscriptionState

__all__ = ["Positions"]

_log = logging.getLogger("barnabas.consumer")


class Positions:
    """Works on a consumer's `SubscriptionState`; `advance` starts what is missing and never waits."""

    def __init__(
        self,
        state: SubscriptionState,
        driver: Driver,
        fetch: FetchCore,
        *,
        group_id: str | None,
        backoff: tuple[float, float],
        read_committed: bool,
        wall_clock: Callable[[], float] = time.time,
    ) -> None:
        self._state = state
        self._driver = driver
        self._fetch = fetch
        self._group_id = group_id
        self._backoff = backoff
        self._lookups = Lookups(
            state, driver, backoff, self._failed, read_committed=read_committed, wall_clock=wall_clock
        )
        self._stuck: dict[TopicPartition, tuple[int, errors.KafkaError]] = {}
        self._task: Task[Any] | None = None
        self._errors: list[errors.KafkaError] = []
        self._fetching: set[TopicPartition] = set()
        self._told: Mapping[TopicPartition, PartitionState] | None = None
        """The assignment that the fetcher was told of; None when it must be told again."""

    def advance(self) -> None:
        """Starts looking up what has no position, and tells the fetcher what has changed.

        Raises:
            KafkaError: A position cannot be found.
        """
        if self._errors:
            raise self._errors.pop(0)
        if self._state.is_settled and self._told is self._state.partitions:
            # Every poll comes by here, also with a thousand partitions.
            return
        if self._task is None:
            self._initialize()
        self._reset()
        self._tell_fetcher()

    def position(self, partition: TopicPartition) -> int | None:
        """The offset of the next record to be given out, or None while it is not known."""
        state = self._state.state_of(partition)
        if state.phase is Phase.POSITIONED:
            return state.offset
        return self._fetch.position(*partition) if state.phase is Phase.FETCHING else None

    def failure(self) -> errors.KafkaError | None:
        """Why a partition cannot be read on, once everything before was given out; until a seek mends it."""
        for partition, (offset, error) in list(self._stuck.items()):
            state = self._state.partitions.get(partition)
            if state is None or state.phase is not Phase.FETCHING:
                del self._stuck[partition]
            elif not state.paused and self._fetch.position(*partition) == offset:
                return error
        return None

    def consumed(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """What to commit: the position of every partition that has one."""
        found = {}
        fetched = {(topic, partition): (offset, epoch) for topic, partition, offset, epoch in self._fetch.positions()}
        for partition, state in self._state.partitions.items():
            if state.phase is Phase.POSITIONED:
                found[partition] = _commit_at(state.offset, state.leader_epoch)
            elif state.phase is Phase.FETCHING and partition in fetched and fetched[partition][0] >= 0:
                found[partition] = _commit_at(*fetched[partition])
        return found

    def fetch_failed(self, topic: str, number: int, error_code: int, offset: int) -> None:
        """Takes the fetcher's error for a partition: resets what is out of range, and raises the rest by `advance`."""
        partition = TopicPartition(topic, number)
        state = self._state.partitions.get(partition)
        if state is None or state.phase is not Phase.FETCHING:
            return
        if error_code == Code.OFFSET_OUT_OF_RANGE:
            if self._fetch.position(topic, number) not in {offset, None}:
                return
            if self._state.default_reset is not Reset.NONE:
                self._state.request_reset(partition)
                return
            message = f"offset {offset} is not in the log, and auto_offset_reset is none: seek() to one that is"
            self._stuck[partition] = (offset, errors.OffsetOutOfRangeError(message, topic_partition=partition))
        elif error_code in _STUCK:
            text = errors.for_code(error_code).text
            message = f"offset {offset} cannot be read: {text}; seek() past it to go on"
            self._stuck[partition] = (offset, errors.for_code(error_code, message, topic_partition=partition))
        else:
            self._errors.append(errors.for_code(error_code, topic_partition=partition))

    def truncated(self, topic: str, number: int, offset: int, end: tuple[int, int]) -> None:
        """Takes that the leader's log parts from what was read, at `end`: offset and epoch, -1 where unknown."""
        partition = TopicPartition(topic, number)
        state = self._state.partitions.get(partition)
        if state is None or state.phase is not Phase.FETCHING or self._fetch.position(topic, number) != offset:
            return
        end_offset, end_epoch = end
        where = f"from offset {end_offset} on" if end_offset >= 0 else "somewhere"
        told = f"{topic}-{number} was read up to offset {offset}, and its log has been cut {where}"
        if self._state.default_reset is Reset.NONE:
            divergent = {partition: _commit_at(end_offset, end_epoch)} if end_offset >= 0 else {}
            error = errors.LogTruncationError(
                f"{told}: seek() to where to go on", divergent_offsets=divergent, topic_partition=partition
            )
            self._stuck[partition] = (offset, error)
        elif end_offset < 0:
            _log.warning("%s: its position is reset", told)
            self._state.request_reset(partition)
        else:
            _log.warning("%s: reading goes on there", told)
            self._state.set_position(partition, end_offset, end_epoch)

    def stop_fetching(self, keep: Collection[TopicPartition]) -> None:
        """Takes everything but `keep` from the fetcher, whatever it has fetched of it."""
        kept = {partition for partition in self._fetching if partition in keep}
        if kept != self._fetching or not kept:
            self._fetch.assign([(topic, partition, -1, -1) for topic, partition in kept])
            self._fetching = kept
            self._told = None

    def release(self) -> None:
        """Takes everything from the fetcher and gives up what is being looked up."""
        if self._task is not None:
            self._driver.drop(self._task)
            self._task = None
        self._lookups.drop()
        self._tell_fetcher()

    def _initialize(self) -> None:
        waiting = self._state.in_phase(Phase.INITIALIZING)
        if not waiting:
            return
        if self._group_id is None:
            for partition in waiting:
                self._state.request_reset(partition)
            return
        states = {partition: self._state.partitions[partition] for partition in waiting}

        def done(task: Task[dict[TopicPartition, OffsetAndMetadata | None]]) -> None:
            self._task = None
            if task.error is not None:
                self._failed(task.error)
                return
            for partition, committed in task.value().items():
                if not self._is_current(partition, states, Phase.INITIALIZING):
                    continue
                if committed is None:
                    self._state.request_reset(partition)
                else:
                    epoch = -1 if committed.leader_epoch is None else committed.leader_epoch
                    self._state.set_position(partition, committed.offset, epoch)

        operation = offsets.fetch_committed(self._group_id, waiting, Backoff(*self._backoff))
        task = self._driver.start("reading committed offsets", operation, None, done)
        self._task = None if task.done else task

    def _reset(self) -> None:
        resetting = self._state.in_phase(Phase.RESETTING)
        without = [each for each in resetting if self._state.partitions[each].reset is Reset.NONE]
        if without:
            names = ", ".join(f"{topic}-{number}" for topic, number in without)
            raise errors.NoOffsetForPartitionError(
                f"no committed offset for {names}, and auto_offset_reset is none: seek(), or choose earliest or latest"
            )
        self._lookups.start(resetting)

    def _is_current(
        self, partition: TopicPartition, states: Mapping[TopicPartition, PartitionState], phase: Phase
    ) -> bool:
        """Whether an answer still counts: the partition was neither taken away nor sought meanwhile."""
        state = self._state.partitions.get(partition)
        return state is not None and state is states.get(partition) and state.phase is phase

    def _failed(self, error: BaseException) -> None:
        if isinstance(error, errors.KafkaError) and not error.retriable:
            self._errors.append(error)

    def _tell_fetcher(self) -> None:
        ready = self._state.in_phase(Phase.FETCHING, Phase.POSITIONED)
        moved = [partition for partition in ready if self._state.partitions[partition].phase is Phase.POSITIONED]
        self._told = self._state.partitions
        if not moved and set(ready) == self._fetching:
            return
        assignment = []
        for partition in ready:
            state = self._state.partitions[partition]
            offset, epoch = (state.offset, state.leader_epoch) if state.phase is Phase.POSITIONED else (-1, -1)
            assignment.append((partition.topic, partition.partition, offset, epoch))
        self._state.settle(moved)
        for partition in moved:
            self._stuck.pop(partition, None)
        self._fetch.assign(assignment)
        paused = [(each.topic, each.partition) for each in moved if self._state.partitions[each].paused]
        if paused:
            self._fetch.pause(paused)
        # One that was paused there may have been resumed while it had no position, and keeps its pause over a new one.
        resumed = [
            (each.topic, each.partition)
            for each in moved
            if each in self._fetching and not self._state.partitions[each].paused
        ]
        if resumed:
            self._fetch.resume(resumed)
        self._fetching = set(ready)


_STUCK: Final = frozenset({Code.CORRUPT_MESSAGE, Code.MESSAGE_TOO_LARGE, Code.UNSUPPORTED_COMPRESSION_TYPE})
"""Errors of what lies at an offset: only a seek gets past them."""


def _commit_at(offset: int, leader_epoch: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(offset, "", leader_epoch if leader_epoch >= 0 else None)
