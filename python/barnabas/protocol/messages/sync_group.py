# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""SyncGroup, key 14."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class SyncGroupRequest(Message):
    """Request of SyncGroup, key 14, versions 0 to 5."""

    API_KEY: ClassVar[int] = 14
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "group_id",
        "generation_id",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocol_name",
        "assignments",
    )
    STRUCT: ClassVar[int] = 554

    def __init__(
        self,
        *,
        group_id: str = "",
        generation_id: int = 0,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignments: list[SyncGroupRequest.SyncGroupRequestAssignment] = UNSET,
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignments: list[SyncGroupRequest.SyncGroupRequestAssignment] = (
            [] if assignments is UNSET else assignments
        )
        self.unknown_tagged_fields = None

    class SyncGroupRequestAssignment(Struct):
        """Part of SyncGroupRequest."""

        __slots__ = (
            "member_id",
            "assignment",
        )
        STRUCT: ClassVar[int] = 555

        def __init__(self, *, member_id: str = "", assignment: bytes = b"") -> None:
            self.member_id = member_id
            self.assignment = assignment
            self.unknown_tagged_fields = None


class SyncGroupResponse(Message):
    """Response of SyncGroup, key 14, versions 0 to 5."""

    API_KEY: ClassVar[int] = 14
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "protocol_type",
        "protocol_name",
        "assignment",
    )
    STRUCT: ClassVar[int] = 556

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        protocol_type: str | None = None,
        protocol_name: str | None = None,
        assignment: bytes = b"",
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.assignment = assignment
        self.unknown_tagged_fields = None
