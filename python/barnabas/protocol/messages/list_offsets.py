# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ListOffsets, key 2."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ListOffsetsRequest(Message):
    """Request of ListOffsets, key 2, versions 1 to 11."""

    API_KEY: ClassVar[int] = 2
    VERSIONS: ClassVar[tuple[int, int]] = (1, 11)
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    __slots__ = (
        "replica_id",
        "isolation_level",
        "topics",
        "timeout_ms",
    )
    STRUCT: ClassVar[int] = 341

    def __init__(
        self,
        *,
        replica_id: int = 0,
        isolation_level: int = 0,
        topics: list[ListOffsetsRequest.ListOffsetsTopic] = UNSET,
        timeout_ms: int = 0,
    ) -> None:
        self.replica_id = replica_id
        self.isolation_level = isolation_level
        self.topics: list[ListOffsetsRequest.ListOffsetsTopic] = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = None

    class ListOffsetsTopic(Struct):
        """Part of ListOffsetsRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 342

        def __init__(
            self, *, name: str = "", partitions: list[ListOffsetsRequest.ListOffsetsPartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[ListOffsetsRequest.ListOffsetsPartition] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class ListOffsetsPartition(Struct):
        """Part of ListOffsetsRequest."""

        __slots__ = (
            "partition_index",
            "current_leader_epoch",
            "timestamp",
        )
        STRUCT: ClassVar[int] = 343

        def __init__(self, *, partition_index: int = 0, current_leader_epoch: int = -1, timestamp: int = 0) -> None:
            self.partition_index = partition_index
            self.current_leader_epoch = current_leader_epoch
            self.timestamp = timestamp
            self.unknown_tagged_fields = None


class ListOffsetsResponse(Message):
    """Response of ListOffsets, key 2, versions 1 to 11."""

    API_KEY: ClassVar[int] = 2
    VERSIONS: ClassVar[tuple[int, int]] = (1, 11)
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    __slots__ = (
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 344

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: list[ListOffsetsResponse.ListOffsetsTopicResponse] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[ListOffsetsResponse.ListOffsetsTopicResponse] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class ListOffsetsTopicResponse(Struct):
        """Part of ListOffsetsResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 345

        def __init__(
            self, *, name: str = "", partitions: list[ListOffsetsResponse.ListOffsetsPartitionResponse] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[ListOffsetsResponse.ListOffsetsPartitionResponse] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class ListOffsetsPartitionResponse(Struct):
        """Part of ListOffsetsResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "timestamp",
            "offset",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 346

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            timestamp: int = -1,
            offset: int = -1,
            leader_epoch: int = -1,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.timestamp = timestamp
            self.offset = offset
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None
