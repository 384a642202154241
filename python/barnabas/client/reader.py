"""What a consumer does under its public face: polling, committing, closing; all on the thread that calls."""

from __future__ import annotations

import base64
import logging
import threading
import uuid
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.client.consumer_membership import ConsumerMembership
from barnabas.client.core import NO_RECORDS, ClientCore, FetchCore, Life, OneThread, Records
from barnabas.client.driver import Driver, Task
from barnabas.client.effects import GroupSettings
from barnabas.client.group import Group
from barnabas.client.iteration import Chunk, first_offsets
from barnabas.client.membership import Membership
from barnabas.client.operations import offsets as offset_operations
from barnabas.client.operations.api import Backoff
from barnabas.client.positions import Positions
from barnabas.client.subscription import Mode, Phase, Reset, SubscriptionState
from barnabas.client.topic_search import TopicSearch
from barnabas.types import OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from barnabas.config import Options

__all__ = ["Reader"]

_log = logging.getLogger("barnabas.consumer")


class Reader:
    """Holds a consumer's parts together; `Consumer` is its public face."""

    def __init__(self, options: Options) -> None:
        self._options = options
        plain = self._options.plain()
        self._life = Life("Consumer", self._fork)
        self._alone = OneThread(self._life)
        self._core = ClientCore(plain)
        self._fetch = FetchCore(self._core, plain)
        self._driver = Driver(self._core, self._event)
        self._state = SubscriptionState(Reset(self._options["auto.offset.reset"]))
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
        self._woken = threading.Event()

    # Polling

    def _poll(self, timeout: float, max_records: int | None) -> Records:
        if self._state.mode is Mode.NONE:
            raise errors.IllegalStateError("nothing to poll: call subscribe() or assign() first")
        deadline = self._driver.now() + max(0.0, timeout)
        self._fetch.poll_called()
        while True:
            self._advance()
            # After the events were taken: a wake-up whose event was among them has set the flag before, and the event
            # of a later one ends the wait below.
            if self._woken.is_set():
                self._woken.clear()
                raise errors.WakeupError("wakeup() was called")
            now = self._driver.now()
            until = min((when for when in self._deadlines() if when is not None), default=deadline)
            records = self._fetch.poll(max(0.0, min(deadline, until) - now), max_records)
            if records:
                return records
            if self._driver.now() >= deadline:
                return NO_RECORDS

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
            if state is not None and state.phase is Phase.FETCHING:
                self._state.set_position(state, offset)

    def _seek_by_rule(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None, reset: Reset) -> None:
        with self._alone:
            self._drop_chunk()
            for state in [self._state.state_of(partition) for partition in self._named(partitions)]:
                state.phase = Phase.RESETTING
                state.reset = reset

    def _set_paused(self, partitions: Iterable[TopicPartition | tuple[str, int]], *, paused: bool) -> None:
        named = [TopicPartition(*partition) for partition in partitions]
        with self._alone:
            self._state.set_paused(named, paused=paused)
            self._drop_chunk()
            fetching = [
                (each.topic, each.partition) for each in named if self._state.partitions[each].phase is Phase.FETCHING
            ]
            if fetching:
                (self._fetch.pause if paused else self._fetch.resume)(fetching)

    def _named(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None) -> list[TopicPartition]:
        return list(self._state.partitions) if partitions is None else [TopicPartition(*each) for each in partitions]

    def _edge_offsets(
        self,
        name: str,
        partitions: Iterable[TopicPartition | tuple[str, int]] | None,
        edge: int,
        timeout: float | None,
    ) -> dict[TopicPartition, int]:
        with self._alone:
            found = self._list_offsets(name, dict.fromkeys(self._named(partitions), edge), timeout)
            return {partition: offset.offset for partition, offset in found.items() if offset is not None}

    def _list_offsets(
        self, name: str, wanted: Mapping[TopicPartition, int], timeout: float | None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        read_committed = self._options["isolation.level"] == "read_committed"
        operation = offset_operations.list_offsets(wanted, Backoff(*self._backoff), read_committed=read_committed)
        return self._driver.run(name, operation, self._timeout(timeout))

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
            assignors=options["partition.assignment.strategy"],
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

    def _restart_commit_timer(self) -> None:
        self._next_commit = self._driver.now() + self._options.seconds("auto.commit.interval.ms")

    def _require_membership(self) -> Group:
        if self._group is None:
            raise errors.IllegalStateError("subscribe() needs a group_id; without a group use assign()")
        return self._group

    def _require_group(self, call: str) -> Group:
        if self._group is None:
            raise errors.IllegalStateError(f"{call}() needs a group_id to keep offsets for")
        return self._group

    def _to_commit(
        self, given: Mapping[TopicPartition, OffsetAndMetadata | int] | None
    ) -> dict[TopicPartition, OffsetAndMetadata]:
        if given is None:
            return self._consumed()
        wanted = {
            TopicPartition(*partition): offset if isinstance(offset, OffsetAndMetadata) else OffsetAndMetadata(offset)
            for partition, offset in given.items()
        }
        for partition, offset in wanted.items():
            if offset.offset < 0:
                raise ValueError(f"the offset of {partition} must not be negative, got {offset.offset}")
        return wanted

    def _timeout(self, given: float | None) -> float:
        return self._options.seconds("default.api.timeout.ms") if given is None else given

    def _unsubscribe(self) -> None:
        self._drop_chunk()
        if self._state.mode is Mode.SUBSCRIBED and self._group is not None:
            self._group.leave("the consumer unsubscribed from all topics")
        self._state.unsubscribe()
        self._positions.release()

    def _close(self, timeout: float) -> None:
        deadline = self._driver.now() + max(0.0, timeout)
        try:
            self._commit_at_close(deadline)
            while self._pending_commits and self._driver.now() < deadline:
                self._driver.turn(deadline - self._driver.now())
            if self._group is not None and self._state.mode is Mode.SUBSCRIBED:
                self._group.leave("the consumer is being closed")
                self._group.wait_left(deadline)
            self._call_back()
        finally:
            self._life.close()
            self._chunk = None
            self._given = NO_RECORDS
            self._core.close(max(0.0, deadline - self._driver.now()))

    def _commit_at_close(self, deadline: float) -> None:
        if self._group is None or not self._options["enable.auto.commit"]:
            return
        consumed = self._consumed()
        remaining = deadline - self._driver.now()
        if not consumed or remaining <= 0:
            return
        try:
            self._driver.run("commit at close", self._group.commit(consumed), remaining)
        except (errors.KafkaError, errors.IllegalStateError) as error:
            _log.warning("commit at close failed: %s", error)

    def _fork(self) -> None:
        self._core.abandon()


def _random_id() -> str:
    """A random UUID as Kafka writes it."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
