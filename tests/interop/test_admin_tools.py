"""Kafka's own command-line tools for administration, on our broker: what they change, other tools and the broker tell."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from reference_kafka import java

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.interop

CONFIG = "kafka.admin.ConfigCommand"
TOOLS = "org.apache.kafka.tools."


def run(server: str, tool: str, *arguments: str) -> str:
    """Runs a tool to its end; returns what it printed."""
    done = java(tool, "--bootstrap-server", server, *arguments)
    assert done.returncode == 0, f"{tool} {arguments}: {done.stdout}{done.stderr}"
    return done.stdout


def test_topics_and_options_are_administered(our_broker: str, unique: str) -> None:
    topic = ("--entity-type", "topics", "--entity-name", unique)
    run(our_broker, "TopicCommand", "--create", "--topic", unique, "--partitions", "2", "--config", "flush.ms=7")
    run(our_broker, CONFIG, "--alter", *topic, "--add-config", "cleanup.policy=[compact,delete],retention.ms=5000")
    run(our_broker, CONFIG, "--alter", *topic, "--delete-config", "flush.ms")
    run(our_broker, "TopicCommand", "--alter", "--topic", unique, "--partitions", "3")
    told = run(our_broker, CONFIG, "--describe", *topic)
    assert "cleanup.policy=compact,delete" in told
    assert "retention.ms=5000" in told
    assert "flush.ms" not in told
    assert "PartitionCount: 3" in run(our_broker, "TopicCommand", "--describe", "--topic", unique)
    run(our_broker, "TopicCommand", "--delete", "--topic", unique)


def test_everything_else_is_administered(our_broker: str, unique: str, tmp_path: Path) -> None:
    run(our_broker, "TopicCommand", "--create", "--topic", unique)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({"version": 1, "partitions": [{"topic": unique, "partition": 0, "replicas": [1]}]}))
    wanted = [
        (f"{TOOLS}LogDirsCommand", ["--describe", "--topic-list", unique], f'"partition":"{unique}-0"'),
        (f"{TOOLS}LeaderElectionCommand", ["--election-type", "preferred", "--all-topic-partitions"], ""),
        (f"{TOOLS}FeatureCommand", ["describe"], "FinalizedVersionLevel: 4.3-IV0"),
        (f"{TOOLS}MetadataQuorumCommand", ["describe", "--status"], "LeaderId:               1"),
        (
            f"{TOOLS}reassign.ReassignPartitionsCommand",
            ["--reassignment-json-file", str(plan), "--verify"],
            "is completed",
        ),
        (f"{TOOLS}ClientMetricsCommand", ["--alter", "--name", "m", "--metrics", "a", "--interval", "1000"], "Altered"),
        (
            CONFIG,
            ["--alter", "--entity-type", "users", "--entity-name", "u", "--add-config", "producer_byte_rate=1e9"],
            "",
        ),
        (
            CONFIG,
            [
                "--alter",
                "--entity-type",
                "groups",
                "--entity-name",
                "g",
                "--add-config",
                "share.isolation.level=read_committed",
            ],
            "Completed",
        ),
    ]
    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(lambda step: run(our_broker, step[0], *step[1]), wanted))
    missing = [tool for (tool, _, text), output in zip(wanted, told, strict=True) if text not in output]
    assert not missing, told
