# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""TransactionLogValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class TransactionLogValue(Message):
    """Value of a coordinator's record, key 0, versions 0 to 1."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = (
        "producer_id",
        "previous_producer_id",
        "next_producer_id",
        "producer_epoch",
        "next_producer_epoch",
        "transaction_timeout_ms",
        "transaction_status",
        "transaction_partitions",
        "transaction_last_update_timestamp_ms",
        "transaction_start_timestamp_ms",
        "client_transaction_version",
    )
    STRUCT: ClassVar[int] = 559

    def __init__(
        self,
        *,
        producer_id: int = 0,
        previous_producer_id: int = -1,
        next_producer_id: int = -1,
        producer_epoch: int = 0,
        next_producer_epoch: int = -1,
        transaction_timeout_ms: int = 0,
        transaction_status: int = 0,
        transaction_partitions: list[TransactionLogValue.PartitionsSchema] | None = UNSET,
        transaction_last_update_timestamp_ms: int = 0,
        transaction_start_timestamp_ms: int = 0,
        client_transaction_version: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.previous_producer_id = previous_producer_id
        self.next_producer_id = next_producer_id
        self.producer_epoch = producer_epoch
        self.next_producer_epoch = next_producer_epoch
        self.transaction_timeout_ms = transaction_timeout_ms
        self.transaction_status = transaction_status
        self.transaction_partitions: list[TransactionLogValue.PartitionsSchema] | None = (
            [] if transaction_partitions is UNSET else transaction_partitions
        )
        self.transaction_last_update_timestamp_ms = transaction_last_update_timestamp_ms
        self.transaction_start_timestamp_ms = transaction_start_timestamp_ms
        self.client_transaction_version = client_transaction_version
        self.unknown_tagged_fields = None

    class PartitionsSchema(Struct):
        """Part of TransactionLogValue."""

        __slots__ = (
            "topic",
            "partition_ids",
        )
        STRUCT: ClassVar[int] = 560

        def __init__(self, *, topic: str = "", partition_ids: list[int] = UNSET) -> None:
            self.topic = topic
            self.partition_ids: list[int] = [] if partition_ids is UNSET else partition_ids
            self.unknown_tagged_fields = None
