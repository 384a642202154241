# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeProducers, key 61."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeProducersRequest(Message):
    """Request of DescribeProducers, key 61, version 0."""

    API_KEY: ClassVar[int] = 61
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("topics",)
    STRUCT: ClassVar[int] = 214

    def __init__(self, *, topics: list[DescribeProducersRequest.TopicRequest] = UNSET) -> None:
        self.topics: list[DescribeProducersRequest.TopicRequest] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicRequest(Struct):
        """Part of DescribeProducersRequest."""

        __slots__ = (
            "name",
            "partition_indexes",
        )
        STRUCT: ClassVar[int] = 215

        def __init__(self, *, name: str = "", partition_indexes: list[int] = UNSET) -> None:
            self.name = name
            self.partition_indexes: list[int] = [] if partition_indexes is UNSET else partition_indexes
            self.unknown_tagged_fields = None


class DescribeProducersResponse(Message):
    """Response of DescribeProducers, key 61, version 0."""

    API_KEY: ClassVar[int] = 61
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "topics",
    )
    STRUCT: ClassVar[int] = 216

    def __init__(
        self, *, throttle_time_ms: int = 0, topics: list[DescribeProducersResponse.TopicResponse] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.topics: list[DescribeProducersResponse.TopicResponse] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicResponse(Struct):
        """Part of DescribeProducersResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 217

        def __init__(
            self, *, name: str = "", partitions: list[DescribeProducersResponse.PartitionResponse] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[DescribeProducersResponse.PartitionResponse] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionResponse(Struct):
        """Part of DescribeProducersResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "error_message",
            "active_producers",
        )
        STRUCT: ClassVar[int] = 218

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            active_producers: list[DescribeProducersResponse.ProducerState] = UNSET,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.error_message = error_message
            self.active_producers: list[DescribeProducersResponse.ProducerState] = (
                [] if active_producers is UNSET else active_producers
            )
            self.unknown_tagged_fields = None

    class ProducerState(Struct):
        """Part of DescribeProducersResponse."""

        __slots__ = (
            "producer_id",
            "producer_epoch",
            "last_sequence",
            "last_timestamp",
            "coordinator_epoch",
            "current_txn_start_offset",
        )
        STRUCT: ClassVar[int] = 219

        def __init__(
            self,
            *,
            producer_id: int = 0,
            producer_epoch: int = 0,
            last_sequence: int = -1,
            last_timestamp: int = -1,
            coordinator_epoch: int = 0,
            current_txn_start_offset: int = -1,
        ) -> None:
            self.producer_id = producer_id
            self.producer_epoch = producer_epoch
            self.last_sequence = last_sequence
            self.last_timestamp = last_timestamp
            self.coordinator_epoch = coordinator_epoch
            self.current_txn_start_offset = current_txn_start_offset
            self.unknown_tagged_fields = None
