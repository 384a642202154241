# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""IncrementalAlterConfigs, key 44."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class IncrementalAlterConfigsRequest(Message):
    """Request of IncrementalAlterConfigs, key 44, versions 0 to 1."""

    API_KEY: ClassVar[int] = 44
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "resources",
        "validate_only",
    )
    STRUCT: ClassVar[int] = 309

    def __init__(
        self,
        *,
        resources: list[IncrementalAlterConfigsRequest.AlterConfigsResource] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.resources: list[IncrementalAlterConfigsRequest.AlterConfigsResource] = (
            [] if resources is UNSET else resources
        )
        self.validate_only = validate_only
        self.unknown_tagged_fields = None

    class AlterConfigsResource(Struct):
        """Part of IncrementalAlterConfigsRequest."""

        __slots__ = (
            "resource_type",
            "resource_name",
            "configs",
        )
        STRUCT: ClassVar[int] = 310

        def __init__(
            self,
            *,
            resource_type: int = 0,
            resource_name: str = "",
            configs: list[IncrementalAlterConfigsRequest.AlterableConfig] = UNSET,
        ) -> None:
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.configs: list[IncrementalAlterConfigsRequest.AlterableConfig] = [] if configs is UNSET else configs
            self.unknown_tagged_fields = None

    class AlterableConfig(Struct):
        """Part of IncrementalAlterConfigsRequest."""

        __slots__ = (
            "name",
            "config_operation",
            "value",
        )
        STRUCT: ClassVar[int] = 311

        def __init__(self, *, name: str = "", config_operation: int = 0, value: str | None = "") -> None:
            self.name = name
            self.config_operation = config_operation
            self.value = value
            self.unknown_tagged_fields = None


class IncrementalAlterConfigsResponse(Message):
    """Response of IncrementalAlterConfigs, key 44, versions 0 to 1."""

    API_KEY: ClassVar[int] = 44
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "throttle_time_ms",
        "responses",
    )
    STRUCT: ClassVar[int] = 312

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        responses: list[IncrementalAlterConfigsResponse.AlterConfigsResourceResponse] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.responses: list[IncrementalAlterConfigsResponse.AlterConfigsResourceResponse] = (
            [] if responses is UNSET else responses
        )
        self.unknown_tagged_fields = None

    class AlterConfigsResourceResponse(Struct):
        """Part of IncrementalAlterConfigsResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "resource_type",
            "resource_name",
        )
        STRUCT: ClassVar[int] = 313

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
