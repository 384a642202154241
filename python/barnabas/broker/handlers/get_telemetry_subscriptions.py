"""GetTelemetrySubscriptions (key 71), version 0: what a client shall push, and how often (KIP-714)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.broker.telemetry import COMPRESSION_TYPES, Subscriber
from barnabas.protocol.messages.get_telemetry_subscriptions import GetTelemetrySubscriptionsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle", "subscriber"]


def subscriber(request: Request) -> Subscriber:
    """Returns what is known of a request's client."""
    port, name, version = request.client_port_and_software
    return Subscriber(request.client_id, "", name, version, request.client_host, str(port))


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers with the client's subscription."""
    telemetry = plane.telemetry
    code, instance = telemetry.subscribe(
        bytes(request.message.client_instance_id),
        subscriber(request),
        request.connection_id,
        plane.metadata.image,
        request.now.stamp_ms,
    )
    if instance is None:
        request.respond(GetTelemetrySubscriptionsResponse(error_code=code))
        return
    request.respond(
        GetTelemetrySubscriptionsResponse(
            client_instance_id=instance.instance_id,
            subscription_id=instance.subscription_id,
            accepted_compression_types=COMPRESSION_TYPES,
            push_interval_ms=instance.interval_ms,
            telemetry_max_bytes=telemetry.bytes_max,
            delta_temporality=True,
            requested_metrics=instance.metrics,
        )
    )
