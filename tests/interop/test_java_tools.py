"""Kafka's own command-line tools against our broker: what they print is what was asked for."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from java_tools import Ended, JavaTools
from reference_kafka import java

import barnabas
from barnabas.protocol.apis import APIS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.interop

COUNT = 500


@pytest.fixture(scope="module")
def tool() -> Iterator[JavaTools]:
    tools = JavaTools()
    yield tools
    tools.close()


@pytest.fixture
def topic(our_broker: str, unique: str) -> str:
    """A topic of two partitions."""
    with barnabas.Admin(bootstrap_servers=our_broker) as admin:
        admin.create_topics([barnabas.NewTopic(unique, num_partitions=2)])
    return unique


def fill(address: str, topic: str, counts: dict[int, int]) -> None:
    with barnabas.Producer(bootstrap_servers=address) as producer:
        for partition, count in counts.items():
            for index in range(count):
                producer.send(topic, b"%d" % index, partition=partition, timestamp=1_700_000_000_000 + index)
        producer.flush()


def test_broker_api_versions_finds_nothing_that_the_client_cannot_use(tool: JavaTools, our_broker: str):
    ended = tool("BrokerApiVersionsCommand", "--bootstrap-server", our_broker)
    assert ended.code == 0, ended.err
    told = dict(re.findall(r"^\t(\w+)\(\d+\): (.*?),?$", ended.out, re.MULTILINE))
    served = {name for name, text in told.items() if "UNSUPPORTED" not in text}
    names = {name for name, *_ in APIS.values()}
    assert {"Produce", "Fetch", "Metadata", "ConsumerGroupHeartbeat", "CreateTopics"} <= served
    assert served <= names
    assert told["Produce"].startswith("0 to 13 [usable: 13]")
    assert all("[usable: " in told[name] for name in served)


def test_console_producer_and_consumer(tool: JavaTools, our_broker: str, topic: str):
    lines = "".join(f"h:{index}\tkey-{index}\tvalue {index} ü\n" for index in range(COUNT))
    properties = ("parse.headers=true", "parse.key=true")
    options = [part for text in properties for part in ("--reader-property", text)]
    ended = tool("ConsoleProducer", "--bootstrap-server", our_broker, "--topic", topic, *options, stdin=lines)
    assert ended.code == 0, ended.err
    assert "ERROR" not in ended.err
    shown = ("print.headers", "print.key", "print.partition", "print.offset")
    options = [part for text in shown for part in ("--formatter-property", f"{text}=true")]
    ended = tool(
        "ConsoleConsumer", "--bootstrap-server", our_broker, "--topic", topic, "--from-beginning",
        "--max-messages", str(COUNT), "--timeout-ms", "30000", *options,
    )  # fmt: skip
    assert ended.code == 0, ended.err
    found = [line.split("\t") for line in ended.lines()]
    assert sorted(fields[2:] for fields in found) == sorted(
        [f"h:{index}", f"key-{index}", f"value {index} ü"] for index in range(COUNT)
    )
    for partition in ("Partition:0", "Partition:1"):
        offsets = [fields[1] for fields in found if fields[0] == partition]
        assert offsets == [f"Offset:{index}" for index in range(len(offsets))]


def test_verifiable_producer_and_consumers(our_broker: str, topic: str):
    """These two tell the rest as their process ends, so that each needs one of its own."""
    produced = alone(
        "VerifiableProducer", "--bootstrap-server", our_broker, "--topic", topic, "--max-messages", str(COUNT),
        "--acks", "-1",
    )  # fmt: skip
    sent = [event for event in produced if event["name"] == "producer_send_success"]
    assert [event for event in produced if event["name"] == "producer_send_error"] == []
    assert sorted(int(str(event["value"])) for event in sent) == list(range(COUNT))
    assert next(event for event in produced if event["name"] == "tool_data")["acked"] == COUNT
    for protocol in ("classic", "consumer"):
        consumed = alone(
            "VerifiableConsumer", "--bootstrap-server", our_broker, "--topic", topic, "--group-id", f"{topic}-{protocol}",
            "--max-messages", str(COUNT), "--reset-policy", "earliest", "--group-protocol", protocol, "--verbose",
        )  # fmt: skip
        records = [event for event in consumed if event["name"] == "record_data"]
        places = {(event["partition"], event["offset"]) for event in records}
        assert {(event["partition"], event["offset"]) for event in sent} == places
        assert len(records) == COUNT
        commits = [event for event in consumed if event["name"] == "offsets_committed"]
        assert commits
        assert all(event["success"] for event in commits)


def alone(name: str, *arguments: str) -> list[dict[str, object]]:
    """What a tool tells that runs in a process of its own."""
    ended = java(name, *arguments)
    assert ended.returncode == 0, ended.stderr
    return Ended(0, ended.stdout, ended.stderr).events()


def test_get_offset_shell(tool: JavaTools, our_broker: str, topic: str):
    fill(our_broker, topic, {0: 10, 1: 3})
    for time, expected in {
        "latest": (10, 3),
        "earliest": (0, 0),
        "max-timestamp": (9, 2),
        "earliest-local": (0, 0),
        "1700000000002": (2, 2),
    }.items():
        ended = tool(
            "GetOffsetShell", "--bootstrap-server", our_broker, "--topic-partitions", f"{topic}:0-2", "--time", time
        )
        assert ended.code == 0, ended.err
        assert sorted(ended.lines()) == [f"{topic}:0:{expected[0]}", f"{topic}:1:{expected[1]}"], time
    ended = tool("GetOffsetShell", "--bootstrap-server", our_broker, "--topic", "no-such-topic")
    assert ended.code == 1
    assert "Could not match any topic-partitions" in ended.err + ended.out


def test_delete_records(tool: JavaTools, our_broker: str, topic: str, tmp_path: Path):
    fill(our_broker, topic, {0: 10, 1: 3})
    wanted = [{"topic": topic, "partition": 0, "offset": 4}, {"topic": topic, "partition": 1, "offset": -1}]
    path = tmp_path / "offsets.json"
    path.write_text(json.dumps({"version": 1, "partitions": wanted}))
    ended = tool("DeleteRecordsCommand", "--bootstrap-server", our_broker, "--offset-json-file", str(path))
    assert ended.code == 0, ended.err
    for index, low in ((0, 4), (1, 3)):
        assert f"partition: {topic}-{index}\tlow_watermark: {low}" in ended.out
    ended = tool("GetOffsetShell", "--bootstrap-server", our_broker, "--topic", topic, "--time", "earliest")
    assert sorted(ended.lines()) == [f"{topic}:0:4", f"{topic}:1:3"]
    path.write_text(json.dumps({"version": 1, "partitions": [{**wanted[0], "offset": 99}]}))
    ended = tool("DeleteRecordsCommand", "--bootstrap-server", our_broker, "--offset-json-file", str(path))
    assert "OffsetOutOfRangeException" in ended.out + ended.err


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_producer_and_consumer_performance(tool: JavaTools, our_broker: str, topic: str, codec: str):
    count = 20_000
    ended = tool(
        "ProducerPerformance", "--bootstrap-server", our_broker, "--topic", topic, "--num-records", str(count),
        "--record-size", "100", "--throughput", "-1", "--command-property", f"compression.type={codec}",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    assert ended.lines()[-1].startswith(f"{count} records sent"), ended.out
    ended = tool("GetOffsetShell", "--bootstrap-server", our_broker, "--topic", topic)
    assert sum(int(line.rpartition(":")[2]) for line in ended.lines()) == count
    ended = tool(
        "ConsumerPerformance", "--bootstrap-server", our_broker, "--topic", topic, "--num-records", str(count),
        "--timeout", "30000",
    )  # fmt: skip
    assert ended.code == 0, ended.err
    titles, figures = (line.split(", ") for line in ended.lines()[-2:])
    assert int(dict(zip(titles, figures, strict=True))["data.consumed.in.nMsg"]) == count


def test_client_compatibility(tool: JavaTools, our_broker: str, topic: str):
    ended = tool(
        "ClientCompatibilityTest", "--bootstrap-server", our_broker, "--topic", topic, "--num-cluster-nodes", "1",
        "--offsets-for-times-supported", "True", "--cluster-id-supported", "True",
        "--expect-record-too-large-exception", "False", "--create-topics-supported", "True",
        "--describe-acls-supported", "True", "--describe-configs-supported", "True",
        "--idempotent-producer-supported", "True",
    )  # fmt: skip
    assert ended.code == 0, ended.out + ended.err
    assert "SUCCESS" in ended.out + ended.err
