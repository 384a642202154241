"""CreateDelegationToken (key 38), versions 1-3. Tokens need an authenticated connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import DelegationTokenRequestNotAllowedError
from barnabas.protocol.messages.create_delegation_token import CreateDelegationTokenResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

FIRST_WITH_REQUESTER = 3


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does on a plaintext listener."""
    del plane
    is_told_who_asks = request.version >= FIRST_WITH_REQUESTER
    request.respond(
        CreateDelegationTokenResponse(
            error_code=DelegationTokenRequestNotAllowedError.code,
            principal_type="User",
            principal_name="ANONYMOUS",
            token_requester_principal_type="User" if is_told_who_asks else "",
            token_requester_principal_name="ANONYMOUS" if is_told_who_asks else "",
            issue_timestamp_ms=-1,
            expiry_timestamp_ms=-1,
            max_timestamp_ms=-1,
        )
    )
