"""What a consumer does under its public face: polling, committing, closing; all on the thread that calls."""

from __future__ import annotations

import base64
import logging
import uuid
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.client.arguments import (
    checked_offsets,
    checked_partition,
    checked_partitions,
    checked_timeout,
    checked_whole,
)
from barnabas.client.bootstrap import core_options
from barnabas.client.consumer_membership import ConsumerMembership
from barnabas.client.core import NO_RECORDS, ClientCore, FetchCore, Life, OneThread, Records
from barnabas.client.dead_letters import DeadLetters
from barnabas.client.decoding import DEAD_LETTER, Decoded, Decoder, Interceptors
from barnabas.client.driver import Driver, Task
from barnabas.client.effects import GroupSettings
from barnabas.client.group import Group
from barnabas.client.iteration import Chunk, first_offsets
from barnabas.client.membership import Membership
from barnabas.client.operations import offsets as offset_operations
from barnabas.client.operations.api import Backoff
from barnabas.client.positions import Positions
from barnabas.client.reach import REACH_CHECK, Reach
from barnabas.client.subscription import Mode, Phase, ResetRule, SubscriptionState, reset_rule
from barnabas.client.topic_search import TopicSearch
from barnabas.types import OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from contextlib import AbstractContextManager

    from barnabas.client.operations.api import Operation
    from barnabas.config import Options

    Waits = Generator[Callable[[], bool], None, None]

__all__ = ["Reader"]

_log = logging.getLogger("barnabas.consumer")


class Reader:
    """Holds a consumer's parts together; `Consumer` is its public face."""

    def __init__(self, options: Options) -> None:
        self._options = options
        plain = core_options(self._options)
        self._life = Life("Consumer", self._fork)
        self._alone: AbstractContextManager[None] = OneThread(self._life)
        self._core = ClientCore(plain)
        self._fetch = FetchCore(self._core, plain)
        self._driver = Driver(self._core, self._event)
        self._state = SubscriptionState(reset_rule(self._options["auto.offset.reset"]))
        self._backoff = (self._options.seconds("retry.backoff.ms"), self._options.seconds("retry.backoff.max.ms"))
        self._positions = Positions(
            self._state,
            self._driver,
            self._fetch,
            group_id=self._options["group.id"],
            backoff=self._backoff,
            read_committed=self._options["isolation.level"] == "read_committed",
        )
        self._group = self._make_group()
        self._next_commit = 0.0
        self._auto_commit: Task[None] | None = None
        self._pending_commits = 0
        self._callbacks: list[Callable[[], None]] = []
        self._chunk: Chunk | None = None
        self._given: Records = NO_RECORDS
        # A plain attribute: a signal's handler may interrupt whoever clears it, and would wait for a lock for ever.
        self._is_woken = False
        self._is_closing = False
        self._decoder = Decoder(options)
        self._interceptors = Interceptors(options["interceptor.classes"])
        self._on_refused: Callable[[errors.DeserializationError], None] | None = options["barnabas.on.refused"]
        self._dead_letters = self._make_dead_letters()
        # What is fetched is what is handed out, as it mostly is: the last steps before a record is in the user's hands.
        self._is_plain = not (self._decoder.is_needed or options["interceptor.classes"])
        self._has_failed = False
        if self._group is not None:
            self._group.on_committed = self._interceptors.on_commit

    # Polling

    def _poll(self, timeout: float, max_records: int | None) -> Records:
        deadline = self._begin_poll(timeout)
        while True:
            self._advance()
            self._check_woken()
            found = self._fetched(self._patience(deadline), max_records)
            if found is not None:
                if self._is_plain:
                    return found
                decoded = self._decode(found)
                if self._dead_letters is not None and decoded.refused:
                    self._bury(self._dead_letters, found, decoded)
                handed: Records | None = self._hand_out(decoded)
                if handed is not None:
                    return handed
            elif self._driver.now() >= deadline:
                return NO_RECORDS

    @staticmethod
    def _check_poll(timeout: float, max_records: int | None) -> None:
        """Refuses what poll() cannot do, before it has changed anything."""
        checked_timeout(timeout)
        if max_records is not None:
            checked_whole("max_records", max_records, 1)

    def _begin_poll(self, timeout: float) -> float:
        """Until when a poll waits, by the driver's clock."""
        if self._state.mode is Mode.NONE:
            raise errors.IllegalStateError("nothing to poll: call subscribe() or assign() first")
        self._fetch.poll_called()
        return self._driver.now() + timeout

    def _check_woken(self) -> None:
        # After the events were taken: a wake-up whose event was among them has set the flag before, and the event of a
        # later one ends the wait that follows.
        if self._is_woken and not self._is_closing:
            self._is_woken = False
            raise errors.WakeupError("wakeup() was called")

    def _patience(self, deadline: float) -> float:
        """Seconds until there is something to do besides waiting for records."""
        until = min((when for when in self._deadlines() if when is not None), default=deadline)
        return max(0.0, min(deadline, until) - self._driver.now())

    def _fetched(self, wait: float, max_records: int | None) -> Records | None:
        """What waits to be polled.

        A partition that cannot be read any further is told at every poll, but for one in between whenever others have
        records: it must neither be overlooked nor keep the others.
        """
        if max_records is None and self._decoder.is_needed:
            max_records = self._options["max.poll.records"]
        failure = self._positions.failure()
        if failure is None:
            return self._fetch.poll(wait, max_records) or None
        found = self._fetch.poll(0.0, max_records) if self._has_failed else None
        self._has_failed = not found
        if found:
            return found
        raise failure.with_traceback(None)

    def _decode(self, found: Records) -> Decoded:
        decoded = self._decoder.decode(found)
        if decoded.rest:
            self._rewind(first_offsets(decoded.rest))
        return decoded

    def _bury(self, dead_letters: DeadLetters, found: Records, decoded: Decoded) -> None:
        try:
            dead_letters.send(decoded.refused)
        except BaseException:
            self._rewind(first_offsets(found))
            raise

    def _hand_out(self, decoded: Decoded) -> Any:
        """What the application gets, None if nothing is left; what was refused has been sent on."""
        for refused in decoded.refused:
            if self._on_refused is not None:
                self._on_refused(refused)
            else:
                _log.warning("left out: %s", refused)
        if not decoded.records:
            if decoded.error is not None:
                raise decoded.error
            return None
        return self._interceptors.on_consume(decoded.records)

    def _advance(self) -> None:
        """Everything that needs no waiting: events, group, positions, commits, callbacks."""
        self._driver.turn(0.0)
        if self._group is not None:
            if self._state.mode is Mode.SUBSCRIBED:
                self._group.advance()
            self._commit_when_due(self._group)
        if self._group is None or not self._group.releasing:
            self._positions.advance()
        self._call_back()

    def _deadlines(self) -> Iterable[float | None]:
        yield self._driver.next_timer()
        if self._group is not None:
            yield self._group.deadline
            if self._options["enable.auto.commit"]:
                yield self._next_commit

    def _commit_when_due(self, group: Group) -> None:
        now = self._driver.now()
        if not self._options["enable.auto.commit"] or now < self._next_commit:
            return
        self._next_commit = now + self._options.seconds("auto.commit.interval.ms")
        member = self._state.mode is Mode.SUBSCRIBED
        if self._auto_commit is not None or (member and not group.membership.joined):
            return
        consumed = self._positions.consumed()
        if not consumed:
            return

        def done(task: Task[None]) -> None:
            self._auto_commit = None
            if task.error is None:
                return
            _log.warning("automatic commit failed: %s", task.error)
            if isinstance(task.error, errors.KafkaError) and task.error.retriable:
                self._next_commit = min(self._next_commit, self._driver.now() + self._backoff[0])

        timeout = self._options.seconds("default.api.timeout.ms")
        task = self._driver.start("automatic commit", group.commit(consumed, retry=False), timeout, done)
        self._auto_commit = None if task.done else task

    def _event(self, event: tuple[Any, ...]) -> None:
        match event:
            case (8, topic, partition, offset, *end):
                self._positions.truncated(topic, partition, offset, (end[0], end[1]))
            case (5, topic, partition, error_code, offset):
                self._positions.fetch_failed(topic, partition, error_code, offset)
            case (3 | 4 | 6, *_) if self._group is not None and self._state.mode is Mode.SUBSCRIBED:
                self._group.handle(event)

    def _call_back(self) -> None:
        while self._callbacks:
            self._callbacks.pop(0)()

    # Positions

    def _consumed(self) -> dict[TopicPartition, OffsetAndMetadata]:
        """The positions after what was given out: of an iteration, after the record given out last."""
        consumed = self._positions.consumed()
        for partition, offset in (self._chunk.unread() if self._chunk is not None else {}).items():
            if partition in consumed:
                consumed[partition] = OffsetAndMetadata(offset)
        return consumed

    def _drop_chunk(self) -> None:
        """Gives back the records of an iteration that were not given out: they will be fetched again."""
        chunk, self._chunk = self._chunk, None
        if chunk is not None:
            self._rewind(chunk.unread())

    def _put_back(self) -> None:
        if self._chunk is not None:
            self._chunk.step_back()
            self._drop_chunk()
        else:
            self._rewind(first_offsets(self._given))
            self._given = NO_RECORDS

    def _rewind(self, to: Mapping[TopicPartition, int]) -> None:
        for partition, offset in to.items():
            state = self._state.partitions.get(partition)
            if state is None:
                continue
            if state.phase is Phase.FETCHING or (state.phase is Phase.POSITIONED and offset < state.offset):
                self._state.set_position(partition, offset)

    def _seek_by_rule(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None, reset: ResetRule) -> None:
        with self._alone:
            self._drop_chunk()
            named = self._named(partitions)
            for partition in named:
                self._state.state_of(partition)
            for partition in named:
                self._state.request_reset(partition, reset)

    def _set_paused(self, partitions: Iterable[TopicPartition | tuple[str, int]], *, paused: bool) -> None:
        named = checked_partitions(partitions)
        with self._alone:
            self._state.set_paused(named, paused=paused)
            self._drop_chunk()
            fetching = [
                (each.topic, each.partition) for each in named if self._state.partitions[each].phase is Phase.FETCHING
            ]
            if fetching:
                (self._fetch.pause if paused else self._fetch.resume)(fetching)

    def _named(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None) -> list[TopicPartition]:
        return list(self._state.partitions) if partitions is None else checked_partitions(partitions)

    def _find_position(self, partition: TopicPartition | tuple[str, int], deadline: float) -> int | None:
        """The position of a partition; None while it is being looked up.

        Raises:
            KafkaTimeoutError: It is still not known, and the time is over.
        """
        wanted = checked_partition(partition)
        unread = self._chunk.unread() if self._chunk is not None else {}
        found = unread.get(wanted, self._positions.position(wanted))
        if found is not None:
            return found
        if self._driver.now() >= deadline:
            raise errors.KafkaTimeoutError(f"the position of {wanted.topic}-{wanted.partition} was not found in time")
        self._positions.advance()
        return self._positions.position(wanted)

    def _committed(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None
    ) -> Operation[dict[TopicPartition, OffsetAndMetadata | None]]:
        self._require_group("committed")
        return offset_operations.fetch_committed(
            self._options["group.id"], self._named(partitions), Backoff(*self._backoff)
        )

    def _edges(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None, edge: int
    ) -> Operation[dict[TopicPartition, int]]:
        found = yield from self._list_offsets(dict.fromkeys(self._named(partitions), edge))
        return {partition: offset.offset for partition, offset in found.items() if offset is not None}

    def _times(
        self, timestamps: Mapping[TopicPartition, int]
    ) -> Operation[dict[TopicPartition, OffsetAndTimestamp | None]]:
        if not isinstance(timestamps, Mapping):
            raise TypeError(f"timestamps are a dict of partitions and milliseconds, got {timestamps!r}")
        wanted = {}
        for each, time in timestamps.items():
            partition = checked_partition(each)
            wanted[partition] = checked_whole(f"the timestamp of {partition.topic}-{partition.partition}", time)
        return self._list_offsets(wanted)

    def _list_offsets(
        self, wanted: Mapping[TopicPartition, int]
    ) -> Operation[dict[TopicPartition, OffsetAndTimestamp | None]]:
        read_committed = self._options["isolation.level"] == "read_committed"
        return offset_operations.list_offsets(wanted, Backoff(*self._backoff), read_committed=read_committed)

    # Helpers

    def _make_group(self) -> Group | None:
        options = self._options
        if options["group.id"] is None:
            return None
        settings = GroupSettings(
            options["group.id"],
            session_timeout=options.seconds("session.timeout.ms"),
            rebalance_timeout=options.seconds("max.poll.interval.ms"),
            heartbeat_interval=options.seconds("heartbeat.interval.ms"),
            request_timeout=options.seconds("request.timeout.ms"),
            retry_backoff=options.seconds("retry.backoff.ms"),
            rack_id=options["client.rack"] or None,
            group_instance_id=options["group.instance.id"],
            assignors=tuple(getattr(each, "name", each) for each in options["partition.assignment.strategy"]),
            own_assignors=tuple(each for each in options["partition.assignment.strategy"] if not isinstance(each, str)),
            remote_assignor=options["group.remote.assignor"],
        )
        is_classic = options["group.protocol"] == "classic"
        group = Group(
            Membership(settings) if is_classic else ConsumerMembership(settings, _random_id()),
            core=self._core,
            fetch=self._fetch,
            driver=self._driver,
            state=self._state,
            positions=self._positions,
            max_poll_interval=options.seconds("max.poll.interval.ms"),
            backoff=self._backoff,
            allow_create=options["allow.auto.create.topics"],
            auto_commit=options["enable.auto.commit"],
        )
        group.topic_search = TopicSearch(
            self._state,
            self._driver,
            exclude_internal=options["exclude.internal.topics"],
            max_age=options.seconds("metadata.max.age.ms"),
            backoff=self._backoff[0],
        )
        group.on_adopted = self._restart_commit_timer
        return group

    def _make_dead_letters(self) -> DeadLetters | None:
        if self._decoder.policy != DEAD_LETTER:
            return None
        return DeadLetters(self._options)

    def _restart_commit_timer(self) -> None:
        self._next_commit = self._driver.now() + self._options.seconds("auto.commit.interval.ms")

    def _require_membership(self) -> Group:
        if self._group is None:
            raise errors.IllegalStateError("subscribe() needs a group_id; without a group use assign()")
        return self._group

    def _require_group(self, call: str, purpose: str = "to keep offsets for") -> Group:
        if self._group is None:
            raise errors.IllegalStateError(f"{call}() needs a group_id {purpose}")
        return self._group

    def _to_commit(
        self, given: Mapping[TopicPartition, OffsetAndMetadata | int] | None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        if given is None:
            return self._consumed()
        return checked_offsets(given)

    def _timeout(self, given: float | None) -> float:
        return self._options.seconds("default.api.timeout.ms") if given is None else checked_timeout(given)

    # Giving up: generators that yield what is to be waited for, so that both faces can wait in their own way

    def _unsubscribe(self) -> Waits:
        self._drop_chunk()
        group = self._group
        if self._state.mode is Mode.SUBSCRIBED and group is not None:
            yield lambda: group.is_told
            group.finish_listening()
            group.leave("the consumer unsubscribed from all topics")
            yield lambda: group.is_told
            group.finish_listening()
        self._state.unsubscribe()
        self._positions.release()

    def _close(self, timeout: float) -> Waits:
        deadline = self._driver.now() + timeout
        self._is_closing = True
        try:
            yield from self._commit_at_close(deadline)
            yield lambda: not self._pending_commits
            group = self._group
            if group is not None and self._state.mode is Mode.SUBSCRIBED:
                yield lambda: group.is_told
                group.finish_listening()
                group.leave("the consumer is being closed")
                yield lambda: group.is_told
                group.finish_listening()
                yield lambda: group.has_left
            self._call_back()
        finally:
            self._life.close()
            self._chunk = None
            self._given = NO_RECORDS
            self._interceptors.close()
            if self._dead_letters is not None:
                self._dead_letters.close(max(0.0, deadline - self._driver.now()))
            self._core.close(max(0.0, deadline - self._driver.now()))

    def _commit_at_close(self, deadline: float) -> Waits:
        if self._group is None or not self._options["enable.auto.commit"]:
            return
        consumed = self._consumed()
        remaining = deadline - self._driver.now()
        if not consumed or remaining <= 0:
            return
        try:
            task = self._driver.start("commit at close", self._group.commit(consumed), remaining)
            yield lambda: task.done
            if not task.done:
                self._driver.drop(task)
                raise errors.KafkaTimeoutError("no broker can be reached")
            task.value()
        except (errors.KafkaError, errors.IllegalStateError) as error:
            _log.warning("commit at close failed: %s", error)

    def _wait(self, waits: Waits, timeout: float) -> None:
        """Carries a generator of conditions out, each waited for until the time is over or nobody can be reached."""
        deadline = self._driver.now() + timeout
        reach = Reach(self._core, self._driver)
        try:
            for is_over in waits:
                while not is_over() and self._driver.now() < deadline and not reach.is_lost:
                    self._driver.turn(min(deadline - self._driver.now(), REACH_CHECK))
        finally:
            waits.close()

    def _fork(self) -> None:
        self._core.abandon()


def _random_id() -> str:
    """A random UUID as Kafka writes it."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
