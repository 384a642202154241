# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""LeaveGroup, key 13."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class LeaveGroupRequest(Message):
    """Request of LeaveGroup, key 13, versions 0 to 5."""

    API_KEY: ClassVar[int] = 13
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "group_id",
        "member_id",
        "members",
    )
    STRUCT: ClassVar[int] = 329

    def __init__(
        self, *, group_id: str = "", member_id: str = "", members: list[LeaveGroupRequest.MemberIdentity] = UNSET
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.members: list[LeaveGroupRequest.MemberIdentity] = [] if members is UNSET else members
        self.unknown_tagged_fields = None

    class MemberIdentity(Struct):
        """Part of LeaveGroupRequest."""

        __slots__ = (
            "member_id",
            "group_instance_id",
            "reason",
        )
        STRUCT: ClassVar[int] = 330

        def __init__(
            self, *, member_id: str = "", group_instance_id: str | None = None, reason: str | None = None
        ) -> None:
            self.member_id = member_id
            self.group_instance_id = group_instance_id
            self.reason = reason
            self.unknown_tagged_fields = None


class LeaveGroupResponse(Message):
    """Response of LeaveGroup, key 13, versions 0 to 5."""

    API_KEY: ClassVar[int] = 13
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "members",
    )
    STRUCT: ClassVar[int] = 331

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        members: list[LeaveGroupResponse.MemberResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.members: list[LeaveGroupResponse.MemberResponse] = [] if members is UNSET else members
        self.unknown_tagged_fields = None

    class MemberResponse(Struct):
        """Part of LeaveGroupResponse."""

        __slots__ = (
            "member_id",
            "group_instance_id",
            "error_code",
        )
        STRUCT: ClassVar[int] = 332

        def __init__(self, *, member_id: str = "", group_instance_id: str | None = "", error_code: int = 0) -> None:
            self.member_id = member_id
            self.group_instance_id = group_instance_id
            self.error_code = error_code
            self.unknown_tagged_fields = None
