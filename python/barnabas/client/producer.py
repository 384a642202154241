"""The producer: sends records to topics."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.client.arguments import checked_timeout, checked_topic
from barnabas.client.interceptors import ProducerRecord
from barnabas.client.operations.metadata import partitions_of
from barnabas.client.options import PRODUCER
from barnabas.client.partitioning import has_partitions
from barnabas.client.producer_face import ProducerFace, checked_columns, columns_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from barnabas.client.core import Delivery, DeliveryBatch
    from barnabas.client.producer_face import Headers
    from barnabas.types import PartitionInfo

__all__ = ["Producer"]


class Producer(ProducerFace):
    """Sends records, in batches, to the leaders of their partitions. May be shared between threads.

    By default records are acknowledged by all in-sync replicas, written once and in order (the idempotent producer of
    Kafka 4), and spread by Kafka's murmur2 of their keys.

    Args:
        config: Options by Kafka's dotted names.
        **options: Options by keyword, such as `bootstrap_servers`, `linger_ms`, `compression_type`.

    Raises:
        ConfigError: An option is unknown or invalid, or options contradict each other.

    Example:
        >>> with Broker() as broker, Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        ...     delivery = producer.send("orders", b"3 apples", key=b"42")
        ...     print(delivery.result(timeout=10).offset)
        0
    """

    def __init__(self, config: Mapping[str, Any] | None = None, **options: Any) -> None:
        super().__init__(PRODUCER.parse(config, options))
        self._driving = threading.RLock()
        if self._is_plain():
            # There is nothing to do before the extension's send, whose call costs less than a frame of Python.
            self.__dict__["send"] = self._producer.send

    def send(  # noqa: PLR0917 - records are sent by position where every nanosecond counts
        self,
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int | None = None,
        timestamp: int | None = None,
        headers: Headers | None = None,
    ) -> Delivery:
        """Adds a record to the batch of its partition; blocks while `buffer_memory` is used up.

        Args:
            topic: The topic.
            value: The value as bytes, or whatever `value_serializer` takes; None is a tombstone.
            key: The key as bytes, or whatever `key_serializer` takes. Records of one key go to one partition.
            partition: The partition; by default it follows from the key, or is chosen for even load.
            timestamp: Milliseconds since 1970; by default now.
            headers: Pairs of a name and bytes or None.

        Returns:
            A handle whose `result(timeout)` waits for the acknowledgement. It may be dropped.

        Raises:
            TypeError: A key or value is not bytes and there is no serializer, or another argument is of a wrong type.
            ValueError: The partition or timestamp is out of range, or the topic's name is empty.
            InvalidTopicError: The topic's name has other characters than names have.
            RecordTooLargeError: The record is larger than `max_request_size` or `buffer_memory`.
            BufferExhaustedError: The memory stayed used up for `max_block_ms`.
            KafkaTimeoutError: The topic's metadata did not come within `max_block_ms`.
            IllegalStateError: The producer is closed.

        Example:
            >>> delivery = producer.send("orders", b"3 apples", key=b"42", headers=[("trace", b"7f3a")])
            >>> delivery.result(timeout=10).topic
            'orders'
        """
        record = ProducerRecord(topic, value, key, partition, timestamp, headers)
        if self._interceptors is None:
            return self._send(record)
        record = self._interceptors.on_send(record)
        try:
            delivery = self._send(record)
        except BaseException as error:
            self._interceptors.failed(record, error)
            raise
        self._interceptors.watch(record, delivery)
        return delivery

    def _send(self, record: ProducerRecord) -> Delivery:
        topic, value, key, partition, timestamp, headers = record
        value, key = self._serialize(value, key)
        if self._partitioner is not None and partition is None:
            partition = self._partitioner.one(topic, key, self._producer.partition_count(topic))
        delivery: Delivery = self._producer.send(topic, value, key, partition, timestamp, headers)
        return delivery

    def send_many(  # noqa: PLR0917 - as with send
        self,
        topic: str,
        values: Sequence[Any],
        keys: Sequence[Any] | None = None,
        headers: Sequence[Headers | None] | None = None,
        timestamps: Sequence[int] | None = None,
        partition: int | None = None,
    ) -> DeliveryBatch:
        """Sends many records at a fraction of the cost of as many calls of `send`.

        Args:
            topic: The topic.
            values: The values; as with `send`.
            keys: A key for each value.
            headers: Headers for each value.
            timestamps: A timestamp for each value.
            partition: The partition for all.

        Returns:
            One handle for all of them.

        Raises:
            ValueError: The sequences have different lengths, or as with `send`.
            TypeError: One of them is no sequence, or as with `send`.
            KafkaError: As with `send`.
            IllegalStateError: The producer is closed.

        Example:
            >>> len(producer.send_many("orders", [b"1", b"2", b"3"]).result(timeout=10))
            3
        """
        checked_topic(topic)
        columns = checked_columns(values, keys, headers, timestamps)
        records = self._intercept_many(topic, columns, partition)
        values, keys, headers, timestamps = self._serialize_many(columns_of(records) if records else columns)
        if self._partitioner is None or partition is not None:
            batch: DeliveryBatch = self._producer.send_many(topic, values, keys, headers, timestamps, partition)
        else:
            count = self._producer.partition_count(topic)
            chosen = self._partitioner.many(topic, keys or [None] * len(values), count)
            batch = self._producer.send_many(topic, values, keys, headers, timestamps, chosen)
        for index, record in enumerate(records):
            self._interceptors.watch(record, batch[index])  # type: ignore[union-attr]
        return batch

    def send_table(self, topic: str | None, table: Any, partition: int | None = None) -> DeliveryBatch:
        """Sends the rows of a table: no Python object is made of any of them.

        Columns are `value` and as many of `key`, `headers`, `topic`, `partition` and `timestamp` as there are; key and
        value are bytes or strings, and serializers are not called. Use `barnabas.columns.encode_json` or `encode_avro`
        to make values of other columns. A stream is read batch by batch, so it may be larger than memory; a row that
        cannot be sent raises before any row of its batch is sent.

        Args:
            topic: The topic of rows that name none; None if all do.
            table: Anything with `__arrow_c_stream__` or `__arrow_c_array__`, such as a table, reader or data frame of
                pyarrow, polars, pandas or duckdb.
            partition: The partition of rows that name none; by default as with `send`.

        Returns:
            One handle for all rows, in their order.

        Raises:
            TypeError: It is no table, or a column has a type that its place cannot have.
            ValueError: There is another column, a row without a topic, or a partition that there is not.
            RecordTooLargeError: A row is larger than `max_request_size` or `buffer_memory`.
            KafkaError: As with `send`.
            IllegalStateError: The producer is closed.

        Example:
            >>> import pyarrow
            >>> table = pyarrow.table({"key": ["42", "7"], "value": ["3 apples", "5 pears"]})
            >>> len(producer.send_table("orders", table).result(timeout=10))
            2
        """
        if self._interceptors is not None:
            table = self._interceptors.on_send_table(topic, table)
        if self._partitioner is not None and partition is None and topic is not None and not has_partitions(table):
            table = self._partitioner.table(topic, table, self._producer.partition_count(topic))
        batch: DeliveryBatch = self._producer.send_table(topic, table, partition)
        return batch

    def flush(self, timeout: float | None = None) -> None:
        """Sends what is waiting, at once, and waits until all of it is acknowledged or has failed.

        Args:
            timeout: The most seconds to wait; by default as long as `delivery_timeout_ms` lets it take.

        Raises:
            KafkaTimeoutError: Records are still under way.
            ValueError: The timeout is negative.
            IllegalStateError: The producer is closed.

        Example:
            >>> producer.flush(timeout=10)
        """
        self._life.check()
        if not self._producer.flush(None if timeout is None else checked_timeout(timeout)):
            raise errors.KafkaTimeoutError(f"flush() took longer than its {timeout} s: records are still under way")

    def partitions_for(self, topic: str, timeout: float | None = None) -> list[PartitionInfo]:
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
            >>> [info.partition for info in producer.partitions_for("orders")]
            [0]
        """
        self._life.check()
        seconds = self._options.seconds("max.block.ms") if timeout is None else checked_timeout(timeout)
        with self._driving:
            return self._driver.run("partitions_for", partitions_of(checked_topic(topic)), seconds)

    def close(self, timeout: float | None = None) -> None:
        """Sends what is waiting, then closes the connections. A record that is not acknowledged in time has failed.

        Args:
            timeout: The most seconds that this takes; by default `delivery_timeout_ms`. With 0, waiting records fail
                at once.

        Raises:
            ValueError: The timeout is negative.

        Example:
            >>> with Producer(bootstrap_servers=broker.bootstrap_servers) as short_lived:
            ...     _ = short_lived.send("orders", b"sent before the block is left")
        """
        seconds = self._close_timeout(timeout)
        if not self._life.close():
            return
        producer = self._producer
        self._refuse()
        try:
            deadline = self._driver.now() + seconds
            producer.close(seconds)
            left = max(0.0, deadline - self._driver.now())
            callbacks = producer.callback_thread()
            if callbacks not in {None, threading.current_thread()}:
                callbacks.join(left)
        finally:
            self._core.close(0.0)
            if self._interceptors is not None:
                self._interceptors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _refuse(self) -> None:
        super()._refuse()
        self.__dict__.pop("send", None)
