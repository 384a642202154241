# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""Heartbeat, key 12."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class HeartbeatRequest(Message):
    """Request of Heartbeat, key 12, versions 0 to 4."""

    API_KEY: ClassVar[int] = 12
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "group_id",
        "generation_id",
        "member_id",
        "group_instance_id",
    )
    STRUCT: ClassVar[int] = 307

    def __init__(
        self, *, group_id: str = "", generation_id: int = 0, member_id: str = "", group_instance_id: str | None = None
    ) -> None:
        self.group_id = group_id
        self.generation_id = generation_id
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.unknown_tagged_fields = None


class HeartbeatResponse(Message):
    """Response of Heartbeat, key 12, versions 0 to 4."""

    API_KEY: ClassVar[int] = 12
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "throttle_time_ms",
        "error_code",
    )
    STRUCT: ClassVar[int] = 308

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tagged_fields = None
