"""The one door to the data plane: `barnabas._core.BrokerCore` and the events it hands out.

Nothing else in this package imports `barnabas._core`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DataPlane",
    "Event",
    "crc32c",
    "decompress",
    "log_lines_lost",
    "matching_names",
    "start",
]


class Event(IntEnum):
    """First item of an event tuple of `DataPlane.pull`; the rest of each tuple is described here.

    The second item is always the arrival stamp in monotonic milliseconds.
    """

    REQUEST = 1
    """(token, connection id, listener, principal, client id, client host, api key, api version, body, (client port,
    name and version of the client's software))"""
    CLOSED = 2
    """(connection id): a connection is gone."""
    APPENDED = 3
    """(topic, partition, last offset, error code): an append lies below the high watermark, or has failed."""
    READ = 4
    """(read token, error code, record batches, next offset, log end offset)"""
    ADVANCED = 6
    """(): the clock was set forward."""


class DataPlane(Protocol):
    """What the control plane uses of `BrokerCore`."""

    def endpoints(self) -> list[tuple[str, str, int]]:
        """Returns (listener, host, port) as clients are told, ports as bound."""

    def open_gate(self) -> None:
        """Starts serving; until then connections wait."""

    def now_ms(self) -> float:
        """Returns the clock of all stamps."""

    def pull(self, timeout: float, limit: int = 256) -> list[tuple[Any, ...]]:
        """Waits for events; an empty list means that the time is over."""

    def respond(self, token: int, body: bytes, busy_ns: int = 0, mutations_ms: int = 0) -> None:
        """Answers a request; the header is added, and the throttle time if a quota of its client is used up.

        Args:
            token: The request.
            body: Its response.
            busy_ns: How long this thread worked for it.
            mutations_ms: How long the client has to wait for the partitions that it created and deleted.
        """

    def mutations_left(self, token: int) -> float | None:
        """Returns how many partitions a request may create and delete, none below 0; None if nothing limits it."""

    def charge_mutations(self, token: int, partitions: int) -> int:
        """Charges a request for partitions; returns milliseconds until its client owes nothing."""

    def respond_from_image(self, token: int) -> None:
        """Lets the data plane answer a request that it had parked here."""

    def append(
        self,
        topic: str,
        partition: int,
        leader_epoch: int,
        records: list[tuple[bytes | None, bytes | None]],
        timestamp_ms: int,
    ) -> int:
        """Appends one batch; returns its base offset. `Event.APPENDED` follows."""

    def append_control(
        self, topic: str, partition: int, leader_epoch: int, records: list[tuple[int, bytes]], timestamp_ms: int
    ) -> int:
        """The same of control records, given as (type, value); begins their epoch if that is a later one."""

    def make_batch(
        self,
        base_offset: int,
        leader_epoch: int,
        records: list[tuple[bytes | None, bytes | None]],
        timestamp_ms: int,
    ) -> bytes:
        """Returns a batch as a file of its own holds it."""

    def make_control_batch(
        self, base_offset: int, leader_epoch: int, records: list[tuple[int, bytes]], timestamp_ms: int
    ) -> bytes:
        """Returns the same of control records, given as (type, value)."""

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        """Lets a log begin later, which is durable on return; returns its first offset."""

    def log_size(self, topic: str, partition: int) -> int | None:
        """Returns the bytes of a log; None if it is not here."""

    def store(self, name: str, data: bytes) -> None:
        """Replaces a file beside the metadata log, so that a crash leaves the old or the new one."""

    def read(self, topic: str, partition: int, offset: int, max_bytes: int) -> int:
        """Starts a read; returns the token of the `Event.READ` that follows."""

    def decode_batches(self, data: bytes) -> list[tuple[int, int, bytes | None, bytes | None, int, int, bool]]:
        """Returns (offset, timestamp, key, value, producer id, producer epoch, is control) of every record."""

    def info(self, topic: str, partition: int) -> tuple[int, int, int, int, int] | None:
        """Returns (log start, high watermark, last stable offset, log end, leader epoch); None if it is not here."""

    def publish(self, delta: list[tuple[Any, ...]], offset: int, epoch: int) -> None:
        """Makes committed metadata effective."""

    def close_connection(self, connection_id: int) -> None:
        """Closes a connection."""

    def inject(  # noqa: PLR0917
        self,
        api_key: int | None,
        client_id: str | None,
        nth: int,
        times: int,
        action: str,
        value: int,
        is_after: bool,  # noqa: FBT001
    ) -> int:
        """Adds a fault; `action` is error, delay, drop or disconnect, `value` its error code or milliseconds."""

    def remove_fault(self, fault: int | None) -> None:
        """Takes a fault out, or all of them."""

    def fault_fired(self, fault: int) -> int | None:
        """Returns how many requests have met a fault; None when it was taken out."""

    def wait_fault(self, fault: int, count: int, timeout: float) -> bool:
        """Waits until so many requests have met a fault; False when time ran out before."""

    def record_requests(self, limit: int | None) -> None:
        """Keeps the last requests from here on; None keeps no more."""

    def requests_seen(self) -> list[tuple[float, int, str, str | None, int, int, int, int]]:
        """Returns (stamp, connection, client host, client id, API key, version, correlation id, bytes) of each."""

    def advance_clock(self, ms: int) -> None:
        """Lets time pass at once."""

    def wall_ms(self) -> int:
        """Returns milliseconds since 1970 by the broker's clock."""

    def prometheus(self) -> str:
        """Returns the data plane's metrics as text."""

    def stop(self, timeout: float) -> bool:
        """Drains, writes checkpoints and the clean-shutdown marker; False when time ran out."""


def start(config: Mapping[str, Any]) -> DataPlane:
    """Opens the data directories and binds the listeners. Nothing is served before `open_gate`."""
    from barnabas._core import BrokerCore  # noqa: PLC0415 - a broker is not what every user of the package wants

    core: DataPlane = BrokerCore.start(dict(config))
    return core


def crc32c(data: bytes) -> int:
    """Returns the checksum of `data`."""
    from barnabas._core import crc32c as checksum  # noqa: PLC0415 - as in `start`

    return checksum(data)


def decompress(name: str, data: bytes, limit: int) -> bytes:
    """Returns what `data` decompresses to, in Kafka's framing of the codec `name`.

    Raises:
        ValueError: It is malformed, or more than `limit` bytes come of it.
    """
    from barnabas._core import decompress as decompressed  # noqa: PLC0415 - as in `start`

    return decompressed(name, data, limit)


def matching_names(pattern: str, names: list[str]) -> list[str]:
    """Returns the names that a regular expression matches from beginning to end.

    Raises:
        InvalidRegularExpressionError: `pattern` is none, or needs more memory than one may.
    """
    from barnabas._core import regex_matches  # noqa: PLC0415 - as in `start`

    return regex_matches(pattern, names)


def log_lines_lost() -> int:
    """Returns how many lines were dropped because too many came at once."""
    from barnabas._core import log_lines_lost as lost  # noqa: PLC0415 - as in `start`

    return lost()
