"""Offsets of transactions that have not ended: in the log before the marker that says whether they count.

Our clients cannot write them yet (TxnOffsetCommit is not served); a log that a Kafka has written may hold them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from barnabas.coordinator.committed import OffsetKey

__all__ = ["Marker", "PendingOffsets", "Transactional"]


class Transactional(NamedTuple):
    """Key of a record that a producer wrote in a transaction; `key` is the record's own."""

    producer_id: int
    key: OffsetKey


class Marker(NamedTuple):
    """Key of the marker that ends a producer's transaction; its record's value says whether with a commit."""

    producer_id: int
    producer_epoch: int


class PendingOffsets:
    """What open transactions have written, by producer."""

    def __init__(self) -> None:
        self._by_producer: dict[int, dict[OffsetKey, bytes | None]] = {}

    def __bool__(self) -> bool:
        return bool(self._by_producer)

    def put(self, written: Transactional, value: bytes | None) -> None:
        """Notes what a producer wrote; its last word for a partition counts."""
        self._by_producer.setdefault(written.producer_id, {})[written.key] = value

    def overtake(self, key: OffsetKey) -> None:
        """An offset outside of transactions came later in the log: it stays, whatever the marker says."""
        for offsets in self._by_producer.values():
            if key in offsets:
                offsets[key] = None

    def end(self, producer_id: int, *, is_commit: bool) -> dict[OffsetKey, bytes]:
        """A transaction is over; returns the offsets that count from now on."""
        offsets = self._by_producer.pop(producer_id, {})
        return {key: value for key, value in offsets.items() if value is not None} if is_commit else {}

    def holds(self, key: OffsetKey) -> bool:
        """Whether an open transaction has written an offset for the partition."""
        return any(key in offsets for offsets in self._by_producer.values())
