# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupMemberMetadataKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ConsumerGroupMemberMetadataKey(Message):
    """Key of a coordinator's record, key 5, version 0."""

    API_KEY: ClassVar[int] = 5
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "group_id",
        "member_id",
    )
    STRUCT: ClassVar[int] = 105

    def __init__(self, *, group_id: str = "", member_id: str = "") -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.unknown_tagged_fields = None
