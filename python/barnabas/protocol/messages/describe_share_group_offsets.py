# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeShareGroupOffsets, key 90."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class DescribeShareGroupOffsetsRequest(Message):
    """Request of DescribeShareGroupOffsets, key 90, versions 0 to 1."""

    API_KEY: ClassVar[int] = 90
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("groups",)
    STRUCT: ClassVar[int] = 229

    def __init__(
        self, *, groups: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup] = UNSET
    ) -> None:
        self.groups: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestGroup] = (
            [] if groups is UNSET else groups
        )
        self.unknown_tagged_fields = None

    class DescribeShareGroupOffsetsRequestGroup(Struct):
        """Part of DescribeShareGroupOffsetsRequest."""

        __slots__ = (
            "group_id",
            "topics",
        )
        STRUCT: ClassVar[int] = 230

        def __init__(
            self,
            *,
            group_id: str = "",
            topics: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic] | None = UNSET,
        ) -> None:
            self.group_id = group_id
            self.topics: list[DescribeShareGroupOffsetsRequest.DescribeShareGroupOffsetsRequestTopic] | None = (
                [] if topics is UNSET else topics
            )
            self.unknown_tagged_fields = None

    class DescribeShareGroupOffsetsRequestTopic(Struct):
        """Part of DescribeShareGroupOffsetsRequest."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 231

        def __init__(self, *, topic_name: str = "", partitions: list[int] = UNSET) -> None:
            self.topic_name = topic_name
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class DescribeShareGroupOffsetsResponse(Message):
    """Response of DescribeShareGroupOffsets, key 90, versions 0 to 1."""

    API_KEY: ClassVar[int] = 90
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "groups",
    )
    STRUCT: ClassVar[int] = 232

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        groups: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseGroup] = (
            [] if groups is UNSET else groups
        )
        self.unknown_tagged_fields = None

    class DescribeShareGroupOffsetsResponseGroup(Struct):
        """Part of DescribeShareGroupOffsetsResponse."""

        __slots__ = (
            "group_id",
            "topics",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 233

        def __init__(
            self,
            *,
            group_id: str = "",
            topics: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseTopic] = UNSET,
            error_code: int = 0,
            error_message: str | None = None,
        ) -> None:
            self.group_id = group_id
            self.topics: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponseTopic] = (
                [] if topics is UNSET else topics
            )
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None

    class DescribeShareGroupOffsetsResponseTopic(Struct):
        """Part of DescribeShareGroupOffsetsResponse."""

        __slots__ = (
            "topic_name",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 234

        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: bytes = ZERO_UUID,
            partitions: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponsePartition] = UNSET,
        ) -> None:
            self.topic_name = topic_name
            self.topic_id = topic_id
            self.partitions: list[DescribeShareGroupOffsetsResponse.DescribeShareGroupOffsetsResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class DescribeShareGroupOffsetsResponsePartition(Struct):
        """Part of DescribeShareGroupOffsetsResponse."""

        __slots__ = (
            "partition_index",
            "start_offset",
            "leader_epoch",
            "lag",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 235

        def __init__(
            self,
            *,
            partition_index: int = 0,
            start_offset: int = 0,
            leader_epoch: int = 0,
            lag: int = -1,
            error_code: int = 0,
            error_message: str | None = None,
        ) -> None:
            self.partition_index = partition_index
            self.start_offset = start_offset
            self.leader_epoch = leader_epoch
            self.lag = lag
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
