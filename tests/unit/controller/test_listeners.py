"""Which changes to a broker's listeners are allowed where the start was less strict than Kafka's."""

from __future__ import annotations

import pytest

from barnabas.controller.listeners import ListenerOptions, client_endpoints, refused_listener_change

LISTENERS, PROTOCOLS = "listeners", "listener.security.protocol.map"
STARTS = {
    "a map without its own": {LISTENERS: "PLAINTEXT://:1", PROTOCOLS: "OTHER:PLAINTEXT"},
    "a map without the controller's": {
        LISTENERS: "PLAINTEXT://:1,CONTROLLER://:2",
        PROTOCOLS: "PLAINTEXT:PLAINTEXT",
        "controller.listener.names": "CONTROLLER",
    },
}


@pytest.mark.parametrize("name", STARTS)
def test_other_options_change_whatever_the_listeners_are(name: str) -> None:
    start = STARTS[name]
    assert refused_listener_change(start, {**start, "max.connections": "5"}) is None
    assert refused_listener_change(start, {**start, "log.retention.ms": "5"}) is None


@pytest.mark.parametrize("name", STARTS)
def test_what_kafka_would_have_refused_can_be_put_right(name: str) -> None:
    start = STARTS[name]
    right = {**start, PROTOCOLS: "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"}
    assert refused_listener_change(start, right) is None
    wrong = refused_listener_change(start, {**start, LISTENERS: start[LISTENERS] + ",NEW://:3"})
    assert wrong is not None
    assert "No security protocol defined for listener" in wrong


def test_a_start_without_listeners_for_controllers_needs_none_later() -> None:
    start = {LISTENERS: "PLAINTEXT://127.0.0.1:0", "controller.listener.names": "CONTROLLER"}
    after = {**start, LISTENERS: "PLAINTEXT://127.0.0.1:0,EXTRA://:1", PROTOCOLS: "PLAINTEXT:PLAINTEXT,EXTRA:PLAINTEXT"}
    assert refused_listener_change(start, after) is None


def test_what_is_opened_is_what_clients_can_use() -> None:
    texts = {
        LISTENERS: "plaintext://[::1]:1,CONTROLLER://:2,SECURE://:3,FAR://127.0.0.1:70000,LOW://:-1",
        PROTOCOLS: "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SSL,FAR:PLAINTEXT,LOW:plaintext",
        "controller.listener.names": "CONTROLLER",
    }
    assert client_endpoints(ListenerOptions.of(texts)) == (
        [("PLAINTEXT", "::1", 1)],
        [
            "listener SECURE is not opened: only PLAINTEXT is supported",
            "listener FAR is not opened: there is no port 70000",
            "listener LOW is not opened: there is no port -1",
        ],
    )
    found = client_endpoints(ListenerOptions.of({**texts, PROTOCOLS: "PLAINTEXT"}))
    assert found == ([], [f"Error parsing configuration property '{PROTOCOLS}': begin 0, end -1, length 9"])
