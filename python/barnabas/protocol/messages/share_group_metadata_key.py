# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupMetadataKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ShareGroupMetadataKey(Message):
    """Key of a coordinator's record, key 11, version 0."""

    API_KEY: ClassVar[int] = 11
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = ("group_id",)
    STRUCT: ClassVar[int] = 487

    def __init__(self, *, group_id: str = "") -> None:
        self.group_id = group_id
        self.unknown_tagged_fields = None
