# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""OffsetFetch, key 9."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class OffsetFetchRequest(Message):
    """Request of OffsetFetch, key 9, versions 1 to 10."""

    API_KEY: ClassVar[int] = 9
    VERSIONS: ClassVar[tuple[int, int]] = (1, 10)
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    __slots__ = (
        "group_id",
        "topics",
        "groups",
        "require_stable",
    )
    STRUCT: ClassVar[int] = 376

    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[OffsetFetchRequest.OffsetFetchRequestTopic] | None = UNSET,
        groups: list[OffsetFetchRequest.OffsetFetchRequestGroup] = UNSET,
        require_stable: bool = False,
    ) -> None:
        self.group_id = group_id
        self.topics: list[OffsetFetchRequest.OffsetFetchRequestTopic] | None = [] if topics is UNSET else topics
        self.groups: list[OffsetFetchRequest.OffsetFetchRequestGroup] = [] if groups is UNSET else groups
        self.require_stable = require_stable
        self.unknown_tagged_fields = None

    class OffsetFetchRequestTopic(Struct):
        """Part of OffsetFetchRequest."""

        __slots__ = (
            "name",
            "partition_indexes",
        )
        STRUCT: ClassVar[int] = 377

        def __init__(self, *, name: str = "", partition_indexes: list[int] = UNSET) -> None:
            self.name = name
            self.partition_indexes: list[int] = [] if partition_indexes is UNSET else partition_indexes
            self.unknown_tagged_fields = None

    class OffsetFetchRequestGroup(Struct):
        """Part of OffsetFetchRequest."""

        __slots__ = (
            "group_id",
            "member_id",
            "member_epoch",
            "topics",
        )
        STRUCT: ClassVar[int] = 378

        def __init__(
            self,
            *,
            group_id: str = "",
            member_id: str | None = None,
            member_epoch: int = -1,
            topics: list[OffsetFetchRequest.OffsetFetchRequestTopics] | None = UNSET,
        ) -> None:
            self.group_id = group_id
            self.member_id = member_id
            self.member_epoch = member_epoch
            self.topics: list[OffsetFetchRequest.OffsetFetchRequestTopics] | None = [] if topics is UNSET else topics
            self.unknown_tagged_fields = None

    class OffsetFetchRequestTopics(Struct):
        """Part of OffsetFetchRequest."""

        __slots__ = (
            "name",
            "topic_id",
            "partition_indexes",
        )
        STRUCT: ClassVar[int] = 379

        def __init__(
            self, *, name: str = "", topic_id: bytes = ZERO_UUID, partition_indexes: list[int] = UNSET
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.partition_indexes: list[int] = [] if partition_indexes is UNSET else partition_indexes
            self.unknown_tagged_fields = None


class OffsetFetchResponse(Message):
    """Response of OffsetFetch, key 9, versions 1 to 10."""

    API_KEY: ClassVar[int] = 9
    VERSIONS: ClassVar[tuple[int, int]] = (1, 10)
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    __slots__ = (
        "throttle_time_ms",
        "topics",
        "error_code",
        "groups",
    )
    STRUCT: ClassVar[int] = 380

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[OffsetFetchResponse.OffsetFetchResponseTopic] = UNSET,
        error_code: int = 0,
        groups: list[OffsetFetchResponse.OffsetFetchResponseGroup] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[OffsetFetchResponse.OffsetFetchResponseTopic] = [] if topics is UNSET else topics
        self.error_code = error_code
        self.groups: list[OffsetFetchResponse.OffsetFetchResponseGroup] = [] if groups is UNSET else groups
        self.unknown_tagged_fields = None

    class OffsetFetchResponseTopic(Struct):
        """Part of OffsetFetchResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 381

        def __init__(
            self, *, name: str = "", partitions: list[OffsetFetchResponse.OffsetFetchResponsePartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[OffsetFetchResponse.OffsetFetchResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OffsetFetchResponsePartition(Struct):
        """Part of OffsetFetchResponse."""

        __slots__ = (
            "partition_index",
            "committed_offset",
            "committed_leader_epoch",
            "metadata",
            "error_code",
        )
        STRUCT: ClassVar[int] = 382

        def __init__(
            self,
            *,
            partition_index: int = 0,
            committed_offset: int = 0,
            committed_leader_epoch: int = -1,
            metadata: str | None = "",
            error_code: int = 0,
        ) -> None:
            self.partition_index = partition_index
            self.committed_offset = committed_offset
            self.committed_leader_epoch = committed_leader_epoch
            self.metadata = metadata
            self.error_code = error_code
            self.unknown_tagged_fields = None

    class OffsetFetchResponseGroup(Struct):
        """Part of OffsetFetchResponse."""

        __slots__ = (
            "group_id",
            "topics",
            "error_code",
        )
        STRUCT: ClassVar[int] = 383

        def __init__(
            self,
            *,
            group_id: str = "",
            topics: list[OffsetFetchResponse.OffsetFetchResponseTopics] = UNSET,
            error_code: int = 0,
        ) -> None:
            self.group_id = group_id
            self.topics: list[OffsetFetchResponse.OffsetFetchResponseTopics] = [] if topics is UNSET else topics
            self.error_code = error_code
            self.unknown_tagged_fields = None

    class OffsetFetchResponseTopics(Struct):
        """Part of OffsetFetchResponse."""

        __slots__ = (
            "name",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 384

        def __init__(
            self,
            *,
            name: str = "",
            topic_id: bytes = ZERO_UUID,
            partitions: list[OffsetFetchResponse.OffsetFetchResponsePartitions] = UNSET,
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.partitions: list[OffsetFetchResponse.OffsetFetchResponsePartitions] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OffsetFetchResponsePartitions(Struct):
        """Part of OffsetFetchResponse."""

        __slots__ = (
            "partition_index",
            "committed_offset",
            "committed_leader_epoch",
            "metadata",
            "error_code",
        )
        STRUCT: ClassVar[int] = 385

        def __init__(
            self,
            *,
            partition_index: int = 0,
            committed_offset: int = 0,
            committed_leader_epoch: int = -1,
            metadata: str | None = "",
            error_code: int = 0,
        ) -> None:
            self.partition_index = partition_index
            self.committed_offset = committed_offset
            self.committed_leader_epoch = committed_leader_epoch
            self.metadata = metadata
            self.error_code = error_code
            self.unknown_tagged_fields = None
