# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""UnfenceBrokerRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class UnfenceBrokerRecord(Message):
    """Record of the metadata log, key 8, version 0."""

    API_KEY: ClassVar[int] = 8
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "id",
        "epoch",
    )
    STRUCT: ClassVar[int] = 567

    def __init__(self, *, id: int = 0, epoch: int = 0) -> None:
        self.id = id
        self.epoch = epoch
        self.unknown_tagged_fields = None
