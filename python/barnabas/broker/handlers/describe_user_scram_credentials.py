"""DescribeUserScramCredentials (key 50), version 0. Keys and salts are never told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Names users' mechanisms."""
    plane.metadata.administer(
        request, lambda code: DescribeUserScramCredentialsResponse(error_code=code, error_message=None)
    )
