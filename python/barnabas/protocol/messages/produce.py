# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""Produce, key 0."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ProduceRequest(Message):
    """Request of Produce, key 0, versions 3 to 13."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (3, 13)
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    __slots__ = (
        "transactional_id",
        "acks",
        "timeout_ms",
        "topic_data",
    )
    STRUCT: ClassVar[int] = 394

    def __init__(
        self,
        *,
        transactional_id: str | None = None,
        acks: int = 0,
        timeout_ms: int = 0,
        topic_data: list[ProduceRequest.TopicProduceData] = UNSET,
    ) -> None:
        self.transactional_id = transactional_id
        self.acks = acks
        self.timeout_ms = timeout_ms
        self.topic_data: list[ProduceRequest.TopicProduceData] = [] if topic_data is UNSET else topic_data
        self.unknown_tagged_fields = None

    class TopicProduceData(Struct):
        """Part of ProduceRequest."""

        __slots__ = (
            "name",
            "topic_id",
            "partition_data",
        )
        STRUCT: ClassVar[int] = 395

        def __init__(
            self,
            *,
            name: str = "",
            topic_id: bytes = ZERO_UUID,
            partition_data: list[ProduceRequest.PartitionProduceData] = UNSET,
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.partition_data: list[ProduceRequest.PartitionProduceData] = (
                [] if partition_data is UNSET else partition_data
            )
            self.unknown_tagged_fields = None

    class PartitionProduceData(Struct):
        """Part of ProduceRequest."""

        __slots__ = (
            "index",
            "records",
        )
        STRUCT: ClassVar[int] = 396

        def __init__(self, *, index: int = 0, records: bytes | None = None) -> None:
            self.index = index
            self.records = records
            self.unknown_tagged_fields = None


class ProduceResponse(Message):
    """Response of Produce, key 0, versions 3 to 13."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (3, 13)
    FLEXIBLE_FROM: ClassVar[int | None] = 9
    __slots__ = (
        "responses",
        "throttle_time_ms",
        "node_endpoints",
    )
    STRUCT: ClassVar[int] = 397

    def __init__(
        self,
        *,
        responses: list[ProduceResponse.TopicProduceResponse] = UNSET,
        throttle_time_ms: int = 0,
        node_endpoints: list[ProduceResponse.NodeEndpoint] = UNSET,
    ) -> None:
        self.responses: list[ProduceResponse.TopicProduceResponse] = [] if responses is UNSET else responses
        self.throttle_time_ms = throttle_time_ms
        self.node_endpoints: list[ProduceResponse.NodeEndpoint] = [] if node_endpoints is UNSET else node_endpoints
        self.unknown_tagged_fields = None

    class TopicProduceResponse(Struct):
        """Part of ProduceResponse."""

        __slots__ = (
            "name",
            "topic_id",
            "partition_responses",
        )
        STRUCT: ClassVar[int] = 398

        def __init__(
            self,
            *,
            name: str = "",
            topic_id: bytes = ZERO_UUID,
            partition_responses: list[ProduceResponse.PartitionProduceResponse] = UNSET,
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.partition_responses: list[ProduceResponse.PartitionProduceResponse] = (
                [] if partition_responses is UNSET else partition_responses
            )
            self.unknown_tagged_fields = None

    class PartitionProduceResponse(Struct):
        """Part of ProduceResponse."""

        __slots__ = (
            "index",
            "error_code",
            "base_offset",
            "log_append_time_ms",
            "log_start_offset",
            "record_errors",
            "error_message",
            "current_leader",
        )
        STRUCT: ClassVar[int] = 399

        def __init__(
            self,
            *,
            index: int = 0,
            error_code: int = 0,
            base_offset: int = 0,
            log_append_time_ms: int = -1,
            log_start_offset: int = -1,
            record_errors: list[ProduceResponse.BatchIndexAndErrorMessage] = UNSET,
            error_message: str | None = None,
            current_leader: ProduceResponse.LeaderIdAndEpoch = UNSET,
        ) -> None:
            self.index = index
            self.error_code = error_code
            self.base_offset = base_offset
            self.log_append_time_ms = log_append_time_ms
            self.log_start_offset = log_start_offset
            self.record_errors: list[ProduceResponse.BatchIndexAndErrorMessage] = (
                [] if record_errors is UNSET else record_errors
            )
            self.error_message = error_message
            self.current_leader: ProduceResponse.LeaderIdAndEpoch = (
                ProduceResponse.LeaderIdAndEpoch() if current_leader is UNSET else current_leader
            )
            self.unknown_tagged_fields = None

    class BatchIndexAndErrorMessage(Struct):
        """Part of ProduceResponse."""

        __slots__ = (
            "batch_index",
            "batch_index_error_message",
        )
        STRUCT: ClassVar[int] = 400

        def __init__(self, *, batch_index: int = 0, batch_index_error_message: str | None = None) -> None:
            self.batch_index = batch_index
            self.batch_index_error_message = batch_index_error_message
            self.unknown_tagged_fields = None

    class LeaderIdAndEpoch(Struct):
        """Part of ProduceResponse."""

        __slots__ = (
            "leader_id",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 401

        def __init__(self, *, leader_id: int = -1, leader_epoch: int = -1) -> None:
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None

    class NodeEndpoint(Struct):
        """Part of ProduceResponse."""

        __slots__ = (
            "node_id",
            "host",
            "port",
            "rack",
        )
        STRUCT: ClassVar[int] = 402

        def __init__(self, *, node_id: int = 0, host: str = "", port: int = 0, rack: str | None = None) -> None:
            self.node_id = node_id
            self.host = host
            self.port = port
            self.rack = rack
            self.unknown_tagged_fields = None
