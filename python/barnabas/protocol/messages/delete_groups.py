# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DeleteGroups, key 42."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DeleteGroupsRequest(Message):
    """Request of DeleteGroups, key 42, versions 0 to 2."""

    API_KEY: ClassVar[int] = 42
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = ("groups_names",)
    STRUCT: ClassVar[int] = 157

    def __init__(self, *, groups_names: list[str] = UNSET) -> None:
        self.groups_names: list[str] = [] if groups_names is UNSET else groups_names
        self.unknown_tagged_fields = None


class DeleteGroupsResponse(Message):
    """Response of DeleteGroups, key 42, versions 0 to 2."""

    API_KEY: ClassVar[int] = 42
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "results",
    )
    STRUCT: ClassVar[int] = 158

    def __init__(
        self, *, throttle_time_ms: int = 0, results: list[DeleteGroupsResponse.DeletableGroupResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results: list[DeleteGroupsResponse.DeletableGroupResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class DeletableGroupResult(Struct):
        """Part of DeleteGroupsResponse."""

        __slots__ = (
            "group_id",
            "error_code",
        )
        STRUCT: ClassVar[int] = 159

        def __init__(self, *, group_id: str = "", error_code: int = 0) -> None:
            self.group_id = group_id
            self.error_code = error_code
            self.unknown_tagged_fields = None
