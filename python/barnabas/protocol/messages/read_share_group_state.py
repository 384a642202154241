# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ReadShareGroupState, key 84."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ReadShareGroupStateRequest(Message):
    """Request of ReadShareGroupState, key 84, version 0."""

    API_KEY: ClassVar[int] = 84
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 410

    def __init__(self, *, group_id: str = "", topics: list[ReadShareGroupStateRequest.ReadStateData] = UNSET) -> None:
        self.group_id = group_id
        self.topics: list[ReadShareGroupStateRequest.ReadStateData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class ReadStateData(Struct):
        """Part of ReadShareGroupStateRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 411

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[ReadShareGroupStateRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ReadShareGroupStateRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of ReadShareGroupStateRequest."""

        __slots__ = (
            "partition",
            "leader_epoch",
        )
        STRUCT: ClassVar[int] = 412

        def __init__(self, *, partition: int = 0, leader_epoch: int = 0) -> None:
            self.partition = partition
            self.leader_epoch = leader_epoch
            self.unknown_tagged_fields = None


class ReadShareGroupStateResponse(Message):
    """Response of ReadShareGroupState, key 84, version 0."""

    API_KEY: ClassVar[int] = 84
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("results",)
    STRUCT: ClassVar[int] = 413

    def __init__(self, *, results: list[ReadShareGroupStateResponse.ReadStateResult] = UNSET) -> None:
        self.results: list[ReadShareGroupStateResponse.ReadStateResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class ReadStateResult(Struct):
        """Part of ReadShareGroupStateResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 414

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[ReadShareGroupStateResponse.PartitionResult] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[ReadShareGroupStateResponse.PartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionResult(Struct):
        """Part of ReadShareGroupStateResponse."""

        __slots__ = (
            "partition",
            "error_code",
            "error_message",
            "state_epoch",
            "start_offset",
            "state_batches",
        )
        STRUCT: ClassVar[int] = 415

        def __init__(
            self,
            *,
            partition: int = 0,
            error_code: int = 0,
            error_message: str | None = None,
            state_epoch: int = 0,
            start_offset: int = 0,
            state_batches: list[ReadShareGroupStateResponse.StateBatch] = UNSET,
        ) -> None:
            self.partition = partition
            self.error_code = error_code
            self.error_message = error_message
            self.state_epoch = state_epoch
            self.start_offset = start_offset
            self.state_batches: list[ReadShareGroupStateResponse.StateBatch] = (
                [] if state_batches is UNSET else state_batches
            )
            self.unknown_tagged_fields = None

    class StateBatch(Struct):
        """Part of ReadShareGroupStateResponse."""

        __slots__ = (
            "first_offset",
            "last_offset",
            "delivery_state",
            "delivery_count",
        )
        STRUCT: ClassVar[int] = 416

        def __init__(
            self, *, first_offset: int = 0, last_offset: int = 0, delivery_state: int = 0, delivery_count: int = 0
        ) -> None:
            self.first_offset = first_offset
            self.last_offset = last_offset
            self.delivery_state = delivery_state
            self.delivery_count = delivery_count
            self.unknown_tagged_fields = None
