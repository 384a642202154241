# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""TxnOffsetCommit, key 28."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class TxnOffsetCommitRequest(Message):
    """Request of TxnOffsetCommit, key 28, versions 0 to 5."""

    API_KEY: ClassVar[int] = 28
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "transactional_id",
        "group_id",
        "producer_id",
        "producer_epoch",
        "generation_id",
        "member_id",
        "group_instance_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 561

    def __init__(
        self,
        *,
        transactional_id: str = "",
        group_id: str = "",
        producer_id: int = 0,
        producer_epoch: int = 0,
        generation_id: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        topics: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.group_id = group_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.topics: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TxnOffsetCommitRequestTopic(Struct):
        """Part of TxnOffsetCommitRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 562

        def __init__(
            self, *, name: str = "", partitions: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[TxnOffsetCommitRequest.TxnOffsetCommitRequestPartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class TxnOffsetCommitRequestPartition(Struct):
        """Part of TxnOffsetCommitRequest."""

        __slots__ = (
            "partition_index",
            "committed_offset",
            "committed_leader_epoch",
            "committed_metadata",
        )
        STRUCT: ClassVar[int] = 563

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


class TxnOffsetCommitResponse(Message):
    """Response of TxnOffsetCommit, key 28, versions 0 to 5."""

    API_KEY: ClassVar[int] = 28
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 564

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: list[TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[TxnOffsetCommitResponse.TxnOffsetCommitResponseTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TxnOffsetCommitResponseTopic(Struct):
        """Part of TxnOffsetCommitResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 565

        def __init__(
            self, *, name: str = "", partitions: list[TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[TxnOffsetCommitResponse.TxnOffsetCommitResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class TxnOffsetCommitResponsePartition(Struct):
        """Part of TxnOffsetCommitResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
        )
        STRUCT: ClassVar[int] = 566

        def __init__(self, *, partition_index: int = 0, error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.unknown_tagged_fields = None
