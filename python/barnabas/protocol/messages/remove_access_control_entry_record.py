# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemoveAccessControlEntryRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class RemoveAccessControlEntryRecord(Message):
    """Record of the metadata log, key 19, version 0."""

    API_KEY: ClassVar[int] = 19
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("id",)
    STRUCT: ClassVar[int] = 440

    def __init__(self, *, id: bytes = ZERO_UUID) -> None:
        self.id = id
        self.unknown_tagged_fields = None
