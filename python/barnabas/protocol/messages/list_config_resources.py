# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ListConfigResources, key 74."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ListConfigResourcesRequest(Message):
    """Request of ListConfigResources, key 74, versions 0 to 1."""

    API_KEY: ClassVar[int] = 74
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("resource_types",)
    STRUCT: ClassVar[int] = 335

    def __init__(self, *, resource_types: list[int] = UNSET) -> None:
        self.resource_types: list[int] = [] if resource_types is UNSET else resource_types
        self.unknown_tagged_fields = None


class ListConfigResourcesResponse(Message):
    """Response of ListConfigResources, key 74, versions 0 to 1."""

    API_KEY: ClassVar[int] = 74
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "config_resources",
    )
    STRUCT: ClassVar[int] = 336

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        config_resources: list[ListConfigResourcesResponse.ConfigResource] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.config_resources: list[ListConfigResourcesResponse.ConfigResource] = (
            [] if config_resources is UNSET else config_resources
        )
        self.unknown_tagged_fields = None

    class ConfigResource(Struct):
        """Part of ListConfigResourcesResponse."""

        __slots__ = (
            "resource_name",
            "resource_type",
        )
        STRUCT: ClassVar[int] = 337

        def __init__(self, *, resource_name: str = "", resource_type: int = 16) -> None:
            self.resource_name = resource_name
            self.resource_type = resource_type
            self.unknown_tagged_fields = None
