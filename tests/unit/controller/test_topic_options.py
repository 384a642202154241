"""Topic options: the verdicts of Kafka's own `LogConfig.validate` on every option and many values, word for word."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from barnabas.broker.options import BrokerOptions
from barnabas.controller.configs import invalid_topic_config
from barnabas.controller.topic_options import TOPIC_OPTIONS
from barnabas.errors import ConfigError

GOLDEN = Path(__file__).parents[2] / "golden" / "config" / "topic_options.json.gz"

NOT_OPTIONS = frozenset({"internal.segment.bytes"})
"""What Kafka's own tests may set."""


def is_tiered(name: str) -> bool:
    """Tiered storage: Kafka takes these although it may have none; here they are refused with the reason."""
    return name.startswith(("remote.", "local."))


def is_large_double(options: dict[str, str]) -> bool:
    """Java writes 2147483648.0 as 2.147483648E9; the text is else the same."""
    digits = options.get("min.cleanable.dirty.ratio", "")
    return len(digits) > 7 and digits.isdigit()


def verdicts() -> list[tuple[dict[str, str], str | None]]:
    with gzip.open(GOLDEN, "rt") as file:
        cases = json.load(file)
    return [
        (options, None if verdict is None else verdict.partition(": ")[2])
        for options, verdict in cases
        if not NOT_OPTIONS & options.keys()
    ]


def test_every_option_of_kafka_is_known() -> None:
    named = {name for options, _ in verdicts() for name in options}
    public = {name for name, key in TOPIC_OPTIONS.items() if not key.internal}
    assert named - {"no.such.option"} == public


def test_values_are_judged_as_kafka_judges_them() -> None:
    cases = [(options, verdict) for options, verdict in verdicts() if verdict or not any(map(is_tiered, options))]
    assert len(cases) > 1500
    differences = [
        (options, verdict, found)
        for options, verdict in cases
        if (found := invalid_topic_config(options)) != verdict and not is_large_double(options)
    ]
    assert differences == []


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("remote.storage.enable", "true", "Tiered Storage functionality is disabled"),
        ("remote.log.copy.disable", "true", "only concerns tiered storage"),
        ("remote.log.delete.on.disable", "true", "only concerns tiered storage"),
        ("local.retention.ms", "1000", "only concerns tiered storage"),
        ("local.retention.bytes", "1000", "only concerns tiered storage"),
    ],
)
def test_tiered_storage_is_refused_with_the_reason(name: str, value: str, said: str) -> None:
    assert said in str(invalid_topic_config({name: value}))
    assert invalid_topic_config({name: str(TOPIC_OPTIONS[name].default)}) is None


def test_a_conflict_with_the_brokers_own_options_is_seen() -> None:
    assert invalid_topic_config({"min.compaction.lag.ms": "10"}, {"max.compaction.lag.ms": "9"}) == (
        "conflict topic config setting min.compaction.lag.ms (10) > max.compaction.lag.ms (9)"
    )


@pytest.mark.parametrize(
    ("broker", "topic"),
    [
        ({}, {}),
        ({"log.retention.hours": 2}, {"retention.ms": "7200000"}),
        ({"log.retention.hours": 2, "log.retention.minutes": 3}, {"retention.ms": "180000"}),
        (
            {"log.retention.hours": 2, "log.retention.minutes": 3, "log.retention.ms": 4},
            {"retention.ms": "4"},
        ),
        ({"log.retention.minutes": -1}, {"retention.ms": "-1"}),
        ({"log.retention.hours": -1, "log.retention.bytes": 5}, {"retention.ms": "-1", "retention.bytes": "5"}),
        ({"log.roll.hours": 1, "log.roll.jitter.hours": 1}, {"segment.ms": "3600000", "segment.jitter.ms": "3600000"}),
        (
            {"log.roll.hours": 1, "log.roll.ms": 7, "log.roll.jitter.ms": 3},
            {"segment.ms": "7", "segment.jitter.ms": "3"},
        ),
        ({"log.flush.scheduler.interval.ms": 9}, {"flush.ms": "9"}),
        ({"log.flush.scheduler.interval.ms": 9, "log.flush.interval.ms": 8}, {"flush.ms": "8"}),
        (
            {"log.segment.delete.delay.ms": 1, "log.preallocate": True},
            {"file.delete.delay.ms": "1", "preallocate": "true"},
        ),
        ({"log.cleanup.policy": "compact,delete"}, {"cleanup.policy": "compact,delete"}),
        (
            {"compression.type": "zstd", "compression.zstd.level": 5},
            {"compression.type": "zstd", "compression.zstd.level": "5"},
        ),
    ],
)
def test_broker_options_give_the_topics_defaults(broker: dict[str, object], topic: dict[str, str]) -> None:
    options = BrokerOptions.parse(broker)
    assert options.topic_defaults() == topic
    assert topic.items() <= options.log_defaults().items()
    assert options.ignored == []


def test_a_bad_default_is_refused_when_the_broker_starts() -> None:
    with pytest.raises(ConfigError, match="Value must be between 1 and 9 or equal to -1"):
        BrokerOptions.parse({"compression.gzip.level": 0})
