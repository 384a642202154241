"""CreateTopics and DeleteTopics, and what is wrong about them."""

from __future__ import annotations

from typing import Any, Final

from behaviour.cases import Body, Play, case, register
from behaviour.cases.bodies import MISSING_ID, NO_ID

CREATE: Final = "CreateTopics"
DELETE: Final = "DeleteTopics"


def new(name: str, partitions: int = 1, factor: int = 1, **more: Any) -> Body:
    return {"name": name, "numPartitions": partitions, "replicationFactor": factor, **more}


def with_config(key: str, value: str | None) -> Body:
    return new("t", configs=[{"name": key, "value": value}])


def assigned(*replicas: tuple[int, list[int]], partitions: int = -1, factor: int = -1) -> Body:
    assignments = [{"partitionIndex": index, "brokerIds": nodes} for index, nodes in replicas]
    return new("t", partitions, factor, assignments=assignments)


def without_configs(answer: Body) -> Body:
    """Leaves out the options of a new topic, of which other cases compare each."""
    return {**answer, "topics": [{**topic, "configs": None} for topic in answer["topics"]]}


REFUSED: Final[dict[str, list[Body]]] = {
    "names": [
        new(name) for name in ("", ".", "..", "no spaces", "x" * 249, "x" * 250, "ü", "a/b", "__cluster_metadata")
    ],
    "a_name_twice": [new("q"), new("q"), new("r")],
    "names_that_collide_among_themselves": [new("c.d"), new("c_d")],
    "counts_of_partitions": [new(f"t{count}", count) for count in (0, -1, -2, -(2**31))],
    "replication_factors": [new(f"t{factor}", 1, factor) for factor in (0, 2, -1, -2, 32_767)],
    "counts_and_assignments": [
        {**assigned((0, [1]), partitions=1), "name": "a"},
        {**assigned((0, [1]), factor=1), "name": "b"},
        {**assigned((0, [1]), partitions=1, factor=1), "name": "c"},
    ],
    "nothing": [],
}
OPTIONS: Final = {
    "unknown": ("nope", "1"),
    "no_number": ("retention.ms", "x"),
    "null": ("retention.ms", None),
    "too_small": ("retention.ms", "-5"),
    "empty": ("retention.ms", ""),
    "segment_too_small": ("segment.bytes", "1"),
    "segment_too_large": ("segment.bytes", "2147483648"),
    "policy": ("cleanup.policy", "bogus"),
    "policies": ("cleanup.policy", "compact,bogus"),
    "policy_empty": ("cleanup.policy", ""),
    "ratio": ("min.cleanable.dirty.ratio", "2"),
    "ratio_no_number": ("min.cleanable.dirty.ratio", "x"),
    "codec": ("compression.type", "bz"),
    "level": ("compression.zstd.level", "99"),
    "boolean": ("preallocate", "yes"),
    "int_too_large": ("max.message.bytes", "99999999999"),
    "timestamp_type": ("message.timestamp.type", "Never"),
    "spaces": ("retention.ms", " 5 "),
    "min_isr": ("min.insync.replicas", "0"),
    "lags": ("max.compaction.lag.ms", "0"),
}
ASSIGNMENTS: Final = {
    "good": [(0, [1]), (1, [1])],
    "a_partition_twice": [(0, [1]), (0, [1])],
    "not_from_0": [(1, [1])],
    "with_a_gap": [(0, [1]), (2, [1])],
    "to_an_unknown_broker": [(0, [9])],
    "to_a_broker_twice": [(0, [1, 1])],
    "to_none": [(0, [])],
    "of_several_sizes": [(0, [1]), (1, [1, 9])],
    "to_a_negative_broker": [(0, [-1])],
}


def refusal(label: str, topics: list[Body]) -> None:
    def play_it(play: Play) -> None:
        named = [{**topic, "name": play.named("t") if topic["name"] == "t" else topic["name"]} for topic in topics]
        for version in play.versions(CREATE):
            request = {"topics": named, "timeoutMs": 5_000, "validateOnly": True}
            play.ask(CREATE, version, keep=without_configs, **request)

    register("topics", f"create_{label}", play_it)


for _label, _topics in REFUSED.items():
    refusal(_label, _topics)
for _label, _option in OPTIONS.items():
    refusal(f"option_{_label}", [with_config(*_option)])
for _label, _assignments in ASSIGNMENTS.items():
    refusal(f"assigned_{_label}", [assigned(*_assignments)])


@case
def create_every_version(play: Play) -> None:
    for version in play.versions(CREATE):
        topics = [new(play.named(f"v{version}"), 2, configs=[{"name": "retention.ms", "value": "5"}])]
        play.ask(CREATE, version, topics=topics, timeoutMs=5_000, validateOnly=True, keep=without_configs)
        play.ask(CREATE, version, topics=topics, timeoutMs=5_000, keep=without_configs)
        play.ask(CREATE, version, topics=topics, timeoutMs=5_000, keep=without_configs)
        play.ask(CREATE, version, topics=topics, timeoutMs=5_000, validateOnly=True, keep=without_configs)


@case
def create_by_the_brokers_defaults(play: Play) -> None:
    for version in range(4, 8):
        topics = [new(play.named(f"v{version}"), -1, -1)]
        play.ask(CREATE, version, topics=topics, timeoutMs=5_000, keep=without_configs)


@case
def create_names_that_collide(play: Play) -> None:
    play.topic("a.b")
    for version in play.versions(CREATE):
        topics = [new(play.named("a_b")), new(play.named("a.b"))]
        play.ask(CREATE, version, topics=topics, timeoutMs=5_000, keep=without_configs)


@case
def create_some_that_are_wrong(play: Play) -> None:
    for version in play.versions(CREATE):
        topics = [new(play.named(f"v{version}")), new("a b"), new(play.named(f"w{version}"), 0)]
        play.ask(CREATE, version, topics=topics, timeoutMs=5_000, keep=without_configs)


@case
def created_with_options(play: Play) -> None:
    """The options of a new topic, each with its source."""
    options = {"retention.ms": "60000", "cleanup.policy": "compact,delete", "compression.type": "lz4"}
    configs = [{"name": name, "value": value} for name, value in options.items()]
    answer = play.quiet(CREATE, 7, topics=[new(play.named("t"), configs=configs)], timeoutMs=5_000)
    found = sorted(answer["topics"][0]["configs"], key=lambda one: one["name"])
    for config in found:
        play.tell(f"option {config['name']}", CREATE, config)


@case
def delete_every_version(play: Play) -> None:
    for version in range(1, 6):
        topic = play.topic(f"v{version}")
        for label in ("there", "gone"):
            play.ask(DELETE, version, label=label, topicNames=[topic.name], timeoutMs=20_000)
            play.wait_until_gone(topic)
    topic = play.topic("v6")
    for label in ("there", "gone"):
        play.ask(DELETE, 6, label=label, topics=[{"name": topic.name}], timeoutMs=20_000)
        play.wait_until_gone(topic)


@case
def delete_by_id(play: Play) -> None:
    topic = play.topic()
    for label in ("there", "gone"):
        play.ask(DELETE, 6, label=label, topics=[{"name": None, "topicId": topic.id}], timeoutMs=20_000)
        play.wait_until_gone(topic)


@case
def delete_what_is_not_there(play: Play) -> None:
    for version in range(1, 6):
        play.ask(DELETE, version, topicNames=[play.named("missing"), "", "a b"], timeoutMs=5_000)
    play.ask(
        DELETE, 6, topics=[{"name": play.named("missing")}, {"name": None, "topicId": MISSING_ID}], timeoutMs=5_000
    )
    play.ask(DELETE, 6, topics=[{"name": None, "topicId": NO_ID}], timeoutMs=5_000)
    play.ask(DELETE, 6, topics=[], timeoutMs=5_000)


@case
def delete_by_name_and_id(play: Play) -> None:
    topic = play.topic()
    named, by_id = {"name": topic.name}, {"name": None, "topicId": topic.id}
    for wanted in ([{**named, "topicId": topic.id}], [named, named], [by_id, by_id], [named, by_id]):
        play.ask(DELETE, 6, topics=wanted, timeoutMs=20_000)


@case
def delete_some_that_are_wrong(play: Play) -> None:
    for version in range(1, 6):
        topic = play.topic(f"v{version}")
        play.ask(DELETE, version, topicNames=[topic.name, play.named("missing")], timeoutMs=20_000)


@case
def delete_internal_topics(play: Play) -> None:
    play.ask(DELETE, 6, topics=[{"name": "__cluster_metadata"}], timeoutMs=5_000)
