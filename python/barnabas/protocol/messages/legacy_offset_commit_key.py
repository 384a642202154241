# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""LegacyOffsetCommitKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class LegacyOffsetCommitKey(Message):
    """Key of a coordinator's record, key 0, version 0."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "group",
        "topic",
        "partition",
    )
    STRUCT: ClassVar[int] = 333

    def __init__(self, *, group: str = "", topic: str = "", partition: int = 0) -> None:
        self.group = group
        self.topic = topic
        self.partition = partition
        self.unknown_tagged_fields = None
