# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""FetchSnapshot, key 59."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class FetchSnapshotRequest(Message):
    """Request of FetchSnapshot, key 59, versions 0 to 1."""

    API_KEY: ClassVar[int] = 59
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "cluster_id",
        "replica_id",
        "max_bytes",
        "topics",
    )
    STRUCT: ClassVar[int] = 289

    def __init__(
        self,
        *,
        cluster_id: str | None = None,
        replica_id: int = -1,
        max_bytes: int = 2147483647,
        topics: list[FetchSnapshotRequest.TopicSnapshot] = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.replica_id = replica_id
        self.max_bytes = max_bytes
        self.topics: list[FetchSnapshotRequest.TopicSnapshot] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicSnapshot(Struct):
        """Part of FetchSnapshotRequest."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 290

        def __init__(self, *, name: str = "", partitions: list[FetchSnapshotRequest.PartitionSnapshot] = UNSET) -> None:
            self.name = name
            self.partitions: list[FetchSnapshotRequest.PartitionSnapshot] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionSnapshot(Struct):
        """Part of FetchSnapshotRequest."""

        __slots__ = (
            "partition",
            "current_leader_epoch",
            "snapshot_id",
            "position",
            "replica_directory_id",
        )
        STRUCT: ClassVar[int] = 291

        def __init__(
            self,
            *,
            partition: int = 0,
            current_leader_epoch: int = 0,
            snapshot_id: FetchSnapshotRequest.SnapshotId = UNSET,
            position: int = 0,
            replica_directory_id: bytes = ZERO_UUID,
        ) -> None:
            self.partition = partition
            self.current_leader_epoch = current_leader_epoch
            self.snapshot_id: FetchSnapshotRequest.SnapshotId = (
                FetchSnapshotRequest.SnapshotId() if snapshot_id is UNSET else snapshot_id
            )
            self.position = position
            self.replica_directory_id = replica_directory_id
            self.unknown_tagged_fields = None

    class SnapshotId(Struct):
        """Part of FetchSnapshotRequest."""

        __slots__ = (
            "end_offset",
            "epoch",
        )
        STRUCT: ClassVar[int] = 292

        def __init__(self, *, end_offset: int = 0, epoch: int = 0) -> None:
            self.end_offset = end_offset
            self.epoch = epoch
            self.unknown_tagged_fields = None


class FetchSnapshotResponse(Message):
    """Response of FetchSnapshot, key 59, versions 0 to 1."""

    API_KEY: ClassVar[int] = 59
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "topics",
        "node_endpoints",
    )
    STRUCT: ClassVar[int] = 293

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        topics: list[FetchSnapshotResponse.TopicSnapshot] = UNSET,
        node_endpoints: list[FetchSnapshotResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics: list[FetchSnapshotResponse.TopicSnapshot] = [] if topics is UNSET else topics
        self.node_endpoints: list[FetchSnapshotResponse.NodeEndpoint] = (
            [] if node_endpoints is UNSET else node_endpoints
        )
        self.unknown_tagged_fields = None

    class TopicSnapshot(Struct):
        """Part of FetchSnapshotResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 294

        def __init__(
            self, *, name: str = "", partitions: list[FetchSnapshotResponse.PartitionSnapshot] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[FetchSnapshotResponse.PartitionSnapshot] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionSnapshot(Struct):
        """Part of FetchSnapshotResponse."""

        __slots__ = (
            "index",
            "error_code",
            "snapshot_id",
            "current_leader",
            "size",
            "position",
            "unaligned_records",
        )
        STRUCT: ClassVar[int] = 295

        def __init__(
            self,
            *,
            index: int = 0,
            error_code: int = 0,
            snapshot_id: FetchSnapshotResponse.SnapshotId = UNSET,
            current_leader: FetchSnapshotResponse.LeaderIdAndEpoch = UNSET,
            size: int = 0,
            position: int = 0,
            unaligned_records: bytes | None = None,
        ) -> None:
            self.index = index
            self.error_code = error_code
            self.snapshot_id: FetchSnapshotResponse.SnapshotId = (
                FetchSnapshotResponse.SnapshotId() if snapshot_id is UNSET else snapshot_id
            )
            self.current_leader: FetchSnapshotResponse.LeaderIdAndEpoch = (
                FetchSnapshotResponse.LeaderIdAndEpoch() if current_leader is UNSET else current_leader
            )
            self.size = size
            self.position = position
            self.unaligned_records = unaligned_records
            self.unknown_tagged_fields = None

    class SnapshotId(Struct):
        """Part of FetchSnapshotResponse."""

        __slots__ = (
            "end_offset",
            "epoch",
        )
        STRUCT: ClassVar[int] = 296

        def __init__(self, *, end_offset: int = 0, epoch: int = 0) -> None:
            self.end_offset = end_offset
            self.epoch = epoch
            self.unknown_tagged_fields = None

    class LeaderIdAndEpoch(Struct):
        """Part of FetchSnapshotResponse."""

        __slots__ = (
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 297

        def __init__(self, *, leader_id: int = 0, leader_epoch: int = 0) -> None:
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of FetchSnapshotResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 298

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None
