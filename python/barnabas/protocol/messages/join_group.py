# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""JoinGroup, key 11."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class JoinGroupRequest(Message):
    """Request of JoinGroup, key 11, versions 0 to 9."""

    API_KEY: ClassVar[int] = 11
    VERSIONS: ClassVar[tuple[int, int]] = (0, 9)
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    __slots__ = (
        "group_id",
        "session_timeout_ms",
        "rebalance_timeout_ms",
        "member_id",
        "group_instance_id",
        "protocol_type",
        "protocols",
        "reason",
    )
    STRUCT: ClassVar[int] = 322

    def __init__(
        self,
        *,
        group_id: str = "",
        session_timeout_ms: int = 0,
        rebalance_timeout_ms: int = -1,
        member_id: str = "",
        group_instance_id: str | None = None,
        protocol_type: str = "",
        protocols: list[JoinGroupRequest.JoinGroupRequestProtocol] = UNSET,
        reason: str | None = None,
    ) -> None:
        self.group_id = group_id
        self.session_timeout_ms = session_timeout_ms
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.protocol_type = protocol_type
        self.protocols: list[JoinGroupRequest.JoinGroupRequestProtocol] = [] if protocols is UNSET else protocols
        self.reason = reason
        self.unknown_tagged_fields = None

    class JoinGroupRequestProtocol(Struct):
        """Part of JoinGroupRequest."""

        __slots__ = (
            "name",
            "metadata",
        )
        STRUCT: ClassVar[int] = 323

        def __init__(self, *, name: str = "", metadata: bytes = b"") -> None:
            self.name = name
            self.metadata = metadata
            self.unknown_tagged_fields = None


class JoinGroupResponse(Message):
    """Response of JoinGroup, key 11, versions 0 to 9."""

    API_KEY: ClassVar[int] = 11
    VERSIONS: ClassVar[tuple[int, int]] = (0, 9)
    FLEXIBLE_FROM: ClassVar[int | None] = 6
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "generation_id",
        "protocol_type",
        "protocol_name",
        "leader",
        "skip_assignment",
        "member_id",
        "members",
    )
    STRUCT: ClassVar[int] = 324

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        generation_id: int = -1,
        protocol_type: str | None = None,
        protocol_name: str | None = "",
        leader: str = "",
        skip_assignment: bool = False,
        member_id: str = "",
        members: list[JoinGroupResponse.JoinGroupResponseMember] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.generation_id = generation_id
        self.protocol_type = protocol_type
        self.protocol_name = protocol_name
        self.leader = leader
        self.skip_assignment = skip_assignment
        self.member_id = member_id
        self.members: list[JoinGroupResponse.JoinGroupResponseMember] = [] if members is UNSET else members
        self.unknown_tagged_fields = None

    class JoinGroupResponseMember(Struct):
        """Part of JoinGroupResponse."""

        __slots__ = (
            "member_id",
            "group_instance_id",
            "metadata",
        )
        STRUCT: ClassVar[int] = 325

        def __init__(self, *, member_id: str = "", group_instance_id: str | None = None, metadata: bytes = b"") -> None:
            self.member_id = member_id
            self.group_instance_id = group_instance_id
            self.metadata = metadata
            self.unknown_tagged_fields = None
