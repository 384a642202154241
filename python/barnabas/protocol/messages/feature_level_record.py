# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""FeatureLevelRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class FeatureLevelRecord(Message):
    """Record of the metadata log, key 12, version 0."""

    API_KEY: ClassVar[int] = 12
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "name",
        "feature_level",
    )
    STRUCT: ClassVar[int] = 274

    def __init__(self, *, name: str = "", feature_level: int = 0) -> None:
        self.name = name
        self.feature_level = feature_level
        self.unknown_tagged_fields = None
