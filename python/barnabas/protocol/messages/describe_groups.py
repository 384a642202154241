# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeGroups, key 15."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeGroupsRequest(Message):
    """Request of DescribeGroups, key 15, versions 0 to 6."""

    API_KEY: ClassVar[int] = 15
    VERSIONS: ClassVar[tuple[int, int]] = (0, 6)
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    __slots__ = (
        "groups",
        "include_authorized_operations",
    )
    STRUCT: ClassVar[int] = 204

    def __init__(self, *, groups: list[str] = UNSET, include_authorized_operations: bool = False) -> None:
        self.groups: list[str] = [] if groups is UNSET else groups
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tagged_fields = None


class DescribeGroupsResponse(Message):
    """Response of DescribeGroups, key 15, versions 0 to 6."""

    API_KEY: ClassVar[int] = 15
    VERSIONS: ClassVar[tuple[int, int]] = (0, 6)
    FLEXIBLE_FROM: ClassVar[int | None] = 5
    __slots__ = (
        "throttle_time_ms",
        "groups",
    )
    STRUCT: ClassVar[int] = 205

    def __init__(
        self, *, throttle_time_ms: int = 0, groups: list[DescribeGroupsResponse.DescribedGroup] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups: list[DescribeGroupsResponse.DescribedGroup] = [] if groups is UNSET else groups
        self.unknown_tagged_fields = None

    class DescribedGroup(Struct):
        """Part of DescribeGroupsResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "group_id",
            "group_state",
            "protocol_type",
            "protocol_data",
            "members",
            "authorized_operations",
        )
        STRUCT: ClassVar[int] = 206

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = None,
            group_id: str = "",
            group_state: str = "",
            protocol_type: str = "",
            protocol_data: str = "",
            members: list[DescribeGroupsResponse.DescribedGroupMember] = UNSET,
            authorized_operations: int = -2147483648,
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.group_id = group_id
            self.group_state = group_state
            self.protocol_type = protocol_type
            self.protocol_data = protocol_data
            self.members: list[DescribeGroupsResponse.DescribedGroupMember] = [] if members is UNSET else members
            self.authorized_operations = authorized_operations
            self.unknown_tagged_fields = None

    class DescribedGroupMember(Struct):
        """Part of DescribeGroupsResponse."""

        __slots__ = (
            "member_id",
            "group_instance_id",
            "client_id",
            "client_host",
            "member_metadata",
            "member_assignment",
        )
        STRUCT: ClassVar[int] = 207

        def __init__(
            self,
            *,
            member_id: str = "",
            group_instance_id: str | None = None,
            client_id: str = "",
            client_host: str = "",
            member_metadata: bytes = b"",
            member_assignment: bytes = b"",
        ) -> None:
            self.member_id = member_id
            self.group_instance_id = group_instance_id
            self.client_id = client_id
            self.client_host = client_host
            self.member_metadata = member_metadata
            self.member_assignment = member_assignment
            self.unknown_tagged_fields = None
