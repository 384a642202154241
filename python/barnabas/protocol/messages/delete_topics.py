# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DeleteTopics, key 20."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class DeleteTopicsRequest(Message):
    """Request of DeleteTopics, key 20, versions 1 to 6."""

    API_KEY: ClassVar[int] = 20
    VERSIONS: ClassVar[tuple[int, int]] = (1, 6)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "topics",
        "topic_names",
        "timeout_ms",
    )
    STRUCT: ClassVar[int] = 176

    def __init__(
        self,
        *,
        topics: list[DeleteTopicsRequest.DeleteTopicState] = UNSET,
        topic_names: list[str] = UNSET,
        timeout_ms: int = 0,
    ) -> None:
        self.topics: list[DeleteTopicsRequest.DeleteTopicState] = [] if topics is UNSET else topics
        self.topic_names: list[str] = [] if topic_names is UNSET else topic_names
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = None

    class DeleteTopicState(Struct):
        """Part of DeleteTopicsRequest."""

        __slots__ = (
            "name",
            "topic_id",
        )
        STRUCT: ClassVar[int] = 177

        def __init__(self, *, name: str | None = None, topic_id: bytes = ZERO_UUID) -> None:
            self.name = name
            self.topic_id = topic_id
            self.unknown_tagged_fields = None


class DeleteTopicsResponse(Message):
    """Response of DeleteTopics, key 20, versions 1 to 6."""

    API_KEY: ClassVar[int] = 20
    VERSIONS: ClassVar[tuple[int, int]] = (1, 6)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "throttle_time_ms",
        "responses",
    )
    STRUCT: ClassVar[int] = 178

    def __init__(
        self, *, throttle_time_ms: int = 0, responses: list[DeleteTopicsResponse.DeletableTopicResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses: list[DeleteTopicsResponse.DeletableTopicResult] = [] if responses is UNSET else responses
        self.unknown_tagged_fields = None

    class DeletableTopicResult(Struct):
        """Part of DeleteTopicsResponse."""

        __slots__ = (
            "name",
            "topic_id",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 179

        def __init__(
            self,
            *,
            name: str | None = "",
            topic_id: bytes = ZERO_UUID,
            error_code: int = 0,
            error_message: str | None = None,
        ) -> None:
            self.name = name
            self.topic_id = topic_id
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
