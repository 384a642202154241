# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AlterPartitionReassignments, key 45."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class AlterPartitionReassignmentsRequest(Message):
    """Request of AlterPartitionReassignments, key 45, versions 0 to 1."""

    API_KEY: ClassVar[int] = 45
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "timeout_ms",
        "allow_replication_factor_change",
        "topics",
    )
    STRUCT: ClassVar[int] = 28

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        allow_replication_factor_change: bool = True,
        topics: list[AlterPartitionReassignmentsRequest.ReassignableTopic] = UNSET,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.topics: list[AlterPartitionReassignmentsRequest.ReassignableTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class ReassignableTopic(Struct):
        """Part of AlterPartitionReassignmentsRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 29

        def __init__(
            self, *, name: str = "", partitions: list[AlterPartitionReassignmentsRequest.ReassignablePartition] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[AlterPartitionReassignmentsRequest.ReassignablePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class ReassignablePartition(Struct):
        """Part of AlterPartitionReassignmentsRequest."""

        __slots__ = (
            "partition_index",
            "replicas",
        )
        STRUCT: ClassVar[int] = 30

        def __init__(self, *, partition_index: int = 0, replicas: list[int] | None = None) -> None:
            self.partition_index = partition_index
            self.replicas = replicas
            self.unknown_tagged_fields = None


class AlterPartitionReassignmentsResponse(Message):
    """Response of AlterPartitionReassignments, key 45, versions 0 to 1."""

    API_KEY: ClassVar[int] = 45
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "allow_replication_factor_change",
        "error_code",
        "error_message",
        "responses",
    )
    STRUCT: ClassVar[int] = 31

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        allow_replication_factor_change: bool = True,
        error_code: int = 0,
        error_message: str | None = "",
        responses: list[AlterPartitionReassignmentsResponse.ReassignableTopicResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.allow_replication_factor_change = allow_replication_factor_change
        self.error_code = error_code
        self.error_message = error_message
        self.responses: list[AlterPartitionReassignmentsResponse.ReassignableTopicResponse] = (
            [] if responses is UNSET else responses
        )
        self.unknown_tagged_fields = None

    class ReassignableTopicResponse(Struct):
        """Part of AlterPartitionReassignmentsResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 32

        def __init__(
            self,
            *,
            name: str = "",
            partitions: list[AlterPartitionReassignmentsResponse.ReassignablePartitionResponse] = UNSET,
        ) -> None:
            self.name = name
            self.partitions: list[AlterPartitionReassignmentsResponse.ReassignablePartitionResponse] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class ReassignablePartitionResponse(Struct):
        """Part of AlterPartitionReassignmentsResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 33

        def __init__(self, *, partition_index: int = 0, error_code: int = 0, error_message: str | None = "") -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
