"""Bodies of requests that cases of several modules send."""

from __future__ import annotations

from typing import Any

from behaviour.cases import Play, Topic

NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
MISSING_ID = "AAAAAAAAAAAAAAAAAAAAKg"
NOT_YET = (14, 15, 16)
"""The coordinator is loading, is not available, is not this broker."""


def to(topic: Topic, batches: dict[int, bytes | None] | bytes | None, acks: int = -1, **more: Any) -> dict[str, Any]:
    """A Produce: batches by partition, or one for partition 0."""
    parts = batches if isinstance(batches, dict) else {0: batches}
    data = [{"index": index, "records": records} for index, records in parts.items()]
    topics = [{"name": topic.name, "topicId": topic.id, "partitionData": data}]
    return {"acks": acks, "timeoutMs": 5_000, "topicData": topics, **more}


def of(topic: Topic, *offsets: int, **more: Any) -> dict[str, Any]:
    """A Fetch without a session: partitions from 0 on, each at its offset; `more` is for the partitions."""
    partitions = [
        {"partition": index, "fetchOffset": offset, "partitionMaxBytes": 1 << 20, **more}
        for index, offset in enumerate(offsets)
    ]
    return fetch({"topic": topic.name, "topicId": topic.id, "partitions": partitions})


def fetch(*topics: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Fetch of anything, without a session."""
    fields = {"replicaId": -1, "maxWaitMs": 0, "minBytes": 0, "maxBytes": 1 << 24, "sessionEpoch": -1}
    return {**fields, "topics": list(topics), **more}


def missing(play: Play) -> Topic:
    """A topic that is not there."""
    return Topic(play.named("missing"), MISSING_ID)


def new_producer(play: Play, label: str = "producer") -> int:
    """A producer id of this case."""
    answer = play.until(
        lambda told: not told["errorCode"], "InitProducerId", 4, transactionalId=None, transactionTimeoutMs=60_000,
        producerId=-1, producerEpoch=-1,
    )  # fmt: skip
    return answer["producerId"]


def coordinator_is_ready(play: Play, *groups: str) -> None:
    """Waits until the coordinators of groups have loaded what they need."""
    for group in groups or ("",):
        play.until(lambda told: told["errorCode"] not in NOT_YET, "FindCoordinator", 1, key=group, keyType=0)
        play.until(lambda told: told["errorCode"] not in NOT_YET, "LeaveGroup", 0, groupId=group, memberId="nobody")
