# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""UnregisterBroker, key 64."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class UnregisterBrokerRequest(Message):
    """Request of UnregisterBroker, key 64, version 0."""

    API_KEY: ClassVar[int] = 64
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("broker_id",)
    STRUCT: ClassVar[int] = 569

    def __init__(self, *, broker_id: int = 0) -> None:
        self.broker_id = broker_id
        self.unknown_tagged_fields = None


class UnregisterBrokerResponse(Message):
    """Response of UnregisterBroker, key 64, version 0."""

    API_KEY: ClassVar[int] = 64
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
    )
    STRUCT: ClassVar[int] = 570

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "") -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = None
