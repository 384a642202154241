"""The consumer: reads topics as a member of a group, or partitions that it is told."""

from __future__ import annotations

import logging
import re
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.client.core import NO_RECORDS, Record, Records
from barnabas.client.iteration import Chunk
from barnabas.client.operations import offsets as offset_operations
from barnabas.client.operations.api import Backoff
from barnabas.client.operations.metadata import read_cluster
from barnabas.client.options import CONSUMER
from barnabas.client.reader import Reader
from barnabas.client.subscription import Phase, RebalanceListener, Reset
from barnabas.types import OffsetAndMetadata, OffsetAndTimestamp, PartitionInfo, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from barnabas.client.driver import Task

__all__ = ["Consumer"]

_log = logging.getLogger("barnabas.consumer")

_ITERATION_WAIT = 10.0
_CLOSE_TIMEOUT = 30.0


class Consumer(Reader):
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
        super().__init__(CONSUMER.parse(config, options))
        if topics:
            try:
                self.subscribe(topics)
            except BaseException:
                self.close(0)
                raise

    # What to read

    def subscribe(self, topics: Iterable[str] | re.Pattern[str], listener: RebalanceListener | None = None) -> None:
        """Reads topics as a member of the group `group_id`; replaces an earlier subscription.

        Partitions are assigned by later calls of `poll`.

        Args:
            topics: Names of topics, or a compiled pattern for whole names. Which topics match it is looked up every
                `metadata_max_age_ms`; internal ones do not count unless `exclude_internal_topics` is off. An empty list
                is the same as `unsubscribe`.
            listener: Told when partitions come and go.

        Raises:
            IllegalStateError: Partitions were assigned by hand, or there is no `group_id`.
            TypeError: `topics` is a string.

        Example:
            >>> consumer.unsubscribe()
            >>> consumer.subscribe(["orders", "payments"])
        """
        if isinstance(topics, str):
            raise TypeError(f"subscribe() takes a list of topics: write subscribe([{topics!r}])")
        if isinstance(topics, re.Pattern):
            with self._alone:
                group = self._require_membership()
                self._state.subscribe_pattern(topics, listener)
                group.subscribe_pattern()
            return
        names = list(topics)
        for name in names:
            if not (name and isinstance(name, str)):
                raise TypeError(f"a topic is a string that is not empty, got {name!r}")
        with self._alone:
            if not names:
                self._unsubscribe()
                return
            group = self._require_membership()
            self._state.subscribe(names, listener)
            group.subscribe(names)

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
        """Gives up topics and partitions; a member leaves its group. Nothing is committed by this.

        Example:
            >>> consumer.unsubscribe()
        """
        with self._alone:
            self._unsubscribe()

    def subscription(self) -> frozenset[str]:
        """The topics subscribed to.

        Example:
            >>> consumer.subscribe(["orders"])
            >>> consumer.subscription()
            frozenset({'orders'})
        """
        with self._alone:
            return frozenset(self._state.topics)

    def assignment(self) -> frozenset[TopicPartition]:
        """The partitions that are being read.

        Example:
            >>> consumer.assignment()
            frozenset({TopicPartition(topic='orders', partition=0)})
        """
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
            orders 0 b'3 apples'
            orders 1 b'5 pears'
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

        Example:
            >>> for record in islice(consumer, 2):
            ...     print(record.value)
            b'3 apples'
            b'5 pears'
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
        """Makes a `poll` that waits, or else the next one, raise `WakeupError`. May be called by any thread.

        Example:
            >>> consumer.wakeup()
            >>> try:
            ...     consumer.poll(timeout=60)
            ... except errors.WakeupError:
            ...     print("awake")
            awake
        """
        self._woken.set()
        self._core.wake()

    # Where to read

    def seek(self, partition: TopicPartition | tuple[str, int], offset: int) -> None:
        """Goes on reading a partition at an offset.

        Raises:
            IllegalStateError: The partition is not assigned.
            ValueError: The offset is negative.

        Example:
            >>> consumer.seek(TopicPartition("orders", 0), 1)
        """
        with self._alone:
            self._drop_chunk()
            self._state.seek(TopicPartition(*partition), offset)

    def seek_to_beginning(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None) -> None:
        """Goes on reading partitions (by default all that are assigned) at the first record they have.

        Raises:
            IllegalStateError: A partition is not assigned.

        Example:
            >>> consumer.seek_to_beginning()
        """
        self._seek_by_rule(partitions, Reset.EARLIEST)

    def seek_to_end(self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None) -> None:
        """Goes on reading partitions (by default all that are assigned) at their ends.

        Raises:
            IllegalStateError: A partition is not assigned.

        Example:
            >>> consumer.seek_to_end()
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

        Example:
            >>> consumer.seek(TopicPartition("orders", 0), 1)
            >>> consumer.position(TopicPartition("orders", 0))
            1
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

        Example:
            >>> consumer.pause([TopicPartition("orders", 0)])
        """
        self._set_paused(partitions, paused=True)

    def resume(self, partitions: Iterable[TopicPartition | tuple[str, int]]) -> None:
        """Gives out records of paused partitions again.

        Raises:
            IllegalStateError: A partition is not assigned.

        Example:
            >>> consumer.resume([TopicPartition("orders", 0)])
        """
        self._set_paused(partitions, paused=False)

    def paused(self) -> frozenset[TopicPartition]:
        """The partitions that are paused.

        Example:
            >>> consumer.paused()
            frozenset()
        """
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

        Example:
            >>> consumer.commit_async(callback=lambda offsets, error: print(offsets, error))
        """
        with self._alone:
            group = self._require_group("commit_async")
            wanted = self._to_commit(offsets)

            def done(task: Task[None]) -> None:
                self._pending_commits -= 1
                error = task.error if isinstance(task.error, errors.KafkaError) else None
                if callback is not None:
                    self._callbacks.append(lambda: callback(wanted, error))
                elif error is not None:
                    _log.warning("commit failed: %s", error)

            timeout = self._options.seconds("default.api.timeout.ms")
            self._pending_commits += 1
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

        Example:
            >>> consumer.commit({TopicPartition("orders", 0): 42})
            >>> consumer.committed()[TopicPartition("orders", 0)].offset
            42
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

        Example:
            >>> consumer.beginning_offsets()[TopicPartition("orders", 0)]
            0
        """
        return self._edge_offsets("beginning_offsets", partitions, offset_operations.EARLIEST, timeout)

    def end_offsets(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None, timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets that the next records of partitions (by default those that are assigned) will get.

        Raises:
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.

        Example:
            >>> consumer.end_offsets()[TopicPartition("orders", 0)]
            2
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

        Example:
            >>> consumer.offsets_for_times({TopicPartition("orders", 0): 0})[TopicPartition("orders", 0)].offset
            0
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

        Example:
            >>> consumer.lag(TopicPartition("orders", 0))  # doctest: +SKIP
            0
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

        Example:
            >>> [info.partition for info in consumer.partitions_for("orders")]
            [0]
        """
        with self._alone:
            found = self._driver.run("partitions_for", read_cluster([topic]), self._timeout(timeout))
            return list(found.topics[topic].partitions) if topic in found.topics else []

    def list_topics(self, timeout: float | None = None) -> dict[str, list[PartitionInfo]]:
        """The partitions of every topic.

        Raises:
            KafkaTimeoutError: No broker answered in time.

        Example:
            >>> "orders" in consumer.list_topics()
            True
        """
        with self._alone:
            found = self._driver.run("list_topics", read_cluster(None), self._timeout(timeout))
            return {name: list(listing.partitions) for name, listing in found.topics.items()}

    def metrics(self) -> dict[str, int | float]:
        """A snapshot of counters.

        Example:
            >>> metrics = consumer.metrics()
        """
        self._life.check()
        return {**self._core.metrics(), **self._fetch.metrics()}

    # Ending

    def close(self, timeout: float = _CLOSE_TIMEOUT) -> None:
        """Commits (with `enable_auto_commit`), leaves the group and closes the connections.

        Args:
            timeout: The most seconds that this takes; with 0 nothing is waited for.

        Raises:
            Exception: The rebalance listener failed; the consumer is closed nevertheless.

        Example:
            >>> reader = Consumer("orders", bootstrap_servers=broker.bootstrap_servers, group_id="reports")
            >>> reader.close(timeout=5)
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
