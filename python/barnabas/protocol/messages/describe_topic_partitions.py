# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeTopicPartitions, key 75."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class DescribeTopicPartitionsRequest(Message):
    """Request of DescribeTopicPartitions, key 75, version 0."""

    API_KEY: ClassVar[int] = 75
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "topics",
        "response_partition_limit",
        "cursor",
    )
    STRUCT: ClassVar[int] = 236

    def __init__(
        self,
        *,
        topics: list[DescribeTopicPartitionsRequest.TopicRequest] = UNSET,
        response_partition_limit: int = 2000,
        cursor: DescribeTopicPartitionsRequest.Cursor | None = None,
    ) -> None:
        self.topics: list[DescribeTopicPartitionsRequest.TopicRequest] = [] if topics is UNSET else topics
        self.response_partition_limit = response_partition_limit
        self.cursor = cursor
        self.unknown_tagged_fields = None

    class TopicRequest(Struct):
        """Part of DescribeTopicPartitionsRequest."""

        __slots__ = ("name",)
        STRUCT: ClassVar[int] = 237

        def __init__(self, *, name: str = "") -> None:
            self.name = name
            self.unknown_tagged_fields = None

    class Cursor(Struct):
        """Part of DescribeTopicPartitionsRequest."""

        __slots__ = (
            "topic_name",
            "partition_index",
        )
        STRUCT: ClassVar[int] = 238

        def __init__(self, *, topic_name: str = "", partition_index: int = 0) -> None:
            self.topic_name = topic_name
            self.partition_index = partition_index
            self.unknown_tagged_fields = None


class DescribeTopicPartitionsResponse(Message):
    """Response of DescribeTopicPartitions, key 75, version 0."""

    API_KEY: ClassVar[int] = 75
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "topics",
        "next_cursor",
    )
    STRUCT: ClassVar[int] = 239

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        topics: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic] = UNSET,
        next_cursor: DescribeTopicPartitionsResponse.Cursor | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponseTopic] = (
            [] if topics is UNSET else topics
        )
        self.next_cursor = next_cursor
        self.unknown_tagged_fields = None

    class DescribeTopicPartitionsResponseTopic(Struct):
        """Part of DescribeTopicPartitionsResponse."""

        __slots__ = (
            "error_code",
            "name",
            "topic_id",
            "is_internal",
            "partitions",
            "topic_authorized_operations",
        )
        STRUCT: ClassVar[int] = 240

        def __init__(
            self,
            *,
            error_code: int = 0,
            name: str | None = "",
            topic_id: bytes = ZERO_UUID,
            is_internal: bool = False,
            partitions: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition] = UNSET,
            topic_authorized_operations: int = -2147483648,
        ) -> None:
            self.error_code = error_code
            self.name = name
            self.topic_id = topic_id
            self.is_internal = is_internal
            self.partitions: list[DescribeTopicPartitionsResponse.DescribeTopicPartitionsResponsePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.topic_authorized_operations = topic_authorized_operations
            self.unknown_tagged_fields = None

    class DescribeTopicPartitionsResponsePartition(Struct):
        """Part of DescribeTopicPartitionsResponse."""

        __slots__ = (
            "error_code",
            "partition_index",
            "leader_id",
            "leader_epoch",
            "replica_nodes",
            "isr_nodes",
            "eligible_leader_replicas",
            "last_known_elr",
            "offline_replicas",
        )
        STRUCT: ClassVar[int] = 241

        def __init__(
            self,
            *,
            error_code: int = 0,
            partition_index: int = 0,
            leader_id: int = 0,
            leader_epoch: int = -1,
            replica_nodes: list[int] = UNSET,
            isr_nodes: list[int] = UNSET,
            eligible_leader_replicas: list[int] | None = None,
            last_known_elr: list[int] | None = None,
            offline_replicas: list[int] = UNSET,
        ) -> None:
            self.error_code = error_code
            self.partition_index = partition_index
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.replica_nodes: list[int] = [] if replica_nodes is UNSET else replica_nodes
            self.isr_nodes: list[int] = [] if isr_nodes is UNSET else isr_nodes
            self.eligible_leader_replicas = eligible_leader_replicas
            self.last_known_elr = last_known_elr
            self.offline_replicas: list[int] = [] if offline_replicas is UNSET else offline_replicas
            self.unknown_tagged_fields = None

    class Cursor(Struct):
        """Part of DescribeTopicPartitionsResponse."""

        __slots__ = (
            "topic_name",
            "partition_index",
        )
        STRUCT: ClassVar[int] = 242

        def __init__(self, *, topic_name: str = "", partition_index: int = 0) -> None:
            self.topic_name = topic_name
            self.partition_index = partition_index
            self.unknown_tagged_fields = None
