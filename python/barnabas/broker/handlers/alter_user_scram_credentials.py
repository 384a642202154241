"""AlterUserScramCredentials (key 51), version 0. Each user is answered for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Stores and removes credentials."""
    shape = AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult
    message = request.message

    def refusal(code: int) -> AlterUserScramCredentialsResponse:
        users = dict.fromkeys(change.name for change in (*message.deletions, *message.upsertions))
        return AlterUserScramCredentialsResponse(
            results=[shape(user=user, error_code=code, error_message=None) for user in users]
        )

    plane.metadata.administer(request, refusal)
