"""The quota of changes (KIP-599): how many partitions a client may create and delete, what is refused, and for how long.

A client may save up eleven windows' worth. Newer versions refuse what comes after that, older ones do it and tell the client to
wait.
"""

from __future__ import annotations

from typing import Any, Final

from behaviour.cases import Body, Play, Topic, case, register
from behaviour.cases.quotas import CLIENT, limit

CREATE: Final = "CreateTopics"
DELETE: Final = "DeleteTopics"
GROW: Final = "CreatePartitions"
RATE: Final = 5 / 16
"""3.4 partitions are saved up. When 5, 8, 11 … were made it takes 5, 15, 24 … seconds until nothing is owed."""
FIRST, MORE = 5, 3


def told(answer: Body) -> Any:
    """Codes and messages, with a throttle time in tens of seconds."""
    answers = answer.get("topics") or answer.get("responses") or answer.get("results") or []
    fields = ("name", "errorCode", "errorMessage")
    found = [{field: one[field] for field in fields if field in one} for one in answers]
    throttle_ms = answer.get("throttleTimeMs", 0)
    return {"told": found, "throttle": f"from {throttle_ms // 10_000 * 10} s on" if throttle_ms else None}


def new(name: str, partitions: int) -> Body:
    return {"name": name, "numPartitions": partitions, "replicationFactor": 1}


def allow(play: Play, mark: Topic, client: str, rate: float | None = RATE) -> None:
    limit(play, mark, {CLIENT: client}, controller_mutation_rate=rate)


def creation(label: str, *requests: list[int], is_only_asked: bool = False) -> None:
    """Topics with so many partitions each, one request after the other."""

    def play_it(play: Play) -> None:
        mark = play.topic("mark")
        for version in play.versions(CREATE):
            client = play.named(f"client-{version}")
            allow(play, mark, client)
            for number, counts in enumerate(requests):
                topics = [new(play.named(f"v{version}-{number}-{at}"), count) for at, count in enumerate(counts)]
                body = {"topics": topics, "timeoutMs": 10_000, "validateOnly": is_only_asked}
                play.ask(
                    CREATE, version, on=play.connect(), client=client, label=f"request {number}", keep=told, **body
                )
            play.ask(
                CREATE, version, on=play.connect(), label="another client", keep=told,
                topics=[new(play.named(f"v{version}"), 1)], timeoutMs=10_000,
            )  # fmt: skip
            allow(play, mark, client, None)

    register("quotas_mutations", f"create_{label}", play_it)


creation("one_topic_after_the_other", [FIRST], [MORE], [MORE])
creation("several_topics", [FIRST, MORE, MORE], [1, 2])
creation("more_than_is_saved_up", [12], [2])
creation("as_asked_only", [FIRST], [MORE], is_only_asked=True)
creation("what_is_refused_anyway", [0], [0], [FIRST], [0])


@case
def delete(play: Play) -> None:
    mark = play.topic("mark")
    for version in play.versions(DELETE):
        client = play.named(f"client-{version}")
        topics = [play.topic(f"v{version}-{at}", count) for at, count in enumerate((FIRST, MORE, MORE))]
        allow(play, mark, client)
        for number, topic in enumerate(topics):
            named: Body = {"topics": [{"name": topic.name}]} if version >= 6 else {"topicNames": [topic.name]}
            play.ask(
                DELETE, version, on=play.connect(), client=client, label=f"request {number}", keep=told,
                timeoutMs=10_000, **named,
            )  # fmt: skip
        missing: Body = {"topics": [{"name": "missing"}]} if version >= 6 else {"topicNames": ["missing"]}
        play.ask(
            DELETE, version, on=play.connect(), client=client, label="not there", keep=told, timeoutMs=10_000, **missing,
        )  # fmt: skip
        allow(play, mark, client, None)


@case
def grow(play: Play) -> None:
    mark = play.topic("mark")
    for version in play.versions(GROW):
        client = play.named(f"client-{version}")
        topics = [play.topic(f"v{version}-{number}") for number in range(3)]
        allow(play, mark, client)
        for number, (topic, growth) in enumerate(zip(topics, (FIRST, MORE, MORE), strict=True)):
            wanted = [{"name": topic.name, "count": 1 + growth, "assignments": None}]
            play.ask(
                GROW, version, on=play.connect(), client=client, label=f"request {number}", keep=told,
                topics=wanted, timeoutMs=10_000,
            )  # fmt: skip
        allow(play, mark, client, None)


# Kinds of changes are counted together; those that are no partitions are not counted.
@case
def all_changes_together(play: Play) -> None:
    client, topic, mark = play.named("client"), play.topic(), play.topic("mark")
    allow(play, mark, client)

    def change(api: str, version: int, **body: Any) -> None:
        play.ask(api, version, on=play.connect(), client=client, keep=told, **body)

    change(CREATE, 7, topics=[new(play.named("a"), FIRST)], timeoutMs=10_000)
    change(GROW, 3, topics=[{"name": topic.name, "count": 1 + MORE, "assignments": None}], timeoutMs=10_000)
    change(DELETE, 6, topics=[{"name": topic.name}], timeoutMs=10_000)
    option = {"name": "retention.ms", "configOperation": 0, "value": "1000"}
    resource = {"resourceType": 2, "resourceName": topic.name, "configs": [option]}
    change("IncrementalAlterConfigs", 1, resources=[resource])
    allow(play, mark, client, None)


@case
def topics_made_on_demand(play: Play) -> None:
    client, mark = play.named("client"), play.topic("mark")
    allow(play, mark, client)
    body = {"topics": [new(play.named("a"), FIRST)], "timeoutMs": 10_000}
    play.ask(CREATE, 7, on=play.connect(), client=client, keep=told, **body)
    wanted = {"topics": [{"name": play.named("b")}], "allowAutoTopicCreation": True}
    play.ask("Metadata", 9, on=play.connect(), client=client, keep=codes, **wanted)
    play.settle(mark)
    play.ask("Metadata", 9, keep=codes, **{**wanted, "allowAutoTopicCreation": False})
    allow(play, mark, client, None)


def codes(answer: Body) -> Any:
    return [{"name": topic["name"], "errorCode": topic["errorCode"]} for topic in answer["topics"]]
