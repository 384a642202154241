"""DescribeConfigs, AlterConfigs, IncrementalAlterConfigs, ListConfigResources."""

from __future__ import annotations

from typing import Any, Final

from behaviour.cases import Body, Play, case, register
from behaviour.differences import MADE_UP_OPTIONS

DESCRIBE: Final = "DescribeConfigs"
ALTER: Final = "AlterConfigs"
INCREMENT: Final = "IncrementalAlterConfigs"
TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = range(4)
NODE = "1"


def of(kind: int, name: str, *keys: str, **more: Any) -> Body:
    resource = {"resourceType": kind, "resourceName": name, "configurationKeys": list(keys) or None}
    return {"resources": [resource], **more}


def sorted_options(answer: Body) -> Body:
    for result in answer["results"]:
        result["configs"] = sorted(result["configs"] or [], key=lambda one: one["name"])
    return answer


def by_name(answer: Body) -> Body:
    """Tells options by their names; values that each broker makes up are left out."""
    for result in answer["results"]:
        for config in result["configs"]:
            if result["resourceType"] == BROKER and config["name"] in MADE_UP_OPTIONS:
                for one in (config, *config["synonyms"]):
                    one["value"] = one["value"] and "…"
    results = answer["results"]
    return {
        **answer,
        "results": [{**one, "configs": {each["name"]: each for each in one["configs"]}} for one in results],
    }


def changes(kind: int, name: str, *options: tuple[str, int, str | None], **more: Any) -> Body:
    """The body of an IncrementalAlterConfigs."""
    configs = [{"name": key, "configOperation": operation, "value": value} for key, operation, value in options]
    return {"resources": [{"resourceType": kind, "resourceName": name, "configs": configs}], **more}


def exchange(kind: int, name: str, **options: str | None) -> Body:
    """The body of an AlterConfigs."""
    configs = [{"name": key.replace("_", "."), "value": value} for key, value in options.items()]
    return {"resources": [{"resourceType": kind, "resourceName": name, "configs": configs}]}


@case
def describe_every_option_of_a_topic(play: Play) -> None:
    topic = play.topic(retention_ms="60000", cleanup_policy="compact,delete", compression_type="lz4")
    for version in play.versions(DESCRIBE):
        play.ask(DESCRIBE, version, keep=by_name, **of(TOPIC, topic.name, includeSynonyms=True))


@case
def describe_every_option_of_the_broker(play: Play) -> None:
    for version in (1, 4):
        play.ask(DESCRIBE, version, keep=by_name, **of(BROKER, NODE, includeSynonyms=True))


@case
def describe_the_brokers_defaults(play: Play) -> None:
    for version in play.versions(DESCRIBE):
        play.ask(DESCRIBE, version, **of(BROKER, "", includeSynonyms=True))


@case
def describe_some_options(play: Play) -> None:
    topic = play.topic(retention_ms="60000")
    for version in play.versions(DESCRIBE):
        for keys in (
            ("retention.ms",),
            ("retention.ms", "segment.ms"),
            ("nope",),
            ("retention.ms", "retention.ms"),
            ("",),
        ):
            play.ask(DESCRIBE, version, label=str(keys), keep=sorted_options, **of(TOPIC, topic.name, *keys))
        play.ask(
            DESCRIBE,
            version,
            label="none",
            resources=[{**of(TOPIC, topic.name)["resources"][0], "configurationKeys": []}],
        )
        play.ask(DESCRIBE, version, **of(BROKER, NODE, "log.retention.ms", "nope", "node.id", includeSynonyms=True))


@case
def describe_what_is_not_there(play: Play) -> None:
    for version in play.versions(DESCRIBE):
        for kind, name in (
            (TOPIC, play.named("missing")), (TOPIC, "a b"), (TOPIC, ""), (BROKER, "7"), (BROKER, "x"), (BROKER, "-1"),
            (GROUP, ""), (METRICS, ""), (METRICS, "missing"), (LOGGER, "7"), (LOGGER, ""),
        ):  # fmt: skip
            play.ask(DESCRIBE, version, label=f"{kind} {name[-9:]}", keep=sorted_options, **of(kind, name))


@case
def describe_unknown_kinds(play: Play) -> None:
    for version in play.versions(DESCRIBE):
        for kind in (0, 1, 3, 9, 127, -1):
            play.ask(DESCRIBE, version, label=str(kind), on=play.connect(), **of(kind, "x"))


@case
def describe_options_of_a_group(play: Play) -> None:
    for version in (1, 4):
        play.ask(DESCRIBE, version, keep=by_name, **of(GROUP, play.named("g"), includeSynonyms=True))


@case
def describe_several(play: Play) -> None:
    topic = play.topic()
    wanted = [
        of(TOPIC, name, "retention.ms")["resources"][0] for name in (topic.name, play.named("missing"), topic.name)
    ]
    for version in play.versions(DESCRIBE):
        play.ask(DESCRIBE, version, keep=sorted_options, resources=wanted)
        play.ask(DESCRIBE, version, resources=[])


CHANGES: Final[dict[str, list[tuple[str, int, str | None]]]] = {
    "set": [("retention.ms", SET, "5000")],
    "set_two": [("retention.ms", SET, "5000"), ("segment.ms", SET, "6000")],
    "delete": [("segment.bytes", DELETE, None)],
    "delete_what_is_not_set": [("retention.ms", DELETE, None)],
    "delete_with_a_value": [("segment.bytes", DELETE, "1")],
    "append": [("cleanup.policy", APPEND, "compact")],
    "append_what_is_there": [("cleanup.policy", APPEND, "delete")],
    "append_to_no_list": [("retention.ms", APPEND, "1")],
    "append_nonsense": [("cleanup.policy", APPEND, "bogus")],
    "subtract": [("cleanup.policy", SUBTRACT, "delete")],
    "subtract_what_is_not_there": [("cleanup.policy", SUBTRACT, "compact")],
    "subtract_from_no_list": [("retention.ms", SUBTRACT, "1")],
    "unknown": [("nope", SET, "1")],
    "unknown_deleted": [("nope", DELETE, None)],
    "invalid": [("retention.ms", SET, "x")],
    "out_of_range": [("retention.ms", SET, "-5")],
    "null": [("retention.ms", SET, None)],
    "empty": [("retention.ms", SET, "")],
    "empty_name": [("", SET, "1")],
    "twice": [("retention.ms", SET, "1"), ("retention.ms", SET, "2")],
    "good_and_bad": [("retention.ms", SET, "1"), ("segment.bytes", SET, "1")],
    "unknown_operation": [("retention.ms", 9, "1")],
    "negative_operation": [("retention.ms", -1, "1")],
    "of_the_broker": [("log.retention.ms", SET, "1")],
    "nothing": [],
}
BROKER_CHANGES: Final[dict[str, list[tuple[str, int, str | None]]]] = {
    "set": [("log.cleaner.backoff.ms", SET, "16000")],
    "read_only": [("node.id", SET, "2")],
    "unknown": [("nope", SET, "1")],
    "invalid": [("log.cleaner.threads", SET, "x")],
    "zero_threads": [("num.io.threads", SET, "0")],
    "too_many_threads": [("num.io.threads", SET, "10000")],
    "per_broker_listener": [("max.connections.per.ip", SET, "x")],
    "of_a_topic": [("retention.ms", SET, "1")],
}


def incremental(label: str, options: list[tuple[str, int, str | None]]) -> None:
    def play_it(play: Play) -> None:
        topic = play.topic(segment_bytes="1048576")
        for version in play.versions(INCREMENT):
            play.ask(INCREMENT, version, label="validated", validateOnly=True, **changes(TOPIC, topic.name, *options))
            play.ask(INCREMENT, version, **changes(TOPIC, topic.name, *options))
        keys = {"retention.ms", "segment.bytes", "segment.ms", "cleanup.policy"}
        play.settle(topic)
        play.ask(DESCRIBE, 4, keep=sorted_options, **of(TOPIC, topic.name, *sorted(keys), includeSynonyms=True))

    register("configs", f"increment_{label}", play_it)


def incremental_of_the_broker(label: str, options: list[tuple[str, int, str | None]]) -> None:
    def play_it(play: Play) -> None:
        for version in play.versions(INCREMENT):
            for name in (NODE, ""):
                body = changes(BROKER, name, *options)
                play.ask(INCREMENT, version, label=f"broker {name}", validateOnly=True, **body)

    register("configs", f"increment_of_the_broker_{label}", play_it)


for _label, _options in CHANGES.items():
    incremental(_label, _options)
for _label, _options in BROKER_CHANGES.items():
    incremental_of_the_broker(_label, _options)


@case
def increment_what_is_not_there(play: Play) -> None:
    option = ("retention.ms", SET, "1")
    for version in play.versions(INCREMENT):
        for kind, name in (
            (TOPIC, play.named("missing")), (TOPIC, "a b"), (TOPIC, ""), (BROKER, "7"), (BROKER, "x"), (GROUP, ""),
            (METRICS, ""), (LOGGER, "7"), (0, "x"), (3, "x"), (9, "x"),
        ):  # fmt: skip
            play.ask(INCREMENT, version, label=f"{kind} {name[-9:]}", on=play.connect(), **changes(kind, name, option))


@case
def increment_several(play: Play) -> None:
    first, second = play.topic("a"), play.topic("b")
    good, bad = ("retention.ms", SET, "1000"), ("retention.ms", SET, "x")
    for version in play.versions(INCREMENT):
        for label, pairs in {
            "one is wrong": ((first.name, good), (second.name, bad)),
            "the same twice": ((first.name, good), (first.name, good)),
        }.items():
            resources = [changes(TOPIC, name, option)["resources"][0] for name, option in pairs]
            play.ask(INCREMENT, version, label=label, resources=resources)
        play.ask(INCREMENT, version, label="none", resources=[])


@case
def increment_options_of_a_group(play: Play) -> None:
    name = play.named("g")
    for version in play.versions(INCREMENT):
        for label, option in {
            "set": ("consumer.session.timeout.ms", SET, "50000"),
            "too small": ("consumer.session.timeout.ms", SET, "1"),
            "too large": ("consumer.session.timeout.ms", SET, "99999999"),
            "no number": ("consumer.heartbeat.interval.ms", SET, "x"),
            "unknown": ("nope", SET, "1"),
            "delete": ("consumer.session.timeout.ms", DELETE, None),
        }.items():
            play.ask(INCREMENT, version, label=label, **changes(GROUP, name, option))


@case
def increment_metrics_subscriptions(play: Play) -> None:
    name = play.named("m")
    for version in play.versions(INCREMENT):
        for label, option in {
            "metrics": ("metrics", SET, "org.apache.kafka.producer."),
            "interval": ("interval.ms", SET, "1000"),
            "interval too small": ("interval.ms", SET, "1"),
            "match": ("match", SET, "client_software_name=x"),
            "match nonsense": ("match", SET, "bogus=x"),
            "match bad pattern": ("match", SET, "client_id=("),
            "unknown": ("nope", SET, "1"),
        }.items():
            play.ask(INCREMENT, version, label=label, validateOnly=True, **changes(METRICS, name, option))


@case
def exchange_every_version(play: Play) -> None:
    for version in play.versions(ALTER):
        topic = play.topic(f"v{version}", segment_bytes="1048576")
        keys = ("retention.ms", "segment.bytes")
        for options in ({"retention_ms": "5000"}, {"segment_bytes": "2097152"}, {}):
            body = exchange(TOPIC, topic.name, **options)
            play.ask(ALTER, version, label=f"validated {options}", validateOnly=True, **body)
            play.ask(ALTER, version, label=str(options), **body)
            play.settle(topic)
            play.ask(DESCRIBE, 4, keep=sorted_options, **of(TOPIC, topic.name, *keys))


@case
def exchange_what_is_wrong(play: Play) -> None:
    topic = play.topic(segment_bytes="1048576")
    for version in play.versions(ALTER):
        for options in (
            {"nope": "1"}, {"retention_ms": "x"}, {"retention_ms": "-5"}, {"retention_ms": None}, {"retention_ms": ""},
            {"retention_ms": "1", "segment_bytes": "1"},
        ):  # fmt: skip
            play.ask(ALTER, version, label=str(options), **exchange(TOPIC, topic.name, **options))
        for kind, name in (
            (TOPIC, play.named("missing")), (TOPIC, "a b"), (TOPIC, ""), (BROKER, "7"), (BROKER, "x"), (LOGGER, NODE),
            (0, "x"), (9, "x"),
        ):  # fmt: skip
            play.ask(
                ALTER, version, label=f"{kind} {name[-9:]}", on=play.connect(), **exchange(kind, name, retention_ms="1")
            )
        play.ask(ALTER, version, label="none", resources=[])


def only_mine(play: Play) -> Any:
    def keep(answer: Body) -> Body:
        found = answer["configResources"]
        return {**answer, "configResources": [one for one in found if play.named("") in one["resourceName"]]}

    return keep


@case
def list_resources(play: Play) -> None:
    play.topic("a"), play.topic("b")
    play.quiet(INCREMENT, 1, **changes(GROUP, play.named("g"), ("consumer.session.timeout.ms", SET, "50000")))
    play.quiet(INCREMENT, 1, **changes(METRICS, play.named("m"), ("metrics", SET, "")))
    for version in play.versions("ListConfigResources"):
        kinds: list[list[int]] = (
            [[]] if version == 0 else [[], [TOPIC], [GROUP], [METRICS], [TOPIC, GROUP], [0], [9], [-1]]
        )
        for some in kinds:
            play.ask("ListConfigResources", version, label=str(some), keep=only_mine(play), resourceTypes=some)
    for kind in (BROKER, LOGGER):
        play.ask("ListConfigResources", 1, resourceTypes=[kind])
