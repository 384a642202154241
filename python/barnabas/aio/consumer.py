"""The consumer for asyncio: the same state machines and operations as `barnabas.Consumer`, waited for with `await`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.aio.doorbell import Doorbell
from barnabas.aio.driver import AsyncDriver
from barnabas.client.arguments import checked_timeout, checked_topic
from barnabas.client.consumer_face import CLOSE_TIMEOUT, ITERATION_WAIT, ConsumerFace, check_topics
from barnabas.client.core import NO_RECORDS, Life
from barnabas.client.iteration import Chunk, first_offsets
from barnabas.client.operations import offsets as offset_operations
from barnabas.client.operations.metadata import partitions_of, read_cluster
from barnabas.client.options import CONSUMER
from barnabas.client.reach import REACH_CHECK, Reach

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping
    from types import TracebackType
    from typing import Self

    from barnabas.client.core import Records
    from barnabas.client.decoding import Decoded
    from barnabas.client.reader import Waits
    from barnabas.types import OffsetAndMetadata, OffsetAndTimestamp, PartitionInfo, TopicPartition

__all__ = ["AsyncConsumer"]


class AsyncConsumer(ConsumerFace):
    """Reads records from topics, in an event loop.

    The twin of `Consumer`: the same options and methods, with `await` before those that wait. No thread stands between
    the loop and the client's I/O thread, which wakes the loop once for each response that somebody waits for.

    It belongs to one loop. Several tasks may use it: one polls or iterates, others may commit, seek or ask meanwhile.
    A rebalance listener's methods may be coroutine functions; nothing is fetched until they have ended.

    Args:
        *topics: Topics to subscribe to, as with `subscribe`.
        config: Options by Kafka's dotted names.
        **options: Options by keyword, such as `bootstrap_servers`, `group_id`, `auto_offset_reset`.

    Raises:
        ConfigError: An option is unknown or invalid.
        TypeError: A topic is no string.

    Example:
        >>> async def main(address):
        ...     async with AsyncConsumer("orders", bootstrap_servers=address, group_id="billing",
        ...                              auto_offset_reset="earliest") as consumer:
        ...         async for record in consumer:
        ...             return record.value
        >>> asyncio.run(main(broker.bootstrap_servers))
        b'3 apples'
    """

    def __init__(self, *topics: str, config: Mapping[str, Any] | None = None, **options: Any) -> None:
        check_topics("AsyncConsumer", topics)
        super().__init__(CONSUMER.parse(config, options))
        self._bell = Doorbell(self._core)
        self._operations = AsyncDriver(self._driver, self._bell, self._life.check)
        self._alone = _OneLoop(self._life, self._bell)
        self._is_polled = False
        self._tasks: set[asyncio.Future[object]] = set()
        if self._group is not None:
            self._group.listen = self._listen
        if topics:
            try:
                self.subscribe(topics)
            except BaseException:
                self._life.close()
                self._core.close(0.0)
                raise

    async def unsubscribe(self) -> None:
        """Gives up topics and partitions; a member leaves its group. Nothing is committed by this.

        Example:
            >>> consumer.assign([("orders", 0)])
            >>> run(consumer.unsubscribe())
        """
        with self._alone:
            await self._settle(self._unsubscribe(), CLOSE_TIMEOUT)

    def _choose_nothing(self) -> None:
        raise ValueError("an empty list would leave the group, which takes waiting: use `await consumer.unsubscribe()`")

    # Reading

    async def poll(self, timeout: float = 1.0, max_records: int | None = None) -> Records:
        """Returns records that have arrived, as whole fetched batches; waits until there are some.

        As `Consumer.poll`. A poll that is cancelled loses nothing.

        Args:
            timeout: Seconds to wait for records.
            max_records: The most records to return; the others stay for the next call. By default whole batches until
                they have `barnabas_poll_bytes` (512 KiB).

        Returns:
            `Records`, or with deserializers `DecodedRecords`; empty when the time is over.

        Raises:
            ConcurrentUseError: Another task polls or iterates.
            IllegalStateError: Nothing was subscribed to or assigned, or the consumer is closed.
            WakeupError: Somebody called `wakeup`.
            KafkaError: As with `Consumer.poll`.
            TypeError: `timeout` is no number; a poll that waits for ever is a loop of polls.
            ValueError: `timeout` is negative, or `max_records` less than 1.

        Example:
            >>> consumer.assign([("orders", 0)])
            >>> run(consumer.poll(timeout=10)).values()
            [b'3 apples', b'5 pears']
        """
        self._check_poll(timeout, max_records)
        with self._alone:
            self._drop_chunk()
        self._given = await self._polled(timeout, max_records)
        return self._given

    async def __aiter__(self) -> AsyncIterator[Any]:
        """Iterates over records for ever: `poll` in a loop. Ends when the consumer is closed.

        A record counts as consumed, for `commit` and `position`, once it has been given out.
        """
        while not self._life.closed:
            chunk = self._chunk
            if chunk is None:
                records = await self._polled(ITERATION_WAIT, self._options["max.poll.records"])
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

    async def _polled(self, timeout: float, max_records: int | None) -> Any:
        if self._is_polled:
            raise errors.ConcurrentUseError(
                "another task polls or iterates over this AsyncConsumer: give each a consumer of its own, or hand "
                "records on through an asyncio.Queue"
            )
        self._is_polled = True
        try:
            with self._alone:
                self._given = NO_RECORDS
                deadline = self._begin_poll(timeout)
            # Whoever polls in a loop that never waits must not keep the other tasks from running.
            await asyncio.sleep(0)
            return await self._poll_until(deadline, max_records)
        finally:
            self._is_polled = False

    async def _poll_until(self, deadline: float, max_records: int | None) -> Any:
        while True:
            with self._alone:
                self._advance()
                self._check_woken()
                found = self._fetched(0.0, max_records)
                patience = self._patience(deadline)
            if found is not None:
                if self._is_plain:
                    return found
                handed = await self._handed(found)
                if handed is not None:
                    return handed
            elif self._driver.now() >= deadline:
                return NO_RECORDS
            else:
                await self._bell.wait(patience)

    async def _handed(self, found: Records) -> Any:
        decoded = self._decode(found)
        if self._dead_letters is not None and decoded.refused:
            await self._bury_awaited(found, decoded)
        return self._hand_out(decoded)

    async def _bury_awaited(self, found: Records, decoded: Decoded) -> None:
        try:
            # The one thing that takes a thread of the loop's executor: a record that nobody can read is rare.
            await asyncio.to_thread(self._dead_letters.send, decoded.refused)  # type: ignore[union-attr]
        except BaseException:
            self._rewind(first_offsets(found))
            raise

    # Where to read, and commits

    async def position(self, partition: TopicPartition | tuple[str, int], timeout: float | None = None) -> int:
        """The offset of the next record that is given out; looks it up where that has not happened yet.

        Raises:
            IllegalStateError: The partition is not assigned.
            KafkaTimeoutError: The position could not be found in time.
            KafkaError: As with `poll`.

        Example:
            >>> consumer.assign([("orders", 0)])
            >>> run(consumer.position(("orders", 0)))
            0
        """
        deadline = self._driver.now() + self._timeout(timeout)
        while True:
            with self._alone:
                found = self._find_position(partition, deadline)
                if found is not None:
                    return found
            await self._operations.pause(deadline)

    async def commit(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata | int] | None = None,
        timeout: float | None = None,
    ) -> None:
        """Commits offsets for the group and waits until the coordinator has them; as `Consumer.commit`.

        Raises:
            CommitFailedError: The group has gone on without this member; its partitions belong to others.
            RebalanceInProgressError: The group is rebalancing; call `poll` first.
            KafkaTimeoutError: The coordinator did not take it in time.
            IllegalStateError: There is no `group_id`.
            TypeError: Offsets are no dict, or have something else.
            ValueError: An offset is negative, or greater than any can be.

        Example:
            >>> consumer.assign([("orders", 0)])
            >>> run(consumer.commit({("orders", 0): 1}))
        """
        with self._alone:
            group = self._require_group("commit")
            operation = group.commit(self._to_commit(offsets))
        await self._operations.run("commit", operation, self._timeout(timeout))
        self._call_back()

    async def committed(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None, timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """What the group has committed, None where nothing; as `Consumer.committed`.

        Raises:
            IllegalStateError: There is no `group_id`.
            KafkaTimeoutError: The coordinator did not answer in time.
            KafkaError: The coordinator refused.

        Example:
            >>> run(consumer.committed([("orders", 0)]))
            {TopicPartition(topic='orders', partition=0): None}
        """
        with self._alone:
            operation = self._committed(partitions)
        return await self._operations.run("committed", operation, self._timeout(timeout))

    # What the logs have

    async def beginning_offsets(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None, timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets of the first records of partitions (by default those that are assigned).

        Raises:
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.

        Example:
            >>> run(consumer.beginning_offsets([("orders", 0)]))
            {TopicPartition(topic='orders', partition=0): 0}
        """
        with self._alone:
            operation = self._edges(partitions, offset_operations.EARLIEST)
        return await self._operations.run("beginning_offsets", operation, self._timeout(timeout))

    async def end_offsets(
        self, partitions: Iterable[TopicPartition | tuple[str, int]] | None = None, timeout: float | None = None
    ) -> dict[TopicPartition, int]:
        """The offsets that the next records of partitions (by default those that are assigned) will get.

        Raises:
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.

        Example:
            >>> run(consumer.end_offsets([("orders", 0)]))
            {TopicPartition(topic='orders', partition=0): 2}
        """
        with self._alone:
            operation = self._edges(partitions, offset_operations.LATEST)
        return await self._operations.run("end_offsets", operation, self._timeout(timeout))

    async def offsets_for_times(
        self, timestamps: Mapping[TopicPartition, int], timeout: float | None = None
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first records at or after a time in milliseconds, None where there is none.

        Raises:
            KafkaTimeoutError: A leader did not answer in time.
            KafkaError: A leader refused.
            ValueError: A timestamp is negative.

        Example:
            >>> run(consumer.offsets_for_times({("orders", 0): 0}))[("orders", 0)].offset
            0
        """
        with self._alone:
            operation = self._times(timestamps)
        return await self._operations.run("offsets_for_times", operation, self._timeout(timeout))

    async def partitions_for(self, topic: str, timeout: float | None = None) -> list[PartitionInfo]:
        """The partitions of a topic, ordered by number; empty if there is no such topic.

        Raises:
            InvalidTopicError: No topic can have this name.
            TopicAuthorizationFailedError: The topic may not be looked at.
            KafkaTimeoutError: No broker answered in time.

        Example:
            >>> [info.partition for info in run(consumer.partitions_for("orders"))]
            [0]
        """
        with self._alone:
            operation = partitions_of(checked_topic(topic))
        return await self._operations.run("partitions_for", operation, self._timeout(timeout))

    async def list_topics(self, timeout: float | None = None) -> dict[str, list[PartitionInfo]]:
        """The partitions of every topic.

        Raises:
            KafkaTimeoutError: No broker answered in time.

        Example:
            >>> "orders" in run(consumer.list_topics())
            True
        """
        with self._alone:
            pass
        found = await self._operations.run("list_topics", read_cluster(None), self._timeout(timeout))
        return {name: list(listing.partitions) for name, listing in found.topics.items()}

    # Waking and ending

    def wakeup(self) -> None:
        """Makes a `poll` or iteration that waits, or else the next one, raise `WakeupError`.

        May be called by any thread. Other calls go on, because several tasks may be waiting for them: cancel the task,
        or give them a timeout.

        Example:
            >>> consumer.assign([("orders", 0)])
            >>> consumer.wakeup()
            >>> try:
            ...     run(consumer.poll(timeout=60))
            ... except errors.WakeupError:
            ...     print("awake")
            awake
        """
        self._wake()

    async def close(self, timeout: float = CLOSE_TIMEOUT) -> None:
        """Commits (with `enable_auto_commit`), leaves the group and closes the connections.

        Args:
            timeout: The most seconds that this takes; with 0 nothing is waited for.

        Raises:
            Exception: The rebalance listener failed; the consumer is closed nevertheless.
            ValueError: The timeout is negative; nothing has happened then.

        Example:
            >>> run(consumer.close(timeout=5))
        """
        checked_timeout(timeout)
        if not self._life.is_open:
            return
        with self._alone:
            waits = self._close(timeout)
        try:
            await self._settle(waits, timeout)
        finally:
            self._bell.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if exc is not None and self._life.is_open:
            # The records in hand were perhaps not finished: whoever reads next gets them again.
            self._put_back()
        await self.close()

    # Waiting

    async def _settle(self, waits: Waits, timeout: float) -> None:
        """Carries a generator of conditions out, each waited for until the time is over or nobody can be reached."""
        deadline = self._driver.now() + timeout
        reach = Reach(self._core, self._driver)
        try:
            for is_over in waits:
                while not is_over() and self._driver.now() < deadline and not reach.is_lost:
                    await self._operations.pause(min(deadline, self._driver.now() + REACH_CHECK))
        finally:
            waits.close()

    def _listen(self, told: Awaitable[object]) -> asyncio.Future[object]:
        task = asyncio.ensure_future(told)
        # Kept, because the loop itself keeps tasks only as long as something else does.
        self._tasks.add(task)
        task.add_done_callback(self._listened)
        return task

    def _listened(self, task: asyncio.Future[object]) -> None:
        self._tasks.discard(task)
        self._bell.ring()

    def _fork(self) -> None:
        super()._fork()
        self._bell.abandon()


class _OneLoop:
    """Lets one event loop use a consumer; within it, tasks take turns by themselves."""

    __slots__ = ("_bell", "_life")

    def __init__(self, life: Life, bell: Doorbell) -> None:
        self._life = life
        self._bell = bell

    def __enter__(self) -> None:
        self._life.check()
        self._bell.check()

    def __exit__(self, *_: object) -> None:
        pass
