"""OffsetDelete (key 47), version 0.

Kept: groups without members; topics and partitions that do not exist are refused one by one. Left out: what members
of a group subscribed to is not read, so every topic of a group with members is refused with GROUP_SUBSCRIBED_TO_TOPIC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import InvalidGroupIdError, UnknownTopicOrPartitionError
from barnabas.protocol.messages.offset_delete import OffsetDeleteResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request

__all__ = ["handle"]


def handle(plane: ControlPlane, request: Request) -> None:
    """Forgets committed offsets."""
    message = request.message
    missing: dict[str, list[int]] = {}
    for topic in message.topics:
        found = plane.metadata.image.topics.get(topic.name)
        known = found.partitions if found is not None else {}
        missing[topic.name] = [part.partition_index for part in topic.partitions if part.partition_index not in known]
        topic.partitions = [part for part in topic.partitions if part.partition_index in known]

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            response = OffsetDeleteResponse(error_code=response.error_code)
        for topic in response.topics:
            topic.partitions += [
                OffsetDeleteResponse.OffsetDeleteResponsePartition(
                    partition_index=index,
                    error_code=UnknownTopicOrPartitionError.code,
                )
                for index in missing[topic.name]
            ]
        request.respond(response)

    if not message.group_id:
        request.respond(OffsetDeleteResponse(error_code=InvalidGroupIdError.code))
        return
    plane.groups.submit(request, message.group_id, message, answer)
