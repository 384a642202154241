# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""EndTransactionRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class EndTransactionRecord(Message):
    """Record of the metadata log, key 24, version 0."""

    API_KEY: ClassVar[int] = 24
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ()
    STRUCT: ClassVar[int] = 266

    def __init__(self) -> None:
        self.unknown_tagged_fields = None
