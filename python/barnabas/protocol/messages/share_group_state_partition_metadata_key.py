# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupStatePartitionMetadataKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ShareGroupStatePartitionMetadataKey(Message):
    """Key of a coordinator's record, key 15, version 0."""

    API_KEY: ClassVar[int] = 15
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = ("group_id",)
    STRUCT: ClassVar[int] = 489

    def __init__(self, *, group_id: str = "") -> None:
        self.group_id = group_id
        self.unknown_tagged_fields = None
