# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""GetTelemetrySubscriptions, key 71."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message


class GetTelemetrySubscriptionsRequest(Message):
    """Request of GetTelemetrySubscriptions, key 71, version 0."""

    API_KEY: ClassVar[int] = 71
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("client_instance_id",)
    STRUCT: ClassVar[int] = 302

    def __init__(self, *, client_instance_id: bytes = ZERO_UUID) -> None:
        self.client_instance_id = client_instance_id
        self.unknown_tagged_fields = None


class GetTelemetrySubscriptionsResponse(Message):
    """Response of GetTelemetrySubscriptions, key 71, version 0."""

    API_KEY: ClassVar[int] = 71
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "client_instance_id",
        "subscription_id",
        "accepted_compression_types",
        "push_interval_ms",
        "telemetry_max_bytes",
        "delta_temporality",
        "requested_metrics",
    )
    STRUCT: ClassVar[int] = 303

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        client_instance_id: bytes = ZERO_UUID,
        subscription_id: int = 0,
        accepted_compression_types: list[int] = UNSET,
        push_interval_ms: int = 0,
        telemetry_max_bytes: int = 0,
        delta_temporality: bool = False,
        requested_metrics: list[str] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.client_instance_id = client_instance_id
        self.subscription_id = subscription_id
        self.accepted_compression_types: list[int] = (
            [] if accepted_compression_types is UNSET else accepted_compression_types
        )
        self.push_interval_ms = push_interval_ms
        self.telemetry_max_bytes = telemetry_max_bytes
        self.delta_temporality = delta_temporality
        self.requested_metrics: list[str] = [] if requested_metrics is UNSET else requested_metrics
        self.unknown_tagged_fields = None
