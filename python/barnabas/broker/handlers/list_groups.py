"""ListGroups (key 16), versions 0-5. Kept: filters by state and type, compared without case. Left out: nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.coordinator.shard import ListShard
from barnabas.protocol.messages.list_groups import ListGroupsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Lists the groups that this broker coordinates."""
    states = {state.lower() for state in request.message.states_filter}
    types = {kind.lower() for kind in request.message.types_filter}

    def answer(shards: list[Any]) -> None:
        code = next((shard.error_code for shard in shards if isinstance(shard, Failed)), 0)
        groups = [
            ListGroupsResponse.ListedGroup(
                group_id=group.group_id,
                protocol_type=group.protocol_type,
                group_state=group.state,
                group_type=group.kind,
            )
            for shard in shards
            if not isinstance(shard, Failed)
            for group in shard
            if (not states or group.state.lower() in states) and (not types or group.kind in types)
        ]
        request.respond(ListGroupsResponse(error_code=code, groups=groups))

    plane.groups.submit_to_all(request, ListShard(), answer)
