# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ProducerIdsRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ProducerIdsRecord(Message):
    """Record of the metadata log, key 15, version 0."""

    API_KEY: ClassVar[int] = 15
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "broker_epoch",
        "next_producer_id",
    )
    STRUCT: ClassVar[int] = 403

    def __init__(self, *, broker_id: int = 0, broker_epoch: int = -1, next_producer_id: int = 0) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.next_producer_id = next_producer_id
        self.unknown_tagged_fields = None
