# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""OffsetCommit, key 8."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class OffsetCommitRequest(Message):
    """Request of OffsetCommit, key 8, versions 2 to 10."""

    API_KEY: ClassVar[int] = 8
    VERSIONS: ClassVar[tuple[int, int]] = (2, 10)
    FLEXIBLE_FROM: ClassVar[int | None] = 8
    __slots__ = (
        "group_id",
        "generation_id_or_member_epoch",
        "member_id",
        "group_instance_id",
        "retention_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 363

    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id_or_member_epoch: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        retention_time_ms: int = -1,
        topics: list[OffsetCommitRequest.OffsetCommitRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.generation_id_or_member_epoch = generation_id_or_member_epoch
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.retention_time_ms = retention_time_ms
        self.topics: list[OffsetCommitRequest.OffsetCommitRequestTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class OffsetCommitRequestTopic(Struct):
        """Part of OffsetCommitRequest."""

        __slots__ = (
            "name",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 364

        def __init__(
            self,
            *,
            name: str = "",
            topic_id: bytes = ZERO_UUID,
            partitions: list[OffsetCommitRequest.OffsetCommitRequestPartition] = UNSET,
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.partitions: list[OffsetCommitRequest.OffsetCommitRequestPartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OffsetCommitRequestPartition(Struct):
        """Part of OffsetCommitRequest."""

        __slots__ = (
            "partition_index",
            "committed_offset",
            "committed_leader_epoch",
            "committed_metadata",
        )
        STRUCT: ClassVar[int] = 365

        def __init__(
            self,
            *,
            partition_index: int = 0,
            committed_offset: int = 0,
            committed_leader_epoch: int = -1,
            committed_metadata: str | None = "",
        ) -> None:
            self.partition_index = partition_index
            self.committed_offset = committed_offset
            self.committed_leader_epoch = committed_leader_epoch
            self.committed_metadata = committed_metadata
            self.unknown_tagged_fields = None


class OffsetCommitResponse(Message):
    """Response of OffsetCommit, key 8, versions 2 to 10."""

    API_KEY: ClassVar[int] = 8
    VERSIONS: ClassVar[tuple[int, int]] = (2, 10)
    FLEXIBLE_FROM: ClassVar[int | None] = 8
    __slots__ = (
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 366

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: list[OffsetCommitResponse.OffsetCommitResponseTopic] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[OffsetCommitResponse.OffsetCommitResponseTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class OffsetCommitResponseTopic(Struct):
        """Part of OffsetCommitResponse."""

        __slots__ = (
            "name",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 367

        def __init__(
            self,
            *,
            name: str = "",
            topic_id: bytes = ZERO_UUID,
            partitions: list[OffsetCommitResponse.OffsetCommitResponsePartition] = UNSET,
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.partitions: list[OffsetCommitResponse.OffsetCommitResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OffsetCommitResponsePartition(Struct):
        """Part of OffsetCommitResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
        )
        STRUCT: ClassVar[int] = 368

        def __init__(self, *, partition_index: int = 0, error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.unknown_tagged_fields = None
