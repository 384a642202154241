"""What the two producers have in common: options, serializers, and what is not there yet."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from barnabas.client.arguments import checked_timeout, listed
from barnabas.client.bootstrap import core_options
from barnabas.client.core import ClientCore, Life, ProducerCore, Refusing
from barnabas.client.driver import Driver
from barnabas.client.interceptors import InterceptorChain, ProducerRecord
from barnabas.client.partitioning import CallablePartitioner
from barnabas.client.serializers import serialized, serializer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from barnabas.config import Options

    Headers = Sequence[tuple[str, bytes | None]]
    Columns = tuple[list[Any], list[Any] | None, list[Any] | None, list[int] | None]

__all__ = ["ProducerFace", "checked_columns", "columns_of"]

_TRANSACTIONS: Final = frozenset(
    {
        "abort_transaction",
        "begin_transaction",
        "commit_transaction",
        "init_transactions",
        "send_offsets_to_transaction",
    }
)


class ProducerFace:
    """The part of a producer that waits for nothing."""

    def __init__(self, options: Options) -> None:
        self._options = options
        plain = core_options(options)
        self._key_serializer = serializer(options["key.serializer"])
        self._value_serializer = serializer(options["value.serializer"])
        by = options["partitioner.class"]
        self._partitioner = CallablePartitioner(by) if callable(by) else None
        interceptors = options["interceptor.classes"]
        self._interceptors = InterceptorChain(interceptors) if interceptors else None
        self._life = Life(type(self).__name__, self._fork)
        self._core = ClientCore(plain)
        self._producer: Any = ProducerCore(self._core, plain)
        self._driver = Driver(self._core)

    def metrics(self) -> dict[str, int | float]:
        """A snapshot of counters.

        Raises:
            IllegalStateError: The producer is closed.

        Example:
            >>> producer.metrics()["records_failed"]
            0
        """
        self._life.check()
        return {**self._core.metrics(), **self._producer.metrics()}

    def _serialize(self, value: Any, key: Any) -> tuple[Any, Any]:
        if self._value_serializer is not None:
            value = serialized("value", value, self._value_serializer)
        if self._key_serializer is not None:
            key = serialized("key", key, self._key_serializer)
        return value, key

    def _is_plain(self) -> bool:
        """Whether nothing is done to a record before it goes to the extension module."""
        return (
            self._key_serializer is None
            and self._value_serializer is None
            and self._partitioner is None
            and self._interceptors is None
        )

    def _intercept_many(self, topic: str, columns: Columns, partition: int | None) -> list[ProducerRecord]:
        """The records as the interceptors leave them; none if there are no interceptors."""
        values, keys, headers, timestamps = columns
        if self._interceptors is None:
            return []
        records = []
        for index, value in enumerate(values):
            key = None if keys is None else keys[index]
            timestamp = None if timestamps is None else timestamps[index]
            mine = None if headers is None else headers[index]
            record = ProducerRecord(topic, value, key, partition, timestamp, mine)
            records.append(self._interceptors.on_send(record))
        return records

    def _serialize_many(self, columns: Columns) -> Columns:
        values, keys, headers, timestamps = columns
        if self._value_serializer is not None:
            values = [serialized("value", value, self._value_serializer) for value in values]
        if self._key_serializer is not None and keys is not None:
            keys = [serialized("key", key, self._key_serializer) for key in keys]
        return values, keys, headers, timestamps

    def _close_timeout(self, timeout: float | None) -> float:
        """Seconds for `close`. A negative number, which means for ever elsewhere, must not throw records away."""
        if timeout is None:
            return self._options.seconds("delivery.timeout.ms")
        return checked_timeout(timeout)

    def __repr__(self) -> str:
        closed = " closed" if self._life.closed else ""
        return f"<{type(self).__name__} {', '.join(self._options['bootstrap.servers'])}{closed}>"

    def __getattr__(self, name: str) -> Any:
        if name in _TRANSACTIONS:
            raise AttributeError(
                f"{name}() is not there yet: transactions are not supported; the idempotent producer, which is the "
                "default, writes each record once"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __reduce__(self) -> Any:
        name = type(self).__name__
        raise TypeError(
            f"{'an' if name[0] == 'A' else 'a'} {name} cannot be pickled: pass its options and make a new one"
        )

    def _fork(self) -> None:
        self._core.abandon()
        self._refuse()

    def _refuse(self) -> None:
        """Lets every later call raise; the core is kept, because its thread does not exist in a forked child."""
        self._producer = Refusing(self._life, self._producer)


def columns_of(records: Sequence[ProducerRecord]) -> Columns:
    """Values, keys, headers and timestamps of records."""
    timestamps = None
    if any(record.timestamp is not None for record in records):
        now = round(time.time() * 1000)
        timestamps = [now if record.timestamp is None else record.timestamp for record in records]
    return (
        [record.value for record in records],
        [record.key for record in records],
        [record.headers for record in records],
        timestamps,
    )


def checked_columns(
    values: Sequence[Any],
    keys: Sequence[Any] | None,
    headers: Sequence[Headers | None] | None,
    timestamps: Sequence[int] | None,
) -> Columns:
    """The columns of `send_many` as lists.

    Raises:
        TypeError: One of them is no column.
        ValueError: They have different lengths.
    """
    columns: dict[str, Any] = {"values": values, "keys": keys, "headers": headers, "timestamps": timestamps}
    lists = {name: listed(name, column) for name, column in columns.items() if column is not None or name == "values"}
    count = len(lists["values"])
    for name, entries in lists.items():
        if len(entries) != count:
            raise ValueError(f"{count} values but {len(entries)} {name}")
    return lists["values"], lists.get("keys"), lists.get("headers"), lists.get("timestamps")
