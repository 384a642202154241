# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DeleteRecords, key 21."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DeleteRecordsRequest(Message):
    """Request of DeleteRecords, key 21, versions 0 to 2."""

    API_KEY: ClassVar[int] = 21
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "topics",
        "timeout_ms",
    )
    STRUCT: ClassVar[int] = 160

    def __init__(self, *, topics: list[DeleteRecordsRequest.DeleteRecordsTopic] = UNSET, timeout_ms: int = 0) -> None:
        self.topics: list[DeleteRecordsRequest.DeleteRecordsTopic] = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = None

    class DeleteRecordsTopic(Struct):
        """Part of DeleteRecordsRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 161

        def __init__(
            self, *, name: str = "", partitions: list[DeleteRecordsRequest.DeleteRecordsPartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[DeleteRecordsRequest.DeleteRecordsPartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class DeleteRecordsPartition(Struct):
        """Part of DeleteRecordsRequest."""

        __slots__ = (
            "partition_index",
            "offset",
        )
        STRUCT: ClassVar[int] = 162

        def __init__(self, *, partition_index: int = 0, offset: int = 0) -> None:
            self.partition_index = partition_index
            self.offset = offset
            self.unknown_tagged_fields = None


class DeleteRecordsResponse(Message):
    """Response of DeleteRecords, key 21, versions 0 to 2."""

    API_KEY: ClassVar[int] = 21
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 163

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: list[DeleteRecordsResponse.DeleteRecordsTopicResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[DeleteRecordsResponse.DeleteRecordsTopicResult] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class DeleteRecordsTopicResult(Struct):
        """Part of DeleteRecordsResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 164

        def __init__(
            self, *, name: str = "", partitions: list[DeleteRecordsResponse.DeleteRecordsPartitionResult] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[DeleteRecordsResponse.DeleteRecordsPartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class DeleteRecordsPartitionResult(Struct):
        """Part of DeleteRecordsResponse."""

        __slots__ = (
            "partition_index",
            "low_watermark",
            "error_code",
        )
        STRUCT: ClassVar[int] = 165

        def __init__(self, *, partition_index: int = 0, low_watermark: int = 0, error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.low_watermark = low_watermark
            self.error_code = error_code
            self.unknown_tagged_fields = None
