"""The consumer: reads topics as a member of a group, or partitions that it is told."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.client.core import NO_RECORDS, ClientCore, FetchCore, Life, OneThread, Record, Records
from barnabas.client.driver import Driver, Task
from barnabas.client.group import Group
from barnabas.client.iteration import Chunk, first_offsets
from barnabas.client.membership import GroupSettings
from barnabas.client.operations import offsets as offset_operations
from barnabas.client.operations.api import Backoff
from barnabas.client.operations.metadata import read_cluster
from barnabas.client.options import CONSUMER
from barnabas.client.positions import Positions
from barnabas.client.subscription import Mode, Phase, RebalanceListener, Reset, SubscriptionState
from barnabas.types import OffsetAndMetadata, OffsetAndTimestamp, PartitionInfo, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

__all__ = ["Consumer"]

_log = logging.getLogger("barnabas.consumer")

_ITERATION_WAIT = 10.0
_CLOSE_TIMEOUT = 30.0


class Consumer:
    """Reads records from topics.

    With a `group_id` and topics, it shares the topics' partitions with the group's other members. With `assign`, it
    reads the partitions it is given. A consumer belongs to one thread at a time; only `wakeup` may be called by others.

    Args:
        *topics: Topics to subscribe to, as with `subscribe`.
        config: Options by Kafka's dotted names.
        **options: Options by keyword, such as `bootstrap_servers`, `group_id`, `auto_offset_reset`.

    Raises:
        ConfigError: An option is unknown or invalid.

    Example:
        >>> with Broker() as broker:
        ...     with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        ...         _ = producer.send_many("orders", [b"1", b"2", b"3"])
        ...     with Consumer("orders", bootstrap_servers=broker.bootstrap_servers, group_id="billing",
        ...                   auto_offset_reset="earliest") as consumer:
        ...         print([record.value for record in islice(consumer, 3)])
        [b'1', b'2', b'3']
    """

    def __init__(self, *topics: str, config: Mapping[str, Any] | None = None, **options: Any) -> None:
        self._options = CONSUMER.parse(config, options)
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
        self._callbacks: list[Callable[[], None]] = []
        self._chunk: Chunk | None = None
        self._given: Records = NO_RECORDS
        self._woken = threading.Event()
        if topics:
            try:
                self.subscribe(topics)
            except BaseException:
                self.close(0)
                raise

    # What to read

    def subscribe(self, topics: Iterable[str], listener: RebalanceListener | None = None) -> None:
        """Reads topics as a member of the group `group_id`; replaces an earlier subscription.

        Partitions are assigned by later calls of `poll`.

        Args:
            topics: Names of topics. An empty list is the same as `unsubscribe`.
            listener: Told when partitions come and go.

        Raises:
            IllegalStateError: Partitions were assigned by hand, or there is no `group_id`.
            TypeError: `topics` is a string or a pattern.

        Example:
            >>> consumer.subscribe(["orders", "payments"])
        """
        if isinstance(topics, str):
            raise TypeError(f"subscribe() takes a list of topics: write subscribe([{topics!r}])")
        if hasattr(topics, "pattern"):
            raise TypeError("subscribing to a pattern is not supported yet: list the topics")
        names = list(topics)
        for name in names:
            if not (name and isinstance(name, str)):
                raise TypeError(f"a topic is a string that is not empty, got {name!r}")
        with self._alone:
            if not names:
                self._unsubscribe()
                return
            if self._group is None:
                raise errors.IllegalStateError("subscribe() needs a group_id; without a group use assign()")
            self._state.subscribe(names, listener)
            self._group.subscribe(names)

    def assign(self, partitions: Iterable[TopicPartition | tuple[str, int]]) -> None:
        """Reads exactly these partitions, without a group's rebalancing; replaces an earlier assignment.

        Partitions that were assigned before keep their positions.

        Args:
            partitions: The partitions. An empty list is the same as `unsubscribe`.

        Raises:
            IllegalStateError: Topics were subscribed to.

        Example:
            >>> consumer.assign([TopicPartition("orders", 0)])
        """
        wanted = [TopicPartition(*partition) for partition in partitions]
        with self._alone:
            if not wanted:
                self._unsubscribe()
                return
            self._drop_chunk()
            self._state.assign(wanted)
            self._core.want_topics(sorted({partition.topic for partition in wanted}))

    def unsubscribe(self) -> None:
        """Gives up topics and partitions; a member leaves its group. Nothing is committed by this."""
        with self._alone:
            self._unsubscribe()

    def subscription(self) -> frozenset[str]:
        """The topics subscribed to."""
        with self._alone:
            return frozenset(self._state.topics)

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are being read."""
        with self._alone:
            return frozenset(self._state.partitions)

    # Reading

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Returns records that have arrived, as whole fetched batches; waits until there are some.

        It is here that a member joins its group, that listeners and commit callbacks are called, and that offsets are
        committed by themselves: call it again within `max_poll_interval_ms`.

        Args:
            timeout: Seconds to wait for records.
            max_records: The most records to return; the others stay for the next call.

        Returns:
            The records, lazily decoded; empty when the time is over.

        Raises:
            IllegalStateError: Nothing was subscribed to or assigned, or the consumer is closed.
            WakeupError: Another thread called `wakeup`.
            OffsetOutOfRangeError: An offset is gone and `auto_offset_reset` is none.
            NoOffsetForPartitionError: There is no committed offset and `auto_offset_reset` is none.
            KafkaError: A broker refused what cannot be tried again.

        Example:
            >>> for record in consumer.poll(timeout=1.0):
            ...     print(record.topic, record.offset, record.value)
        """
        if max_records is not None and max_records < 1:
            raise ValueError(f"max_records must be at least 1, got {max_records}")
        with self._alone:
            self._drop_chunk()
            self._given = NO_RECORDS
            self._given = self._poll(timeout, max_records)
            return self._given

    def __iter__(self) -> Iterator[Record]:
        """Iterates over records for ever: `poll` in a loop. Ends when the consumer is closed.

        A record counts as consumed, for `commit` and `position`, once it has been given out.
        """
        while not self._life.closed:
            chunk = self._chunk
            if chunk is None:
                with self._alone:
                    self._given = NO_RECORDS
                    records = self._poll(_ITERATION_WAIT, self._options["max.poll.records"])
                    if not records:
                        continue
                    chunk = self._chunk = Chunk(records)
            for record in chunk.iterator:
                chunk.given += 1
                yield record
                if self._chunk is not chunk:
                    break
            else:
                self._chunk = None

    def wakeup(self) -> None:
        """Makes a `poll` that waits, or else the next one, raise `WakeupError`. May be called by any thread."""
        self._woken.set()
        self._core.wake()

    # Where to read

    def seek(self, partition: TopicPartition | tuple[str, int], offset: int) -> None:
        """Goes on reading a partition at an offset.

        Raises:
            IllegalStateError: The partition is not assigned.
            ValueError: The offset is negative.
        """
        with self._alone:
            self._drop_chunk()
            self._state.seek(TopicPartition(*partition), offset)

    def seek_to_beginning(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None) -> None:
        """Goes on reading partitions (by default all that are assigned) at the first record they have.

        Raises:
            IllegalStateError: A partition is not assigned.
        """
        self._seek_by_rule(partitions, Reset.EARLIEST)

    def seek_to_end(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None) -> None:
        """Goes on reading partitions (by default all that are assigned) at their ends.

        Raises:
            IllegalStateError: A partition is not assigned.
        """
        self._seek_by_rule(partitions, Reset.LATEST)

    def position(self, partition: TopicPartition | tuple[str, int], timeout: float | None = None) -> int:
        """The offset of the next record that is given out; looks it up where that has not happened yet.

        Args:
            partition: An assigned partition.
            timeout: Seconds to wait; by default `default_api_timeout_ms`.

        Raises:
            IllegalStateError: The partition is not assigned.
            KafkaTimeoutError: The position could not be found in time.
            KafkaError: As with `poll`.
        """
        wanted = TopicPartition(*partition)
        with self._alone:
            deadline = self._driver.now() + self._timeout(timeout)
            while True:
                unread = self._chunk.unread() if self._chunk is not None else {}
                found = unread.get(wanted, self._positions.position(wanted))
                if found is not None:
                    return found
                if self._driver.now() >= deadline:
                    name = f"{wanted.topic}-{wanted.partition}"
                    raise errors.KafkaTimeoutError(f"the position of {name} was not found in time")
                self._positions.advance()
                if self._positions.position(wanted) is None:
                    self._driver.turn(deadline - self._driver.now())

    def pause(self, partitions: Iterable[TopicPartition | tuple[str, int]]) -> None:
        """Stops giving out records of partitions, without leaving the group; what was fetched is kept.

        Raises:
            IllegalStateError: A partition is not assigned.
        """
        self._set_paused(partitions, paused=True)

    def resume(self, partitions: Iterable[TopicPartition | tuple[str, int]]) -> None:
        """Gives out records of paused partitions again.

        Raises:
            IllegalStateError: A partition is not assigned.
        """
        self._set_paused(partitions, paused=False)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused."""
        with self._alone:
            return frozenset(partition for partition, state in self._state.partitions.items() if state.paused)

    # Commits

    def commit(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None,
        timeout: float | None = None,
    ) -> None:
        """Commits offsets for the group and waits until the coordinator has them.

        Args:
            offsets: The offset of the next record to read, by partition; by default the positions after the records
                that were given out.
            timeout: Seconds to try; by default `default_api_timeout_ms`.

        Raises:
            CommitFailedError: The group has gone on without this member; its partitions belong to others.
            RebalanceInProgressError: The group is rebalancing; call `poll` first.
            KafkaTimeoutError: The coordinator did not take it in time.
            IllegalStateError: There is no `group_id`.

        Example:
            >>> consumer.commit()
            >>> consumer.commit({TopicPartition("orders", 0): 42})
        """
        with self._alone:
            group = self._require_group("commit")
            wanted = self._to_commit(offsets)
            self._driver.run("commit", group.commit(wanted), self._timeout(timeout))
            self._call_back()

    def commit_async(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None,
        callback: Callable[[Mapping[TopicPartition, OffsetAndMetadata], errors.KafkaError | None], None] | None = None,
    ) -> None:
        """Commits offsets without waiting; tried once, because a later commit may have overtaken it.

        Args:
            offsets: As with `commit`.
            callback: Called with the offsets and an error or None, by a later `poll`, `commit` or `close`.

        Raises:
            IllegalStateError: There is no `group_id`.
        """
        with self._alone:
            group = self._require_group("commit_async")
            wanted = self._to_commit(offsets)

            def done(task: Task[None]) -> None:
                error = task.error if isinstance(task.error, errors.KafkaError) else None
                if callback is not None:
                    self._callbacks.append(lambda: callback(wanted, error))
                elif error is not None:
                    _log.warning("commit failed: %s", error)

            timeout = self._options.seconds("default.api.timeout.ms")
            self._driver.start("commit", group.commit(wanted, retry=False), timeout, done)

    def committed(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None, timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """What the group has committed, None where nothing.

        Args:
            partitions: By default those that are assigned.
            timeout: Seconds to wait; by default `default_api_timeout_ms`.

        Raises:
            IllegalStateError: There is no `group_id`.
            KafkaTimeoutError: The coordinator did not answer in time.
            KafkaError: The coordinator refused.
        """
        with self._alone:
            self._require_group("committed")
            operation = offset_operations.fetch_committed(
                self._options["group.id"], self._named(partitions), Backoff(*self._backoff)
            )
            return self._driver.run("committed", operation, self._timeout(timeout))

    # What the logs have

    def beginning_offsets(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None, timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets of the first records of partitions (by default those that are assigned).

        Raises:
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.
        """
        return self._edge_offsets("beginning_offsets", partitions, offset_operations.EARLIEST, timeout)

    def end_offsets(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None, timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets that the next records of partitions (by default those that are assigned) will get.

        Raises:
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.
        """
        return self._edge_offsets("end_offsets", partitions, offset_operations.LATEST, timeout)

    def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first records at or after a time in milliseconds, None where there is none.

        Raises:
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.
            ValueError: A timestamp is negative.
        """
        for partition, timestamp in timestamps.items():
            if timestamp < 0:
                raise ValueError(f"the timestamp of {partition} must not be negative, got {timestamp}")
        with self._alone:
            return self._list_offsets("offsets_for_times", timestamps, timeout)

    def lag(self, partition: TopicPartition | tuple[str, int]) -> int | None:
        """How many offsets the position is behind the end, by the last fetch; None before there was one.

        Raises:
            IllegalStateError: The partition is not assigned.
        """
        wanted = TopicPartition(*partition)
        with self._alone:
            state = self._state.state_of(wanted)
            if state.phase is not Phase.FETCHING:
                return None
            end = self._fetch.high_watermarks().get((wanted.topic, wanted.partition))
            unread = self._chunk.unread() if self._chunk is not None else {}
            position = unread.get(wanted, self._positions.position(wanted))
            return None if end is None or end < 0 or position is None else max(0, end - position)

    def partitions_for(self, topic: str, timeout: float | None = None) -> list[PartitionInfo]:
        """The partitions of a topic, ordered by number; empty if there is no such topic.

        Raises:
            KafkaTimeoutError: No broker answered in time.
        """
        with self._alone:
            found = self._driver.run("partitions_for", read_cluster([topic]), self._timeout(timeout))
            return list(found.topics[topic].partitions) if topic in found.topics else []

    def list_topics(self, timeout: float | None = None) -> dict[str, list[PartitionInfo]]:
        """The partitions of every topic.

        Raises:
            KafkaTimeoutError: No broker answered in time.
        """
        with self._alone:
            found = self._driver.run("list_topics", read_cluster(None), self._timeout(timeout))
            return {name: list(listing.partitions) for name, listing in found.topics.items()}

    def metrics(self) -> dict[str, int | float]:
        """A snapshot of counters."""
        self._life.check()
        return dict(self._core.metrics())

    # Ending

    def close(self, timeout: float = _CLOSE_TIMEOUT) -> None:
        """Commits (with `enable_auto_commit`), leaves the group and closes the connections.

        Args:
            timeout: The most seconds that this takes; with 0 nothing is waited for.

        Raises:
            Exception: The rebalance listener failed; the consumer is closed nevertheless.
        """
        if not self._life.is_open:
            return
        with self._alone:
            self._close(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if not self._life.is_open:
            return
        with self._alone:
            if exc is not None:
                # The records in hand were perhaps not finished: whoever reads next gets them again.
                self._put_back()
            self._close(_CLOSE_TIMEOUT)

    def __repr__(self) -> str:
        group = self._options["group.id"]
        return f"<Consumer group_id={group!r} {'closed' if self._life.closed else self._state.mode.value}>"

    def __reduce__(self) -> Any:
        raise TypeError("a Consumer cannot be pickled: pass its options and make a new one")

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
            assignors=options["partition.assignment.strategy"],
        )
        group = Group(
            settings,
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
        group.on_adopted = self._restart_commit_timer
        return group

    def _restart_commit_timer(self) -> None:
        self._next_commit = self._driver.now() + self._options.seconds("auto.commit.interval.ms")

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
