# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AbortTransactionRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class AbortTransactionRecord(Message):
    """Record of the metadata log, key 25, version 0."""

    API_KEY: ClassVar[int] = 25
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("reason",)
    STRUCT: ClassVar[int] = 0

    def __init__(self, *, reason: str | None = None) -> None:
        self.reason = reason
        self.unknown_tagged_fields = None
