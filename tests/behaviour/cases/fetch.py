"""Fetch without sessions: offsets, sizes, epochs, ids, waiting."""

from __future__ import annotations

from behaviour.batches import batch
from behaviour.cases import Play, Topic, case
from behaviour.cases.bodies import MISSING_ID, NO_ID, fetch, missing, of, to

API = "Fetch"
SHAPES = (4, 7, 12, 13, 18)


def filled(play: Play, label: str = "t", partitions: int = 1, **configs: str) -> Topic:
    """A topic with batches of 3, 2 and 1 records in each partition."""
    topic = play.topic(label, partitions, **configs)
    for count in (3, 2, 1):
        parts = {index: batch(*[b"%d" % count] * count) for index in range(partitions)}
        play.quiet("Produce", 9, **to(Topic(topic.name, ""), parts))
    return topic


def part(partition: int = 0, offset: int = 0, size: int = 1 << 20, **more: object) -> dict[str, object]:
    return {"partition": partition, "fetchOffset": offset, "partitionMaxBytes": size, **more}


def parts(topic: Topic, *partitions: dict[str, object]) -> dict[str, object]:
    return {"topic": topic.name, "topicId": topic.id, "partitions": list(partitions)}


@case
def every_version(play: Play) -> None:
    topic = filled(play, partitions=2)
    for version in play.versions(API):
        play.ask(API, version, **of(topic, 0, 3))


@case
def every_offset(play: Play) -> None:
    topic = filled(play)
    for version in SHAPES:
        for offset in range(8):
            play.ask(API, version, **of(topic, offset))


@case
def offsets_out_of_range(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        for offset in (7, 2**63 - 1, -1, -2, -(2**63)):
            play.ask(API, version, **of(topic, offset))


@case
def nothing_there_yet(play: Play) -> None:
    topic = play.topic()
    for version in play.versions(API):
        play.ask(API, version, **of(topic, 0))
        play.ask(API, version, **of(topic, 1))


@case
def unknown_topic(play: Play) -> None:
    for version in play.versions(API):
        play.ask(API, version, **of(missing(play), 0))


@case
def unknown_partition(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        for index in (1, -1, 2**31 - 1):
            play.ask(API, version, **fetch(parts(topic, part(index))))


@case
def names_that_no_topic_has(play: Play) -> None:
    for name in ("", ".", "a b", "x" * 250):
        for version in (4, 12):
            play.ask(API, version, **of(Topic(name, MISSING_ID), 0))


@case
def no_topic_id(play: Play) -> None:
    topic = filled(play)
    for version in (13, 17, 18):
        play.ask(API, version, **of(Topic(topic.name, NO_ID), 0))


@case
def topic_id_of_another_age(play: Play) -> None:
    """The id of a topic that was deleted, whose name is there again."""
    old = filled(play)
    play.quiet("DeleteTopics", 6, topics=[{"name": old.name}], timeoutMs=20_000)
    play.wait_until_gone(old)
    new = filled(play)
    for version in (13, 18):
        play.ask(API, version, **fetch(parts(old, part()), parts(new, part())))


@case
def several_topics(play: Play) -> None:
    first, second = filled(play, "a", 2), filled(play, "b")
    for version in SHAPES:
        wanted = [parts(first, part(0), part(1, 3)), parts(missing(play), part()), parts(second, part(), part(9))]
        play.ask(API, version, **fetch(*wanted))


@case
def the_same_partition_twice(play: Play) -> None:
    topic = filled(play)
    for version in SHAPES:
        play.ask(API, version, **fetch(parts(topic, part(offset=0), part(offset=3))))


@case
def nothing_wanted(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        play.ask(API, version, **fetch())
        play.ask(API, version, **fetch(parts(topic)))


@case
def sizes_of_a_partition(play: Play) -> None:
    topic = filled(play)
    size = len(batch(*[b"3"] * 3))
    for version in SHAPES:
        for limit in (0, 1, size - 1, size, size + 1, 2 * size, -1):
            play.ask(API, version, label=str(limit), **fetch(parts(topic, part(size=limit))))


@case
def sizes_of_a_response(play: Play) -> None:
    topic = filled(play, partitions=3)
    size = len(batch(*[b"3"] * 3))
    wanted = parts(topic, part(0), part(1), part(2))
    for version in SHAPES:
        for limit in (0, 1, size, 3 * size, 6 * size):
            play.ask(API, version, label=str(limit), **fetch(wanted, maxBytes=limit))


@case
def the_first_partition_with_data_is_served_whatever_its_size(play: Play) -> None:
    topic = filled(play, partitions=3)
    wanted = parts(topic, part(0, 6, 1), part(1, 0, 1), part(2, 0, 1))
    for version in SHAPES:
        play.ask(API, version, **fetch(wanted, maxBytes=1))


@case
def a_batch_larger_than_the_limits_alone(play: Play) -> None:
    topic = play.topic(partitions=2)
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), {index: batch(b"x" * 5_000) for index in range(2)}))
    for version in (4, 13):
        play.ask(API, version, **fetch(parts(topic, part(0, size=100), part(1, size=100)), maxBytes=200))


@case
def leader_epochs(play: Play) -> None:
    topic = filled(play)
    for version in (9, 10, 11, 12, 13, 15, 17, 18):
        for epoch in (-1, 0, 1, 2**31 - 1, -2):
            play.ask(API, version, label=f"epoch {epoch}", **of(topic, 0, currentLeaderEpoch=epoch))


@case
def last_fetched_epochs(play: Play) -> None:
    topic = filled(play)
    for version in (12, 13, 18):
        for epoch in (-1, 0, 1, 5):
            for offset in (0, 2, 6):
                play.ask(API, version, label=f"epoch {epoch}", **of(topic, offset, lastFetchedEpoch=epoch))


@case
def isolation_levels(play: Play) -> None:
    topic = filled(play)
    for version in play.versions(API):
        for level in (0, 1):
            play.ask(API, version, **{**of(topic, 0), "isolationLevel": level})


@case
def unknown_isolation_levels(play: Play) -> None:
    topic = filled(play)
    for version in SHAPES:
        for level in (2, -1):
            play.ask(API, version, on=play.connect(), **{**of(topic, 0), "isolationLevel": level})


@case
def racks(play: Play) -> None:
    topic = filled(play)
    for version in (11, 12, 18):
        for rack in ("", "nowhere"):
            play.ask(API, version, **{**of(topic, 0), "rackId": rack})


@case
def a_follower_that_is_none(play: Play) -> None:
    topic = filled(play)
    for version in (4, 11, 14):
        for replica in (1, 5):
            play.ask(API, version, label=f"replica {replica}", **{**of(topic, 0), "replicaId": replica})
    for version in (15, 18):
        for state in ({"replicaId": 5, "replicaEpoch": 1}, {"replicaId": 1, "replicaEpoch": -1}):
            play.ask(API, version, label=f"replica {state}", **{**of(topic, 0), "replicaState": state})


@case
def waiting(play: Play) -> None:
    topic = filled(play)
    for version in SHAPES:
        play.ask(API, version, label="enough there", **{**of(topic, 0), "maxWaitMs": 20_000, "minBytes": 1})
        play.ask(API, version, label="an end of waiting", **{**of(topic, 6), "maxWaitMs": 20, "minBytes": 1})
        play.ask(API, version, label="more than there is", **{**of(topic, 0), "maxWaitMs": 20, "minBytes": 10**6})
        play.ask(API, version, label="an error does not wait", **{**of(topic, 9), "maxWaitMs": 20_000, "minBytes": 1})


@case
def waiting_ends_with_data(play: Play) -> None:
    topic = play.topic()
    for end, version in enumerate(SHAPES):
        reader = play.connect()
        asked = play.send(API, version, on=reader, **{**of(topic, end), "maxWaitMs": 20_000, "minBytes": 1})
        play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(b"v")))
        play.receive(asked)


@case
def zstd_for_readers_that_cannot(play: Play) -> None:
    topic = play.topic(partitions=2)
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), {0: batch(b"v" * 50, codec="zstd"), 1: batch(b"v")}))
    for version in play.versions(API):
        play.ask(API, version, **of(topic, 0, 0))


@case
def zstd_of_the_topic_for_readers_that_cannot(play: Play) -> None:
    topic = play.topic(compression_type="zstd")
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), batch(b"v" * 50)))
    for version in (4, 9, 10, 13):
        play.ask(API, version, **of(topic, 0))
