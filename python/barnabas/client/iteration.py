"""Iterating over polled records while knowing which of them have been given out."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from barnabas.client.core import Record, Records

__all__ = ["Chunk", "first_offsets"]


class Chunk:
    """The records of one poll that an iteration is giving out."""

    __slots__ = ("_records", "given", "iterator")

    def __init__(self, records: Records) -> None:
        self._records = records
        self.iterator: Iterator[Record] = iter(records)
        self.given = 0
        """How many records were given out; whoever walks `iterator` counts."""

    def unread(self) -> dict[TopicPartition, int]:
        """The first offset that was not given out, by partition."""
        return first_offsets(islice(self._records, self.given, None))

    def step_back(self) -> None:
        """Counts the record that was given out last as not given out."""
        self.given = max(0, self.given - 1)


def first_offsets(records: Iterable[Record]) -> dict[TopicPartition, int]:
    """The offset of each partition's first record."""
    found: dict[TopicPartition, int] = {}
    for record in records:
        found.setdefault(TopicPartition(record.topic, record.partition), record.offset)
    return found
