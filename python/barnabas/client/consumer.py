"""The consumer: reads topics as a member of a group, or partitions that it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from barnabas.client.arguments import checked_timeout, checked_topic
from barnabas.client.consumer_face import CLOSE_TIMEOUT, ITERATION_WAIT, ConsumerFace, check_topics
from barnabas.client.core import NO_RECORDS
from barnabas.client.iteration import Chunk
from barnabas.client.operations import offsets as offset_operations
from barnabas.client.operations.metadata import partitions_of, read_cluster
from barnabas.client.options import CONSUMER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Self

    from barnabas.client.core import Records
    from barnabas.client.operations.api import Operation
    from barnabas.types import OffsetAndMetadata, OffsetAndTimestamp, PartitionInfo, TopicPartition

__all__ = ["Consumer"]

T = TypeVar("T")


class Consumer(ConsumerFace):
    """Reads records from topics.

    With a `group_id` and topics, it shares the topics' partitions with the group's other members. With `assign`, it
    reads the partitions it is given. A consumer belongs to one thread at a time; only `wakeup` may be called by others.

    Args:
        *topics: Topics to subscribe to, as with `subscribe`.
        config: Options by Kafka's dotted names.
        **options: Options by keyword, such as `bootstrap_servers`, `group_id`, `auto_offset_reset`.

    Raises:
        ConfigError: An option is unknown or invalid.
        TypeError: A topic is no string.

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
        check_topics("Consumer", topics)
        super().__init__(CONSUMER.parse(config, options))
        if topics:
            try:
                self.subscribe(topics)
            except BaseException:
                self.close(0)
                raise

    # What to read

    def unsubscribe(self) -> None:
        """Gives up topics and partitions; a member leaves its group. Nothing is committed by this.

        Example:
            >>> consumer.unsubscribe()
        """
        with self._alone:
            self._choose_nothing()

    def _choose_nothing(self) -> None:
        self._wait(self._unsubscribe(), CLOSE_TIMEOUT)

    # Reading

    def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Returns records that have arrived, as whole fetched batches; waits until there are some.

        It is here that a member joins its group, that listeners and commit callbacks are called, and that offsets are
        committed by themselves: call it again within `max_poll_interval_ms`.

        Args:
            timeout: Seconds to wait for records.
            max_records: The most records to return; the others stay for the next call. By default whole batches until
                they have `barnabas_poll_bytes` (512 KiB).

        Returns:
            `Records`, lazily decoded, or with deserializers at most `max_poll_records` `DecodedRecords`; empty when the
            time is over.

        Raises:
            IllegalStateError: Nothing was subscribed to or assigned, or the consumer is closed.
            WakeupError: `wakeup` was called.
            OffsetOutOfRangeError: An offset is gone and `auto_offset_reset` is none.
            NoOffsetForPartitionError: There is no committed offset and `auto_offset_reset` is none.
            LogTruncationError: Records that were read are gone from the log and `auto_offset_reset` is none.
            CorruptMessageError: What lies at a partition's position is damaged; at every poll until a `seek` past it.
            DeserializationError: A deserializer refused the record at a partition's position; until a `seek` past it.
            KafkaError: A broker refused what cannot be tried again.
            TypeError: `timeout` is no number; a poll that waits for ever is a loop of polls.
            ValueError: `timeout` is negative, or `max_records` less than 1.

        Example:
            >>> for record in consumer.poll(timeout=1.0):
            ...     print(record.topic, record.offset, record.value)
            orders 0 b'3 apples'
            orders 1 b'5 pears'
        """
        self._check_poll(timeout, max_records)
        with self._alone:
            self._drop_chunk()
            self._given = NO_RECORDS
            self._given = self._poll(timeout, max_records)
            return self._given

    def __iter__(self) -> Iterator[Any]:
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
                    records = self._poll(ITERATION_WAIT, self._options["max.poll.records"])
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

    # Where to read

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
        with self._alone:
            deadline = self._driver.now() + self._timeout(timeout)
            while True:
                found = self._find_position(partition, deadline)
                if found is not None:
                    return found
                self._check_woken()
                self._driver.turn(deadline - self._driver.now())

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
            TypeError: Offsets are no dict, or have something else.
            ValueError: An offset is negative, or greater than any can be.

        Example:
            >>> consumer.commit()
            >>> consumer.commit({TopicPartition("orders", 0): 42})
        """
        with self._alone:
            group = self._require_group("commit")
            wanted = self._to_commit(offsets)
            self._run("commit", group.commit(wanted), timeout)
            self._call_back()

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
            return self._run("committed", self._committed(partitions), timeout)

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
        with self._alone:
            operation = self._edges(partitions, offset_operations.EARLIEST)
            return self._run("beginning_offsets", operation, timeout)

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
        with self._alone:
            operation = self._edges(partitions, offset_operations.LATEST)
            return self._run("end_offsets", operation, timeout)

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
        with self._alone:
            return self._run("offsets_for_times", self._times(timestamps), timeout)

    def partitions_for(self, topic: str, timeout: float | None = None) -> list[PartitionInfo]:
        """The partitions of a topic, ordered by number; empty if there is no such topic.

        Raises:
            InvalidTopicError: No topic can have this name.
            TopicAuthorizationFailedError: The topic may not be looked at.
            KafkaTimeoutError: No broker answered in time.

        Example:
            >>> [info.partition for info in consumer.partitions_for("orders")]
            [0]
        """
        with self._alone:
            return self._run("partitions_for", partitions_of(checked_topic(topic)), timeout)

    def list_topics(self, timeout: float | None = None) -> dict[str, list[PartitionInfo]]:
        """The partitions of every topic.

        Raises:
            KafkaTimeoutError: No broker answered in time.

        Example:
            >>> "orders" in consumer.list_topics()
            True
        """
        with self._alone:
            found = self._run("list_topics", read_cluster(None), timeout)
            return {name: list(listing.partitions) for name, listing in found.topics.items()}

    # Waking and ending

    def wakeup(self) -> None:
        """Makes a call that waits, or else the next one that would, raise `WakeupError`.

        May be called by any thread, and by a signal's handler. Calls that wait are `poll`, iteration, `position`,
        `commit`, `committed`, `list_topics`, `partitions_for`, and those for offsets of logs; `close` and `unsubscribe`
        are not ended. A commit that is ended so may have reached the group.

        Example:
            >>> consumer.wakeup()
            >>> try:
            ...     consumer.poll(timeout=60)
            ... except errors.WakeupError:
            ...     print("awake")
            awake
        """
        self._wake()

    def close(self, timeout: float = CLOSE_TIMEOUT) -> None:
        """Commits (with `enable_auto_commit`), leaves the group and closes the connections.

        Args:
            timeout: The most seconds that this takes; with 0 nothing is waited for.

        Raises:
            Exception: The rebalance listener failed; the consumer is closed nevertheless.
            ValueError: The timeout is negative; nothing has happened then.

        Example:
            >>> reader = Consumer("orders", bootstrap_servers=broker.bootstrap_servers, group_id="reports")
            >>> reader.close(timeout=5)
        """
        checked_timeout(timeout)
        if not self._life.is_open:
            return
        with self._alone:
            self._wait(self._close(timeout), timeout)

    def _run(self, name: str, operation: Operation[T], timeout: float | None) -> T:
        """Waits for an operation, unless somebody calls `wakeup`."""
        return self._driver.run(name, operation, self._timeout(timeout), self._check_woken)

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
            self._wait(self._close(CLOSE_TIMEOUT), CLOSE_TIMEOUT)
