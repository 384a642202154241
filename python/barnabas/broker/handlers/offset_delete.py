"""OffsetDelete (key 47), version 0.

Kept: groups without members. Left out: what members of a group subscribed to is not read, so every topic of a group
with members is refused with GROUP_SUBSCRIBED_TO_TOPIC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.protocol.messages.offset_delete import OffsetDeleteResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Forgets committed offsets."""

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            response = OffsetDeleteResponse(error_code=response.error_code)
        request.respond(response)

    plane.groups.submit(request, request.message.group_id, request.message, answer)
