# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ControlRecordTypeSchema."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ControlRecordTypeSchema(Message):
    """Data, version 0."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = ("type",)
    STRUCT: ClassVar[int] = 126

    def __init__(self, *, type: int = 0) -> None:
        self.type = type
        self.unknown_tagged_fields = None
