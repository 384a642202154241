# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""SnapshotFooterRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class SnapshotFooterRecord(Message):
    """Data, version 0."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("version",)
    STRUCT: ClassVar[int] = 504

    def __init__(self, *, version: int = 0) -> None:
        self.version = version
        self.unknown_tagged_fields = None
