"""OffsetCommit (key 8), versions 2-10.

Kept: fencing by member, generation and member epoch, simple consumers, metadata limits, the retention time of versions
2-4, topics by id (version 10). Topics that do not exist are refused one by one. Left out: nothing.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.errors import UnknownTopicIdError, UnknownTopicOrPartitionError
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from barnabas.broker.control import ControlPlane
    from barnabas.broker.request import Request
    from barnabas.controller.image import Image

    _Topic = OffsetCommitRequest.OffsetCommitRequestTopic
    _Answered = Callable[[OffsetCommitResponse], None]

__all__ = ["handle"]

FIRST_VERSION_WITH_TOPIC_IDS = 10
PIECE = 250
"""Partitions that are committed in one turn of the control thread. Each piece is decided by itself and has a batch of
its own; the request is answered once, when all of them are."""


def handle(plane: ControlPlane, request: Request) -> None:
    """Stores positions; answers when they are committed."""
    topics = request.message.topics
    if sum(map(_size, topics)) <= PIECE:
        _commit(plane, request, topics, request.respond)
        return
    pieces = _pieces(topics)
    answers: dict[int, OffsetCommitResponse] = {}

    def answered(place: int, response: OffsetCommitResponse) -> None:
        answers[place] = response
        if len(answers) == len(pieces):
            request.respond(_joined([answers[place] for place in range(len(pieces))]))

    def commits() -> Iterator[None]:
        for place, piece in enumerate(pieces):
            _commit(plane, request, piece, partial(answered, place))
            yield

    plane.in_pieces(request, commits())


def _pieces(topics: list[_Topic]) -> list[list[_Topic]]:
    """Divides what is committed, topics too where they have many partitions."""
    pieces: list[list[_Topic]] = [[]]
    room = PIECE
    for topic in topics:
        begin = 0
        while (left := _size(topic) - begin) > 0:
            if room <= 0:
                pieces.append([])
                room = PIECE
            part = topic.partitions[begin : begin + room]
            pieces[-1].append(
                OffsetCommitRequest.OffsetCommitRequestTopic(name=topic.name, topic_id=topic.topic_id, partitions=part)
            )
            begin += room
            room -= left
    return pieces


def _size(topic: _Topic) -> int:
    return max(1, len(topic.partitions))


def _joined(answers: list[OffsetCommitResponse]) -> OffsetCommitResponse:
    """Makes the answers to pieces one."""
    topics: dict[tuple[str, bytes], OffsetCommitResponse.OffsetCommitResponseTopic] = {}
    for answer in answers:
        for topic in answer.topics:
            first = topics.setdefault(_key(topic), topic)
            if first is not topic:
                first.partitions.extend(topic.partitions)
    return OffsetCommitResponse(topics=list(topics.values()))


def _commit(plane: ControlPlane, request: Request, topics: list[_Topic], answered: _Answered) -> None:
    message = request.message
    image = plane.metadata.image
    known, refused = [], []
    for topic in topics:
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
        answered(_with_refusals(response, refused))

    message.topics = known
    if known or not refused:
        plane.groups.submit(request, message.group_id, message, answer)
    else:
        answer(OffsetCommitResponse())


def _with_refusals(
    response: OffsetCommitResponse, refused: list[OffsetCommitResponse.OffsetCommitResponseTopic]
) -> OffsetCommitResponse:
    """Joins the refusals of this handler to the answers of the group."""
    if not refused:
        return response
    topics = {_key(topic): topic for topic in response.topics}
    for topic in refused:
        answered = topics.get(_key(topic))
        if answered is None:
            response.topics.append(topic)
        else:
            answered.partitions.extend(topic.partitions)
    return response


def _key(topic: OffsetCommitResponse.OffsetCommitResponseTopic) -> tuple[str, bytes]:
    return topic.name, bytes(topic.topic_id)


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
