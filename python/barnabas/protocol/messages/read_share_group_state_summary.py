# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ReadShareGroupStateSummary, key 87."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ReadShareGroupStateSummaryRequest(Message):
    """Request of ReadShareGroupStateSummary, key 87, versions 0 to 1."""

    API_KEY: ClassVar[int] = 87
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 417

    def __init__(
        self, *, group_id: str = "", topics: list[ReadShareGroupStateSummaryRequest.ReadStateSummaryData] = UNSET
    ) -> None:
        self.group_id = group_id
        self.topics: list[ReadShareGroupStateSummaryRequest.ReadStateSummaryData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class ReadStateSummaryData(Struct):
        """Part of ReadShareGroupStateSummaryRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 418

        def __init__(
            self,
            *,
            topic_id: bytes = ZERO_UUID,
            partitions: list[ReadShareGroupStateSummaryRequest.PartitionData] = UNSET,
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ReadShareGroupStateSummaryRequest.PartitionData] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of ReadShareGroupStateSummaryRequest."""

        __slots__ = (
            "partition",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 419

        def __init__(self, *, partition: int = 0, leader_epoch: int = 0) -> None:
            self.partition = partition
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None


class ReadShareGroupStateSummaryResponse(Message):
    """Response of ReadShareGroupStateSummary, key 87, versions 0 to 1."""

    API_KEY: ClassVar[int] = 87
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("results",)
    STRUCT: ClassVar[int] = 420

    def __init__(self, *, results: list[ReadShareGroupStateSummaryResponse.ReadStateSummaryResult] = UNSET) -> None:
        self.results: list[ReadShareGroupStateSummaryResponse.ReadStateSummaryResult] = (
            [] if results is UNSET else results
        )
        self.unknown_tagged_fields = None

    class ReadStateSummaryResult(Struct):
        """Part of ReadShareGroupStateSummaryResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 421

        def __init__(
            self,
            *,
            topic_id: bytes = ZERO_UUID,
            partitions: list[ReadShareGroupStateSummaryResponse.PartitionResult] = UNSET,
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ReadShareGroupStateSummaryResponse.PartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionResult(Struct):
        """Part of ReadShareGroupStateSummaryResponse."""

        __slots__ = (
            "partition",
            "error_code",
            "error_message",
            "state_epoch",
            "leader_epoch",
            "start_offset",
            "delivery_complete_count",
        )
        STRUCT: ClassVar[int] = 422

        def __init__(
            self,
            *,
            partition: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            state_epoch: int = 0,
            leader_epoch: int = 0,
            start_offset: int = 0,
            delivery_complete_count: int = -1,
        ) -> None:
            self.partition = partition
            self.error_code = error_code
            self.error_message = error_message
            self.state_epoch = state_epoch
            self.leader_epoch = leader_epoch
            self.start_offset = start_offset
            self.delivery_complete_count = delivery_complete_count
            self.unknown_tagged_fields = None
