"""Options of topics, brokers, groups, metrics subscriptions and loggers: the same raw requests to us and the reference.

Both are asked step by step. What a step changed is asked for again until both say the same, because the reference's
broker hears of a change a little later than its controller. Every change of a broker is taken back.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from test_control_plane_like_the_reference import Session

from barnabas.protocol.messages.alter_configs import AlterConfigsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.messages.list_config_resources import ListConfigResourcesRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.interop

SETTLED_S = 10.0

TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND, SUBTRACT = 0, 1, 2, 3

Change = tuple[str, int, str | None]


def change(*resources: tuple[int, str, list[Change]], validate_only: bool = False) -> IncrementalAlterConfigsRequest:
    """Returns a request that alters options one by one."""
    shape = IncrementalAlterConfigsRequest
    return shape(
        validate_only=validate_only,
        resources=[
            shape.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[
                    shape.AlterableConfig(name=key, config_operation=operation, value=value)
                    for key, operation, value in changes
                ],
            )
            for kind, name, changes in resources
        ],
    )


def replace(
    *resources: tuple[int, str, list[tuple[str, str | None]]], validate_only: bool = False
) -> AlterConfigsRequest:
    """Returns a request that replaces all options of resources."""
    shape = AlterConfigsRequest
    return shape(
        validate_only=validate_only,
        resources=[
            shape.AlterConfigsResource(
                resource_type=kind,
                resource_name=name,
                configs=[shape.AlterableConfig(name=key, value=value) for key, value in configs],
            )
            for kind, name, configs in resources
        ],
    )


def describe(
    *resources: tuple[int, str, list[str] | None], synonyms: bool = True, documentation: bool = False
) -> DescribeConfigsRequest:
    """Returns a request for the options of resources."""
    shape = DescribeConfigsRequest.DescribeConfigsResource
    return DescribeConfigsRequest(
        include_synonyms=synonyms,
        include_documentation=documentation,
        resources=[
            shape(resource_type=kind, resource_name=name, configuration_keys=keys) for kind, name, keys in resources
        ],
    )


class Asked:
    """Asks with `ask` and sorts what has no order."""

    def __init__(self, ask: Callable[..., Any]) -> None:
        self._ask = ask

    def __call__(self, request: Any, version: int | None = None) -> Any:
        answer = self._ask(request, version)
        for result in getattr(answer, "results", []):
            if hasattr(result, "configs"):
                result.configs.sort(key=lambda config: config.name)
        for field in ("responses", "config_resources"):
            getattr(answer, field, []).sort(key=lambda item: (item.resource_type, item.resource_name))
        return answer


def own_options(answer: Any) -> list[tuple[Any, ...]]:
    """Returns what a description tells of options that were set at any time, not for a start."""
    sources = (1, 2, 3, 7, 8)
    return [
        (result.error_code, result.error_message, [each for each in result.configs if each.config_source in sources])
        for result in answer.results
    ]


REFUSED: list[list[tuple[int, str, list[Change]]]] = [
    [(TOPIC, "missing", [("retention.ms", SET, "1")])],
    [(TOPIC, "", [("retention.ms", SET, "1")])],
    [(TOPIC, "a b", [("retention.ms", SET, "1")])],
    [(TOPIC, "c-t", [("nope", SET, "1")])],
    [(TOPIC, "c-t", [("nope", DELETE, None)])],
    [(TOPIC, "c-t", [("retention.ms", SET, None)])],
    [(TOPIC, "c-t", [("retention.ms", SET, "x")])],
    [(TOPIC, "c-t", [("retention.ms", APPEND, "1")])],
    [(TOPIC, "c-t", [("nope", APPEND, "1")])],
    [(TOPIC, "c-t", [("cleanup.policy", SUBTRACT, "delete")])],
    [(TOPIC, "c-t", [("cleanup.policy", APPEND, "bogus")])],
    [(TOPIC, "c-t", [("cleanup.policy", SET, "")])],
    [(TOPIC, "c-t", [("retention.ms", 9, "1")])],
    [(TOPIC, "c-t", [("retention.ms", SET, "1"), ("retention.ms", SET, "2")])],
    [(TOPIC, "c-t", [("retention.ms", SET, "1")]), (TOPIC, "c-t", [("retention.ms", SET, "2")])],
    [(TOPIC, "c-t", [("min.compaction.lag.ms", SET, "9"), ("max.compaction.lag.ms", SET, "8")])],
    [(TOPIC, "c-t", [("remote.storage.enable", SET, "true")])],
    [(TOPIC, "c-t", [])],
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


def refused(session: Any) -> Iterator[tuple[str, Any]]:
    """Changes that are refused, by either way of asking."""
    ask = Asked(session.ask)
    ask(CreateTopicsRequest(topics=[new_topic("c-t")], timeout_ms=5_000))
    for index, resources in enumerate(REFUSED):
        for version in (0, 1):
            yield f"change {index} v{version}", ask(change(*resources, validate_only=True), version)
        # The reference never answers a request to replace the options of a resource that it names twice.
        is_single = len({resource[:2] for resource in resources}) == len(resources)
        if is_single and all(operation in (SET, DELETE) for _, _, some in resources for _, operation, _ in some):
            plain = [(kind, name, [(key, value) for key, _, value in changes]) for kind, name, changes in resources]
            for version in (0, 2):
                yield f"replace {index} v{version}", ask(replace(*plain, validate_only=True), version)
    yield "nothing", ask(change())
    yield "replace nothing", ask(replace())


def new_topic(name: str, configs: list[tuple[str, str]] | None = None) -> CreateTopicsRequest.CreatableTopic:
    return CreateTopicsRequest.CreatableTopic(
        name=name,
        num_partitions=1,
        replication_factor=1,
        configs=[CreateTopicsRequest.CreatableTopicConfig(name=key, value=value) for key, value in configs or []],
    )


def described(session: Any) -> Iterator[tuple[str, Any]]:
    """Descriptions of everything that can be described, as it is by itself."""
    ask = Asked(session.ask)
    ask(CreateTopicsRequest(topics=[new_topic("c-plain"), new_topic("c-own", [("retention.ms", "5000")])]))
    for kind, name in (
        (TOPIC, "c-plain"),
        (TOPIC, "c-own"),
        (TOPIC, "missing"),
        (TOPIC, ""),
        (TOPIC, "a b"),
        (BROKER, ""),
        (BROKER, "2"),
        (BROKER, "x"),
        (GROUP, "c-none"),
        (GROUP, ""),
        (METRICS, "c-none"),
        (METRICS, ""),
        (LOGGER, ""),
        (LOGGER, "2"),
        (LOGGER, "x"),
    ):
        for version in (1, 4):
            answer = ask(describe((kind, name, None)), version)
            yield f"{kind} {name!r} v{version} fails", [(r.error_code, r.error_message) for r in answer.results]
            for config in answer.results[0].configs:
                yield f"{kind} {name!r} v{version} {config.name}", config
    yield "some keys", ask(describe((TOPIC, "c-own", ["retention.ms", "nope", "segment.ms"])))
    yield "no keys", len(ask(describe((TOPIC, "c-own", []))).results[0].configs)
    yield "no synonyms", ask(describe((TOPIC, "c-own", ["retention.ms", "max.message.bytes"]), synonyms=False))
    several = ask(describe((TOPIC, "c-own", ["retention.ms"]), (TOPIC, "c-own", ["retention.ms"]), (GROUP, "", None)))
    yield "several", several
    documented = ask(describe((TOPIC, "c-own", None), documentation=True)).results[0].configs
    yield "documented", [(config.name, config.documentation is not None) for config in documented]
    for key in BROKER_KEYS:
        yield f"broker {key}", ask(describe((BROKER, "1", [key]))).results[0].configs


BROKER_KEYS = (
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


def altered(session: Any) -> Iterator[tuple[str, Any]]:
    """Changes that are made, and what is told of them afterwards."""
    ask = Asked(session.ask)
    ask(CreateTopicsRequest(topics=[new_topic("c-alt")], timeout_ms=5_000))

    def told(kind: int, name: str) -> Any:
        return own_options(ask(describe((kind, name, None))))

    steps: list[tuple[int, str, list[Change]]] = [
        (TOPIC, "c-alt", [("retention.ms", SET, "5000"), ("max.message.bytes", SET, " 2000 ")]),
        (TOPIC, "c-alt", [("cleanup.policy", APPEND, "compact")]),
        (TOPIC, "c-alt", [("cleanup.policy", APPEND, "compact,delete")]),
        (TOPIC, "c-alt", [("cleanup.policy", SUBTRACT, "delete")]),
        (TOPIC, "c-alt", [("cleanup.policy", SUBTRACT, "bogus")]),
        (TOPIC, "c-alt", [("min.cleanable.dirty.ratio", SET, "1")]),
        (TOPIC, "c-alt", [("preallocate", SET, "FALSE")]),
        (TOPIC, "c-alt", [("leader.replication.throttled.replicas", APPEND, "0:1")]),
        (TOPIC, "c-alt", [("leader.replication.throttled.replicas", APPEND, "1:1,0:1")]),
        (TOPIC, "c-alt", [("leader.replication.throttled.replicas", DELETE, "ignored")]),
        (TOPIC, "c-alt", [("retention.ms", DELETE, None), ("flush.ms", DELETE, None)]),
        (BROKER, "", [("log.retention.ms", SET, "7000"), ("message.max.bytes", SET, "3000000")]),
        (BROKER, "1", [("message.max.bytes", SET, "4000000"), ("log.cleanup.policy", APPEND, "compact")]),
        (BROKER, "1", [("log.cleanup.policy", DELETE, None), ("log.flush.interval.ms", SET, "9000")]),
        (BROKER, "1", [("x.custom", SET, "1")]),
        (BROKER, "1", [("num.io.threads", SET, "9")]),
        (
            GROUP,
            "c-g",
            [("consumer.session.timeout.ms", SET, "50000"), ("share.isolation.level", SET, "read_committed")],
        ),
        (GROUP, "c-g", [("consumer.heartbeat.interval.ms", SET, "6000")]),
        (METRICS, "c-m", [("metrics", SET, "a"), ("interval.ms", SET, "500"), ("match", SET, "client_id=x.*")]),
        (METRICS, "c-m", [("metrics", APPEND, "b,a,c")]),
    ]
    resources = [(TOPIC, "c-alt"), (BROKER, ""), (BROKER, "1"), (GROUP, "c-g"), (METRICS, "c-m")]
    for index, step in enumerate(steps):
        yield f"step {index} validated", ask(change(step, validate_only=True))
        yield f"step {index}", ask(change(step))
        for kind, name in resources:
            yield f"after {index}: {kind} {name!r}", lambda kind=kind, name=name: told(kind, name)
    for version in (0, 1):
        yield f"list v{version}", named(ask(ListConfigResourcesRequest(), version))
    for kinds in ([TOPIC], [GROUP, METRICS], [BROKER], [LOGGER], [3], [0], [99], [TOPIC, 99]):
        yield f"list {kinds}", named(ask(ListConfigResourcesRequest(resource_types=kinds)))
    yield (
        "created beside",
        [
            config
            for config in ask(CreateTopicsRequest(topics=[new_topic("c-x")], validate_only=True)).topics[0].configs
            if config.config_source != 5
        ],
    )
    yield "replaced", ask(replace((TOPIC, "c-alt", [("flush.ms", "77")]), (GROUP, "c-g", [])))
    yield "metrics replaced", ask(replace((METRICS, "c-m", [("interval.ms", "1000")])))
    yield "brokers replaced", ask(replace((BROKER, "", [("min.insync.replicas", "1")]), (BROKER, "1", [])))
    for kind, name in resources:
        yield f"after replacing: {kind} {name!r}", lambda kind=kind, name=name: told(kind, name)
    yield "metrics removed", ask(replace((METRICS, "c-m", [])))
    yield "list at the end", named(ask(ListConfigResourcesRequest(resource_types=[GROUP, METRICS])))


def named(answer: Any) -> Any:
    """Leaves out topics of other tests."""
    answer.config_resources = [item for item in answer.config_resources if item.resource_name.startswith(("c-", "1"))]
    return answer


@pytest.mark.parametrize("script", [described, refused, altered])
def test_the_same_as_the_reference(script: Callable[[Session], Any], our_broker: str, kafka: str) -> None:
    ours, theirs = Session(our_broker), Session(kafka)
    different = []
    with ours.client, theirs.client:
        for (label, found), (_, expected) in zip(script(ours), script(theirs), strict=True):
            texts = settled(ours, found), settled(theirs, expected)
            deadline = time.monotonic() + SETTLED_S
            while texts[0] != texts[1] and callable(expected) and time.monotonic() < deadline:
                texts = settled(ours, found), settled(theirs, expected)
            if texts[0] != texts[1]:
                different.append(f"{label}\n  {texts[1]}\n  {texts[0]}")
    assert not different, "\n".join(different)


def settled(session: Session, answer: Any) -> str:
    return session.text(answer() if callable(answer) else answer)
