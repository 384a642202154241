# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AddOffsetsToTxn, key 25."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class AddOffsetsToTxnRequest(Message):
    """Request of AddOffsetsToTxn, key 25, versions 0 to 4."""

    API_KEY: ClassVar[int] = 25
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "transactional_id",
        "producer_id",
        "producer_epoch",
        "group_id",
    )
    STRUCT: ClassVar[int] = 2

    def __init__(
        self, *, transactional_id: str = "", producer_id: int = 0, producer_epoch: int = 0, group_id: str = ""
    ) -> None:
        self.transactional_id = transactional_id
        self.producer_id = producer_id
        self.producer_epoch = producer_epoch
        self.group_id = group_id
        self.unknown_tagged_fields = None


class AddOffsetsToTxnResponse(Message):
    """Response of AddOffsetsToTxn, key 25, versions 0 to 4."""

    API_KEY: ClassVar[int] = 25
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "throttle_time_ms",
        "error_code",
    )
    STRUCT: ClassVar[int] = 3

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tagged_fields = None
