# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""CreateAcls, key 30."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class CreateAclsRequest(Message):
    """Request of CreateAcls, key 30, versions 1 to 3."""

    API_KEY: ClassVar[int] = 30
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = ("creations",)
    STRUCT: ClassVar[int] = 131

    def __init__(self, *, creations: list[CreateAclsRequest.AclCreation] = UNSET) -> None:
        self.creations: list[CreateAclsRequest.AclCreation] = [] if creations is UNSET else creations
        self.unknown_tagged_fields = None

    class AclCreation(Struct):
        """Part of CreateAclsRequest."""

        __slots__ = (
            "resource_type",
            "resource_name",
            "resource_pattern_type",
            "principal",
            "host",
            "operation",
            "permission_type",
        )
        STRUCT: ClassVar[int] = 132

        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            resource_pattern_type: int = 3,
            principal: str = "",
            host: str = "",
            operation: int = 0,
            permission_type: int = 0,
        ) -> None:
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.resource_pattern_type = resource_pattern_type
            self.principal = principal
            self.host = host
            self.operation = operation
            self.permission_type = permission_type
            self.unknown_tagged_fields = None


class CreateAclsResponse(Message):
    """Response of CreateAcls, key 30, versions 1 to 3."""

    API_KEY: ClassVar[int] = 30
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "results",
    )
    STRUCT: ClassVar[int] = 133

    def __init__(
        self, *, throttle_time_ms: int = 0, results: list[CreateAclsResponse.AclCreationResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results: list[CreateAclsResponse.AclCreationResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class AclCreationResult(Struct):
        """Part of CreateAclsResponse."""

        __slots__ = (
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 134

        def __init__(self, *, error_code: int = 0, error_message: str | None = "") -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
