# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""OffsetDelete, key 47."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class OffsetDeleteRequest(Message):
    """Request of OffsetDelete, key 47, version 0."""

    API_KEY: ClassVar[int] = 47
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 370

    def __init__(
        self, *, group_id: str = "", topics: list[OffsetDeleteRequest.OffsetDeleteRequestTopic] = UNSET
    ) -> None:
        self.group_id = group_id
        self.topics: list[OffsetDeleteRequest.OffsetDeleteRequestTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class OffsetDeleteRequestTopic(Struct):
        """Part of OffsetDeleteRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 371

        def __init__(
            self, *, name: str = "", partitions: list[OffsetDeleteRequest.OffsetDeleteRequestPartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[OffsetDeleteRequest.OffsetDeleteRequestPartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OffsetDeleteRequestPartition(Struct):
        """Part of OffsetDeleteRequest."""

        __slots__ = ("partition_index",)
        STRUCT: ClassVar[int] = 372

        def __init__(self, *, partition_index: int = 0) -> None:
            self.partition_index = partition_index
            self.unknown_tagged_fields = None


class OffsetDeleteResponse(Message):
    """Response of OffsetDelete, key 47, version 0."""

    API_KEY: ClassVar[int] = 47
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "error_code",
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 373

    def __init__(
        self,
        *,
        error_code: int = 0,
        throttle_time_ms: int = 0,
        topics: list[OffsetDeleteResponse.OffsetDeleteResponseTopic] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[OffsetDeleteResponse.OffsetDeleteResponseTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class OffsetDeleteResponseTopic(Struct):
        """Part of OffsetDeleteResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 374

        def __init__(
            self, *, name: str = "", partitions: list[OffsetDeleteResponse.OffsetDeleteResponsePartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[OffsetDeleteResponse.OffsetDeleteResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OffsetDeleteResponsePartition(Struct):
        """Part of OffsetDeleteResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
        )
        STRUCT: ClassVar[int] = 375

        def __init__(self, *, partition_index: int = 0, error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.unknown_tagged_fields = None
