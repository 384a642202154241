# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ProducerSnapshot."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ProducerSnapshot(Message):
    """Data, version 1."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (1, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "crc",
        "producer_entries",
    )
    STRUCT: ClassVar[int] = 404

    def __init__(self, *, crc: int = 0, producer_entries: list[ProducerSnapshot.ProducerEntry] = UNSET) -> None:
        self.crc = crc
        self.producer_entries: list[ProducerSnapshot.ProducerEntry] = (
            [] if producer_entries is UNSET else producer_entries
        )
        self.unknown_tagged_fields = None

    class ProducerEntry(Struct):
        """Part of ProducerSnapshot."""

        __slots__ = (
            "producer_id",
            "epoch",
            "last_sequence",
            "last_offset",
            "offset_delta",
            "timestamp",
            "coordinator_epoch",
            "current_txn_first_offset",
        )
        STRUCT: ClassVar[int] = 405

        def __init__(
            self,
            *,
            producer_id: int = 0,
            epoch: int = 0,
            last_sequence: int = 0,
            last_offset: int = 0,
            offset_delta: int = 0,
            timestamp: int = 0,
            coordinator_epoch: int = 0,
            current_txn_first_offset: int = 0,
        ) -> None:
            self.producer_id = producer_id
            self.epoch = epoch
            self.last_sequence = last_sequence
            self.last_offset = last_offset
            self.offset_delta = offset_delta
            self.timestamp = timestamp
            self.coordinator_epoch = coordinator_epoch
            self.current_txn_first_offset = current_txn_first_offset
            self.unknown_tagged_fields = None
