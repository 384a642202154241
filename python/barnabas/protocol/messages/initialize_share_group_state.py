# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""InitializeShareGroupState, key 83."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class InitializeShareGroupStateRequest(Message):
    """Request of InitializeShareGroupState, key 83, version 0."""

    API_KEY: ClassVar[int] = 83
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 316

    def __init__(
        self, *, group_id: str = "", topics: list[InitializeShareGroupStateRequest.InitializeStateData] = UNSET
    ) -> None:
        self.group_id = group_id
        self.topics: list[InitializeShareGroupStateRequest.InitializeStateData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class InitializeStateData(Struct):
        """Part of InitializeShareGroupStateRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 317

        def __init__(
            self,
            *,
            topic_id: bytes = ZERO_UUID,
            partitions: list[InitializeShareGroupStateRequest.PartitionData] = UNSET,
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[InitializeShareGroupStateRequest.PartitionData] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of InitializeShareGroupStateRequest."""

        __slots__ = (
            "partition",
            "state_epoch",
            "start_offset",
        )
        STRUCT: ClassVar[int] = 318

        def __init__(self, *, partition: int = 0, state_epoch: int = 0, start_offset: int = 0) -> None:
            self.partition = partition
            self.state_epoch = state_epoch
            self.start_offset = start_offset
            self.unknown_tagged_fields = None


class InitializeShareGroupStateResponse(Message):
    """Response of InitializeShareGroupState, key 83, version 0."""

    API_KEY: ClassVar[int] = 83
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("results",)
    STRUCT: ClassVar[int] = 319

    def __init__(self, *, results: list[InitializeShareGroupStateResponse.InitializeStateResult] = UNSET) -> None:
        self.results: list[InitializeShareGroupStateResponse.InitializeStateResult] = (
            [] if results is UNSET else results
        )
        self.unknown_tagged_fields = None

    class InitializeStateResult(Struct):
        """Part of InitializeShareGroupStateResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 320

        def __init__(
            self,
            *,
            topic_id: bytes = ZERO_UUID,
            partitions: list[InitializeShareGroupStateResponse.PartitionResult] = UNSET,
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[InitializeShareGroupStateResponse.PartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionResult(Struct):
        """Part of InitializeShareGroupStateResponse."""

        __slots__ = (
            "partition",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 321

        def __init__(self, *, partition: int = 0, error_code: int = 0, error_message: str | None = None) -> None:
            self.partition = partition
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
