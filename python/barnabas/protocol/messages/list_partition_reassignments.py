# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ListPartitionReassignments, key 46."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ListPartitionReassignmentsRequest(Message):
    """Request of ListPartitionReassignments, key 46, version 0."""

    API_KEY: ClassVar[int] = 46
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "timeout_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 347

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        topics: list[ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics] | None = None,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.topics = topics
        self.unknown_tagged_fields = None

    class ListPartitionReassignmentsTopics(Struct):
        """Part of ListPartitionReassignmentsRequest."""

        __slots__ = (
            "name",
            "partition_indexes",
        )
        STRUCT: ClassVar[int] = 348

        def __init__(self, *, name: str = "", partition_indexes: list[int] = UNSET) -> None:
            self.name = name
            self.partition_indexes: list[int] = [] if partition_indexes is UNSET else partition_indexes
            self.unknown_tagged_fields = None


class ListPartitionReassignmentsResponse(Message):
    """Response of ListPartitionReassignments, key 46, version 0."""

    API_KEY: ClassVar[int] = 46
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "topics",
    )
    STRUCT: ClassVar[int] = 349

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[ListPartitionReassignmentsResponse.OngoingTopicReassignment] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.topics: list[ListPartitionReassignmentsResponse.OngoingTopicReassignment] = (
            [] if topics is UNSET else topics
        )
        self.unknown_tagged_fields = None

    class OngoingTopicReassignment(Struct):
        """Part of ListPartitionReassignmentsResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 350

        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[ListPartitionReassignmentsResponse.OngoingPartitionReassignment] = UNSET,
        ) -> None:
            self.name = name
            self.partitions: list[ListPartitionReassignmentsResponse.OngoingPartitionReassignment] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class OngoingPartitionReassignment(Struct):
        """Part of ListPartitionReassignmentsResponse."""

        __slots__ = (
            "partition_index",
            "replicas",
            "adding_replicas",
            "removing_replicas",
        )
        STRUCT: ClassVar[int] = 351

        def __init__(
            self,
            *,
            partition_index: int = 0,
            replicas: list[int] = UNSET,
            adding_replicas: list[int] = UNSET,
            removing_replicas: list[int] = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.replicas: list[int] = [] if replicas is UNSET else replicas
            self.adding_replicas: list[int] = [] if adding_replicas is UNSET else adding_replicas
            self.removing_replicas: list[int] = [] if removing_replicas is UNSET else removing_replicas
            self.unknown_tagged_fields = None
