# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AlterReplicaLogDirs, key 34."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class AlterReplicaLogDirsRequest(Message):
    """Request of AlterReplicaLogDirs, key 34, versions 1 to 2."""

    API_KEY: ClassVar[int] = 34
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = ("dirs",)
    STRUCT: ClassVar[int] = 41

    def __init__(self, *, dirs: list[AlterReplicaLogDirsRequest.AlterReplicaLogDir] = UNSET) -> None:
        self.dirs: list[AlterReplicaLogDirsRequest.AlterReplicaLogDir] = [] if dirs is UNSET else dirs
        self.unknown_tagged_fields = None

    class AlterReplicaLogDir(Struct):
        """Part of AlterReplicaLogDirsRequest."""

        __slots__ = (
            "path",
            "topics",
        )
        STRUCT: ClassVar[int] = 42

        def __init__(
            self, *, path: str = "", topics: list[AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic] = UNSET
        ) -> None:
            self.path = path
            self.topics: list[AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic] = [] if topics is UNSET else topics
            self.unknown_tagged_fields = None

    class AlterReplicaLogDirTopic(Struct):
        """Part of AlterReplicaLogDirsRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 43

        def __init__(self, *, name: str = "", partitions: list[int] = UNSET) -> None:
            self.name = name
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class AlterReplicaLogDirsResponse(Message):
    """Response of AlterReplicaLogDirs, key 34, versions 1 to 2."""

    API_KEY: ClassVar[int] = 34
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "results",
    )
    STRUCT: ClassVar[int] = 44

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult] = (
            [] if results is UNSET else results
        )
        self.unknown_tagged_fields = None

    class AlterReplicaLogDirTopicResult(Struct):
        """Part of AlterReplicaLogDirsResponse."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 45

        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult] = UNSET,
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[AlterReplicaLogDirsResponse.AlterReplicaLogDirPartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class AlterReplicaLogDirPartitionResult(Struct):
        """Part of AlterReplicaLogDirsResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
        )
        STRUCT: ClassVar[int] = 46

        def __init__(self, *, partition_index: int = 0, error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.unknown_tagged_fields = None
