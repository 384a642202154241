"""Metadata: all, none, by name, by id; creation of topics that are asked for; authorized operations."""

from __future__ import annotations

from typing import Any

from behaviour.cases import Body, Play, case
from behaviour.cases.bodies import MISSING_ID, NO_ID, coordinator_is_ready

API = "Metadata"
SHAPES = (0, 1, 4, 5, 8, 9, 10, 12, 13)


def by_name(*names: str, **more: Any) -> Body:
    return {"topics": [{"name": name} for name in names], "allowAutoTopicCreation": False, **more}


def only_mine(play: Play) -> Any:
    """Leaves the topics of other cases out."""

    def keep(answer: Body) -> Body:
        topics = [topic for topic in answer["topics"] if (topic["name"] or "").startswith(play.named(""))]
        return {**answer, "topics": topics}

    return keep


@case
def every_version(play: Play) -> None:
    topic = play.topic(partitions=3)
    for version in play.versions(API):
        play.ask(API, version, **by_name(topic.name))


@case
def all_topics(play: Play) -> None:
    play.topic("a", 2), play.topic("b")
    for version in play.versions(API):
        wanted = [] if version == 0 else None
        play.ask(API, version, topics=wanted, keep=only_mine(play))


@case
def no_topics(play: Play) -> None:
    for version in range(1, 14):
        play.ask(API, version, topics=[])


@case
def unknown_topic(play: Play) -> None:
    for version in range(4, 14):
        play.ask(API, version, **by_name(play.named("missing")))


@case
def names_that_no_topic_has(play: Play) -> None:
    names = ("", ".", "..", "a b", "x" * 249, "x" * 250, "ü", "a/b", "a\0b")
    for version in range(4, 14):
        for name in names:
            play.ask(API, version, **by_name(name))


@case
def names_that_cannot_be_created(play: Play) -> None:
    names = ("", ".", "..", "a b", "x" * 250, "ü")
    for version in (0, 3, 4, 9, 13):
        for name in names:
            play.ask(API, version, topics=[{"name": name}], allowAutoTopicCreation=True)


@case
def several_names(play: Play) -> None:
    first, second = play.topic("a"), play.topic("b")
    for version in range(4, 14):
        play.ask(API, version, **by_name(second.name, play.named("missing"), first.name, "a b"))


@case
def the_same_name_twice(play: Play) -> None:
    topic = play.topic()
    for version in SHAPES:
        play.ask(API, version, **by_name(topic.name, topic.name))


@case
def by_id(play: Play) -> None:
    topic = play.topic(partitions=2)
    for version in (12, 13):
        for ids in ([topic.id], [MISSING_ID], [topic.id, MISSING_ID], [topic.id, topic.id]):
            wanted = [{"topicId": one, "name": None} for one in ids]
            play.ask(API, version, topics=wanted, allowAutoTopicCreation=True)


@case
def by_id_and_name(play: Play) -> None:
    topic = play.topic()
    for version in (12, 13):
        play.ask(API, version, topics=[{"topicId": topic.id, "name": topic.name}])
        play.ask(API, version, topics=[{"topicId": topic.id, "name": "another"}])
        play.ask(API, version, topics=[{"topicId": topic.id, "name": None}, {"topicId": NO_ID, "name": topic.name}])


@case
def by_neither(play: Play) -> None:
    for version in (10, 11, 12, 13):
        play.ask(API, version, on=play.connect(), topics=[{"topicId": NO_ID, "name": None}])


@case
def by_id_before_it_was_allowed(play: Play) -> None:
    topic = play.topic()
    for version in (10, 11):
        play.ask(API, version, on=play.connect(), topics=[{"topicId": topic.id, "name": None}])
        play.ask(API, version, on=play.connect(), topics=[{"topicId": topic.id, "name": topic.name}])


@case
def creation(play: Play) -> None:
    for version in play.versions(API):
        name = play.named(f"new{version}")
        wanted = {"topics": [{"name": name}], "allowAutoTopicCreation": True}
        play.ask(API, version, **wanted)
        play.wait_for(name, [0])
        play.ask(API, version, **wanted)


@case
def creation_of_names_that_collide(play: Play) -> None:
    play.topic("a.b")
    name = play.named("a_b")
    for version in (4, 9, 13):
        play.ask(API, version, topics=[{"name": name}], allowAutoTopicCreation=True)


@case
def creation_of_several(play: Play) -> None:
    topic = play.topic()
    names = [topic.name, play.named("one"), "a b", play.named("two"), play.named("one")]
    play.ask(API, 9, topics=[{"name": name} for name in names], allowAutoTopicCreation=True)
    for label in ("one", "two"):
        play.wait_for(play.named(label), [0])
    play.ask(API, 9, topics=[{"name": name} for name in names], allowAutoTopicCreation=True)


@case
def internal_topics(play: Play) -> None:
    coordinator_is_ready(play)
    for version in SHAPES:
        play.ask(API, version, **by_name("__consumer_offsets"))
    for version in range(4, 14):
        play.ask(API, version, **by_name("__cluster_metadata"))


@case
def authorized_operations(play: Play) -> None:
    topic = play.topic()
    for version in range(8, 14):
        for cluster in (False, True):
            for topics in (False, True):
                asked = {"includeTopicAuthorizedOperations": topics}
                if version <= 10:
                    asked["includeClusterAuthorizedOperations"] = cluster
                play.ask(API, version, **by_name(topic.name, "missing", **asked))


@case
def deleted_topics(play: Play) -> None:
    topic = play.topic()
    play.ask("DeleteTopics", 6, topics=[{"name": topic.name}], timeoutMs=20_000)
    play.wait_until_gone(topic)
    for version in range(4, 14):
        play.ask(API, version, **by_name(topic.name))
    for version in (12, 13):
        play.ask(API, version, topics=[{"topicId": topic.id, "name": None}])
