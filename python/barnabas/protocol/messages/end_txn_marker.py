# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""EndTxnMarker."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class EndTxnMarker(Message):
    """Data, version 0."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = ("coordinator_epoch",)
    STRUCT: ClassVar[int] = 267

    def __init__(self, *, coordinator_epoch: int = 0) -> None:
        self.coordinator_epoch = coordinator_epoch
        self.unknown_tagged_fields = None
