"""SaslHandshake (key 17), versions 0-1. A plaintext listener asks nobody who they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import IllegalSaslStateError
from barnabas.protocol.messages.sasl_handshake import SaslHandshakeResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does on a listener without SASL."""
    del plane
    request.respond(SaslHandshakeResponse(error_code=IllegalSaslStateError.code))
