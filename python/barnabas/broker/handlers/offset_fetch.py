"""OffsetFetch (key 9), versions 1-10, all groups and all topics.

Kept: batches of groups, all offsets of a group (topics null), topics by id (version 10), RequireStable.
Left out: nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import UnknownTopicIdError
from barnabas.protocol.messages.offset_fetch import OffsetFetchResponse

if TYPE_CHECKING:
    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request
    from barnabas.controller.image import Image

__all__ = ["handle"]

FIRST_VERSION_WITH_TOPIC_IDS = 10


def handle(plane: ControlPlane, request: Request) -> None:
    """Answers when every group has answered."""
    from barnabas.coordinator.shard import FetchStable  # noqa: PLC0415 - loaded with the first shard

    groups, stable = request.message.groups, request.message.require_stable
    answers: dict[int, OffsetFetchResponse.OffsetFetchResponseGroup] = {}

    def finish() -> None:
        request.respond(OffsetFetchResponse(groups=[answers[index] for index in range(len(groups))]))

    def submit(index: int, group: Any) -> None:
        unknown = _name_topics(group, plane.metadata.image) if request.version >= FIRST_VERSION_WITH_TOPIC_IDS else []

        def answer(response: Any) -> None:
            if isinstance(response, Failed):
                response = OffsetFetchResponse.OffsetFetchResponseGroup(
                    group_id=group.group_id, error_code=response.error_code
                )
            elif request.version >= FIRST_VERSION_WITH_TOPIC_IDS:
                _add_ids(response, plane.metadata.image)
            response.topics.extend(unknown)
            answers[index] = response
            if len(answers) == len(groups):
                finish()

        plane.groups.submit(request, group.group_id, FetchStable(group) if stable else group, answer)

    if not groups:
        finish()
    for index, group in enumerate(groups):
        submit(index, group)


def _name_topics(group: Any, image: Image) -> list[OffsetFetchResponse.OffsetFetchResponseTopics]:
    """Fills in names for ids; returns the answers for ids that no topic has."""
    unknown, known = [], []
    for topic in group.topics or []:
        found = image.topic_by_id(topic.topic_id)
        if found is not None:
            topic.name = found.name
            known.append(topic)
            continue
        partitions = [
            OffsetFetchResponse.OffsetFetchResponsePartitions(
                partition_index=index,
                committed_offset=-1,
                metadata="",
                error_code=UnknownTopicIdError.code,
            )
            for index in topic.partition_indexes
        ]
        unknown.append(OffsetFetchResponse.OffsetFetchResponseTopics(topic_id=topic.topic_id, partitions=partitions))
    if group.topics is not None:
        group.topics = known
    return unknown


def _add_ids(response: OffsetFetchResponse.OffsetFetchResponseGroup, image: Image) -> None:
    """Fills in ids for names; offsets of deleted topics have none and cannot be told."""
    named = []
    for topic in response.topics:
        found = image.topics.get(topic.name)
        if found is not None:
            topic.topic_id = found.topic_id
            named.append(topic)
    response.topics = named
