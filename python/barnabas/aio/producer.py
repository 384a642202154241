"""The producer for asyncio: the same batches and the same sender as `barnabas.Producer`, waited for with `await`."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.aio.doorbell import Doorbell
from barnabas.aio.driver import AsyncDriver
from barnabas.client.arguments import checked_timeout, checked_topic
from barnabas.client.core import AsyncDelivery
from barnabas.client.interceptors import ProducerRecord
from barnabas.client.operations.metadata import partitions_of
from barnabas.client.options import PRODUCER
from barnabas.client.partitioning import has_partitions
from barnabas.client.producer_face import ProducerFace, checked_columns, columns_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from barnabas.client.core import AsyncDeliveryBatch
    from barnabas.client.producer_face import Headers
    from barnabas.types import PartitionInfo

__all__ = ["AsyncProducer"]


class AsyncProducer(ProducerFace):
    """Sends records, in batches, to the leaders of their partitions, from an event loop.

    The twin of `Producer`: the same options and methods, with `await` before those that wait. `await send(...)` puts a
    record into its batch and gives a delivery; `await delivery` waits for the acknowledgement. No thread stands between
    the loop and the client's I/O thread, which wakes the loop once for each response that somebody waits for.

    It belongs to the loop in which it is first used; all tasks of the loop may share it.

    Args:
        config: Options by Kafka's dotted names.
        **options: Options by keyword, such as `bootstrap_servers`, `linger_ms`, `compression_type`.

    Raises:
        ConfigError: An option is unknown or invalid, or options contradict each other.

    Example:
        >>> async def main(address):
        ...     async with AsyncProducer(bootstrap_servers=address) as producer:
        ...         deliveries = [await producer.send("orders", b"%d" % number) for number in range(3)]
        ...         return [metadata.offset for metadata in await asyncio.gather(*deliveries)]
        >>> asyncio.run(main(broker.bootstrap_servers))
        [2, 3, 4]
    """

    _call_soon: Callable[..., object]

    def __init__(self, config: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(PRODUCER.parse(config, options))
        self._bell = Doorbell(self._producer, self._settle)
        self._core_bell = Doorbell(self._core)
        self._operations = AsyncDriver(self._driver, self._core_bell, self._life.check)
        self._offer: Callable[..., Any] = self._unattached
        self._plain = self._is_plain()

    async def send(  # noqa: PLR0917 - as of Producer
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp: int | None = None,
        headers: Headers | None = None,
    ) -> AsyncDelivery:
        """Adds a record to the batch of its partition; waits while `buffer_memory` is used up.

        Args:
            topic: The topic.
            value: The value as bytes, or whatever `value_serializer` takes; None is a tombstone.
            key: The key as bytes, or whatever `key_serializer` takes. Records of one key go to one partition.
            partition: The partition; by default it follows from the key, or is chosen for even load.
            timestamp: Milliseconds since 1970; by default now.
            headers: Pairs of a name and bytes or None.

        Returns:
            A handle that may be awaited for its `RecordMetadata`, gathered, or dropped. Cancelling it, or a task that
            awaits it, ends the wait; the record is sent nevertheless.

        Raises:
            TypeError: A key or value is not bytes and there is no serializer, or another argument is of a wrong type.
            ValueError: The partition or timestamp is out of range, or the topic's name is empty.
            InvalidTopicError: The topic's name has other characters than names have.
            RecordTooLargeError: The record is larger than `max_request_size` or `buffer_memory`.
            BufferExhaustedError: The memory stayed used up for `max_block_ms`.
            KafkaTimeoutError: The topic's metadata did not come within `max_block_ms`.
            ConcurrentUseError: The producer belongs to another event loop.
            IllegalStateError: The producer is closed.

        Example:
            >>> async def main():
            ...     delivery = await producer.send("orders", b"3 apples", key=b"42")
            ...     return (await delivery).topic
            >>> run(main())
            'orders'
        """
        if self._plain:
            # The way of nearly every record: no second coroutine.
            delivery = self._offer(topic, value, key, partition, timestamp, headers)
            if type(delivery) is AsyncDelivery:
                return delivery
        if self._interceptors is None and self._partitioner is None:
            return await self._send(topic, value, key, partition, timestamp, headers)
        record = ProducerRecord(topic, value, key, partition, timestamp, headers)
        if self._interceptors is None:
            return await self._send_placed(record)
        record = self._interceptors.on_send(record)
        try:
            delivery = await self._send_placed(record)
        except BaseException as error:
            self._interceptors.failed(record, error)
            raise
        self._interceptors.watch(record, delivery)
        return delivery

    async def _send_placed(self, record: ProducerRecord) -> AsyncDelivery:
        topic, value, key, partition, timestamp, headers = record
        if self._partitioner is not None and partition is None:
            _, serialized = self._serialize(None, key)
            partition = self._partitioner.one(topic, serialized, await self._partition_count(topic))
        return await self._send(topic, value, key, partition, timestamp, headers)

    async def _send(self, topic: str, value: Any, key: Any, *rest: Any) -> AsyncDelivery:
        value, key = self._serialize(value, key)
        delivery = self._offer(topic, value, key, *rest)
        if type(delivery) is AsyncDelivery:
            return delivery
        sent: AsyncDelivery = await self._until(
            delivery, topic, lambda room: self._producer.offer(topic, value, key, *rest, room), lambda found: found
        )
        return sent

    async def send_many(  # noqa: PLR0917 - as with send
        self,
        topic: str,
        values: Sequence[Any],
        keys: Sequence[Any] | None = None,
        headers: Sequence[Headers | None] | None = None,
        timestamps: Sequence[int] | None = None,
        partition: int | None = None,
    ) -> AsyncDeliveryBatch:
        """Sends many records at a fraction of the cost of as many calls of `send`.

        Args:
            topic: The topic.
            values: The values; as with `send`.
            keys: A key for each value.
            headers: Headers for each value.
            timestamps: A timestamp for each value.
            partition: The partition for all.

        Returns:
            One handle for all of them, to be awaited for a list of `RecordMetadata`.

        Raises:
            ValueError: The sequences have different lengths, or as with `send`.
            TypeError: One of them is no sequence, or as with `send`.
            KafkaError: As with `send`.
            IllegalStateError: The producer is closed.

        Example:
            >>> async def main():
            ...     return await (await producer.send_many("orders", [b"1", b"2", b"3"]))
            >>> len(run(main()))
            3
        """
        self._attach()
        checked_topic(topic)
        columns = checked_columns(values, keys, headers, timestamps)
        records = self._intercept_many(topic, columns, partition)
        values, keys, headers, timestamps = self._serialize_many(columns_of(records) if records else columns)
        partitions: Any = partition
        if self._partitioner is not None and partition is None:
            count = await self._partition_count(topic)
            partitions = self._partitioner.many(topic, keys or [None] * len(values), count)
        many = self._producer.many(values, keys, headers, timestamps, partitions)
        batch: AsyncDeliveryBatch = await self._until(
            self._producer.offer_many(topic, many),
            topic,
            lambda room: self._producer.offer_many(topic, many, room),
            lambda _: self._producer.taken(many),
        )
        for index, record in enumerate(records):
            self._interceptors.watch(record, batch[index])  # type: ignore[union-attr]
        return batch

    async def send_table(self, topic: str | None, table: Any, partition: int | None = None) -> AsyncDeliveryBatch:
        """Sends the rows of a table: no Python object is made of any of them; as `Producer.send_table`.

        The loop goes on after every 65,536 rows. A stream that waits for its source holds up the loop meanwhile.

        Args:
            topic: The topic of rows that name none; None if all do.
            table: Anything with `__arrow_c_stream__` or `__arrow_c_array__`.
            partition: The partition of rows that name none; by default as with `send`.

        Returns:
            One handle for all rows, in their order, to be awaited for a list of `RecordMetadata`.

        Raises:
            TypeError: It is no table, or a column has a type that its place cannot have.
            ValueError: There is another column, a row without a topic, or a partition that there is not.
            KafkaError: As with `send`.
            IllegalStateError: The producer is closed.

        Example:
            >>> import pyarrow
            >>> table = pyarrow.table({"key": ["42", "7"], "value": ["3 apples", "5 pears"]})
            >>> async def main():
            ...     return await (await producer.send_table("orders", table))
            >>> len(run(main()))
            2
        """
        self._attach()
        if self._interceptors is not None:
            table = self._interceptors.on_send_table(topic, table)
        if self._partitioner is not None and partition is None and topic is not None and not has_partitions(table):
            table = self._partitioner.table(topic, table, await self._partition_count(topic))
        rows = self._producer.rows(topic, table, partition)
        batch: AsyncDeliveryBatch = await self._until(
            self._producer.offer_rows(rows),
            "",
            lambda room: self._producer.offer_rows(rows, room),
            lambda _: self._producer.rows_taken(rows),
        )
        return batch

    async def _partition_count(self, topic: str) -> int:
        self._attach()
        count: int = await self._until(
            self._producer.known_partition_count(topic),
            topic,
            lambda _: self._producer.known_partition_count(topic),
            lambda found: found[0],
        )
        return count

    async def flush(self, timeout: float | None = None) -> None:
        """Sends what is waiting, at once, and waits until all of it is acknowledged or has failed.

        Args:
            timeout: The most seconds to wait; by default as long as `delivery_timeout_ms` lets it take.

        Raises:
            KafkaTimeoutError: Records are still under way.
            ValueError: The timeout is negative.
            IllegalStateError: The producer is closed.

        Example:
            >>> run(producer.flush(timeout=10))
        """
        self._attach()
        if not await self._flushed(None if timeout is None else self._driver.now() + checked_timeout(timeout)):
            raise errors.KafkaTimeoutError(f"flush() took longer than its {timeout} s: records are still under way")

    async def partitions_for(self, topic: str, timeout: float | None = None) -> list[PartitionInfo]:
        """The partitions of a topic, ordered by number; empty if there is no such topic.

        Args:
            topic: The topic.
            timeout: Seconds to wait; by default `max_block_ms`.

        Raises:
            InvalidTopicError: No topic can have this name.
            TopicAuthorizationFailedError: The topic may not be looked at.
            KafkaTimeoutError: No broker answered in time.
            ValueError: The timeout is negative, or the name is empty.
            IllegalStateError: The producer is closed.

        Example:
            >>> [info.partition for info in run(producer.partitions_for("orders"))]
            [0]
        """
        self._attach()
        seconds = self._options.seconds("max.block.ms") if timeout is None else checked_timeout(timeout)
        return await self._operations.run("partitions_for", partitions_of(checked_topic(topic)), seconds)

    async def close(self, timeout: float | None = None) -> None:
        """Sends what is waiting, then closes the connections. A record that is not acknowledged in time has failed.

        Args:
            timeout: The most seconds that this takes; by default `delivery_timeout_ms`. With 0, waiting records fail
                at once.

        Raises:
            ValueError: The timeout is negative.

        Example:
            >>> run(producer.close(timeout=10))
        """
        seconds = self._close_timeout(timeout)
        if not self._life.is_open:
            return
        self._attach()
        producer = self._producer
        producer.begin_close()
        self._life.close()
        try:
            if seconds:
                await self._flushed(self._driver.now() + seconds)
        finally:
            producer.close(0.0)
            self._bell.close()
            self._refuse()
            self._core_bell.close()
            self._core.close(0.0)
            # Callbacks of the last records are called in the loop's next turn: before close() returns.
            await asyncio.sleep(0)
            if self._interceptors is not None:
                self._interceptors.close()

    async def __aenter__(self) -> Self:
        self._attach()
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def _attach(self) -> None:
        """Ties the producer to the loop that runs, or refuses another one than its own."""
        self._life.check()
        if self._offer == self._unattached:
            self._bell.listen()
            self._producer.set_loop(asyncio.get_running_loop())
            self._call_soon = asyncio.get_running_loop().call_soon
            self._offer = self._producer.offer
        else:
            self._bell.check()

    def _unattached(self, *arguments: Any) -> Any:
        self._attach()
        return self._producer.offer(*arguments)

    def _settle(self) -> None:
        """Has the loop call whoever waits for records that have outcomes now."""
        call_soon = self._call_soon
        for callback, delivery, context in self._producer.settled():
            call_soon(callback, delivery, context=context)

    async def _until(
        self,
        missing: Any,
        topic: str,
        attempt: Callable[[Any], Any],
        taken: Callable[[Any], Any],
    ) -> Any:
        """Waits for what is missing, the topic's partitions or room, and tries again, until the records are taken."""
        seconds = self._options.seconds("max.block.ms")
        deadline = self._driver.now() + seconds
        while True:
            room = None
            if missing is None or type(missing) is str:
                await self._topic_known(missing or topic, deadline)
            elif type(missing) is int:
                room = await self._room(missing, deadline)
            elif missing is False:
                # There is more to do: the others in the loop have their turn.
                await asyncio.sleep(0)
                deadline = self._driver.now() + seconds
            else:
                return taken(missing)
            missing = attempt(room)

    async def _topic_known(self, topic: str, deadline: float) -> None:
        if self._driver.now() >= deadline:
            failure = self._producer.why_unknown(topic)
            raise errors.KafkaTimeoutError(
                f"the partitions of topic {topic} were not known within max.block.ms{f': {failure}' if failure else ''}"
            )
        await self._operations.pause(deadline)

    async def _room(self, size: int, deadline: float) -> Any:
        room = self._producer.room(size)
        while not room.ready():
            left = deadline - self._driver.now()
            if left <= 0:
                raise self._producer.room_error(size)
            await self._news(left)
        return room

    async def _flushed(self, deadline: float | None) -> bool:
        flushing = self._producer.flushing()
        while not flushing.done():
            left = None if deadline is None else deadline - self._driver.now()
            if left is not None and left <= 0:
                return False
            await self._news(left)
        return True

    async def _news(self, timeout: float | None) -> None:
        await self._bell.wait(timeout)
        self._settle()

    def _fork(self) -> None:
        super()._fork()
        self._bell.abandon()
        self._core_bell.abandon()

    def _refuse(self) -> None:
        super()._refuse()
        self._offer = self._producer_offer

    def _producer_offer(self, *arguments: Any) -> Any:
        return self._producer.offer(*arguments)
