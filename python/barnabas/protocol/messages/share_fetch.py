# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareFetch, key 78."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ShareFetchRequest(Message):
    """Request of ShareFetch, key 78, versions 1 to 2."""

    API_KEY: ClassVar[int] = 78
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "member_id",
        "share_session_epoch",
        "max_wait_ms",
        "min_bytes",
        "max_bytes",
        "max_records",
        "batch_size",
        "share_acquire_mode",
        "is_renew_ack",
        "topics",
        "forgotten_topics_data",
    )
    STRUCT: ClassVar[int] = 461

    def __init__(
        self,
        *,
        group_id: str | None = None,
        member_id: str | None = "",
        share_session_epoch: int = 0,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 2147483647,
        max_records: int = 0,
        batch_size: int = 0,
        share_acquire_mode: int = 0,
        is_renew_ack: bool = False,
        topics: list[ShareFetchRequest.FetchTopic] = UNSET,
        forgotten_topics_data: list[ShareFetchRequest.ForgottenTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.share_session_epoch = share_session_epoch
        self.max_wait_ms = max_wait_ms
        self.min_bytes = min_bytes
        self.max_bytes = max_bytes
        self.max_records = max_records
        self.batch_size = batch_size
        self.share_acquire_mode = share_acquire_mode
        self.is_renew_ack = is_renew_ack
        self.topics: list[ShareFetchRequest.FetchTopic] = [] if topics is UNSET else topics
        self.forgotten_topics_data: list[ShareFetchRequest.ForgottenTopic] = (
            [] if forgotten_topics_data is UNSET else forgotten_topics_data
        )
        self.unknown_tagged_fields = None

    class FetchTopic(Struct):
        """Part of ShareFetchRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 462

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[ShareFetchRequest.FetchPartition] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ShareFetchRequest.FetchPartition] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class FetchPartition(Struct):
        """Part of ShareFetchRequest."""

        __slots__ = (
            "partition_index",
            "partition_max_bytes",
            "acknowledgement_batches",
        )
        STRUCT: ClassVar[int] = 463

        def __init__(
            self,
            *,
            partition_index: int = 0,
            partition_max_bytes: int = 0,
            acknowledgement_batches: list[ShareFetchRequest.AcknowledgementBatch] = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.partition_max_bytes = partition_max_bytes
            self.acknowledgement_batches: list[ShareFetchRequest.AcknowledgementBatch] = (
                [] if acknowledgement_batches is UNSET else acknowledgement_batches
            )
            self.unknown_tagged_fields = None

    class AcknowledgementBatch(Struct):
        """Part of ShareFetchRequest."""

        __slots__ = (
            "first_offset",
            "last_offset",
            "acknowledge_types",
        )
        STRUCT: ClassVar[int] = 464

        def __init__(
            self, *, first_offset: int = 0, last_offset: int = 0, acknowledge_types: list[int] = UNSET
        ) -> None:
            self.first_offset = first_offset
            self.last_offset = last_offset
            self.acknowledge_types: list[int] = [] if acknowledge_types is UNSET else acknowledge_types
            self.unknown_tagged_fields = None

    class ForgottenTopic(Struct):
        """Part of ShareFetchRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 465

        def __init__(self, *, topic_id: bytes = ZERO_UUID, partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class ShareFetchResponse(Message):
    """Response of ShareFetch, key 78, versions 1 to 2."""

    API_KEY: ClassVar[int] = 78
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
    STRUCT: ClassVar[int] = 466

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        acquisition_lock_timeout_ms: int = 0,
        responses: list[ShareFetchResponse.ShareFetchableTopicResponse] = UNSET,
        node_endpoints: list[ShareFetchResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.acquisition_lock_timeout_ms = acquisition_lock_timeout_ms
        self.responses: list[ShareFetchResponse.ShareFetchableTopicResponse] = [] if responses is UNSET else responses
        self.node_endpoints: list[ShareFetchResponse.NodeEndpoint] = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = None

    class ShareFetchableTopicResponse(Struct):
        """Part of ShareFetchResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 467

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[ShareFetchResponse.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ShareFetchResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of ShareFetchResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "error_message",
            "acknowledge_error_code",
            "acknowledge_error_message",
            "current_leader",
            "records",
            "acquired_records",
        )
        STRUCT: ClassVar[int] = 468

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            acknowledge_error_code: int = 0,
            acknowledge_error_message: str | None = None,
            current_leader: ShareFetchResponse.LeaderIdAndEpoch = UNSET,
            records: bytes | None = None,
            acquired_records: list[ShareFetchResponse.AcquiredRecords] = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.error_message = error_message
            self.acknowledge_error_code = acknowledge_error_code
            self.acknowledge_error_message = acknowledge_error_message
            self.current_leader: ShareFetchResponse.LeaderIdAndEpoch = (
                ShareFetchResponse.LeaderIdAndEpoch() if current_leader is UNSET else current_leader
            )
            self.records = records
            self.acquired_records: list[ShareFetchResponse.AcquiredRecords] = (
                [] if acquired_records is UNSET else acquired_records
            )
            self.unknown_tagged_fields = None

    class LeaderIdAndEpoch(Struct):
        """Part of ShareFetchResponse."""

        __slots__ = (
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 469

        def __init__(self, *, leader_id: int = 0, leader_epoch: int = 0) -> None:
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class AcquiredRecords(Struct):
        """Part of ShareFetchResponse."""

        __slots__ = (
            "first_offset",
            "last_offset",
            "delivery_count",
        )
        STRUCT: ClassVar[int] = 470

        def __init__(self, *, first_offset: int = 0, last_offset: int = 0, delivery_count: int = 0) -> None:
            self.first_offset = first_offset
            self.last_offset = last_offset
            self.delivery_count = delivery_count
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of ShareFetchResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
            "rack",
        )
        STRUCT: ClassVar[int] = 471

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.rack = rack
            self.unknown_tagged_fields = None
