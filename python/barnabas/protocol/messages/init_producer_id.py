# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""InitProducerId, key 22."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class InitProducerIdRequest(Message):
    """Request of InitProducerId, key 22, versions 0 to 5."""

    API_KEY: ClassVar[int] = 22
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "transactional_id",
        "transaction_timeout_ms",
        "producer_id",
        "producer_epoch",
        "enable2_pc",
        "keep_prepared_txn",
    )
    STRUCT: ClassVar[int] = 314

    def __init__(
        self,
        *,
        transactional_id: str | None = "",
        transaction_timeout_ms: int = 0,
        producer_id: int = -1,
        producer_epoch: int = -1,
        enable2_pc: bool = False,
        keep_prepared_txn: bool = False,
    ) -> None:
        self.transactional_id = transactional_id
        self.transaction_timeout_ms = transaction_timeout_ms
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.enable2_pc = enable2_pc
        self.keep_prepared_txn = keep_prepared_txn
        self.unknown_tagged_fields = None


class InitProducerIdResponse(Message):
    """Response of InitProducerId, key 22, versions 0 to 5."""

    API_KEY: ClassVar[int] = 22
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id",
        "producer_epoch",
        "ongoing_txn_producer_id",
        "ongoing_txn_producer_epoch",
    )
    STRUCT: ClassVar[int] = 315

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        producer_id: int = -1,
        producer_epoch: int = 0,
        ongoing_txn_producer_id: int = -1,
        ongoing_txn_producer_epoch: int = -1,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.ongoing_txn_producer_id = ongoing_txn_producer_id
        self.ongoing_txn_producer_epoch = ongoing_txn_producer_epoch
        self.unknown_tagged_fields = None
