# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AlterShareGroupOffsets, key 91."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class AlterShareGroupOffsetsRequest(Message):
    """Request of AlterShareGroupOffsets, key 91, version 0."""

    API_KEY: ClassVar[int] = 91
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 47

    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestTopic] = (
            [] if topics is UNSET else topics
        )
        self.unknown_tagged_fields = None

    class AlterShareGroupOffsetsRequestTopic(Struct):
        """Part of AlterShareGroupOffsetsRequest."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 48

        def __init__(
            self,
            *,
            topic_name: str = "",
            partitions: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition] = UNSET,
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[AlterShareGroupOffsetsRequest.AlterShareGroupOffsetsRequestPartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class AlterShareGroupOffsetsRequestPartition(Struct):
        """Part of AlterShareGroupOffsetsRequest."""

        __slots__ = (
            "partition_index",
            "start_offset",
        )
        STRUCT: ClassVar[int] = 49

        def __init__(self, *, partition_index: int = 0, start_offset: int = 0) -> None:
            self.partition_index = partition_index
            self.start_offset = start_offset
            self.unknown_tagged_fields = None


class AlterShareGroupOffsetsResponse(Message):
    """Response of AlterShareGroupOffsets, key 91, version 0."""

    API_KEY: ClassVar[int] = 91
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "responses",
    )
    STRUCT: ClassVar[int] = 50

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponseTopic] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponseTopic] = (
            [] if responses is UNSET else responses
        )
        self.unknown_tagged_fields = None

    class AlterShareGroupOffsetsResponseTopic(Struct):
        """Part of AlterShareGroupOffsetsResponse."""

        __slots__ = (
            "topic_name",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 51

        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: bytes = ZERO_UUID,
            partitions: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponsePartition] = UNSET,
        ) -> None:
            self.topic_name = topic_name
            self.topic_id = topic_id
            self.partitions: list[AlterShareGroupOffsetsResponse.AlterShareGroupOffsetsResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class AlterShareGroupOffsetsResponsePartition(Struct):
        """Part of AlterShareGroupOffsetsResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 52

        def __init__(self, *, partition_index: int = 0, error_code: int = 0, error_message: str | None = None) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
