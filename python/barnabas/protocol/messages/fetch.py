# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""Fetch, key 1."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class FetchRequest(Message):
    """Request of Fetch, key 1, versions 4 to 18."""

    API_KEY: ClassVar[int] = 1
    VERSIONS: ClassVar[tuple[int, int]] = (4, 18)
    FLEXIBLE_FROM: ClassVar[int | None] = 12
    __slots__ = (
        "cluster_id",
        "replica_id",
        "replica_state",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "isolation_level",
        "session_id",
        "session_epoch",
        "topics",
        "forgotten_topics_data",
        "rack_id",
    )
    STRUCT: ClassVar[int] = 276

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        replica_id: int = -1,
        replica_state: FetchRequest.ReplicaState = UNSET,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        isolation_level: int = 0,
        session_id: int = 0,
        session_epoch: int = -1,
        topics: list[FetchRequest.FetchTopic] = UNSET,
        forgotten_topics_data: list[FetchRequest.ForgottenTopic] = UNSET,
        rack_id: str = "",
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.replica_state: FetchRequest.ReplicaState = (
            FetchRequest.ReplicaState() if replica_state is UNSET else replica_state
        )
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.isolation_level = isolation_level
        self.session_id = session_id
        self.session_epoch = session_epoch
        self.topics: list[FetchRequest.FetchTopic] = [] if topics is UNSET else topics
        self.forgotten_topics_data: list[FetchRequest.ForgottenTopic] = (
            [] if forgotten_topics_data is UNSET else forgotten_topics_data
        )
        self.rack_id = rack_id
        self.unknown_tagged_fields = None

    class ReplicaState(Struct):
        """Part of FetchRequest."""

        __slots__ = (
            "replica_id",
            "replica_epoch",
        )
        STRUCT: ClassVar[int] = 277

        def __init__(self, *, replica_id: int = -1, replica_epoch: int = -1) -> None:
            self.replica_id = replica_id
            self.replica_epoch = replica_epoch
            self.unknown_tagged_fields = None

    class FetchTopic(Struct):
        """Part of FetchRequest."""

        __slots__ = (
            "topic",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 278

        def __init__(
            self, *, topic: str = "", topic_id: bytes = ZERO_UUID, partitions: list[FetchRequest.FetchPartition] = UNSET
        ) -> None:
            self.topic = topic
            self.topic_id = topic_id
            self.partitions: list[FetchRequest.FetchPartition] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class FetchPartition(Struct):
        """Part of FetchRequest."""

        __slots__ = (
            "partition",
            "current_leader_epoch",
            "fetch_offset",
            "last_fetched_epoch",
            "log_start_offset",
            "partition_max_bytes",
            "replica_directory_id",
            "high_watermark",
        )
        STRUCT: ClassVar[int] = 279

        def __init__(
            self,
            *,
            partition: int = 0,
            current_leader_epoch: int = -1,
            fetch_offset: int = 0,
            last_fetched_epoch: int = -1,
            log_start_offset: int = -1,
            partition_max_bytes: int = 0,
            replica_directory_id: bytes = ZERO_UUID,
            high_watermark: int = 9223372036854775807,
        ) -> None:
            self.partition = partition
            self.current_leader_epoch = current_leader_epoch
            self.fetch_offset = fetch_offset
            self.last_fetched_epoch = last_fetched_epoch
            self.log_start_offset = log_start_offset
            self.partition_max_bytes = partition_max_bytes
            self.replica_directory_id = replica_directory_id
            self.high_watermark = high_watermark
            self.unknown_tagged_fields = None

    class ForgottenTopic(Struct):
        """Part of FetchRequest."""

        __slots__ = (
            "topic",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 280

        def __init__(self, *, topic: str = "", topic_id: bytes = ZERO_UUID, partitions: list[int] = UNSET) -> None:
            self.topic = topic
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class FetchResponse(Message):
    """Response of Fetch, key 1, versions 4 to 18."""

    API_KEY: ClassVar[int] = 1
    VERSIONS: ClassVar[tuple[int, int]] = (4, 18)
    FLEXIBLE_FROM: ClassVar[int | None] = 12
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "session_id",
        "responses",
        "node_endpoints",
    )
    STRUCT: ClassVar[int] = 281

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        session_id: int = 0,
        responses: list[FetchResponse.FetchableTopicResponse] = UNSET,
        node_endpoints: list[FetchResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.session_id = session_id
        self.responses: list[FetchResponse.FetchableTopicResponse] = [] if responses is UNSET else responses
        self.node_endpoints: list[FetchResponse.NodeEndpoint] = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = None

    class FetchableTopicResponse(Struct):
        """Part of FetchResponse."""

        __slots__ = (
            "topic",
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 282

        def __init__(
            self, *, topic: str = "", topic_id: bytes = ZERO_UUID, partitions: list[FetchResponse.PartitionData] = UNSET
        ) -> None:
            self.topic = topic
            self.topic_id = topic_id
            self.partitions: list[FetchResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of FetchResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "high_watermark",
            "last_stable_offset",
            "log_start_offset",
            "diverging_epoch",
            "current_leader",
            "snapshot_id",
            "aborted_transactions",
            "preferred_read_replica",
            "records",
        )
        STRUCT: ClassVar[int] = 283

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            high_watermark: int = 0,
            last_stable_offset: int = -1,
            log_start_offset: int = -1,
            diverging_epoch: FetchResponse.EpochEndOffset = UNSET,
            current_leader: FetchResponse.LeaderIdAndEpoch = UNSET,
            snapshot_id: FetchResponse.SnapshotId = UNSET,
            aborted_transactions: list[FetchResponse.AbortedTransaction] | None = UNSET,
            preferred_read_replica: int = -1,
            records: bytes | None = None,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.high_watermark = high_watermark
            self.last_stable_offset = last_stable_offset
            self.log_start_offset = log_start_offset
            self.diverging_epoch: FetchResponse.EpochEndOffset = (
                FetchResponse.EpochEndOffset() if diverging_epoch is UNSET else diverging_epoch
            )
            self.current_leader: FetchResponse.LeaderIdAndEpoch = (
                FetchResponse.LeaderIdAndEpoch() if current_leader is UNSET else current_leader
            )
            self.snapshot_id: FetchResponse.SnapshotId = (
                FetchResponse.SnapshotId() if snapshot_id is UNSET else snapshot_id
            )
            self.aborted_transactions: list[FetchResponse.AbortedTransaction] | None = (
                [] if aborted_transactions is UNSET else aborted_transactions
            )
            self.preferred_read_replica = preferred_read_replica
            self.records = records
            self.unknown_tagged_fields = None

    class EpochEndOffset(Struct):
        """Part of FetchResponse."""

        __slots__ = (
            "epoch",
            "end_offset",
        )
        STRUCT: ClassVar[int] = 284

        def __init__(self, *, epoch: int = -1, end_offset: int = -1) -> None:
            self.epoch = epoch
            self.end_offset = end_offset
            self.unknown_tagged_fields = None

    class LeaderIdAndEpoch(Struct):
        """Part of FetchResponse."""

        __slots__ = (
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 285

        def __init__(self, *, leader_id: int = -1, leader_epoch: int = -1) -> None:
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class SnapshotId(Struct):
        """Part of FetchResponse."""

        __slots__ = (
            "end_offset",
            "epoch",
        )
        STRUCT: ClassVar[int] = 286

        def __init__(self, *, end_offset: int = -1, epoch: int = -1) -> None:
            self.end_offset = end_offset
            self.epoch = epoch
            self.unknown_tagged_fields = None

    class AbortedTransaction(Struct):
        """Part of FetchResponse."""

        __slots__ = (
            "producer_id",
            "first_offset",
        )
        STRUCT: ClassVar[int] = 287

        def __init__(self, *, producer_id: int = 0, first_offset: int = 0) -> None:
            self.producer_id = producer_id
            self.first_offset = first_offset
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of FetchResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
            "rack",
        )
        STRUCT: ClassVar[int] = 288

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.rack = rack
            self.unknown_tagged_fields = None
