"""Listeners that change while a node runs: what the reference says and does, and our broker the same."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import reference_kafka as reference
from raw_client import RawClient
from reference_kafka import free_port

from barnabas import Broker
from barnabas.protocol.messages.alter_configs import AlterConfigsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_cluster import DescribeClusterRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BROKER, PATIENCE_S = 4, 30.0
SET, DELETE, APPEND, SUBTRACT = range(4)
LISTENERS, PROTOCOLS = "listeners", "listener.security.protocol.map"
MAP = "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,EXTRA:PLAINTEXT,OTHER:PLAINTEXT"
RECORDED = Path(__file__).parents[1] / "golden" / "config" / "listeners.json"
KEYS = {"all advertised": False, "its own advertised": True}
Change = str | None | tuple[int, str]


class Ports:
    """The ports of a node, and further ones that are free."""

    def __init__(self) -> None:
        self.of = {name: free_port() for name in ("own", "controller", "extra", "other")}
        self.base = self.filled("PLAINTEXT://127.0.0.1:{own},CONTROLLER://127.0.0.1:{controller}")

    def filled(self, text: str) -> str:
        """Fills ports in; `{base}` stands for the listeners of the start."""
        return text.format(**self.of, base=getattr(self, "base", ""))

    def told(self, answer: Any) -> Any:
        """Takes the ports out of what was answered."""
        if isinstance(answer, str):
            for name, port in self.of.items():
                answer = answer.replace(str(port), f"<{name}>")
        if isinstance(answer, (list, tuple)):
            return [self.told(item) for item in answer]
        return next((f"<{name}>" for name, port in self.of.items() if answer == port), answer)

    def options(self, *, advertises: bool) -> dict[str, str]:
        return {LISTENERS: self.base} | ({"advertised.listeners": self.base.partition(",")[0]} if advertises else {})


def alter(
    client: RawClient, ports: Ports, changes: Mapping[str, Change], node: str = "1", *, validate: bool = False
) -> Any:
    """The answer to a change of single options."""
    shape = IncrementalAlterConfigsRequest
    configs = []
    for name, change in changes.items():
        operation, text = change if isinstance(change, tuple) else (DELETE if change is None else SET, change)
        value = None if text is None else ports.filled(text)
        configs.append(shape.AlterableConfig(name=name, config_operation=operation, value=value))
    resource = shape.AlterConfigsResource(resource_type=BROKER, resource_name=node, configs=configs)
    (answer,) = client.ask(shape(resources=[resource], validate_only=validate)).responses
    return ports.told((answer.error_code, answer.error_message))


def replace(client: RawClient, ports: Ports, configs: Mapping[str, str]) -> Any:
    """The answer to a check of all options together."""
    shape = AlterConfigsRequest
    given = [shape.AlterableConfig(name=name, value=ports.filled(text)) for name, text in configs.items()]
    resource = shape.AlterConfigsResource(resource_type=BROKER, resource_name="1", configs=given)
    (answer,) = client.ask(shape(resources=[resource], validate_only=True)).responses
    return ports.told((answer.error_code, answer.error_message))


def described(client: RawClient, ports: Ports) -> Any:
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=BROKER, resource_name="1", configuration_keys=[LISTENERS, PROTOCOLS, "advertised.listeners"]
    )
    (result,) = client.ask(DescribeConfigsRequest(resources=[resource], include_synonyms=True)).results
    return [
        ports.told([
            one.name, one.value, one.config_source, one.read_only,
            [(same.name, same.value, same.source) for same in one.synonyms],
        ])
        for one in sorted(result.configs, key=lambda one: str(one.name))
    ]  # fmt: skip


def seen(client: RawClient, ports: Ports) -> Any:
    """What a client is told of the cluster."""
    metadata, cluster = client.ask(MetadataRequest(topics=None)), client.ask(DescribeClusterRequest())
    return ports.told([
        [(one.node_id, one.host, one.port) for one in metadata.brokers],
        [(one.broker_id, one.host, one.port) for one in cluster.brokers],
        [
            (topic.name, topic.error_code, [(one.error_code, one.leader_id, list(one.offline_replicas)) for one in topic.partitions])
            for topic in metadata.topics
        ],
    ])  # fmt: skip


def connected(port: int) -> RawClient:
    """A connection, as soon as the port is open."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return RawClient(f"127.0.0.1:{port}", timeout=PATIENCE_S)
        except OSError:
            assert time.monotonic() < deadline, f"port {port} is not opened"


def wait_until_closed(port: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            RawClient(f"127.0.0.1:{port}").socket.close()
        except OSError:
            return
        assert time.monotonic() < deadline, f"port {port} stays open"


EXTRA = {LISTENERS: "{base},EXTRA://127.0.0.1:{extra}", PROTOCOLS: MAP}
REFUSED: dict[str, dict[str, Change]] = {
    "the same": {LISTENERS: "{base}"},
    "a listener without protocol": {LISTENERS: "{base},NEW://127.0.0.1:{extra}"},
    "a protocol that is none": {**EXTRA, PROTOCOLS: MAP.replace("EXTRA:PLAINTEXT", "EXTRA:BOGUS")},
    "without its own": {**EXTRA, LISTENERS: "EXTRA://127.0.0.1:{extra},CONTROLLER://127.0.0.1:{controller}"},
    "without the controller's": {LISTENERS: "PLAINTEXT://127.0.0.1:{own}"},
    "controllers' alone": {LISTENERS: "CONTROLLER://127.0.0.1:{controller}"},
    "a map without the controller's": {PROTOCOLS: "PLAINTEXT:PLAINTEXT"},
    "a map without its own": {PROTOCOLS: "CONTROLLER:PLAINTEXT"},
    "another protocol": {PROTOCOLS: "PLAINTEXT:SSL,CONTROLLER:PLAINTEXT"},
    "another protocol for controllers": {PROTOCOLS: "PLAINTEXT:PLAINTEXT,CONTROLLER:SSL"},
    "a map that is none": {PROTOCOLS: "PLAINTEXT"},
    "a map with a name twice": {PROTOCOLS: f"{MAP},EXTRA:SSL"},
    "a map of nothing": {PROTOCOLS: ""},
    "a map in lower case": {PROTOCOLS: " plaintext:plaintext , controller:plaintext"},
    "a map with something appended": {PROTOCOLS: (APPEND, "A:PLAINTEXT")},
    "a name twice": {LISTENERS: "{base},PLAINTEXT://127.0.0.1:{extra}"},
    "a name twice in another case": {LISTENERS: "{base},plaintext://127.0.0.1:{extra}"},
    "a port twice": {**EXTRA, LISTENERS: "{base},EXTRA://127.0.0.1:{own}"},
    "a port twice, on all hosts": {**EXTRA, LISTENERS: "{base},EXTRA://:{own}"},
    "a port twice, on a host's name": {**EXTRA, LISTENERS: "{base},EXTRA://localhost:{own}"},
    "a port twice, by both protocols": {**EXTRA, LISTENERS: "{base},EXTRA://[::1]:{own}"},
    "a port three times": {**EXTRA, LISTENERS: "{base},EXTRA://[::1]:{own},OTHER://127.0.0.2:{own}"},
    "a port twice by one protocol": {**EXTRA, LISTENERS: "{base},EXTRA://[::1]:{extra},OTHER://[::2]:{extra}"},
    "a port twice on all hosts": {**EXTRA, LISTENERS: "{base},EXTRA://:{extra},OTHER://:{extra}"},
    "the same twice": {LISTENERS: "{base},{base}"},
    "what is no address": {**EXTRA, LISTENERS: "{base},EXTRA:foo"},
    "a host that is none": {**EXTRA, LISTENERS: "{base},EXTRA://a b:{extra}"},
    "a host that nobody knows": {**EXTRA, LISTENERS: "{base},EXTRA://no.such.host.invalid:{extra}"},
    "a port that is none": {**EXTRA, LISTENERS: "{base},EXTRA://127.0.0.1:70000"},
    "a port that is no number": {**EXTRA, LISTENERS: "{base},EXTRA://127.0.0.1:99999999999"},
    "a port below none": {**EXTRA, LISTENERS: "{base},EXTRA://127.0.0.1:-1"},
    "any port": {**EXTRA, LISTENERS: "{base},EXTRA://127.0.0.1:0"},
    "nothing": {LISTENERS: ""},
    "nothing at the end": {LISTENERS: "{base},,"},
    "spaces": {**EXTRA, LISTENERS: " {base} , EXTRA://127.0.0.1:{extra} "},
    "all hosts by their address": {**EXTRA, LISTENERS: "{base},EXTRA://0.0.0.0:{extra}"},
    "all hosts": {**EXTRA, LISTENERS: "{base},EXTRA://:{extra}"},
    "its own on another port": {LISTENERS: "PLAINTEXT://127.0.0.1:{extra},CONTROLLER://127.0.0.1:{controller}"},
    "its own on another host": {LISTENERS: "PLAINTEXT://127.0.0.2:{own},CONTROLLER://127.0.0.1:{controller}"},
    "the controller's on another port": {LISTENERS: "PLAINTEXT://127.0.0.1:{own},CONTROLLER://127.0.0.1:{extra}"},
    "one more": {**EXTRA},
    "one more in lower case": {**EXTRA, LISTENERS: "{base},extra://127.0.0.1:{extra}"},
    "one appended": {**EXTRA, LISTENERS: (APPEND, "EXTRA://127.0.0.1:{extra}")},
    "one taken away": {LISTENERS: (SUBTRACT, "CONTROLLER://127.0.0.1:{controller}")},
    "nothing taken away": {LISTENERS: (SUBTRACT, "NONE://127.0.0.1:{controller}")},
    "both taken back": {LISTENERS: None, PROTOCOLS: None},
    "what is advertised": {"advertised.listeners": "PLAINTEXT://127.0.0.1:{extra}"},
    "the listener between brokers": {"inter.broker.listener.name": "EXTRA"},
    "the listener of controllers": {"controller.listener.names": "EXTRA"},
    "an option of an open listener alone": {"listener.name.plaintext.connections.max.idle.ms": "5"},
    "with an option of an open listener": {**EXTRA, "listener.name.plaintext.connections.max.idle.ms": "5"},
    "with an option of the new listener": {**EXTRA, "listener.name.extra.connections.max.idle.ms": "5"},
    "with a limit of an open listener": {**EXTRA, "listener.name.plaintext.max.connections": "5"},
    "a limit with an option of an open listener": {
        "max.connections": "100", "listener.name.plaintext.connections.max.idle.ms": "5",
    },
}  # fmt: skip
"""Checked and not made; some of it is allowed."""


def checks(client: RawClient, ports: Ports) -> Iterator[tuple[str, Any]]:
    """What is said to changes before any is made."""
    for name in (LISTENERS, PROTOCOLS):
        text = EXTRA[name]
        yield f"{name} for all brokers", alter(client, ports, {name: text}, "", validate=True)
    for what, changes in REFUSED.items():
        yield what, alter(client, ports, changes, validate=True)
        if all(isinstance(change, str) for change in changes.values()):
            yield f"{what}, all replaced", replace(client, ports, {key: str(text) for key, text in changes.items()})


def told(client: RawClient, ports: Ports) -> Iterator[tuple[str, Any]]:
    """Checks changes, then makes some: adds a listener and takes it away while clients are connected to it."""
    wanted = CreateTopicsRequest.CreatableTopic(name="t", num_partitions=1, replication_factor=1)
    client.ask(CreateTopicsRequest(topics=[wanted], timeout_ms=5_000))
    yield from checks(client, ports)
    yield "one more, made", alter(client, ports, EXTRA)
    with connected(ports.of["extra"]) as new:
        yield "what is seen there", seen(new, ports)
        yield "what is seen as before", seen(client, ports)
        yield "what is described", described(new, ports)
        changes: dict[str, dict[str, Change]] = {
            "taken away": {LISTENERS: "{base}"},
            "its protocol taken away": {PROTOCOLS: "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"},
            "its protocol changed": {PROTOCOLS: MAP.replace("EXTRA:PLAINTEXT", "EXTRA:SSL")},
            "the map taken back": {PROTOCOLS: None},
            "another port": {LISTENERS: "{base},EXTRA://127.0.0.1:{other}"},
            "one more with its option": {
                LISTENERS: EXTRA[LISTENERS] + ",OTHER://127.0.0.1:{other}",
                "listener.name.extra.connections.max.idle.ms": "5",
            },
        }
        for what, change in changes.items():
            yield f"{what}, checked", alter(client, ports, change, validate=True)
        (code, why) = answer = alter(client, ports, {LISTENERS: None, PROTOCOLS: None})
        yield "taken back", answer
        if (code, why) == (0, None):
            yield "its connections", new.closed()
            wait_until_closed(ports.of["extra"])
            yield "what is described then", described(client, ports)
            # Another listener takes the port that is free now.
            yield (
                "its port for another",
                alter(client, ports, {LISTENERS: "{base},OTHER://127.0.0.1:{extra}", PROTOCOLS: MAP}),
            )
            with connected(ports.of["extra"]) as other:
                yield "what is seen on that", seen(other, ports)
        else:
            yield "what is seen there still", seen(new, ports)


def told_by_ours(tmp_path: Path, *, advertises: bool) -> dict[str, Any]:
    ports = Ports()
    options = reference.options(tmp_path / "ours", ports.of["own"], ports.of["controller"])
    config = {**options, **ports.options(advertises=advertises)}
    with Broker(config=config, embedded=False) as broker, RawClient(broker.bootstrap_servers, timeout=60) as client:
        return dict(told(client, ports))


def recorded() -> dict[str, dict[str, Any]]:
    """What the reference answered, with `advertised.listeners` and without."""
    found: dict[str, dict[str, Any]] = json.loads(RECORDED.read_text())
    return found


@pytest.mark.parametrize("key", KEYS)
def test_listeners_change_as_those_of_the_reference(tmp_path: Path, key: str) -> None:
    found, expected = told_by_ours(tmp_path, advertises=KEYS[key]), recorded()[key]
    assert list(found) == list(expected)
    assert [(what, found[what]) for what in found if found[what] != expected[what]] == []


def test_only_listeners_that_are_not_advertised_can_be_taken_away() -> None:
    answers = {key: told["taken back"][0] for key, told in recorded().items()}
    assert answers == {"all advertised": 42, "its own advertised": 0}


@pytest.mark.interop
@pytest.mark.timeout(180)
@pytest.mark.parametrize("key", KEYS)
def test_the_reference_answers_as_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    ports = Ports()
    monkeypatch.setattr(reference, "free_port", iter([ports.of["own"], ports.of["controller"]]).__next__)
    given = ports.options(advertises=KEYS[key])
    with reference.reference_kafka(tmp_path, given) as address, RawClient(address, timeout=60) as client:
        found = dict(told(client, ports))
    if os.environ.get("RECORD"):
        kept = {**(recorded() if RECORDED.exists() else {}), key: found}
        RECORDED.write_text(json.dumps(kept, indent=0, ensure_ascii=False) + "\n")
    assert found == recorded()[key]


# The reference takes a protocol that it has no certificates for, and only says in its log that nothing is opened.
def test_a_listener_that_would_not_be_plaintext_is_refused(tmp_path: Path) -> None:
    ports = Ports()
    config = reference.options(tmp_path, ports.of["own"], ports.of["controller"])
    with Broker(config=config, embedded=False) as broker, RawClient(broker.bootstrap_servers) as client:
        for protocol in ("SSL", "SASL_PLAINTEXT", "SASL_SSL"):
            changes = {**EXTRA, PROTOCOLS: MAP.replace("EXTRA:PLAINTEXT", f"EXTRA:{protocol}")}
            refused = [42, "listeners: listener EXTRA is not supported: only PLAINTEXT is"]
            assert alter(client, ports, changes) == refused
        # A protocol may be named before there is a listener that has it.
        assert alter(client, ports, {PROTOCOLS: MAP.replace("EXTRA:PLAINTEXT", "EXTRA:SSL")}) == [0, None]
