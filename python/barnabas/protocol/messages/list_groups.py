# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ListGroups, key 16."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ListGroupsRequest(Message):
    """Request of ListGroups, key 16, versions 0 to 5."""

    API_KEY: ClassVar[int] = 16
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "states_filter",
        "types_filter",
    )
    STRUCT: ClassVar[int] = 338

    def __init__(self, *, states_filter: list[str] = UNSET, types_filter: list[str] = UNSET) -> None:
        self.states_filter: list[str] = [] if states_filter is UNSET else states_filter
        self.types_filter: list[str] = [] if types_filter is UNSET else types_filter
        self.unknown_tagged_fields = None


class ListGroupsResponse(Message):
    """Response of ListGroups, key 16, versions 0 to 5."""

    API_KEY: ClassVar[int] = 16
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "groups",
    )
    STRUCT: ClassVar[int] = 339

    def __init__(
        self, *, throttle_time_ms: int = 0, error_code: int = 0, groups: list[ListGroupsResponse.ListedGroup] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.groups: list[ListGroupsResponse.ListedGroup] = [] if groups is UNSET else groups
        self.unknown_tagged_fields = None

    class ListedGroup(Struct):
        """Part of ListGroupsResponse."""

        __slots__ = (
            "group_id",
            "protocol_type",
            "group_state",
            "group_type",
        )
        STRUCT: ClassVar[int] = 340

        def __init__(
            self, *, group_id: str = "", protocol_type: str = "", group_state: str = "", group_type: str = ""
        ) -> None:
            self.group_id = group_id
            self.protocol_type = protocol_type
            self.group_state = group_state
            self.group_type = group_type
            self.unknown_tagged_fields = None
