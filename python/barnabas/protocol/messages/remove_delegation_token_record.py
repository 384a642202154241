# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemoveDelegationTokenRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class RemoveDelegationTokenRecord(Message):
    """Record of the metadata log, key 26, version 0."""

    API_KEY: ClassVar[int] = 26
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("token_id",)
    STRUCT: ClassVar[int] = 441

    def __init__(self, *, token_id: str = "") -> None:
        self.token_id = token_id
        self.unknown_tagged_fields = None
