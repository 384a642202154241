# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AlterConfigs, key 33."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class AlterConfigsRequest(Message):
    """Request of AlterConfigs, key 33, versions 0 to 2."""

    API_KEY: ClassVar[int] = 33
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "resources",
        "validate_only",
    )
    STRUCT: ClassVar[int] = 23

    def __init__(
        self, *, resources: list[AlterConfigsRequest.AlterConfigsResource] = UNSET, validate_only: bool = False
    ) -> None:
        self.resources: list[AlterConfigsRequest.AlterConfigsResource] = [] if resources is UNSET else resources
        self.validate_only = validate_only
        self.unknown_tagged_fields = None

    class AlterConfigsResource(Struct):
        """Part of AlterConfigsRequest."""

        __slots__ = (
            "resource_type",
            "resource_name",
            "configs",
        )
        STRUCT: ClassVar[int] = 24

        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            configs: list[AlterConfigsRequest.AlterableConfig] = UNSET,
        ) -> None:
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.configs: list[AlterConfigsRequest.AlterableConfig] = [] if configs is UNSET else configs
            self.unknown_tagged_fields = None

    class AlterableConfig(Struct):
        """Part of AlterConfigsRequest."""

        __slots__ = (
            "name",
            "value",
        )
        STRUCT: ClassVar[int] = 25

        def __init__(self, *, name: str = "", value: str | None = "") -> None:
            self.name = name
            self.value = value
            self.unknown_tagged_fields = None


class AlterConfigsResponse(Message):
    """Response of AlterConfigs, key 33, versions 0 to 2."""

    API_KEY: ClassVar[int] = 33
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "responses",
    )
    STRUCT: ClassVar[int] = 26

    def __init__(
        self, *, throttle_time_ms: int = 0, responses: list[AlterConfigsResponse.AlterConfigsResourceResponse] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses: list[AlterConfigsResponse.AlterConfigsResourceResponse] = (
            [] if responses is UNSET else responses
        )
        self.unknown_tagged_fields = None

    class AlterConfigsResourceResponse(Struct):
        """Part of AlterConfigsResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "resource_type",
            "resource_name",
        )
        STRUCT: ClassVar[int] = 27

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            resource_type: int = 0,
            resource_name: str = "",
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.unknown_tagged_fields = None
