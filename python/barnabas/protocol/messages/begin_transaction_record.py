# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""BeginTransactionRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class BeginTransactionRecord(Message):
    """Record of the metadata log, key 23, version 0."""

    API_KEY: ClassVar[int] = 23
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("name",)
    STRUCT: ClassVar[int] = 79

    def __init__(self, *, name: str | None = None) -> None:
        self.name = name
        self.unknown_tagged_fields = None
