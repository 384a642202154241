# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""EndQuorumEpoch, key 54."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class EndQuorumEpochRequest(Message):
    """Request of EndQuorumEpoch, key 54, versions 0 to 1."""

    API_KEY: ClassVar[int] = 54
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "cluster_id",
        "topics",
        "leader_endpoints",
    )
    STRUCT: ClassVar[int] = 257

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        topics: list[EndQuorumEpochRequest.TopicData] = UNSET,
        leader_endpoints: list[EndQuorumEpochRequest.LeaderEndpoint] = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.topics: list[EndQuorumEpochRequest.TopicData] = [] if topics is UNSET else topics
        self.leader_endpoints: list[EndQuorumEpochRequest.LeaderEndpoint] = (
            [] if leader_endpoints is UNSET else leader_endpoints
        )
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of EndQuorumEpochRequest."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 258

        def __init__(
            self, *, topic_name: str = "", partitions: list[EndQuorumEpochRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[EndQuorumEpochRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of EndQuorumEpochRequest."""

        __slots__ = (
            "partition_index",
            "leader_id",
            "leader_epoch",
            "preferred_successors",
            "preferred_candidates",
        )
        STRUCT: ClassVar[int] = 259

        def __init__(
            self,
            *,
            partition_index: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            preferred_successors: list[int] = UNSET,
            preferred_candidates: list[EndQuorumEpochRequest.ReplicaInfo] = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.preferred_successors: list[int] = [] if preferred_successors is UNSET else preferred_successors
            self.preferred_candidates: list[EndQuorumEpochRequest.ReplicaInfo] = (
                [] if preferred_candidates is UNSET else preferred_candidates
            )
            self.unknown_tagged_fields = None

    class ReplicaInfo(Struct):
        """Part of EndQuorumEpochRequest."""

        __slots__ = (
            "candidate_id",
            "candidate_directory_id",
        )
        STRUCT: ClassVar[int] = 260

        def __init__(self, *, candidate_id: int = 0, candidate_directory_id: bytes = ZERO_UUID) -> None:
            self.candidate_id = candidate_id
            self.candidate_directory_id = candidate_directory_id
            self.unknown_tagged_fields = None

    class LeaderEndpoint(Struct):
        """Part of EndQuorumEpochRequest."""

        __slots__ = (
            "name",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 261

        def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None


class EndQuorumEpochResponse(Message):
    """Response of EndQuorumEpoch, key 54, versions 0 to 1."""

    API_KEY: ClassVar[int] = 54
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "error_code",
        "topics",
        "node_endpoints",
    )
    STRUCT: ClassVar[int] = 262

    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[EndQuorumEpochResponse.TopicData] = UNSET,
        node_endpoints: list[EndQuorumEpochResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.topics: list[EndQuorumEpochResponse.TopicData] = [] if topics is UNSET else topics
        self.node_endpoints: list[EndQuorumEpochResponse.NodeEndpoint] = (
            [] if node_endpoints is UNSET else node_endpoints
        )
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of EndQuorumEpochResponse."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 263

        def __init__(
            self, *, topic_name: str = "", partitions: list[EndQuorumEpochResponse.PartitionData] = UNSET
        ) -> None:
            self.topic_name = topic_name
            self.partitions: list[EndQuorumEpochResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of EndQuorumEpochResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 264

        def __init__(
            self, *, partition_index: int = 0, error_code: int = 0, leader_id: int = 0, leader_epoch: int = 0
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of EndQuorumEpochResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 265

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None
