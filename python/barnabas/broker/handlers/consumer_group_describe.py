"""ConsumerGroupDescribe (key 69), versions 0-1. Kept: all of it. Left out: authorized operations, for want of ACLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.handlers.describe_groups import GROUP_OPERATIONS
from barnabas.broker.runtime import Failed
from barnabas.coordinator.shard import DescribeConsumerGroup
from barnabas.errors import GroupIdNotFoundError, InvalidGroupIdError, UnsupportedVersionError
from barnabas.protocol.messages.consumer_group_describe import ConsumerGroupDescribeResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers when every group has answered."""
    ids = list(request.message.group_ids)
    answers: dict[int, ConsumerGroupDescribeResponse.DescribedGroup] = {}

    def submit(index: int, group_id: str) -> None:
        def answer(described: Any) -> None:
            group = _described(group_id, described)
            if request.message.include_authorized_operations and not group.error_code:
                group.authorized_operations = GROUP_OPERATIONS
            answers[index] = group
            if len(answers) == len(ids):
                finish()

        if not plane.groups.has_consumer_protocol:
            answer(Failed(UnsupportedVersionError.code))
        elif group_id:
            plane.groups.submit(request, group_id, DescribeConsumerGroup(group_id), answer)
        else:
            answer(Failed(InvalidGroupIdError.code))

    def finish() -> None:
        request.respond(ConsumerGroupDescribeResponse(groups=[answers[index] for index in range(len(ids))]))

    if not ids:
        finish()
    for index, group_id in enumerate(ids):
        submit(index, group_id)


def _described(group_id: str, described: Any) -> ConsumerGroupDescribeResponse.DescribedGroup:
    if isinstance(described, Failed):
        return ConsumerGroupDescribeResponse.DescribedGroup(group_id=group_id, error_code=described.error_code)
    if isinstance(described, str):
        return ConsumerGroupDescribeResponse.DescribedGroup(
            group_id=group_id, error_code=GroupIdNotFoundError.code, error_message=described
        )
    assert isinstance(described, ConsumerGroupDescribeResponse.DescribedGroup)  # noqa: S101 - the shard's answer
    return described
