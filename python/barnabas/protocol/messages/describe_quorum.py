# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeQuorum, key 55."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class DescribeQuorumRequest(Message):
    """Request of DescribeQuorum, key 55, versions 0 to 2."""

    API_KEY: ClassVar[int] = 55
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("topics",)
    STRUCT: ClassVar[int] = 220

    def __init__(self, *, topics: list[DescribeQuorumRequest.TopicData] = UNSET) -> None:
        self.topics: list[DescribeQuorumRequest.TopicData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of DescribeQuorumRequest."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 221

        def __init__(
            self, *, topic_name: str = "", partitions: list[DescribeQuorumRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[DescribeQuorumRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of DescribeQuorumRequest."""

        __slots__ = ("partition_index",)
        STRUCT: ClassVar[int] = 222

        def __init__(self, *, partition_index: int = 0) -> None:
            self.partition_index = partition_index
            self.unknown_tagged_fields = None


class DescribeQuorumResponse(Message):
    """Response of DescribeQuorum, key 55, versions 0 to 2."""

    API_KEY: ClassVar[int] = 55
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "error_code",
        "error_message",
        "topics",
        "nodes",
    )
    STRUCT: ClassVar[int] = 223

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = "",
        topics: list[DescribeQuorumResponse.TopicData] = UNSET,
        nodes: list[DescribeQuorumResponse.Node] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.topics: list[DescribeQuorumResponse.TopicData] = [] if topics is UNSET else topics
        self.nodes: list[DescribeQuorumResponse.Node] = [] if nodes is UNSET else nodes
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of DescribeQuorumResponse."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 224

        def __init__(
            self, *, topic_name: str = "", partitions: list[DescribeQuorumResponse.PartitionData] = UNSET
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[DescribeQuorumResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of DescribeQuorumResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "error_message",
            "leader_id",
            "leader_epoch",
            "high_watermark",
            "current_voters",
            "observers",
        )
        STRUCT: ClassVar[int] = 225

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = "",
            leader_id: int = 0,
            leader_epoch: int = 0,
            high_watermark: int = 0,
            current_voters: list[DescribeQuorumResponse.ReplicaState] = UNSET,
            observers: list[DescribeQuorumResponse.ReplicaState] = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.error_message = error_message
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.high_watermark = high_watermark
            self.current_voters: list[DescribeQuorumResponse.ReplicaState] = (
                [] if current_voters is UNSET else current_voters
            )
            self.observers: list[DescribeQuorumResponse.ReplicaState] = [] if observers is UNSET else observers
            self.unknown_tagged_fields = None

    class ReplicaState(Struct):
        """Part of DescribeQuorumResponse."""

        __slots__ = (
            "replica_id",
            "replica_directory_id",
            "log_end_offset",
            "last_fetch_timestamp",
            "last_caught_up_timestamp",
        )
        STRUCT: ClassVar[int] = 226

        def __init__(
            self,
            *,
            replica_id: int = 0,
            replica_directory_id: bytes = ZERO_UUID,
            log_end_offset: int = 0,
            last_fetch_timestamp: int = -1,
            last_caught_up_timestamp: int = -1,
        ) -> None:
            self.replica_id = replica_id
            self.replica_directory_id = replica_directory_id
            self.log_end_offset = log_end_offset
            self.last_fetch_timestamp = last_fetch_timestamp
            self.last_caught_up_timestamp = last_caught_up_timestamp
            self.unknown_tagged_fields = None

    class Node(Struct):
        """Part of DescribeQuorumResponse."""

        __slots__ = (
            "node_id",
            "listeners",
        )
        STRUCT: ClassVar[int] = 227

        def __init__(self, *, node_id: int = 0, listeners: list[DescribeQuorumResponse.Listener] = UNSET) -> None:
            self.node_id = node_id
            self.listeners: list[DescribeQuorumResponse.Listener] = [] if listeners is UNSET else listeners
            self.unknown_tagged_fields = None

    class Listener(Struct):
        """Part of DescribeQuorumResponse."""

        __slots__ = (
            "name",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 228

        def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None
