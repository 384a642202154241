# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeClientQuotas, key 48."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeClientQuotasRequest(Message):
    """Request of DescribeClientQuotas, key 48, versions 0 to 1."""

    API_KEY: ClassVar[int] = 48
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "components",
        "strict",
    )
    STRUCT: ClassVar[int] = 184

    def __init__(
        self, *, components: list[DescribeClientQuotasRequest.ComponentData] = UNSET, strict: bool = False
    ) -> None:
        self.components: list[DescribeClientQuotasRequest.ComponentData] = [] if components is UNSET else components
        self.strict = strict
        self.unknown_tagged_fields = None

    class ComponentData(Struct):
        """Part of DescribeClientQuotasRequest."""

        __slots__ = (
            "entity_type",
            "match_type",
            "match",
        )
        STRUCT: ClassVar[int] = 185

        def __init__(self, *, entity_type: str = "", match_type: int = 0, match: str | None = "") -> None:
            self.entity_type = entity_type
            self.match_type = match_type
            self.match = match
            self.unknown_tagged_fields = None


class DescribeClientQuotasResponse(Message):
    """Response of DescribeClientQuotas, key 48, versions 0 to 1."""

    API_KEY: ClassVar[int] = 48
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "entries",
    )
    STRUCT: ClassVar[int] = 186

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        entries: list[DescribeClientQuotasResponse.EntryData] | None = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.entries: list[DescribeClientQuotasResponse.EntryData] | None = [] if entries is UNSET else entries
        self.unknown_tagged_fields = None

    class EntryData(Struct):
        """Part of DescribeClientQuotasResponse."""

        __slots__ = (
            "entity",
            "values",
        )
        STRUCT: ClassVar[int] = 187

        def __init__(
            self,
            *,
            entity: list[DescribeClientQuotasResponse.EntityData] = UNSET,
            values: list[DescribeClientQuotasResponse.ValueData] = UNSET,
        ) -> None:
            self.entity: list[DescribeClientQuotasResponse.EntityData] = [] if entity is UNSET else entity
            self.values: list[DescribeClientQuotasResponse.ValueData] = [] if values is UNSET else values
            self.unknown_tagged_fields = None

    class EntityData(Struct):
        """Part of DescribeClientQuotasResponse."""

        __slots__ = (
            "entity_type",
            "entity_name",
        )
        STRUCT: ClassVar[int] = 188

        def __init__(self, *, entity_type: str = "", entity_name: str | None = "") -> None:
            self.entity_type = entity_type
            self.entity_name = entity_name
            self.unknown_tagged_fields = None

    class ValueData(Struct):
        """Part of DescribeClientQuotasResponse."""

        __slots__ = (
            "key",
            "value",
        )
        STRUCT: ClassVar[int] = 189

        def __init__(self, *, key: str = "", value: float = 0.0) -> None:
            self.key = key
            self.value = value
            self.unknown_tagged_fields = None
