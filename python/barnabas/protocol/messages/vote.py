# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""Vote, key 52."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class VoteRequest(Message):
    """Request of Vote, key 52, versions 0 to 2."""

    API_KEY: ClassVar[int] = 52
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "cluster_id",
        "voter_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 581

    def __init__(
        self, *, cluster_id: str | None = None, voter_id: int = -1, topics: list[VoteRequest.TopicData] = UNSET
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.topics: list[VoteRequest.TopicData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of VoteRequest."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 582

        def __init__(self, *, topic_name: str = "", partitions: list[VoteRequest.PartitionData] = UNSET) -> None:
            self.topic_name = topic_name
            self.partitions: list[VoteRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of VoteRequest."""

        __slots__ = (
            "partition_index",
            "replica_epoch",
            "replica_id",
            "replica_directory_id",
            "voter_directory_id",
            "last_offset_epoch",
            "last_offset",
            "pre_vote",
        )
        STRUCT: ClassVar[int] = 583

        def __init__(
            self,
            *,
            partition_index: int = 0,
            replica_epoch: int = 0,
            replica_id: int = 0,
            replica_directory_id: bytes = ZERO_UUID,
            voter_directory_id: bytes = ZERO_UUID,
            last_offset_epoch: int = 0,
            last_offset: int = 0,
            pre_vote: bool = False,
        ) -> None:
            self.partition_index = partition_index
            self.replica_epoch = replica_epoch
            self.replica_id = replica_id
            self.replica_directory_id = replica_directory_id
            self.voter_directory_id = voter_directory_id
            self.last_offset_epoch = last_offset_epoch
            self.last_offset = last_offset
            self.pre_vote = pre_vote
            self.unknown_tagged_fields = None


class VoteResponse(Message):
    """Response of Vote, key 52, versions 0 to 2."""

    API_KEY: ClassVar[int] = 52
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "error_code",
        "topics",
        "node_endpoints",
    )
    STRUCT: ClassVar[int] = 584

    def __init__(
        self,
        *,
        error_code: int = 0,
        topics: list[VoteResponse.TopicData] = UNSET,
        node_endpoints: list[VoteResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.error_code = error_code
        self.topics: list[VoteResponse.TopicData] = [] if topics is UNSET else topics
        self.node_endpoints: list[VoteResponse.NodeEndpoint] = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of VoteResponse."""

        __slots__ = (
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 585

        def __init__(self, *, topic_name: str = "", partitions: list[VoteResponse.PartitionData] = UNSET) -> None:
            self.topic_name = topic_name
            self.partitions: list[VoteResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of VoteResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "leader_id",
            "leader_epoch",
            "vote_granted",
        )
        STRUCT: ClassVar[int] = 586

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            vote_granted: bool = False,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.vote_granted = vote_granted
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of VoteResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 587

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None
