# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupRegularExpressionValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message


class ConsumerGroupRegularExpressionValue(Message):
    """Value of a coordinator's record, key 16, version 0."""

    API_KEY: ClassVar[int] = 16
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "topics",
        "version",
        "timestamp",
    )
    STRUCT: ClassVar[int] = 116

    def __init__(self, *, topics: list[str] = UNSET, version: int = 0, timestamp: int = 0) -> None:
        self.topics: list[str] = [] if topics is UNSET else topics
        self.version = version
        self.timestamp = timestamp
        self.unknown_tagged_fields = None
