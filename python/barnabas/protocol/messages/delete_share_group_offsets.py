# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DeleteShareGroupOffsets, key 92."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class DeleteShareGroupOffsetsRequest(Message):
    """Request of DeleteShareGroupOffsets, key 92, version 0."""

    API_KEY: ClassVar[int] = 92
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "topics",
    )
    STRUCT: ClassVar[int] = 166

    def __init__(
        self,
        *,
        group_id: str = "",
        topics: list[DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.topics: list[DeleteShareGroupOffsetsRequest.DeleteShareGroupOffsetsRequestTopic] = (
            [] if topics is UNSET else topics
        )
        self.unknown_tagged_fields = None

    class DeleteShareGroupOffsetsRequestTopic(Struct):
        """Part of DeleteShareGroupOffsetsRequest."""

        __slots__ = ("topic_name",)
        STRUCT: ClassVar[int] = 167

        def __init__(self, *, topic_name: str = "") -> None:
            self.topic_name = topic_name
            self.unknown_tagged_fields = None


class DeleteShareGroupOffsetsResponse(Message):
    """Response of DeleteShareGroupOffsets, key 92, version 0."""

    API_KEY: ClassVar[int] = 92
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "responses",
    )
    STRUCT: ClassVar[int] = 168

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        responses: list[DeleteShareGroupOffsetsResponse.DeleteShareGroupOffsetsResponseTopic] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.responses: list[DeleteShareGroupOffsetsResponse.DeleteShareGroupOffsetsResponseTopic] = (
            [] if responses is UNSET else responses
        )
        self.unknown_tagged_fields = None

    class DeleteShareGroupOffsetsResponseTopic(Struct):
        """Part of DeleteShareGroupOffsetsResponse."""

        __slots__ = (
            "topic_name",
            "topic_id",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 169

        def __init__(
            self,
            *,
            topic_name: str = "",
            topic_id: bytes = ZERO_UUID,
            error_code: int = 0,
            error_message: str | None = None,
        ) -> None:
            self.topic_name = topic_name
            self.topic_id = topic_id
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
