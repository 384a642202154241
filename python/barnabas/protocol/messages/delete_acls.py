# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DeleteAcls, key 31."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DeleteAclsRequest(Message):
    """Request of DeleteAcls, key 31, versions 1 to 3."""

    API_KEY: ClassVar[int] = 31
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = ("filters",)
    STRUCT: ClassVar[int] = 152

    def __init__(self, *, filters: list[DeleteAclsRequest.DeleteAclsFilter] = UNSET) -> None:
        self.filters: list[DeleteAclsRequest.DeleteAclsFilter] = [] if filters is UNSET else filters
        self.unknown_tagged_fields = None

    class DeleteAclsFilter(Struct):
        """Part of DeleteAclsRequest."""

        __slots__ = (
            "resource_type_filter",
            "resource_name_filter",
            "pattern_type_filter",
            "principal_filter",
            "host_filter",
            "operation",
            "permission_type",
        )
        STRUCT: ClassVar[int] = 153

        def __init__(
            self,
            *,
            resource_type_filter: int = 0,
            resource_name_filter: str | None = "",
            pattern_type_filter: int = 3,
            principal_filter: str | None = "",
            host_filter: str | None = "",
            operation: int = 0,
            permission_type: int = 0,
        ) -> None:
            self.resource_type_filter = resource_type_filter
            self.resource_name_filter = resource_name_filter
            self.pattern_type_filter = pattern_type_filter
            self.principal_filter = principal_filter
            self.host_filter = host_filter
            self.operation = operation
            self.permission_type = permission_type
            self.unknown_tagged_fields = None


class DeleteAclsResponse(Message):
    """Response of DeleteAcls, key 31, versions 1 to 3."""

    API_KEY: ClassVar[int] = 31
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "filter_results",
    )
    STRUCT: ClassVar[int] = 154

    def __init__(
        self, *, throttle_time_ms: int = 0, filter_results: list[DeleteAclsResponse.DeleteAclsFilterResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.filter_results: list[DeleteAclsResponse.DeleteAclsFilterResult] = (
            [] if filter_results is UNSET else filter_results
        )
        self.unknown_tagged_fields = None

    class DeleteAclsFilterResult(Struct):
        """Part of DeleteAclsResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "matching_acls",
        )
        STRUCT: ClassVar[int] = 155

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            matching_acls: list[DeleteAclsResponse.DeleteAclsMatchingAcl] = UNSET,
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.matching_acls: list[DeleteAclsResponse.DeleteAclsMatchingAcl] = (
                [] if matching_acls is UNSET else matching_acls
            )
            self.unknown_tagged_fields = None

    class DeleteAclsMatchingAcl(Struct):
        """Part of DeleteAclsResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "resource_type",
            "resource_name",
            "pattern_type",
            "principal",
            "host",
            "operation",
            "permission_type",
        )
        STRUCT: ClassVar[int] = 156

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            resource_type: int = 0,
            resource_name: str = "",
            pattern_type: int = 3,
            principal: str = "",
            host: str = "",
            operation: int = 0,
            permission_type: int = 0,
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.pattern_type = pattern_type
            self.principal = principal
            self.host = host
            self.operation = operation
            self.permission_type = permission_type
            self.unknown_tagged_fields = None
