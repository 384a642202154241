# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""TopicRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class TopicRecord(Message):
    """Record of the metadata log, key 2, version 0."""

    API_KEY: ClassVar[int] = 2
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "name",
        "topic_id",
    )
    STRUCT: ClassVar[int] = 557

    def __init__(self, *, name: str = "", topic_id: bytes = ZERO_UUID) -> None:
        self.name = name
        self.topic_id = topic_id
        self.unknown_tagged_fields = None
