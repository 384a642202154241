# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeAcls, key 29."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeAclsRequest(Message):
    """Request of DescribeAcls, key 29, versions 1 to 3."""

    API_KEY: ClassVar[int] = 29
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "resource_type_filter",
        "resource_name_filter",
        "pattern_type_filter",
        "principal_filter",
        "host_filter",
        "operation",
        "permission_type",
    )
    STRUCT: ClassVar[int] = 180

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


class DescribeAclsResponse(Message):
    """Response of DescribeAcls, key 29, versions 1 to 3."""

    API_KEY: ClassVar[int] = 29
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "resources",
    )
    STRUCT: ClassVar[int] = 181

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        resources: list[DescribeAclsResponse.DescribeAclsResource] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.resources: list[DescribeAclsResponse.DescribeAclsResource] = [] if resources is UNSET else resources
        self.unknown_tagged_fields = None

    class DescribeAclsResource(Struct):
        """Part of DescribeAclsResponse."""

        __slots__ = (
            "resource_type",
            "resource_name",
            "pattern_type",
            "acls",
        )
        STRUCT: ClassVar[int] = 182

        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            pattern_type: int = 3,
            acls: list[DescribeAclsResponse.AclDescription] = UNSET,
        ) -> None:
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.pattern_type = pattern_type
            self.acls: list[DescribeAclsResponse.AclDescription] = [] if acls is UNSET else acls
            self.unknown_tagged_fields = None

    class AclDescription(Struct):
        """Part of DescribeAclsResponse."""

        __slots__ = (
            "principal",
            "host",
            "operation",
            "permission_type",
        )
        STRUCT: ClassVar[int] = 183

        def __init__(
            self, *, principal: str = "", host: str = "", operation: int = 0, permission_type: int = 0
        ) -> None:
            self.principal = principal
            self.host = host
            self.operation = operation
            self.permission_type = permission_type
            self.unknown_tagged_fields = None
