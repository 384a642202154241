# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AlterClientQuotas, key 49."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class AlterClientQuotasRequest(Message):
    """Request of AlterClientQuotas, key 49, versions 0 to 1."""

    API_KEY: ClassVar[int] = 49
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "entries",
        "validate_only",
    )
    STRUCT: ClassVar[int] = 16

    def __init__(
        self, *, entries: list[AlterClientQuotasRequest.EntryData] = UNSET, validate_only: bool = False
    ) -> None:
        self.entries: list[AlterClientQuotasRequest.EntryData] = [] if entries is UNSET else entries
        self.validate_only = validate_only
        self.unknown_tagged_fields = None

    class EntryData(Struct):
        """Part of AlterClientQuotasRequest."""

        __slots__ = (
            "entity",
            "ops",
        )
        STRUCT: ClassVar[int] = 17

        def __init__(
            self,
            *,
            entity: list[AlterClientQuotasRequest.EntityData] = UNSET,
            ops: list[AlterClientQuotasRequest.OpData] = UNSET,
        ) -> None:
            self.entity: list[AlterClientQuotasRequest.EntityData] = [] if entity is UNSET else entity
            self.ops: list[AlterClientQuotasRequest.OpData] = [] if ops is UNSET else ops
            self.unknown_tagged_fields = None

    class EntityData(Struct):
        """Part of AlterClientQuotasRequest."""

        __slots__ = (
            "entity_type",
            "entity_name",
        )
        STRUCT: ClassVar[int] = 18

        def __init__(self, *, entity_type: str = "", entity_name: str | None = "") -> None:
            self.entity_type = entity_type
            self.entity_name = entity_name
            self.unknown_tagged_fields = None

    class OpData(Struct):
        """Part of AlterClientQuotasRequest."""

        __slots__ = (
            "key",
            "value",
            "remove",
        )
        STRUCT: ClassVar[int] = 19

        def __init__(self, *, key: str = "", value: float = 0.0, remove: bool = False) -> None:
            self.key = key
            self.value = value
            self.remove = remove
            self.unknown_tagged_fields = None


class AlterClientQuotasResponse(Message):
    """Response of AlterClientQuotas, key 49, versions 0 to 1."""

    API_KEY: ClassVar[int] = 49
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "throttle_time_ms",
        "entries",
    )
    STRUCT: ClassVar[int] = 20

    def __init__(
        self, *, throttle_time_ms: int = 0, entries: list[AlterClientQuotasResponse.EntryData] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.entries: list[AlterClientQuotasResponse.EntryData] = [] if entries is UNSET else entries
        self.unknown_tagged_fields = None

    class EntryData(Struct):
        """Part of AlterClientQuotasResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "entity",
        )
        STRUCT: ClassVar[int] = 21

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = "",
            entity: list[AlterClientQuotasResponse.EntityData] = UNSET,
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.entity: list[AlterClientQuotasResponse.EntityData] = [] if entity is UNSET else entity
            self.unknown_tagged_fields = None

    class EntityData(Struct):
        """Part of AlterClientQuotasResponse."""

        __slots__ = (
            "entity_type",
            "entity_name",
        )
        STRUCT: ClassVar[int] = 22

        def __init__(self, *, entity_type: str = "", entity_name: str | None = "") -> None:
            self.entity_type = entity_type
            self.entity_name = entity_name
            self.unknown_tagged_fields = None
