# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""EndTxn, key 26."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class EndTxnRequest(Message):
    """Request of EndTxn, key 26, versions 0 to 5."""

    API_KEY: ClassVar[int] = 26
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "transactional_id",
        "producer_id",
        "producer_epoch",
        "committed",
    )
    STRUCT: ClassVar[int] = 268

    def __init__(
        self, *, transactional_id: str = "", producer_id: int = 0, producer_epoch: int = 0, committed: bool = False
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.committed = committed
        self.unknown_tagged_fields = None


class EndTxnResponse(Message):
    """Response of EndTxn, key 26, versions 0 to 5."""

    API_KEY: ClassVar[int] = 26
    VERSIONS: ClassVar[tuple[int, int]] = (0, 5)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id",
        "producer_epoch",
    )
    STRUCT: ClassVar[int] = 269

    def __init__(
        self, *, throttle_time_ms: int = 0, error_code: int = 0, producer_id: int = -1, producer_epoch: int = -1
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.unknown_tagged_fields = None
