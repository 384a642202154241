"""DeleteRecords."""

from __future__ import annotations

from typing import Any

from behaviour.batches import batch
from behaviour.cases import Play, Topic, case
from behaviour.cases.bodies import coordinator_is_ready, missing, of, to

API = "DeleteRecords"


def before(topic: Topic, *offsets: int, partition: int = 0) -> dict[str, Any]:
    partitions = [{"partitionIndex": partition, "offset": offset} for offset in offsets]
    return {"timeoutMs": 5_000, "topics": [{"name": topic.name, "partitions": partitions}]}


def filled(play: Play, label: str = "t", **configs: str) -> Topic:
    topic = play.topic(label, **configs)
    for count in (3, 2, 1):
        play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(*[b"v"] * count)))
    return topic


@case
def every_version(play: Play) -> None:
    for version in play.versions(API):
        topic = filled(play, f"t{version}")
        for offset in (0, 2, 1, 2, 3, 6):
            play.ask(API, version, **before(topic, offset))
            play.ask("Fetch", 12, **of(topic, offset))
            play.ask("ListOffsets", 6, replicaId=-1, topics=[{"name": topic.name, "partitions": [{"timestamp": -2}]}])


@case
def offsets_out_of_range(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        for offset in (7, 2**63 - 1, -2, -(2**63)):
            play.ask(API, version, **before(topic, offset))


@case
def up_to_the_high_watermark(play: Play) -> None:
    for version in play.versions(API):
        topic = filled(play, f"t{version}")
        play.ask(API, version, **before(topic, -1))
        play.ask(API, version, label="again", **before(topic, -1))
        play.ask("Fetch", 12, **of(topic, 5))
        play.ask("Produce", 9, **to(topic, batch(b"next")))
        play.ask("Fetch", 12, **of(topic, 6))


@case
def of_an_empty_log(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        for offset in (0, -1, 1):
            play.ask(API, version, **before(topic, offset))


@case
def unknown_topic_and_partition(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        play.ask(API, version, **before(missing(play), 0))
        for partition in (1, -1):
            play.ask(API, version, **before(topic, 0, partition=partition))


@case
def names_that_no_topic_has(play: Play) -> None:
    for name in ("", ".", "a b", "x" * 250):
        for version in play.versions(API):
            play.ask(API, version, **before(Topic(name, ""), 0))


@case
def nothing_to_delete(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        play.ask(API, version, timeoutMs=5_000, topics=[])
        play.ask(API, version, **before(topic))


@case
def policies(play: Play) -> None:
    for label, policy in (("compacted", "compact"), ("both", "compact,delete")):
        topic = play.topic(label, cleanup_policy=policy)
        for version in play.versions(API):
            play.ask(API, version, **before(topic, 0))


@case
def the_same_partition_twice(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        play.ask(API, version, **before(topic, version + 1, version))


@case
def internal_topics(play: Play) -> None:
    coordinator_is_ready(play)
    for name in ("__consumer_offsets", "__cluster_metadata"):
        for version in play.versions(API):
            play.ask(API, version, **before(Topic(name, ""), 0))


@case
def several_topics(play: Play) -> None:
    first, second = filled(play, "a"), filled(play, "b")
    for version in play.versions(API):
        topics = [
            before(topic, offset)["topics"][0] for topic, offset in ((first, 1), (missing(play), 0), (second, 99))
        ]
        play.ask(API, version, timeoutMs=5_000, topics=topics)


@case
def no_time(play: Play) -> None:
    topic = filled(play)
    for timeout in (0, -1):
        play.ask(API, 2, **{**before(topic, 1), "timeoutMs": timeout})
