"""ConsumerGroupHeartbeat (key 68), versions 0-1: KIP-848.

Kept: static members, server-side assignors uniform and range, regular expressions. Left out: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import InvalidRequestError, UnsupportedVersionError
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers with the member's epoch and, when it changed, its assignment."""
    message = request.message

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            response = ConsumerGroupHeartbeatResponse(error_code=response.error_code)
        request.respond(response)

    if not plane.groups.has_consumer_protocol:
        answer(Failed(UnsupportedVersionError.code))
        return
    if not message.group_id.strip():
        # Kafka looks at the member first, whose id clients make up themselves from version 1 on.
        empty = "MemberId" if request.version >= 1 and not message.member_id.strip() else "GroupId"
        refused = ConsumerGroupHeartbeatResponse(
            error_code=InvalidRequestError.code, error_message=f"{empty} can't be empty."
        )
        request.respond(refused)
        return
    plane.groups.submit(request, message.group_id, message, answer)
