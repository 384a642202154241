"""SyncGroup (key 14), versions 0-5. Kept: all of it; from version 5 on the protocol must be named."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import InconsistentGroupProtocolError, InvalidGroupIdError
from barnabas.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

FIRST_VERSION_WITH_PROTOCOL = 5


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers when the leader's assignment is committed."""
    message = request.message

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            response = SyncGroupResponse(error_code=response.error_code, assignment=b"")
        request.respond(response)

    unnamed = message.protocol_type is None or message.protocol_name is None
    if request.version >= FIRST_VERSION_WITH_PROTOCOL and unnamed:
        answer(Failed(InconsistentGroupProtocolError.code))
        return
    if not message.group_id:
        answer(Failed(InvalidGroupIdError.code))
        return
    plane.groups.submit(request, message.group_id, message, answer)
