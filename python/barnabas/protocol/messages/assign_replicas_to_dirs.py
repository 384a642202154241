# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AssignReplicasToDirs, key 73."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class AssignReplicasToDirsRequest(Message):
    """Request of AssignReplicasToDirs, key 73, version 0."""

    API_KEY: ClassVar[int] = 73
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "broker_epoch",
        "directories",
    )
    STRUCT: ClassVar[int] = 63

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        directories: list[AssignReplicasToDirsRequest.DirectoryData] = UNSET,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.directories: list[AssignReplicasToDirsRequest.DirectoryData] = [] if directories is UNSET else directories
        self.unknown_tagged_fields = None

    class DirectoryData(Struct):
        """Part of AssignReplicasToDirsRequest."""

        __slots__ = (
            "id",
            "topics",
        )
        STRUCT: ClassVar[int] = 64

        def __init__(
            self, *, id: bytes = ZERO_UUID, topics: list[AssignReplicasToDirsRequest.TopicData] = UNSET
        ) -> None:
            self.id = id
            self.topics: list[AssignReplicasToDirsRequest.TopicData] = [] if topics is UNSET else topics
            self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of AssignReplicasToDirsRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 65

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[AssignReplicasToDirsRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[AssignReplicasToDirsRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of AssignReplicasToDirsRequest."""

        __slots__ = ("partition_index",)
        STRUCT: ClassVar[int] = 66

        def __init__(self, *, partition_index: int = 0) -> None:
            self.partition_index = partition_index
            self.unknown_tagged_fields = None


class AssignReplicasToDirsResponse(Message):
    """Response of AssignReplicasToDirs, key 73, version 0."""

    API_KEY: ClassVar[int] = 73
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "directories",
    )
    STRUCT: ClassVar[int] = 67

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        directories: list[AssignReplicasToDirsResponse.DirectoryData] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.directories: list[AssignReplicasToDirsResponse.DirectoryData] = [] if directories is UNSET else directories
        self.unknown_tagged_fields = None

    class DirectoryData(Struct):
        """Part of AssignReplicasToDirsResponse."""

        __slots__ = (
            "id",
            "topics",
        )
        STRUCT: ClassVar[int] = 68

        def __init__(
            self, *, id: bytes = ZERO_UUID, topics: list[AssignReplicasToDirsResponse.TopicData] = UNSET
        ) -> None:
            self.id = id
            self.topics: list[AssignReplicasToDirsResponse.TopicData] = [] if topics is UNSET else topics
            self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of AssignReplicasToDirsResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 69

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[AssignReplicasToDirsResponse.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[AssignReplicasToDirsResponse.PartitionData] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of AssignReplicasToDirsResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
        )
        STRUCT: ClassVar[int] = 70

        def __init__(self, *, partition_index: int = 0, error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.unknown_tagged_fields = None
