# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""OffsetForLeaderEpoch, key 23."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class OffsetForLeaderEpochRequest(Message):
    """Request of OffsetForLeaderEpoch, key 23, versions 2 to 4."""

    API_KEY: ClassVar[int] = 23
    VERSIONS: ClassVar[tuple[int, int]] = (2, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "replica_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 386

    def __init__(
        self, *, replica_id: int = -2, topics: list[OffsetForLeaderEpochRequest.OffsetForLeaderTopic] = UNSET
    ) -> None:
        self.replica_id = replica_id
        self.topics: list[OffsetForLeaderEpochRequest.OffsetForLeaderTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class OffsetForLeaderTopic(Struct):
        """Part of OffsetForLeaderEpochRequest."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 387

        def __init__(
            self, *, topic: str = "", partitions: list[OffsetForLeaderEpochRequest.OffsetForLeaderPartition] = UNSET
        ) -> None:
            self.topic = topic
            self.partitions: list[OffsetForLeaderEpochRequest.OffsetForLeaderPartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OffsetForLeaderPartition(Struct):
        """Part of OffsetForLeaderEpochRequest."""

        __slots__ = (
            "partition",
            "current_leader_epoch",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 388

        def __init__(self, *, partition: int = 0, current_leader_epoch: int = -1, leader_epoch: int = 0) -> None:
            self.partition = partition
            self.current_leader_epoch = current_leader_epoch
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None


class OffsetForLeaderEpochResponse(Message):
    """Response of OffsetForLeaderEpoch, key 23, versions 2 to 4."""

    API_KEY: ClassVar[int] = 23
    VERSIONS: ClassVar[tuple[int, int]] = (2, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 389

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[OffsetForLeaderEpochResponse.OffsetForLeaderTopicResult] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class OffsetForLeaderTopicResult(Struct):
        """Part of OffsetForLeaderEpochResponse."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 390

        def __init__(
            self, *, topic: str = "", partitions: list[OffsetForLeaderEpochResponse.EpochEndOffset] = UNSET
        ) -> None:
            self.topic = topic
            self.partitions: list[OffsetForLeaderEpochResponse.EpochEndOffset] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class EpochEndOffset(Struct):
        """Part of OffsetForLeaderEpochResponse."""

        __slots__ = (
            "error_code",
            "partition",
            "leader_epoch",
            "end_offset",
        )
        STRUCT: ClassVar[int] = 391

        def __init__(
            self, *, error_code: int = 0, partition: int = 0, leader_epoch: int = -1, end_offset: int = -1
        ) -> None:
            self.error_code = error_code
            self.partition = partition
            self.leader_epoch = leader_epoch
            self.end_offset = end_offset
            self.unknown_tagged_fields = None
