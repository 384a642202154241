# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""LegacyOffsetCommitValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class LegacyOffsetCommitValue(Message):
    """Value of a coordinator's record, key 0, version 0."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "offset",
        "metadata",
        "commit_timestamp",
    )
    STRUCT: ClassVar[int] = 334

    def __init__(self, *, offset: int = 0, metadata: str = "", commit_timestamp: int = 0) -> None:
        self.offset = offset
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.unknown_tagged_fields = None
