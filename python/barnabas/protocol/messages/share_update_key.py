# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareUpdateKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class ShareUpdateKey(Message):
    """Key of a coordinator's record, key 1, version 0."""

    API_KEY: ClassVar[int] = 1
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "group_id",
        "topic_id",
        "partition",
    )
    STRUCT: ClassVar[int] = 501

    def __init__(self, *, group_id: str = "", topic_id: bytes = ZERO_UUID, partition: int = 0) -> None:
        self.group_id = group_id
        self.topic_id = topic_id
        self.partition = partition
        self.unknown_tagged_fields = None
