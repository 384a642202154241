# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""SnapshotHeaderRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class SnapshotHeaderRecord(Message):
    """Data, version 0."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "version",
        "last_contained_log_timestamp",
    )
    STRUCT: ClassVar[int] = 505

    def __init__(self, *, version: int = 0, last_contained_log_timestamp: int = 0) -> None:
        self.version = version
        self.last_contained_log_timestamp = last_contained_log_timestamp
        self.unknown_tagged_fields = None
