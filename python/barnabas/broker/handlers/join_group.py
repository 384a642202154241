"""JoinGroup (key 11), versions 0-9.

Kept: all of Kafka's classic protocol, static members included; why a member joins (KIP-800) goes to the log.
Left out: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker import log
from barnabas.broker.runtime import Failed
from barnabas.errors import InvalidGroupIdError
from barnabas.protocol.messages.join_group import JoinGroupResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers when the rebalance that the member takes part in is complete."""
    message = request.message

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            response = JoinGroupResponse(
                error_code=response.error_code,
                member_id=message.member_id,
                protocol_name=None,
            )
        request.respond(response)

    if not message.group_id:
        answer(Failed(InvalidGroupIdError.code))
        return
    if message.reason:
        member = message.member_id or request.client_id
        log.info("group %s: member %s joins; client reason: %.255r", message.group_id, member, message.reason)
    plane.groups.submit(request, message.group_id, message, answer)
