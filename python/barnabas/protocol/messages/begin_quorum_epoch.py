# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""BeginQuorumEpoch, key 53."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class BeginQuorumEpochRequest(Message):
    """Request of BeginQuorumEpoch, key 53, versions 0 to 1."""

    API_KEY: ClassVar[int] = 53
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "cluster_id",
        "voter_id",
        "topics",
        "leader_endpoints",
    )
    STRUCT: ClassVar[int] = 71

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        voter_id: int = -1,
        topics: list[BeginQuorumEpochRequest.TopicData] = UNSET,
        leader_endpoints: list[BeginQuorumEpochRequest.LeaderEndpoint] = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics: list[BeginQuorumEpochRequest.TopicData] = [] if topics is UNSET else topics
        self.leader_endpoints: list[BeginQuorumEpochRequest.LeaderEndpoint] = (
            [] if leader_endpoints is UNSET else leader_endpoints
        )
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of BeginQuorumEpochRequest."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 72

        def __init__(
            self, *, topic_name: str = "", partitions: list[BeginQuorumEpochRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[BeginQuorumEpochRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of BeginQuorumEpochRequest."""

        __slots__ = (
            "partition_index",
            "voter_directory_id",
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 73

        def __init__(
            self,
            *,
            partition_index: int = 0,
            voter_directory_id: bytes = ZERO_UUID,
            leader_id: int = 0,
            leader_epoch: int = 0,
        ) -> None:
            self.partition_index = partition_index
            self.voter_directory_id = voter_directory_id
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class LeaderEndpoint(Struct):
        """Part of BeginQuorumEpochRequest."""

        __slots__ = (
            "name",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 74

        def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None


class BeginQuorumEpochResponse(Message):
    """Response of BeginQuorumEpoch, key 53, versions 0 to 1."""

    API_KEY: ClassVar[int] = 53
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "error_code",
        "topics",
        "node_endpoints",
    )
    STRUCT: ClassVar[int] = 75

    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[BeginQuorumEpochResponse.TopicData] = UNSET,
        node_endpoints: list[BeginQuorumEpochResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.topics: list[BeginQuorumEpochResponse.TopicData] = [] if topics is UNSET else topics
        self.node_endpoints: list[BeginQuorumEpochResponse.NodeEndpoint] = (
            [] if node_endpoints is UNSET else node_endpoints
        )
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of BeginQuorumEpochResponse."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 76

        def __init__(
            self, *, topic_name: str = "", partitions: list[BeginQuorumEpochResponse.PartitionData] = UNSET
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[BeginQuorumEpochResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of BeginQuorumEpochResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 77

        def __init__(
            self, *, partition_index: int = 0, error_code: int = 0, leader_id: int = 0, leader_epoch: int = 0
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of BeginQuorumEpochResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 78

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None
