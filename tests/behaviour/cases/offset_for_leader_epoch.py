"""OffsetForLeaderEpoch."""

from __future__ import annotations

from typing import Any

from behaviour.batches import batch
from behaviour.cases import Play, Topic, case
from behaviour.cases.bodies import missing, to

API = "OffsetForLeaderEpoch"
EPOCHS = (-2, -1, 0, 1, 7, 2**31 - 1)


def of(topic: Topic, *epochs: int, partition: int = 0, current: int = -1) -> dict[str, Any]:
    partitions = [{"partition": partition, "currentLeaderEpoch": current, "leaderEpoch": epoch} for epoch in epochs]
    return {"replicaId": -1, "topics": [{"topic": topic.name, "partitions": partitions}]}


@case
def every_epoch(play: Play) -> None:
    topic = play.topic()
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(b"a", b"b")))
    for version in play.versions(API):
        for epoch in EPOCHS:
            play.ask(API, version, **of(topic, epoch))


@case
def of_an_empty_log(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        for epoch in EPOCHS:
            play.ask(API, version, **of(topic, epoch))


@case
def current_epochs(play: Play) -> None:
    topic = play.topic()
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(b"a", b"b")))
    for version in play.versions(API):
        for current in EPOCHS:
            play.ask(API, version, label=f"current {current}", **of(topic, 0, current=current))


@case
def unknown_topic_and_partition(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        play.ask(API, version, **of(missing(play), 0))
        for partition in (1, -1):
            play.ask(API, version, **of(topic, 0, partition=partition))
        play.ask(API, version, replicaId=-1, topics=[])
        play.ask(API, version, replicaId=-1, topics=[{"topic": topic.name, "partitions": []}])


@case
def names_that_no_topic_has(play: Play) -> None:
    for name in ("", ".", "a b", "x" * 250):
        play.ask(API, 4, **of(Topic(name, ""), 0))


@case
def the_same_partition_twice(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        play.ask(API, version, **of(topic, 0, 0))


@case
def after_records_were_deleted(play: Play) -> None:
    topic = play.topic()
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(b"a", b"b", b"c")))
    wanted = [{"name": topic.name, "partitions": [{"partitionIndex": 0, "offset": 2}]}]
    play.ask("DeleteRecords", 2, topics=wanted, timeoutMs=5_000)
    for epoch in EPOCHS:
        play.ask(API, 4, **of(topic, epoch))
