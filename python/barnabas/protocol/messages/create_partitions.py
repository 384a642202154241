# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""CreatePartitions, key 37."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class CreatePartitionsRequest(Message):
    """Request of CreatePartitions, key 37, versions 0 to 3."""

    API_KEY: ClassVar[int] = 37
    VERSIONS: ClassVar[tuple[int, int]] = (0, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "topics",
        "timeout_ms",
        "validate_only",
    )
    STRUCT: ClassVar[int] = 138

    def __init__(
        self,
        *,
        topics: list[CreatePartitionsRequest.CreatePartitionsTopic] = UNSET,
        timeout_ms: int = 0,
        validate_only: bool = False,
    ) -> None:
        self.topics: list[CreatePartitionsRequest.CreatePartitionsTopic] = [] if topics is UNSET else topics
        self.timeout_ms = timeout_ms
        self.validate_only = validate_only
        self.unknown_tagged_fields = None

    class CreatePartitionsTopic(Struct):
        """Part of CreatePartitionsRequest."""

        __slots__ = (
            "name",
            "count",
            "assignments",
        )
        STRUCT: ClassVar[int] = 139

        def __init__(
            self,
            *,
            name: str = "",
            count: int = 0,
            assignments: list[CreatePartitionsRequest.CreatePartitionsAssignment] | None = UNSET,
        ) -> None:
            self.name = name
            self.count = count
            self.assignments: list[CreatePartitionsRequest.CreatePartitionsAssignment] | None = (
                [] if assignments is UNSET else assignments
            )
            self.unknown_tagged_fields = None

    class CreatePartitionsAssignment(Struct):
        """Part of CreatePartitionsRequest."""

        __slots__ = ("broker_ids",)
        STRUCT: ClassVar[int] = 140

        def __init__(self, *, broker_ids: list[int] = UNSET) -> None:
            self.broker_ids: list[int] = [] if broker_ids is UNSET else broker_ids
            self.unknown_tagged_fields = None


class CreatePartitionsResponse(Message):
    """Response of CreatePartitions, key 37, versions 0 to 3."""

    API_KEY: ClassVar[int] = 37
    VERSIONS: ClassVar[tuple[int, int]] = (0, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "results",
    )
    STRUCT: ClassVar[int] = 141

    def __init__(
        self, *, throttle_time_ms: int = 0, results: list[CreatePartitionsResponse.CreatePartitionsTopicResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results: list[CreatePartitionsResponse.CreatePartitionsTopicResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class CreatePartitionsTopicResult(Struct):
        """Part of CreatePartitionsResponse."""

        __slots__ = (
            "name",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 142

        def __init__(self, *, name: str = "", error_code: int = 0, error_message: str | None = None) -> None:
            self.name = name
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
