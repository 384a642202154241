"""Options, change by change: what is refused, what is made and what is told afterwards. Every change of a broker is taken back."""

from __future__ import annotations

from typing import Final

from behaviour.cases import Body, Play, case, register
from behaviour.cases.configs import (
    ALTER,
    APPEND,
    BROKER,
    DELETE,
    DESCRIBE,
    GROUP,
    INCREMENT,
    LOGGER,
    METRICS,
    SET,
    SUBTRACT,
    TOPIC,
    by_name,
    of,
    sorted_options,
)  # fmt: skip

Change = tuple[str, int, str | None]
TOPIC_HERE: Final = "<a topic that is there>"
OWN_SOURCES: Final = (1, 2, 3, 7, 8)
"""Options that were set at any time, not for a start."""

REFUSED: Final[list[list[tuple[int, str, list[Change]]]]] = [
    [(TOPIC, "missing", [("retention.ms", SET, "1")])],
    [(TOPIC, "", [("retention.ms", SET, "1")])],
    [(TOPIC, "a b", [("retention.ms", SET, "1")])],
    [(TOPIC, TOPIC_HERE, [("nope", SET, "1")])],
    [(TOPIC, TOPIC_HERE, [("nope", DELETE, None)])],
    [(TOPIC, TOPIC_HERE, [("retention.ms", SET, None)])],
    [(TOPIC, TOPIC_HERE, [("retention.ms", SET, "x")])],
    [(TOPIC, TOPIC_HERE, [("retention.ms", APPEND, "1")])],
    [(TOPIC, TOPIC_HERE, [("nope", APPEND, "1")])],
    [(TOPIC, TOPIC_HERE, [("cleanup.policy", SUBTRACT, "delete")])],
    [(TOPIC, TOPIC_HERE, [("cleanup.policy", APPEND, "bogus")])],
    [(TOPIC, TOPIC_HERE, [("cleanup.policy", SET, "")])],
    [(TOPIC, TOPIC_HERE, [("retention.ms", 9, "1")])],
    [(TOPIC, TOPIC_HERE, [("retention.ms", SET, "1"), ("retention.ms", SET, "2")])],
    [(TOPIC, TOPIC_HERE, [("retention.ms", SET, "1")]), (TOPIC, TOPIC_HERE, [("retention.ms", SET, "2")])],
    [(TOPIC, TOPIC_HERE, [("min.compaction.lag.ms", SET, "9"), ("max.compaction.lag.ms", SET, "8")])],
    [(TOPIC, TOPIC_HERE, [("remote.storage.enable", SET, "true")])],
    [(TOPIC, TOPIC_HERE, [])],
    [(0, "x", [("retention.ms", SET, "1")])],
    [(3, "x", [("retention.ms", SET, "1")])],
    [(99, "x", [])],
    [(BROKER, "x", [("log.retention.ms", SET, "1")])],
    [(BROKER, "2", [("log.retention.ms", SET, "1")])],
    [(BROKER, "-1", [("log.retention.ms", SET, "1")])],
    [(BROKER, "1", [("node.id", SET, "2")])],
    [(BROKER, "1", [("log.retention.hours", SET, "2")])],
    [(BROKER, "1", [("ssl.keystore.type", SET, "JKS")])],
    [(BROKER, "", [("ssl.keystore.type", SET, "JKS")])],
    [(BROKER, "", [("listeners", SET, "PLAINTEXT://:1")])],
    [(BROKER, "", [("listener.name.x.ssl.keystore.type", SET, "JKS")])],
    [(BROKER, "1", [("log.retention.ms", SET, "x")])],
    [(BROKER, "1", [("log.retention.ms", SET, None)])],
    [(BROKER, "1", [("log.retention.ms", APPEND, "x")])],
    [(BROKER, "1", [("nope", APPEND, "x")])],
    [(BROKER, "1", [("log.retention.ms", 7, "x")])],
    [(BROKER, "1", [("log.cleanup.policy", SUBTRACT, "bogus")])],
    [(BROKER, "1", [("log.cleaner.threads", SET, "9")])],
    [(BROKER, "1", [("log.cleaner.threads", SET, "-9")])],
    [(BROKER, "1", [("num.io.threads", SET, "100")])],
    [(BROKER, "1", [("num.io.threads", SET, "0")])],
    [(BROKER, "1", [("num.io.threads", SET, "1")])],
    [(BROKER, "1", [("num.network.threads", SET, "50")])],
    [(BROKER, "1", [("background.threads", SET, "50")])],
    [(BROKER, "1", [("max.connections", SET, "-5")])],
    [(BROKER, "1", [("max.connections.per.ip.overrides", SET, "nohost:")])],
    [(BROKER, "1", [("message.max.bytes", SET, "-1")])],
    [(BROKER, "1", [("log.segment.bytes", SET, "1")])],
    [(BROKER, "1", [("compression.type", SET, "x")])],
    [(BROKER, "1", [("min.insync.replicas", SET, "0")])],
    [(BROKER, "1", [("log.cleaner.max.compaction.lag.ms", SET, "0")])],
    [(BROKER, "", [("min.insync.replicas", DELETE, None)])],
    [(BROKER, "", [("min.insync.replicas", SET, "2")])],
    [(BROKER, "1", [("min.insync.replicas", SET, "2")])],
    [(BROKER, "1", [("min.insync.replicas", DELETE, None)])],
    [(METRICS, "", [("metrics", SET, "a")])],
    [(METRICS, "c-m", [("nope", SET, "a")])],
    [(METRICS, "c-m", [("interval.ms", SET, "5")])],
    [(METRICS, "c-m", [("interval.ms", SET, "x")])],
    [(METRICS, "c-m", [("interval.ms", SET, "3600001")])],
    [(METRICS, "c-m", [("match", SET, "x")])],
    [(METRICS, "c-m", [("match", SET, "client_id=[")])],
    [(METRICS, "c-m", [("match", SET, "client_port=1")])],
    [(METRICS, "c-m", [("metrics", SET, ",")])],
    [(METRICS, "c-m", [("interval.ms", APPEND, "x")])],
    [(METRICS, "c-m", [("nope", APPEND, "x")])],
    [(GROUP, "", [("consumer.session.timeout.ms", SET, "50000")])],
    [(GROUP, "c-g", [("nope", SET, "50000")])],
    [(GROUP, "c-g", [("nope", SUBTRACT, "50000")])],
    [(GROUP, "c-g", [("consumer.session.timeout.ms", SET, "x")])],
    [(GROUP, "c-g", [("consumer.session.timeout.ms", SET, "1")])],
    [(GROUP, "c-g", [("consumer.session.timeout.ms", SET, "600000")])],
    [(GROUP, "c-g", [("consumer.heartbeat.interval.ms", SET, "1")])],
    [(GROUP, "c-g", [("consumer.heartbeat.interval.ms", SET, "100000")])],
    [(GROUP, "c-g", [("consumer.assignment.interval.ms", SET, "-1")])],
    [(GROUP, "c-g", [("consumer.assignment.interval.ms", SET, "100000")])],
    [(GROUP, "c-g", [("share.isolation.level", SET, "x")])],
    [(GROUP, "c-g", [("share.auto.offset.reset", SET, "x")])],
    [(GROUP, "c-g", [("share.delivery.count.limit", SET, "100")])],
    [(GROUP, "c-g", [("share.partition.max.record.locks", SET, "99999999")])],
    [(GROUP, "c-g", [("streams.num.standby.replicas", SET, "100")])],
    [(GROUP, "c-g", [("consumer.session.timeout.ms", APPEND, "1")])],
    [(LOGGER, "", [("root", SET, "INFO")])],
    [(LOGGER, "x", [("root", SET, "INFO")])],
    [(LOGGER, "2", [("root", SET, "INFO")])],
    [(LOGGER, "1", [("root", SET, "LOUD")])],
    [(LOGGER, "1", [("root", APPEND, "INFO")])],
    [(LOGGER, "1", [("no.such.logger", SET, "INFO")])],
    [(LOGGER, "1", [("root", DELETE, None)])],
]


def body(resources: list[tuple[int, str, list[Change]]], *, plain: bool = False) -> list[Body]:
    """The resources of a request; `plain`: to replace all options."""
    told = []
    for kind, name, changes in resources:
        configs: list[Body] = [{"name": key, "value": value} for key, _, value in changes]
        if not plain:
            for config, (_, operation, _) in zip(configs, changes, strict=True):
                config["configOperation"] = operation
        told.append({"resourceType": kind, "resourceName": name, "configs": configs})
    return told


def refusal(index: int, resources: list[tuple[int, str, list[Change]]]) -> None:
    def play_it(play: Play) -> None:
        named = resources
        if any(name == TOPIC_HERE for _, name, _ in resources):
            topic = play.topic().name
            named = [(kind, topic if name == TOPIC_HERE else name, changes) for kind, name, changes in resources]
        for version in play.versions(INCREMENT):
            play.ask(INCREMENT, version, resources=body(named), validateOnly=True)
        # The reference never answers a request to replace the options of a resource that it names twice.
        is_single = len({resource[:2] for resource in resources}) == len(resources)
        if is_single and all(operation in (SET, DELETE) for _, _, some in resources for _, operation, _ in some):
            for version in play.versions(ALTER):
                play.ask(ALTER, version, resources=body(named, plain=True), validateOnly=True)

    register("configs_changes", f"refused_{index}", play_it)


for _index, _resources in enumerate(REFUSED):
    refusal(_index, _resources)


def own_options(answer: Body) -> Body:
    """Leaves out what was never set."""
    results = [
        {**result, "configs": [one for one in result["configs"] if one["configSource"] in OWN_SOURCES]}
        for result in answer["results"]
    ]
    return {**answer, "results": results}


@case
def made(play: Play) -> None:
    topic, group, metrics = play.topic(), play.named("g"), play.named("m")
    steps: list[tuple[int, str, list[Change]]] = [
        (TOPIC, topic.name, [("retention.ms", SET, "5000"), ("max.message.bytes", SET, " 2000 ")]),
        (TOPIC, topic.name, [("cleanup.policy", APPEND, "compact")]),
        (TOPIC, topic.name, [("cleanup.policy", APPEND, "compact,delete")]),
        (TOPIC, topic.name, [("cleanup.policy", SUBTRACT, "delete")]),
        (TOPIC, topic.name, [("cleanup.policy", SUBTRACT, "bogus")]),
        (TOPIC, topic.name, [("min.cleanable.dirty.ratio", SET, "1")]),
        (TOPIC, topic.name, [("preallocate", SET, "FALSE")]),
        (TOPIC, topic.name, [("leader.replication.throttled.replicas", APPEND, "0:1")]),
        (TOPIC, topic.name, [("leader.replication.throttled.replicas", APPEND, "1:1,0:1")]),
        (TOPIC, topic.name, [("leader.replication.throttled.replicas", DELETE, "ignored")]),
        (TOPIC, topic.name, [("retention.ms", DELETE, None), ("flush.ms", DELETE, None)]),
        (BROKER, "", [("log.retention.ms", SET, "7000"), ("message.max.bytes", SET, "3000000")]),
        (BROKER, "1", [("message.max.bytes", SET, "4000000"), ("log.cleanup.policy", APPEND, "compact")]),
        (BROKER, "1", [("log.cleanup.policy", DELETE, None), ("log.flush.interval.ms", SET, "9000")]),
        (BROKER, "1", [("x.custom", SET, "1")]),
        (BROKER, "1", [("num.io.threads", SET, "9")]),
        (
            GROUP,
            group,
            [("consumer.session.timeout.ms", SET, "50000"), ("share.isolation.level", SET, "read_committed")],
        ),
        (GROUP, group, [("consumer.heartbeat.interval.ms", SET, "6000")]),
        (METRICS, metrics, [("metrics", SET, "a"), ("interval.ms", SET, "500"), ("match", SET, "client_id=x.*")]),
        (METRICS, metrics, [("metrics", APPEND, "b,a,c")]),
    ]
    resources = [(TOPIC, topic.name), (BROKER, ""), (BROKER, "1"), (GROUP, group), (METRICS, metrics)]

    def told(label: str) -> None:
        play.settle(topic)
        for kind, name in resources:
            play.ask(DESCRIBE, 4, label=label, keep=own_options, **of(kind, name, includeSynonyms=True))

    for index, step in enumerate(steps):
        play.ask(INCREMENT, 1, label=f"{index} validated", resources=body([step]), validateOnly=True)
        play.ask(INCREMENT, 1, label=str(index), resources=body([step]))
        told(f"after {index}")
    replaced: list[tuple[int, str, list[Change]]] = [(TOPIC, topic.name, [("flush.ms", SET, "77")]), (GROUP, group, [])]
    play.ask(ALTER, 2, label="replaced", resources=body(replaced, plain=True))
    play.ask(
        ALTER, 2, label="replaced", resources=body([(METRICS, metrics, [("interval.ms", SET, "1000")])], plain=True)
    )
    brokers: list[tuple[int, str, list[Change]]] = [
        (BROKER, "", [("min.insync.replicas", SET, "1")]),
        (BROKER, "1", []),
    ]
    play.ask(ALTER, 2, label="replaced", resources=body(brokers, plain=True))
    told("after replacing")
    play.ask(ALTER, 2, label="removed", resources=body([(METRICS, metrics, [])], plain=True))


BROKER_KEYS: Final = (
    "compression.type",
    "group.consumer.assignors",
    "log.cleaner.min.cleanable.ratio",
    "log.cleanup.policy",
    "log.dir",
    "log.flush.interval.ms",
    "log.retention.hours",
    "log.retention.minutes",
    "log.retention.ms",
    "log.roll.ms",
    "message.max.bytes",
    "node.id",
    "num.io.threads",
    "quota.window.num",
    "ssl.keystore.password",
    "transaction.partition.verification.enable",
    "unstable.api.versions.enable",
)


@case
def some_of_the_brokers(play: Play) -> None:
    for key in BROKER_KEYS:
        play.ask(DESCRIBE, 4, label=key, **of(BROKER, "1", key, includeSynonyms=True))


@case
def documented(play: Play) -> None:
    """Which options have a text; the texts are this project's own."""

    def keep(answer: Body) -> Body:
        for result in answer["results"]:
            for config in result["configs"]:
                config["documentation"] = bool(config["documentation"])
        return by_name(answer)

    topic = play.topic()
    for version in (3, 4):
        play.ask(DESCRIBE, version, keep=keep, **of(TOPIC, topic.name, includeDocumentation=True))


@case
def the_same_resource_twice(play: Play) -> None:
    topic = play.topic()
    resources = of(TOPIC, topic.name, "retention.ms")["resources"] * 2 + of(GROUP, "")["resources"]
    play.ask(DESCRIBE, 4, keep=sorted_options, resources=resources)
