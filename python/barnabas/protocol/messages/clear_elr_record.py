# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ClearElrRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ClearElrRecord(Message):
    """Record of the metadata log, key 28, version 0."""

    API_KEY: ClassVar[int] = 28
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("topic_name",)
    STRUCT: ClassVar[int] = 87

    def __init__(self, *, topic_name: str = "") -> None:
        self.topic_name = topic_name
        self.unknown_tagged_fields = None
