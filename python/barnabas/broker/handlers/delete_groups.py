"""DeleteGroups (key 42), versions 0-2. Kept: all of it. Left out: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.coordinator.shard import DeleteGroup
from barnabas.protocol.messages.delete_groups import DeleteGroupsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers when every group has answered."""
    ids = list(dict.fromkeys(request.message.groups_names))
    codes: dict[str, int] = {}

    def finish() -> None:
        results = [
            DeleteGroupsResponse.DeletableGroupResult(group_id=group_id, error_code=codes[group_id]) for group_id in ids
        ]
        request.respond(DeleteGroupsResponse(results=results))

    def submit(group_id: str) -> None:
        def answer(outcome: Any) -> None:
            codes[group_id] = outcome.error_code if isinstance(outcome, Failed) else outcome
            if len(codes) == len(ids):
                finish()

        plane.groups.submit(request, group_id, DeleteGroup(group_id), answer)

    if not ids:
        finish()
    for group_id in ids:
        submit(group_id)
