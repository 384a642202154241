"""Offsets of transactions that have not ended: in the log before the marker that says whether they count.

Our clients cannot write them yet (TxnOffsetCommit is not served); a log that a Kafka has written may hold them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


class _Written(NamedTuple):
    """What a producer wrote for a partition, and where in the log; without a value once something later counts."""

    log_offset: int
    value: bytes | None


class PendingOffsets:
    """What open transactions have written, by group, partition and producer.

    Where several write for one partition, the last record in the log counts, whatever order they are committed in:
    so it is in Kafka, because compaction may take the earlier record.
    """

    def __init__(self) -> None:
        self._groups: dict[str, dict[OffsetKey, dict[int, _Written]]] = {}
        self._keys: dict[int, set[OffsetKey]] = {}

    def __bool__(self) -> bool:
        return bool(self._keys)

    def put(self, written: Transactional, value: bytes, log_offset: int) -> None:
        """Notes what a producer wrote at an offset of the log; its last word for a partition counts."""
        producer_id, key = written
        self._groups.setdefault(key.group, {}).setdefault(key, {})[producer_id] = _Written(log_offset, value)
        self._keys.setdefault(producer_id, set()).add(key)

    def overtake(self, key: OffsetKey, log_offset: int) -> None:
        """An offset that is in the log there counts: what stands before it never will."""
        writers = self._groups.get(key.group, {}).get(key, {})
        for producer_id, written in writers.items():
            if written.log_offset < log_offset:
                writers[producer_id] = written._replace(value=None)

    def forget(self, key: OffsetKey) -> None:
        """The offset of a partition was deleted, and with it what open transactions have written for it."""
        for producer_id in list(self._groups.get(key.group, {}).get(key, {})):
            self._remove(producer_id, key)

    def end(self, producer_id: int, *, is_commit: bool) -> list[tuple[OffsetKey, bytes]]:
        """A transaction is over; returns the offsets that count from now on."""
        counting = []
        for key in sorted(self._keys.get(producer_id, ())):
            written = self._remove(producer_id, key)
            if is_commit and written.value is not None:
                self.overtake(key, written.log_offset)
                counting.append((key, written.value))
        return counting

    def holds(self, key: OffsetKey) -> bool:
        """Whether an open transaction has written an offset for the partition."""
        return key in self._groups.get(key.group, ())

    def of_group(self, group_id: str) -> Iterable[OffsetKey]:
        """Returns the partitions for which open transactions have written an offset of the group."""
        return self._groups.get(group_id, ())

    def __iter__(self) -> Iterator[OffsetKey]:
        """Yields all of them."""
        for keys in self._groups.values():
            yield from keys

    def _remove(self, producer_id: int, key: OffsetKey) -> _Written:
        keys, group = self._keys[producer_id], self._groups[key.group]
        written = group[key].pop(producer_id)
        keys.discard(key)
        if not keys:
            del self._keys[producer_id]
        if not group[key]:
            del group[key]
        if not group:
            del self._groups[key.group]
        return written
