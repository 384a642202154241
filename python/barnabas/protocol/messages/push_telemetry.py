# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""PushTelemetry, key 72."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class PushTelemetryRequest(Message):
    """Request of PushTelemetry, key 72, version 0."""

    API_KEY: ClassVar[int] = 72
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "client_instance_id",
        "subscription_id",
        "terminating",
        "compression_type",
        "metrics",
    )
    STRUCT: ClassVar[int] = 406

    def __init__(
        self,
        *,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        terminating: bool = False,
        compression_type: int = 0,
        metrics: bytes = b"",
    ) -> None:
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.terminating = terminating
        self.compression_type = compression_type
        self.metrics = metrics
        self.unknown_tagged_fields = None


class PushTelemetryResponse(Message):
    """Response of PushTelemetry, key 72, version 0."""

    API_KEY: ClassVar[int] = 72
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
    )
    STRUCT: ClassVar[int] = 407

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.unknown_tagged_fields = None
