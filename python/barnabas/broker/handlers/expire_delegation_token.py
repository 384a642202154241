"""ExpireDelegationToken (key 40), versions 1-2. Tokens need an authenticated connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import DelegationTokenRequestNotAllowedError
from barnabas.protocol.messages.expire_delegation_token import ExpireDelegationTokenResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does on a plaintext listener."""
    del plane
    request.respond(
        ExpireDelegationTokenResponse(error_code=DelegationTokenRequestNotAllowedError.code, expiry_timestamp_ms=-1)
    )
