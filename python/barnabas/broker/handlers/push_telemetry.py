"""PushTelemetry (key 72), version 0: metrics of a client (KIP-714)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.broker.handlers.get_telemetry_subscriptions import subscriber
from barnabas.protocol.messages.push_telemetry import PushTelemetryResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Keeps the metrics, or says why not."""
    client, image = subscriber(request), plane.metadata.image
    code = plane.telemetry.push(request.message, client, request.connection_id, image, request.now.stamp_ms)
    request.respond(PushTelemetryResponse(error_code=code))
