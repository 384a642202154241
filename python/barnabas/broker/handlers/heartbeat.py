"""Heartbeat (key 12), versions 0-4. Kept: all of it; while the group is loaded a heartbeat is simply acknowledged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import CoordinatorLoadInProgressError, InvalidGroupIdError
from barnabas.protocol.messages.heartbeat import HeartbeatResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Prolongs the member's session."""
    message = request.message

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            # The session starts anew when loading ends, so there is nothing to tell the member.
            loading = response.error_code == CoordinatorLoadInProgressError.code
            response = HeartbeatResponse(error_code=0 if loading else response.error_code)
        request.respond(response)

    if not message.group_id:
        answer(Failed(InvalidGroupIdError.code))
        return
    plane.groups.submit(request, message.group_id, message, answer)
