"""DescribeGroups (key 15), versions 0-6. Kept: all of it; without an authorizer every operation is authorized."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.coordinator.group import Group, GroupState
from barnabas.coordinator.shard import DescribeGroup
from barnabas.errors import GroupIdNotFoundError
from barnabas.protocol.messages.describe_groups import DescribeGroupsResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]

FIRST_VERSION_WITH_NOT_FOUND = 6
GROUP_OPERATIONS = 0b1101_0100_1000
"""What Kafka allows on a group when there is no authorizer: read, delete, describe, describe and alter configs,
each as the bit of its number in the ACL protocol."""


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers when every group has answered."""
    ids = list(request.message.groups)
    answers: dict[int, DescribeGroupsResponse.DescribedGroup] = {}

    def finish() -> None:
        request.respond(DescribeGroupsResponse(groups=[answers[index] for index in range(len(ids))]))

    def submit(index: int, group_id: str) -> None:
        def answer(group: Any) -> None:
            described = _describe(group_id, group, request.version)
            if request.message.include_authorized_operations and not described.error_code:
                described.authorized_operations = GROUP_OPERATIONS
            answers[index] = described
            if len(answers) == len(ids):
                finish()

        plane.groups.submit(request, group_id, DescribeGroup(group_id), answer)

    if not ids:
        finish()
    for index, group_id in enumerate(ids):
        submit(index, group_id)


def _describe(group_id: str, group: Group | Failed | str | None, version: int) -> DescribeGroupsResponse.DescribedGroup:
    if isinstance(group, Failed):
        return DescribeGroupsResponse.DescribedGroup(group_id=group_id, error_code=group.error_code)
    if group is None or isinstance(group, str):
        dead = DescribeGroupsResponse.DescribedGroup(group_id=group_id, group_state=GroupState.DEAD.value)
        if version >= FIRST_VERSION_WITH_NOT_FOUND:
            dead.error_code = GroupIdNotFoundError.code
            dead.error_message = group or f"Group {group_id} not found."
        return dead
    is_stable = group.state is GroupState.STABLE
    return DescribeGroupsResponse.DescribedGroup(
        group_id=group_id,
        group_state=group.state.value,
        protocol_type=group.protocol_type or "",
        protocol_data=(group.protocol or "") if is_stable else "",
        members=[
            DescribeGroupsResponse.DescribedGroupMember(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                member_metadata=member.metadata(group.protocol or "") if is_stable else b"",
                member_assignment=member.assignment,
            )
            for member in group.members.values()
        ],
    )
