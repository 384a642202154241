# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConfigRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ConfigRecord(Message):
    """Record of the metadata log, key 4, version 0."""

    API_KEY: ClassVar[int] = 4
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "resource_type",
        "resource_name",
        "name",
        "value",
    )
    STRUCT: ClassVar[int] = 90

    def __init__(
        self, *, resource_type: int = 0, resource_name: str = "", name: str = "", value: str | None = ""
    ) -> None:
        self.resource_type = resource_type
        self.resource_name = resource_name
        self.name = name
        self.value = value
        self.unknown_tagged_fields = None
