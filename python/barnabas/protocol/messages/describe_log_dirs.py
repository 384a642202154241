# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeLogDirs, key 35."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeLogDirsRequest(Message):
    """Request of DescribeLogDirs, key 35, versions 1 to 5."""

    API_KEY: ClassVar[int] = 35
    VERSIONS: ClassVar[tuple[int, int]] = (1, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = ("topics",)
    STRUCT: ClassVar[int] = 208

    def __init__(self, *, topics: list[DescribeLogDirsRequest.DescribableLogDirTopic] | None = UNSET) -> None:
        self.topics: list[DescribeLogDirsRequest.DescribableLogDirTopic] | None = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class DescribableLogDirTopic(Struct):
        """Part of DescribeLogDirsRequest."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 209

        def __init__(self, *, topic: str = "", partitions: list[int] = UNSET) -> None:
            self.topic = topic
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class DescribeLogDirsResponse(Message):
    """Response of DescribeLogDirs, key 35, versions 1 to 5."""

    API_KEY: ClassVar[int] = 35
    VERSIONS: ClassVar[tuple[int, int]] = (1, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "results",
    )
    STRUCT: ClassVar[int] = 210

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        results: list[DescribeLogDirsResponse.DescribeLogDirsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.results: list[DescribeLogDirsResponse.DescribeLogDirsResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class DescribeLogDirsResult(Struct):
        """Part of DescribeLogDirsResponse."""

        __slots__ = (
            "error_code",
            "log_dir",
            "topics",
            "total_bytes",
            "usable_bytes",
            "is_cordoned",
        )
        STRUCT: ClassVar[int] = 211

        def __init__(
            self,
            *,
            error_code: int = 0,
            log_dir: str = "",
            topics: list[DescribeLogDirsResponse.DescribeLogDirsTopic] = UNSET,
            total_bytes: int = -1,
            usable_bytes: int = -1,
            is_cordoned: bool = False,
        ) -> None:
            self.error_code = error_code
            self.log_dir = log_dir
            self.topics: list[DescribeLogDirsResponse.DescribeLogDirsTopic] = [] if topics is UNSET else topics
            self.total_bytes = total_bytes
            self.usable_bytes = usable_bytes
            self.is_cordoned = is_cordoned
            self.unknown_tagged_fields = None

    class DescribeLogDirsTopic(Struct):
        """Part of DescribeLogDirsResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 212

        def __init__(
            self, *, name: str = "", partitions: list[DescribeLogDirsResponse.DescribeLogDirsPartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[DescribeLogDirsResponse.DescribeLogDirsPartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class DescribeLogDirsPartition(Struct):
        """Part of DescribeLogDirsResponse."""

        __slots__ = (
            "partition_index",
            "partition_size",
            "offset_lag",
            "is_future_key",
        )
        STRUCT: ClassVar[int] = 213

        def __init__(
            self, *, partition_index: int = 0, partition_size: int = 0, offset_lag: int = 0, is_future_key: bool = False
        ) -> None:
            self.partition_index = partition_index
            self.partition_size = partition_size
            self.offset_lag = offset_lag
            self.is_future_key = is_future_key
            self.unknown_tagged_fields = None
