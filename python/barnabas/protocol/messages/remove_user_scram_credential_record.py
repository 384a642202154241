# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemoveUserScramCredentialRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class RemoveUserScramCredentialRecord(Message):
    """Record of the metadata log, key 22, version 0."""

    API_KEY: ClassVar[int] = 22
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "name",
        "mechanism",
    )
    STRUCT: ClassVar[int] = 445

    def __init__(self, *, name: str = "", mechanism: int = 0) -> None:
        self.name = name
        self.mechanism = mechanism
        self.unknown_tagged_fields = None
