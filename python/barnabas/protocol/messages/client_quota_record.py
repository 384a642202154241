# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ClientQuotaRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ClientQuotaRecord(Message):
    """Record of the metadata log, key 14, version 0."""

    API_KEY: ClassVar[int] = 14
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "entity",
        "key",
        "value",
        "remove",
    )
    STRUCT: ClassVar[int] = 88

    def __init__(
        self,
        *,
        entity: list[ClientQuotaRecord.EntityData] = UNSET,
        key: str = "",
        value: float = 0.0,
        remove: bool = False,
    ) -> None:
        self.entity: list[ClientQuotaRecord.EntityData] = [] if entity is UNSET else entity
        self.key = key
        self.value = value
        self.remove = remove
        self.unknown_tagged_fields = None

    class EntityData(Struct):
        """Part of ClientQuotaRecord."""

        __slots__ = (
            "entity_type",
            "entity_name",
        )
        STRUCT: ClassVar[int] = 89

        def __init__(self, *, entity_type: str = "", entity_name: str | None = "") -> None:
            self.entity_type = entity_type
            self.entity_name = entity_name
            self.unknown_tagged_fields = None
