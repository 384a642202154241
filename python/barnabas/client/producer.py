"""The producer: sends records to topics."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

from barnabas import errors
from barnabas.client.core import ClientCore, Delivery, DeliveryBatch, Life, ProducerCore, Refusing
from barnabas.client.driver import Driver
from barnabas.client.operations.metadata import read_cluster
from barnabas.client.options import PRODUCER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from barnabas.types import PartitionInfo

    Serializer = Callable[[Any], bytes | None]
    Headers = Sequence[tuple[str, bytes | None]]

__all__ = ["Producer"]

_TRANSACTIONS: Final = frozenset(
    {
        "abort_transaction",
        "begin_transaction",
        "commit_transaction",
        "init_transactions",
        "send_offsets_to_transaction",
    }
)


class Producer:
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
        self._options = PRODUCER.parse(config, options)
        plain = self._options.plain()
        self._key_serializer: Serializer | None = self._options["key.serializer"]
        self._value_serializer: Serializer | None = self._options["value.serializer"]
        self._life = Life("Producer", self._fork)
        self._core = ClientCore(plain)
        self._producer: Any = ProducerCore(self._core, plain)
        self._driver = Driver(self._core)
        self._driving = threading.RLock()
        if self._key_serializer is None and self._value_serializer is None:
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
            TypeError: A key or value is not bytes and there is no serializer.
            RecordTooLargeError: The record is larger than `max_request_size` or `buffer_memory`.
            BufferExhaustedError: The memory stayed used up for `max_block_ms`.
            KafkaTimeoutError: The topic's metadata did not come within `max_block_ms`.
            IllegalStateError: The producer is closed.

        Example:
            >>> delivery = producer.send("orders", b"3 apples", key=b"42", headers=[("trace", b"7f3a")])
            >>> delivery.result(timeout=10).topic
            'orders'
        """
        if self._value_serializer is not None:
            value = _serialized("value", value, self._value_serializer)
        if self._key_serializer is not None:
            key = _serialized("key", key, self._key_serializer)
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
            ValueError: The sequences have different lengths.
            TypeError: A key or value is not bytes and there is no serializer.
            KafkaError: As with `send`.
            IllegalStateError: The producer is closed.

        Example:
            >>> len(producer.send_many("orders", [b"1", b"2", b"3"]).result(timeout=10))
            3
        """
        if self._value_serializer is not None:
            values = [_serialized("value", value, self._value_serializer) for value in values]
        if self._key_serializer is not None and keys is not None:
            keys = [_serialized("key", key, self._key_serializer) for key in keys]
        values = values if isinstance(values, list) else list(values)
        for name, others in (("keys", keys), ("headers", headers), ("timestamps", timestamps)):
            if others is not None and len(others) != len(values):
                raise ValueError(f"{len(values)} values but {len(others)} {name}")
        batch: DeliveryBatch = self._producer.send_many(
            topic,
            values,
            keys if keys is None else list(keys),
            headers if headers is None else list(headers),
            timestamps if timestamps is None else list(timestamps),
            partition,
        )
        return batch

    def flush(self, timeout: float | None = None) -> None:
        """Sends what is waiting, at once, and waits until all of it is acknowledged or has failed.

        Args:
            timeout: The most seconds to wait; by default as long as `delivery_timeout_ms` lets it take.

        Raises:
            KafkaTimeoutError: Records are still under way.
            IllegalStateError: The producer is closed.

        Example:
            >>> producer.flush(timeout=10)
        """
        self._life.check()
        if not self._producer.flush(timeout):
            raise errors.KafkaTimeoutError(f"flush() took longer than its {timeout} s: records are still under way")

    def partitions_for(self, topic: str, timeout: float | None = None) -> list[PartitionInfo]:
        """The partitions of a topic, ordered by number; empty if there is no such topic.

        Args:
            topic: The topic.
            timeout: Seconds to wait; by default `max_block_ms`.

        Raises:
            KafkaTimeoutError: No broker answered in time.
            IllegalStateError: The producer is closed.

        Example:
            >>> [info.partition for info in producer.partitions_for("orders")]
            [0]
        """
        self._life.check()
        seconds = self._options.seconds("max.block.ms") if timeout is None else timeout
        with self._driving:
            found = self._driver.run("partitions_for", read_cluster([topic]), seconds)
        return list(found.topics[topic].partitions) if topic in found.topics else []

    def metrics(self) -> dict[str, int | float]:
        """A snapshot of counters.

        Raises:
            IllegalStateError: The producer is closed.

        Example:
            >>> producer.metrics()["records_sent"]  # doctest: +SKIP
            4
        """
        self._life.check()
        return {**self._core.metrics(), **self._producer.metrics()}

    def close(self, timeout: float | None = None) -> None:
        """Sends what is waiting, then closes the connections. A record that is not acknowledged in time has failed.

        Args:
            timeout: The most seconds that this takes; by default `delivery_timeout_ms`. With 0, waiting records fail
                at once.

        Example:
            >>> with Producer(bootstrap_servers=broker.bootstrap_servers) as short_lived:
            ...     _ = short_lived.send("orders", b"sent before the block is left")
        """
        if not self._life.close():
            return
        seconds = self._options.seconds("delivery.timeout.ms") if timeout is None else max(0.0, timeout)
        producer = self._producer
        self._refuse()
        try:
            producer.close(seconds)
        finally:
            self._core.close(0.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Producer {', '.join(self._options['bootstrap.servers'])}{' closed' if self._life.closed else ''}>"

    def __getattr__(self, name: str) -> Any:
        if name in _TRANSACTIONS:
            raise AttributeError(
                f"{name}() is not there yet: transactions are not supported; the idempotent producer, which is the "
                "default, writes each record once"
            )
        raise AttributeError(f"'Producer' object has no attribute {name!r}")

    def __reduce__(self) -> Any:
        raise TypeError("a Producer cannot be pickled: pass its options and make a new one")

    def _fork(self) -> None:
        self._core.abandon()
        self._refuse()

    def _refuse(self) -> None:
        """Lets every later call raise; the core is kept, because its thread does not exist in a forked child."""
        self._producer = Refusing(self._life, self._producer)
        self.__dict__.pop("send", None)


def _serialized(what: str, given: Any, serializer: Serializer) -> bytes | None:
    if given is None:
        return None
    made = serializer(given)
    if made is not None and not isinstance(made, bytes | bytearray | memoryview):
        raise TypeError(f"{what}_serializer must return bytes or None, got {type(made).__name__}")
    return made
