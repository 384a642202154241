# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""GroupMetadataKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class GroupMetadataKey(Message):
    """Key of a coordinator's record, key 2, version 0."""

    API_KEY: ClassVar[int] = 2
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = ("group",)
    STRUCT: ClassVar[int] = 304

    def __init__(self, *, group: str = "") -> None:
        self.group = group
        self.unknown_tagged_fields = None
