"""OffsetCommit (key 8), versions 2-10.

Kept: fencing by member, generation and member epoch, simple consumers, metadata limits, the retention time of versions
2-4, topics by id (version 10). Topics that do not exist are refused one by one. Left out: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import UnknownTopicIdError, UnknownTopicOrPartitionError
from barnabas.protocol.messages.offset_commit import OffsetCommitResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request
    from barnabas.controller.image import Image

__all__ = ["handle"]

FIRST_VERSION_WITH_TOPIC_IDS = 10


def handle(plane: ControlPlane, request: Request) -> None:
    """Stores positions; answers when they are committed."""
    message = request.message
    image = plane.metadata.image
    known, refused = [], []
    for topic in message.topics:
        if not _name(topic, image, request.version):
            refused.append(_refusal(topic, topic.partitions, UnknownTopicIdError.code))
            continue
        partitions = image.topics[topic.name].partitions
        missing = [wanted for wanted in topic.partitions if wanted.partition_index not in partitions]
        if missing:
            refused.append(_refusal(topic, missing, UnknownTopicOrPartitionError.code))
            topic.partitions = [wanted for wanted in topic.partitions if wanted.partition_index in partitions]
        if topic.partitions:
            known.append(topic)

    def answer(response: Any) -> None:
        if isinstance(response, Failed):
            response = OffsetCommitResponse(
                topics=[_refusal(topic, topic.partitions, response.error_code) for topic in known],
            )
        request.respond(_with_refusals(response, refused))

    message.topics = known
    if known or not refused:
        plane.groups.submit(request, message.group_id, message, answer)
    else:
        answer(OffsetCommitResponse())


def _with_refusals(
    response: OffsetCommitResponse, refused: list[OffsetCommitResponse.OffsetCommitResponseTopic]
) -> OffsetCommitResponse:
    """Joins the refusals of this handler to the answers of the group."""
    topics = {(topic.name, bytes(topic.topic_id)): topic for topic in response.topics}
    for topic in refused:
        answered = topics.get((topic.name, bytes(topic.topic_id)))
        if answered is None:
            response.topics.append(topic)
        else:
            answered.partitions.extend(topic.partitions)
    return response


def _name(topic: Any, image: Image, version: int) -> bool:
    """Fills in the topic's name or id from the other; False when there is no such topic."""
    if version >= FIRST_VERSION_WITH_TOPIC_IDS:
        found = image.topic_by_id(topic.topic_id)
    else:
        found = image.topics.get(topic.name)
    if found is None:
        return False
    topic.name, topic.topic_id = found.name, found.topic_id
    return True


def _refusal(topic: Any, partitions: list[Any], error_code: int) -> OffsetCommitResponse.OffsetCommitResponseTopic:
    return OffsetCommitResponse.OffsetCommitResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        partitions=[
            OffsetCommitResponse.OffsetCommitResponsePartition(
                partition_index=partition.partition_index, error_code=error_code
            )
            for partition in partitions
        ],
    )
