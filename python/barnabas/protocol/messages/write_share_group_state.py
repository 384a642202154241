# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""WriteShareGroupState, key 85."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class WriteShareGroupStateRequest(Message):
    """Request of WriteShareGroupState, key 85, versions 0 to 1."""

    API_KEY: ClassVar[int] = 85
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 592

    def __init__(self, *, group_id: str = "", topics: list[WriteShareGroupStateRequest.WriteStateData] = UNSET) -> None:
        self.group_id = group_id
        self.topics: list[WriteShareGroupStateRequest.WriteStateData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class WriteStateData(Struct):
        """Part of WriteShareGroupStateRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 593

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[WriteShareGroupStateRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[WriteShareGroupStateRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of WriteShareGroupStateRequest."""

        __slots__ = (
            "partition",
            "state_epoch",
            "leader_epoch",
            "start_offset",
            "delivery_complete_count",
            "state_batches",
        )
        STRUCT: ClassVar[int] = 594

        def __init__(
            self,
            *,
            partition: int = 0,
            state_epoch: int = 0,
            leader_epoch: int = 0,
            start_offset: int = 0,
            delivery_complete_count: int = -1,
            state_batches: list[WriteShareGroupStateRequest.StateBatch] = UNSET,
        ) -> None:
            self.partition = partition
            self.state_epoch = state_epoch
            self.leader_epoch = leader_epoch
            self.start_offset = start_offset
            self.delivery_complete_count = delivery_complete_count
            self.state_batches: list[WriteShareGroupStateRequest.StateBatch] = (
                [] if state_batches is UNSET else state_batches
            )
            self.unknown_tagged_fields = None

    class StateBatch(Struct):
        """Part of WriteShareGroupStateRequest."""

        __slots__ = (
            "first_offset",
            "last_offset",
            "delivery_state",
            "delivery_count",
        )
        STRUCT: ClassVar[int] = 595

        def __init__(
            self, *, first_offset: int = 0, last_offset: int = 0, delivery_state: int = 0, delivery_count: int = 0
        ) -> None:
            self.first_offset = first_offset
            self.last_offset = last_offset
            self.delivery_state = delivery_state
            self.delivery_count = delivery_count
            self.unknown_tagged_fields = None


class WriteShareGroupStateResponse(Message):
    """Response of WriteShareGroupState, key 85, versions 0 to 1."""

    API_KEY: ClassVar[int] = 85
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("results",)
    STRUCT: ClassVar[int] = 596

    def __init__(self, *, results: list[WriteShareGroupStateResponse.WriteStateResult] = UNSET) -> None:
        self.results: list[WriteShareGroupStateResponse.WriteStateResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class WriteStateResult(Struct):
        """Part of WriteShareGroupStateResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 597

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[WriteShareGroupStateResponse.PartitionResult] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[WriteShareGroupStateResponse.PartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionResult(Struct):
        """Part of WriteShareGroupStateResponse."""

        __slots__ = (
            "partition",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 598

        def __init__(self, *, partition: int = 0, error_code: int = 0, error_message: str | None = None) -> None:
            self.partition = partition
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
