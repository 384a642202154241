"""LeaveGroup (key 13), versions 0-5.

Kept: all of it, removal by instance id included; why a member leaves (KIP-800) goes to the log. Left out: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker import log
from barnabas.broker.runtime import Failed
from barnabas.errors import InvalidGroupIdError
from barnabas.protocol.messages.leave_group import LeaveGroupResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Takes members out of their group."""
    message = request.message

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            response = LeaveGroupResponse(error_code=response.error_code)
        request.respond(response)

    if not message.group_id:
        answer(Failed(InvalidGroupIdError.code))
        return
    for member in message.members:
        if member.reason:
            name = member.member_id or member.group_instance_id
            log.info("group %s: member %s leaves; client reason: %.255r", message.group_id, name, member.reason)
    plane.groups.submit(request, message.group_id, message, answer)
