# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeConfigs, key 32."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeConfigsRequest(Message):
    """Request of DescribeConfigs, key 32, versions 1 to 4."""

    API_KEY: ClassVar[int] = 32
    VERSIONS: ClassVar[tuple[int, int]] = (1, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "resources",
        "include_synonyms",
        "include_documentation",
    )
    STRUCT: ClassVar[int] = 193

    def __init__(
        self,
        *,
        resources: list[DescribeConfigsRequest.DescribeConfigsResource] = UNSET,
        include_synonyms: bool = False,
        include_documentation: bool = False,
    ) -> None:
        self.resources: list[DescribeConfigsRequest.DescribeConfigsResource] = [] if resources is UNSET else resources
        self.include_synonyms = include_synonyms
        self.include_documentation = include_documentation
        self.unknown_tagged_fields = None

    class DescribeConfigsResource(Struct):
        """Part of DescribeConfigsRequest."""

        __slots__ = (
            "resource_type",
            "resource_name",
            "configuration_keys",
        )
        STRUCT: ClassVar[int] = 194

        def __init__(
            self, *, resource_type: int = 0, resource_name: str = "", configuration_keys: list[str] | None = UNSET
        ) -> None:
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.configuration_keys: list[str] | None = [] if configuration_keys is UNSET else configuration_keys
            self.unknown_tagged_fields = None


class DescribeConfigsResponse(Message):
    """Response of DescribeConfigs, key 32, versions 1 to 4."""

    API_KEY: ClassVar[int] = 32
    VERSIONS: ClassVar[tuple[int, int]] = (1, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "throttle_time_ms",
        "results",
    )
    STRUCT: ClassVar[int] = 195

    def __init__(
        self, *, throttle_time_ms: int = 0, results: list[DescribeConfigsResponse.DescribeConfigsResult] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results: list[DescribeConfigsResponse.DescribeConfigsResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class DescribeConfigsResult(Struct):
        """Part of DescribeConfigsResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "resource_type",
            "resource_name",
            "configs",
        )
        STRUCT: ClassVar[int] = 196

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            resource_type: int = 0,
            resource_name: str = "",
            configs: list[DescribeConfigsResponse.DescribeConfigsResourceResult] = UNSET,
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.resource_type = resource_type
            self.resource_name = resource_name
            self.configs: list[DescribeConfigsResponse.DescribeConfigsResourceResult] = (
                [] if configs is UNSET else configs
            )
            self.unknown_tagged_fields = None

    class DescribeConfigsResourceResult(Struct):
        """Part of DescribeConfigsResponse."""

        __slots__ = (
            "name",
            "value",
            "read_only",
            "config_source",
            "is_sensitive",
            "synonyms",
            "config_type",
            "documentation",
        )
        STRUCT: ClassVar[int] = 197

        def __init__(
            self,
            *,
            name: str = "",
            value: str | None = "",
            read_only: bool = False,
            config_source: int = -1,
            is_sensitive: bool = False,
            synonyms: list[DescribeConfigsResponse.DescribeConfigsSynonym] = UNSET,
            config_type: int = 0,
            documentation: str | None = "",
        ) -> None:
            self.name = name
            self.value = value
            self.read_only = read_only
            self.config_source = config_source
            self.is_sensitive = is_sensitive
            self.synonyms: list[DescribeConfigsResponse.DescribeConfigsSynonym] = [] if synonyms is UNSET else synonyms
            self.config_type = config_type
            self.documentation = documentation
            self.unknown_tagged_fields = None

    class DescribeConfigsSynonym(Struct):
        """Part of DescribeConfigsResponse."""

        __slots__ = (
            "name",
            "value",
            "source",
        )
        STRUCT: ClassVar[int] = 198

        def __init__(self, *, name: str = "", value: str | None = "", source: int = 0) -> None:
            self.name = name
            self.value = value
            self.source = source
            self.unknown_tagged_fields = None
