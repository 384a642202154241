# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareAcknowledge, key 79."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ShareAcknowledgeRequest(Message):
    """Request of ShareAcknowledge, key 79, versions 1 to 2."""

    API_KEY: ClassVar[int] = 79
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "member_id",
        "share_session_epoch",
        "is_renew_ack",
        "topics",
    )
    STRUCT: ClassVar[int] = 452

    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        is_renew_ack: bool = False,
        topics: list[ShareAcknowledgeRequest.AcknowledgeTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.is_renew_ack = is_renew_ack
        self.topics: list[ShareAcknowledgeRequest.AcknowledgeTopic] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class AcknowledgeTopic(Struct):
        """Part of ShareAcknowledgeRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 453

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[ShareAcknowledgeRequest.AcknowledgePartition] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ShareAcknowledgeRequest.AcknowledgePartition] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class AcknowledgePartition(Struct):
        """Part of ShareAcknowledgeRequest."""

        __slots__ = (
            "partition_index",
            "acknowledgement_batches",
        )
        STRUCT: ClassVar[int] = 454

        def __init__(
            self,
            *,
            partition_index: int = 0,
            acknowledgement_batches: list[ShareAcknowledgeRequest.AcknowledgementBatch] = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.acknowledgement_batches: list[ShareAcknowledgeRequest.AcknowledgementBatch] = (
                [] if acknowledgement_batches is UNSET else acknowledgement_batches
            )
            self.unknown_tagged_fields = None

    class AcknowledgementBatch(Struct):
        """Part of ShareAcknowledgeRequest."""

        __slots__ = (
            "first_offset",
            "last_offset",
            "acknowledge_types",
        )
        STRUCT: ClassVar[int] = 455

        def __init__(
            self, *, first_offset: int = 0, last_offset: int = 0, acknowledge_types: list[int] = UNSET
        ) -> None:
            self.first_offset = first_offset
            self.last_offset = last_offset
            self.acknowledge_types: list[int] = [] if acknowledge_types is UNSET else acknowledge_types
            self.unknown_tagged_fields = None


class ShareAcknowledgeResponse(Message):
    """Response of ShareAcknowledge, key 79, versions 1 to 2."""

    API_KEY: ClassVar[int] = 79
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "acquisition_lock_timeout_ms",
        "responses",
        "node_endpoints",
    )
    STRUCT: ClassVar[int] = 456

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareAcknowledgeResponse.ShareAcknowledgeTopicResponse] = UNSET,
        node_endpoints: list[ShareAcknowledgeResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses: list[ShareAcknowledgeResponse.ShareAcknowledgeTopicResponse] = (
            [] if responses is UNSET else responses
        )
        self.node_endpoints: list[ShareAcknowledgeResponse.NodeEndpoint] = (
            [] if node_endpoints is UNSET else node_endpoints
        )
        self.unknown_tagged_fields = None

    class ShareAcknowledgeTopicResponse(Struct):
        """Part of ShareAcknowledgeResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 457

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[ShareAcknowledgeResponse.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ShareAcknowledgeResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of ShareAcknowledgeResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "error_message",
            "current_leader",
        )
        STRUCT: ClassVar[int] = 458

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            current_leader: ShareAcknowledgeResponse.LeaderIdAndEpoch = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.error_message = error_message
            self.current_leader: ShareAcknowledgeResponse.LeaderIdAndEpoch = (
                ShareAcknowledgeResponse.LeaderIdAndEpoch() if current_leader is UNSET else current_leader
            )
            self.unknown_tagged_fields = None

    class LeaderIdAndEpoch(Struct):
        """Part of ShareAcknowledgeResponse."""

        __slots__ = (
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 459

        def __init__(self, *, leader_id: int = 0, leader_epoch: int = 0) -> None:
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of ShareAcknowledgeResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
            "rack",
        )
        STRUCT: ClassVar[int] = 460

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.rack = rack
            self.unknown_tagged_fields = None
