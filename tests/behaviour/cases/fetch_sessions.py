"""Fetch sessions (KIP-227): how they begin, what they leave out, how they end, and what is wrong about them."""

from __future__ import annotations

from typing import Any

from behaviour.batches import batch
from behaviour.cases import Play, Topic, case
from behaviour.cases.bodies import MISSING_ID, fetch, to
from behaviour.cases.fetch import filled, part, parts

API = "Fetch"
VERSIONS = (7, 12, 13, 18)


class Session:
    """One session of a case."""

    def __init__(self, play: Play, version: int) -> None:
        self.play = play
        self.version = version
        self.id = 0
        self.epoch = 0

    def ask(self, *topics: dict[str, Any], label: str = "", forget: list[Any] | None = None, **more: Any) -> None:
        fields = {"sessionId": self.id, "sessionEpoch": self.epoch, "forgottenTopicsData": forget or [], **more}
        answer = self.play.ask(API, self.version, label=label, **{**fetch(*topics), **fields})
        if self.epoch == 0:
            self.id = answer["sessionId"]
        self.epoch += 1


def add(play: Play, topic: Topic, partition: int, count: int = 1) -> None:
    play.quiet("Produce", 9, **to(Topic(topic.name, ""), {partition: batch(*[b"n"] * count)}))


@case
def only_what_changed(play: Play) -> None:
    for version in VERSIONS:
        topic = filled(play, f"t{version}", 3)
        session = Session(play, version)
        session.ask(parts(topic, part(0), part(1), part(2, 6)), label="begins")
        session.ask(label="the same again")
        session.ask(parts(topic, part(0, 6), part(1, 6)), label="read to the end")
        session.ask(label="nothing new")
        add(play, topic, 1)
        session.ask(label="one has more")
        session.ask(parts(topic, part(1, 7)), label="read")
        session.ask(label="nothing new again")


@case
def partitions_come_and_go(play: Play) -> None:
    for version in VERSIONS:
        topic = filled(play, f"t{version}", 3)
        session = Session(play, version)
        session.ask(parts(topic, part(0)), label="begins")
        session.ask(parts(topic, part(1)), label="one more")
        forget = [{"topic": topic.name, "topicId": topic.id, "partitions": [0]}]
        session.ask(label="one less", forget=forget)
        session.ask(label="forgotten again", forget=forget)
        session.ask(label="all")
        session.ask(parts(topic, part(0)), label="forgotten and wanted", forget=forget)
        session.ask(label="which of both")


@case
def errors_are_told_each_time(play: Play) -> None:
    for version in VERSIONS:
        topic = filled(play, f"t{version}", 1)
        session = Session(play, version)
        wanted = parts(topic, part(0, 99), part(5))
        session.ask(wanted, parts(Topic(play.named("missing"), MISSING_ID), part()), label="begins")
        session.ask(label="again")
        session.ask(parts(topic, part(0, 6)), label="one is well")
        session.ask(label="again")


@case
def a_topic_that_comes(play: Play) -> None:
    for version in (7, 12):
        session = Session(play, version)
        name = f"late{version}"
        session.ask(parts(Topic(play.named(name), MISSING_ID), part()), label="begins")
        filled(play, name)
        session.ask(label="it is there")


@case
def wrong_epochs(play: Play) -> None:
    for version in VERSIONS:
        topic = filled(play, f"t{version}")
        session = Session(play, version)
        session.ask(parts(topic, part(0, 6)), label="begins")
        for epoch in (0 + 2, 5, 2**31 - 1):
            play.ask(
                API, version, label=f"epoch {epoch}", **{**fetch(), "sessionId": session.id, "sessionEpoch": epoch}
            )
        session.ask(label="the right one")
        play.ask(API, version, label="the last", **{**fetch(), "sessionId": session.id, "sessionEpoch": 1})


@case
def unknown_sessions(play: Play) -> None:
    topic = filled(play)
    for version in VERSIONS:
        for epoch in (1, 7):
            wanted = {**fetch(parts(topic, part())), "sessionId": 1_234_567, "sessionEpoch": epoch}
            play.ask(API, version, **wanted)
            play.ask(API, version, **{**fetch(), "sessionId": 0, "sessionEpoch": epoch})


@case
def the_end(play: Play) -> None:
    for version in VERSIONS:
        topic = filled(play, f"t{version}")
        session = Session(play, version)
        session.ask(parts(topic, part()), label="begins")
        wanted = {**fetch(parts(topic, part())), "sessionId": session.id, "sessionEpoch": -1}
        play.ask(API, version, label="ends", **wanted)
        session.ask(label="after the end")
        play.ask(API, version, label="ends a stranger", **{**wanted, "sessionId": 7_654_321})


@case
def begins_anew(play: Play) -> None:
    for version in VERSIONS:
        topic = filled(play, f"t{version}")
        session = Session(play, version)
        session.ask(parts(topic, part()), label="begins")
        old = session.id
        anew = {**fetch(parts(topic, part(0, 3))), "sessionId": old, "sessionEpoch": 0}
        play.ask(API, version, label="begins again", **anew)
        play.ask(API, version, label="the old one", **{**fetch(), "sessionId": old, "sessionEpoch": 1})


@case
def of_nothing(play: Play) -> None:
    for version in VERSIONS:
        play.ask(API, version, label="begins", **{**fetch(), "sessionEpoch": 0})
        play.ask(API, version, label="none wanted", **{**fetch(), "sessionEpoch": -1})


@case
def limits_and_waiting(play: Play) -> None:
    for version in VERSIONS:
        topic = filled(play, f"t{version}", 2)
        session = Session(play, version)
        session.ask(parts(topic, part(0), part(1)), label="begins", maxBytes=1)
        session.ask(label="the other first", maxBytes=1)
        session.ask(label="and again", maxBytes=1)
        session.ask(parts(topic, part(0, 6), part(1, 6)), label="waits", maxWaitMs=20, minBytes=1)


@case
def epochs_of_leaders(play: Play) -> None:
    for version in VERSIONS[1:]:
        topic = filled(play, f"t{version}")
        session = Session(play, version)
        session.ask(parts(topic, part(0, 6, currentLeaderEpoch=0)), label="begins")
        session.ask(parts(topic, part(0, 6, currentLeaderEpoch=3)), label="unknown epoch")
        session.ask(label="again")
        session.ask(parts(topic, part(0, 6, currentLeaderEpoch=-1)), label="none")
