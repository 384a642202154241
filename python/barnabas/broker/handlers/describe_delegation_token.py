"""DescribeDelegationToken (key 41), versions 1-3. Tokens need an authenticated connection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.errors import DelegationTokenRequestNotAllowedError
from barnabas.protocol.messages.describe_delegation_token import DescribeDelegationTokenResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers as Kafka does on a plaintext listener."""
    del plane
    request.respond(DescribeDelegationTokenResponse(error_code=DelegationTokenRequestNotAllowedError.code))
