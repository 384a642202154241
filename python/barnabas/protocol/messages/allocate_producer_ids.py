# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AllocateProducerIds, key 67."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class AllocateProducerIdsRequest(Message):
    """Request of AllocateProducerIds, key 67, version 0."""

    API_KEY: ClassVar[int] = 67
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "broker_epoch",
    )
    STRUCT: ClassVar[int] = 14

    def __init__(self, *, broker_id: int = 0, broker_epoch: int = -1) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.unknown_tagged_fields = None


class AllocateProducerIdsResponse(Message):
    """Response of AllocateProducerIds, key 67, version 0."""

    API_KEY: ClassVar[int] = 67
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "producer_id_start",
        "producer_id_len",
    )
    STRUCT: ClassVar[int] = 15

    def __init__(
        self, *, throttle_time_ms: int = 0, error_code: int = 0, producer_id_start: int = 0, producer_id_len: int = 0
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.producer_id_start = producer_id_start
        self.producer_id_len = producer_id_len
        self.unknown_tagged_fields = None
