"""The broker's options: names, values, properties files, listeners."""

from __future__ import annotations

from typing import Any

import pytest

from barnabas import errors
from barnabas.broker.options import BROKER_OPTIONS, EFFECTIVE, EMBEDDED_DEFAULTS, BrokerOptions
from barnabas.broker.properties import parse_properties
from barnabas.controller.broker_options import KAFKA_OPTIONS
from barnabas.controller.topic_options import BROKER_SYNONYMS, TOPIC_OPTIONS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1\nb: 2\nc 3\n", {"a": "1", "b": "2", "c": "3"}),
        ("# no\n! no\n\n  d = x = y  \n", {"d": "x = y  "}),
        ("e=one,\\\n   two\\\n  ,three", {"e": "one,two,three"}),
        (r"f\:g=\u00e9\t\\", {"f:g": "\u00e9\t\\"}),
        ("h=\\", {"h": ""}),
        ("i", {"i": ""}),
        (r"j=\u00", {"j": "u00"}),
        ("", {}),
    ],
)
def test_properties_are_read_as_java_reads_them(text: str, expected: dict[str, str]) -> None:
    assert parse_properties(text) == expected


def test_every_default_is_valid() -> None:
    for key in (*BROKER_OPTIONS.values(), *TOPIC_OPTIONS.values()):
        if key.default is not None:
            key.parse(key.default)


def test_tables_agree() -> None:
    assert set(BROKER_OPTIONS) >= EFFECTIVE
    assert set(TOPIC_OPTIONS) >= set(BROKER_SYNONYMS)
    assert all(name in KAFKA_OPTIONS for synonyms in BROKER_SYNONYMS.values() for name, _ in synonyms)
    assert set(EMBEDDED_DEFAULTS) <= EFFECTIVE


def test_topic_defaults_come_from_the_strongest_broker_option_in_the_topics_unit() -> None:
    options = BrokerOptions.parse({"log.retention.hours": 2, "log_segment_bytes": 2_000_000})
    assert options.topic_defaults() == {"retention.ms": "7200000", "segment.bytes": "2000000"}
    assert BrokerOptions.parse({"log.retention.hours": 2, "log.retention.ms": 5}).topic_defaults() == {
        "retention.ms": "5"
    }


@pytest.mark.parametrize(
    ("given", "listeners", "advertised"),
    [
        (
            {"listeners": "PLAINTEXT://127.0.0.1:0"},
            [("PLAINTEXT", "127.0.0.1", 0)],
            [("PLAINTEXT", "127.0.0.1", 0)],
        ),
        (
            {"listeners": "PLAINTEXT://:9092", "advertised.listeners": "PLAINTEXT://kafka.example:19092"},
            [("PLAINTEXT", "", 9092)],
            [("PLAINTEXT", "kafka.example", 19092)],
        ),
        (
            {
                "listeners": "IN://[::1]:1,OUT://127.0.0.1:2,CTL://127.0.0.1:3",
                "listener.security.protocol.map": "IN:PLAINTEXT,OUT:PLAINTEXT,CTL:PLAINTEXT",
                "controller.listener.names": "CTL",
            },
            [("IN", "::1", 1), ("OUT", "127.0.0.1", 2)],
            [("IN", "::1", 1), ("OUT", "127.0.0.1", 2)],
        ),
    ],
)
def test_listeners(given: dict[str, Any], listeners: list[Any], advertised: list[Any]) -> None:
    options = BrokerOptions.parse(given)
    bound = [(name, host or "localhost", port) for name, host, port in options.advertised or options.listeners]
    assert (options.listeners, options.told_endpoints(bound, [])) == (listeners, advertised)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"listeners": ""}, "Configuration 'listeners' must not be empty"),
        ({"listeners": "C://h:1", "controller.listener.names": "C"}, "listeners: no listener for clients"),
        ({"listeners": "A://h:1"}, "listeners: listener A has no security protocol"),
        ({"listeners": "PLAINTEXT://h:1,PLAINTEXT://h:2"}, "listeners: two listeners are called PLAINTEXT"),
        (
            {"listeners": "PLAINTEXT://h:70000"},
            "listeners: 'PLAINTEXT://h:70000' is not NAME://host:port, such as PLAINTEXT://127.0.0.1:9092",
        ),
        (
            {"controller.quorum.voters": "1@a:1,2@b:1"},
            "controller.quorum.voters names another node (2@b:1): this broker is a cluster of one node",
        ),
        (
            {"process.roles": "controller"},
            "process.roles must contain broker: a controller of its own is not supported",
        ),
        (
            {"group.coordinator.rebalance.protocols": "consumer"},
            "group.coordinator.rebalance.protocols must have classic, which cannot be disabled",
        ),
        ({"log.cleanup.policy": "shrink"}, "Invalid value shrink for configuration log.cleanup.policy"),
    ],
)
def test_values_that_are_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(errors.ConfigError) as refused:
        BrokerOptions.parse(given)
    assert str(refused.value).startswith(message)


def test_options_without_effect_are_reported() -> None:
    given = {"num.io.threads": 16, "num.partitions": 2, "process.roles": "broker,controller", "background.threads": 3}
    options = BrokerOptions.parse({**given, "log.segment.bytes": 1 << 20, "log.retention.ms": 1000})
    assert options.ignored == ["background.threads", "num.io.threads"]


@pytest.mark.parametrize("name", ["default.replication.factor", "offsets.topic.replication.factor"])
def test_one_node_holds_one_replica(name: str) -> None:
    with pytest.raises(errors.ConfigError, match=f"{name} is 2: this broker is a cluster of one node, set it to 1"):
        BrokerOptions.parse({name: 2})


def test_logs_are_told_what_only_the_broker_can_set() -> None:
    options = BrokerOptions.parse({"barnabas.validation": "full", "log.segment.bytes": 1 << 20})
    told = options.log_defaults()
    names = ("barnabas.validation", "producer.id.expiration.ms", "segment.bytes")
    assert {name: told[name] for name in names} == dict(zip(names, ("full", "86400000", "1048576"), strict=True))


def test_the_metadata_log_is_where_the_options_say_or_they_are_refused() -> None:
    dirs = {"log.dirs": "/data/a,/data/b"}
    assert BrokerOptions.parse({**dirs, "metadata.log.dir": "/data/a/"}).ignored == []
    with pytest.raises(errors.ConfigError, match=r"metadata\.log\.dir is /data/b: .* the first of log\.dirs, /data/a"):
        BrokerOptions.parse({**dirs, "metadata.log.dir": "/data/b"})
