# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""OffsetCommitValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class OffsetCommitValue(Message):
    """Value of a coordinator's record, key 1, versions 0 to 4."""

    API_KEY: ClassVar[int] = 1
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "offset",
        "leader_epoch",
        "metadata",
        "commit_timestamp",
        "expire_timestamp",
        "topic_id",
    )
    STRUCT: ClassVar[int] = 369

    def __init__(
        self,
        *,
        offset: int = 0,
        leader_epoch: int = -1,
        metadata: str = "",
        commit_timestamp: int = 0,
        expire_timestamp: int = -1,
        topic_id: bytes = ZERO_UUID,
    ) -> None:
        self.offset = offset
        self.leader_epoch = leader_epoch
        self.metadata = metadata
        self.commit_timestamp = commit_timestamp
        self.expire_timestamp = expire_timestamp
        self.topic_id = topic_id
        self.unknown_tagged_fields = None
