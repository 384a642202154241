"""ListOffsets: times, special times, epochs."""

from __future__ import annotations

from typing import Any

from behaviour.batches import MADE, Record, batch
from behaviour.cases import Play, Topic, case
from behaviour.cases.bodies import missing, to

API = "ListOffsets"
SPECIAL = {"latest": -1, "earliest": -2, "max timestamp": -3, "earliest local": -4, "latest tiered": -5, "pending": -6}


def at(topic: Topic, *timestamps: int, **more: Any) -> dict[str, Any]:
    """Each timestamp of partition 0 in a request; `more` is for the partitions."""
    partitions = [{"partitionIndex": 0, "timestamp": timestamp, **more} for timestamp in timestamps]
    return {"replicaId": -1, "timeoutMs": 5_000, "topics": [{"name": topic.name, "partitions": partitions}]}


def filled(play: Play, label: str = "t", **configs: str) -> Topic:
    topic = play.topic(label, **configs)
    first = [Record(b"v", timestamp_delta=delta) for delta in (0, 10, 10, 5)]
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(*first)))
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(*first, base_timestamp=MADE + 20, codec="gzip")))
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(b"v", base_timestamp=MADE - 7)))
    return topic


@case
def special_timestamps_of_every_version(play: Play) -> None:
    full, empty = filled(play), play.topic("empty")
    for version in play.versions(API):
        for label, timestamp in SPECIAL.items():
            play.ask(API, version, label=label, **at(full, timestamp))
            play.ask(API, version, label=f"{label}, empty", **at(empty, timestamp))
        for timestamp in (-7, -(2**63)):
            play.ask(API, version, **at(full, timestamp))


@case
def timestamps(play: Play) -> None:
    topic = filled(play)
    for version in (1, 4, 7, 11):
        for delta in (-8, -7, -6, 0, 1, 5, 6, 10, 11, 19, 20, 25, 26, 30, 31):
            play.ask(API, version, label=f"{delta}", **at(topic, MADE + delta))
        for timestamp in (0, 2**63 - 1):
            play.ask(API, version, **at(topic, timestamp))


@case
def timestamps_of_an_empty_log(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        for timestamp in (0, MADE, 2**63 - 1):
            play.ask(API, version, **at(topic, timestamp))


@case
def append_time(play: Play) -> None:
    topic = play.topic(message_timestamp_type="LogAppendTime")
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(b"a", b"b", b"c")))
    for version in (1, 4, 7, 11):
        for timestamp in (0, MADE + 50, 2**63 - 1, -1, -2, *([-3] if version >= 7 else [])):
            play.ask(API, version, keep=without_times, **at(topic, timestamp))


def without_times(answer: dict[str, Any]) -> dict[str, Any]:
    for topic in answer["topics"]:
        for one in topic["partitions"]:
            one["timestamp"] = one["timestamp"] > MADE
    return answer


@case
def unknown_topic_and_partition(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        for timestamp in (-1, -2, MADE):
            play.ask(API, version, **at(missing(play), timestamp))
            play.ask(API, version, **at(topic, timestamp, partitionIndex=3))
            play.ask(API, version, **at(topic, timestamp, partitionIndex=-1))


@case
def names_that_no_topic_has(play: Play) -> None:
    for name in ("", ".", "a b", "x" * 250):
        for version in (1, 11):
            play.ask(API, version, **at(Topic(name, ""), -1))


@case
def leader_epochs(play: Play) -> None:
    topic = filled(play)
    for version in range(4, 12):
        for epoch in (-1, 0, 1, 2**31 - 1, -2):
            for timestamp in (-1, MADE):
                label = f"epoch {epoch}"
                play.ask(API, version, label=label, **at(topic, timestamp, currentLeaderEpoch=epoch))


@case
def isolation_levels(play: Play) -> None:
    topic = filled(play)
    for version in range(2, 12):
        for level in (0, 1):
            for timestamp in (-1, -2, -3, MADE + 26, MADE + 99):
                play.ask(API, version, label=str(timestamp), isolationLevel=level, **at(topic, timestamp))


@case
def unknown_isolation_levels(play: Play) -> None:
    topic = filled(play)
    for version in (2, 11):
        for level in (2, -1):
            play.ask(API, version, on=play.connect(), isolationLevel=level, **at(topic, -1))


@case
def the_same_partition_twice(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        play.ask(API, version, **at(topic, -1, -2))
        play.ask(API, version, **at(topic, -1, -1))


@case
def replicas_that_are_none(play: Play) -> None:
    topic = filled(play)
    for version in (1, 11):
        for replica in (-2, 1, 5):
            play.ask(API, version, **{**at(topic, -1), "replicaId": replica})


@case
def several_topics(play: Play) -> None:
    first, second = filled(play, "a"), filled(play, "b")
    for version in play.versions(API):
        topics = [at(topic, -1)["topics"][0] for topic in (first, missing(play), second)]
        play.ask(API, version, replicaId=-1, timeoutMs=5_000, topics=topics)
        play.ask(API, version, replicaId=-1, timeoutMs=5_000, topics=[])
        play.ask(API, version, replicaId=-1, timeoutMs=5_000, topics=[{"name": first.name, "partitions": []}])


@case
def after_records_were_deleted(play: Play) -> None:
    topic = filled(play)
    wanted = [{"name": topic.name, "partitions": [{"partitionIndex": 0, "offset": 5}]}]
    play.ask("DeleteRecords", 2, topics=wanted, timeoutMs=5_000)
    for version in (1, 7, 11):
        for timestamp in (-1, -2, -3, -4, 0, MADE, MADE + 25):
            play.ask(API, version, label=str(timestamp), **at(topic, timestamp))


@case
def max_timestamp_of_equals(play: Play) -> None:
    topic = play.topic()
    for _ in range(2):
        play.quiet(
            "Produce", 9, **to(Topic(topic.name, ""), batch(b"a", Record(b"b", timestamp_delta=9), Record(b"c")))
        )
    for version in (7, 11):
        for timestamp in (-3, MADE + 9):
            play.ask(API, version, **at(topic, timestamp))
