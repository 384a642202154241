# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemoveTopicRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class RemoveTopicRecord(Message):
    """Record of the metadata log, key 9, version 0."""

    API_KEY: ClassVar[int] = 9
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("topic_id",)
    STRUCT: ClassVar[int] = 444

    def __init__(self, *, topic_id: bytes = ZERO_UUID) -> None:
        self.topic_id = topic_id
        self.unknown_tagged_fields = None
