# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DeleteShareGroupState, key 86."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class DeleteShareGroupStateRequest(Message):
    """Request of DeleteShareGroupState, key 86, version 0."""

    API_KEY: ClassVar[int] = 86
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 170

    def __init__(
        self, *, group_id: str = "", topics: list[DeleteShareGroupStateRequest.DeleteStateData] = UNSET
    ) -> None:
        self.group_id = group_id
        self.topics: list[DeleteShareGroupStateRequest.DeleteStateData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class DeleteStateData(Struct):
        """Part of DeleteShareGroupStateRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 171

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[DeleteShareGroupStateRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[DeleteShareGroupStateRequest.PartitionData] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of DeleteShareGroupStateRequest."""

        __slots__ = ("partition",)
        STRUCT: ClassVar[int] = 172

        def __init__(self, *, partition: int = 0) -> None:
            self.partition = partition
            self.unknown_tagged_fields = None


class DeleteShareGroupStateResponse(Message):
    """Response of DeleteShareGroupState, key 86, version 0."""

    API_KEY: ClassVar[int] = 86
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("results",)
    STRUCT: ClassVar[int] = 173

    def __init__(self, *, results: list[DeleteShareGroupStateResponse.DeleteStateResult] = UNSET) -> None:
        self.results: list[DeleteShareGroupStateResponse.DeleteStateResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class DeleteStateResult(Struct):
        """Part of DeleteShareGroupStateResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 174

        def __init__(
            self,
            *,
            topic_id: bytes = ZERO_UUID,
            partitions: list[DeleteShareGroupStateResponse.PartitionResult] = UNSET,
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[DeleteShareGroupStateResponse.PartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class PartitionResult(Struct):
        """Part of DeleteShareGroupStateResponse."""

        __slots__ = (
            "partition",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 175

        def __init__(self, *, partition: int = 0, error_code: int = 0, error_message: str | None = None) -> None:
            self.partition = partition
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
