"""One directory, two brokers in turn: each starts on what the other wrote, metadata and records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch, record_values
from reference_kafka import CLUSTER_ID, copy_of_running, java, properties, reference_kafka

from barnabas import Broker
from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.api_versions import ApiVersionsRequest
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from barnabas.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.interop


def administer(client: RawClient, prefix: str) -> None:
    """Leaves something of every kind behind."""
    shape = CreateTopicsRequest
    topics = [
        shape.CreatableTopic(
            name=f"{prefix}-{name}",
            num_partitions=2,
            replication_factor=1,
            configs=[shape.CreatableTopicConfig(name="retention.ms", value="87654321")],
        )
        for name in ("kept", "gone")
    ]
    assert [topic.error_code for topic in client.ask(shape(topics=topics, timeout_ms=10_000)).topics] == [0, 0]
    more = [CreatePartitionsRequest.CreatePartitionsTopic(name=f"{prefix}-kept", count=3, assignments=None)]
    assert client.ask(CreatePartitionsRequest(topics=more, timeout_ms=10_000)).results[0].error_code == 0
    gone = [DeleteTopicsRequest.DeleteTopicState(name=f"{prefix}-gone")]
    assert client.ask(DeleteTopicsRequest(topics=gone, timeout_ms=10_000)).responses[0].error_code == 0
    quota = AlterClientQuotasRequest
    entity = [quota.EntityData(entity_type="user", entity_name=prefix)]
    op = quota.OpData(key="producer_byte_rate", value=1e9, remove=False)
    assert client.ask(quota(entries=[quota.EntryData(entity=entity, ops=[op])])).entries[0].error_code == 0
    topic_id = client.topics(f"{prefix}-kept")[f"{prefix}-kept"].topic_id
    while (produced := client.produce(f"{prefix}-kept", topic_id, 2, record_batch([b"one", b"two"])))[0]:
        pass
    assert produced == (0, 0)


def check(client: RawClient, prefix: str) -> None:
    """Everything is there, and more can be written behind it."""
    topics = client.topics()
    assert f"{prefix}-gone" not in topics
    kept = topics[f"{prefix}-kept"]
    assert [(part.error_code, part.leader_id) for part in kept.partitions] == [(0, 1)] * 3
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=2, resource_name=kept.name, configuration_keys=["retention.ms"]
    )
    (entry,) = client.ask(DescribeConfigsRequest(resources=[resource])).results[0].configs
    assert entry.value == "87654321"
    component = DescribeClientQuotasRequest.ComponentData(entity_type="user", match_type=0, match=prefix)
    (quota,) = client.ask(DescribeClientQuotasRequest(components=[component])).entries
    assert [(value.key, value.value) for value in quota.values] == [("producer_byte_rate", 1e9)]
    assert record_values(client.fetch(kept.topic_id, 2, 0)[1]) == [b"one", b"two"]
    assert client.produce(kept.name, kept.topic_id, 2, record_batch([b"three"])) == (0, 2)


def test_we_start_on_what_a_running_kafka_wrote(kafka: str, tmp_path: Path) -> None:
    """A copy of the files of a Kafka that goes on is what a kill -9 would leave."""
    with RawClient(kafka, timeout=30) as client:
        administer(client, "of-kafka")
        (where,) = client.ask(DescribeLogDirsRequest(topics=None)).results
    copy_of_running(where.log_dir, tmp_path / "data")
    with Broker(data_dir=tmp_path / "data") as broker, RawClient(broker.bootstrap_servers) as client:
        check(client, "of-kafka")
    with Broker(data_dir=tmp_path / "data") as broker, RawClient(broker.bootstrap_servers) as client:
        kept = client.topics("of-kafka-kept")["of-kafka-kept"]
        assert record_values(client.fetch(kept.topic_id, 2, 0)[1]) == [b"one", b"two", b"three"]


def test_kafka_starts_on_what_we_wrote_and_we_go_on_after_it(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Broker(data_dir=data) as broker, RawClient(broker.bootstrap_servers) as client:
        administer(client, "of-ours")
    dumped = decoded(data)
    names = {record["data"].get("name") for record in dumped if record["type"] == "TOPIC_RECORD"}
    assert names == {"of-ours-kept", "of-ours-gone"}
    # It takes our registration for that of another that lives, until its session is over.
    session = {"broker.session.timeout.ms": "9000"}
    with reference_kafka(tmp_path, session) as address, RawClient(address, timeout=30) as client:
        while any(part.leader_id < 0 for part in client.topics("of-ours-kept")["of-ours-kept"].partitions):
            pass
        check(client, "of-ours")
    # A Kafka that is stopped leaves its partitions without a leader.
    with Broker(data_dir=data) as broker, RawClient(broker.bootstrap_servers) as client:
        kept = client.topics("of-ours-kept")["of-ours-kept"]
        assert record_values(client.fetch(kept.topic_id, 2, 0)[1]) == [b"one", b"two", b"three"]
        assert client.produce(kept.name, kept.topic_id, 2, record_batch([b"four"])) == (0, 3)


OFTEN: dict[str, str] = {
    "metadata.log.max.record.bytes.between.snapshots": "1500",
    "metadata.max.retention.bytes": "4000",
    "internal.metadata.log.segment.bytes": "3000",
    "internal.metadata.delete.delay.millis": "1",
}
"""Snapshots soon, and a log whose beginning is trimmed behind them."""


def churn(client: RawClient, data: Path, prefix: str, *, is_trimmed: bool = True) -> None:
    """Creates and deletes topics until there are snapshots and the log's beginning is gone, which takes Kafka a minute."""
    directory = data / "__cluster_metadata-0"
    shape = CreateTopicsRequest
    for index in range(300):
        name = f"{prefix}-{index}"
        topic = shape.CreatableTopic(name=name, num_partitions=3, replication_factor=1)
        assert client.ask(shape(topics=[topic], timeout_ms=10_000)).topics[0].error_code == 0
        gone = [DeleteTopicsRequest.DeleteTopicState(name=name)]
        assert client.ask(DeleteTopicsRequest(topics=gone, timeout_ms=10_000)).responses[0].error_code == 0
        is_whole = (directory / f"{0:020}.log").exists()
        if len(list(directory.glob("*.checkpoint"))) > 1 and not (is_trimmed and is_whole):
            return
    pytest.fail("the log's beginning is still there")


def test_kafka_starts_on_our_snapshots_and_our_trimmed_log(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Broker(data_dir=data, config=OFTEN) as broker, RawClient(broker.bootstrap_servers) as client:
        administer(client, "of-ours")
        churn(client, data, "churn")
    directory = data / "__cluster_metadata-0"
    snapshot = max(directory.glob("*.checkpoint"))
    dumped = decoded(data, snapshot)
    names = {record["data"]["name"] for record in dumped if record["type"] == "TOPIC_RECORD"}
    assert "of-ours-kept" in names
    assert dumped[0]["data"]["name"] == "metadata.version"
    tail = decoded(data, max(directory.glob("*.log")))
    assert {record["type"] for record in tail} <= {"TOPIC_RECORD", "PARTITION_RECORD", "REMOVE_TOPIC_RECORD"}
    session = {"broker.session.timeout.ms": "9000"}
    with reference_kafka(tmp_path, session) as address, RawClient(address, timeout=30) as client:
        while any(part.leader_id < 0 for part in client.topics("of-ours-kept")["of-ours-kept"].partitions):
            pass
        check(client, "of-ours")


def test_we_start_on_snapshots_of_a_kafka_that_was_killed_and_it_on_ours_again(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with reference_kafka(tmp_path, OFTEN, is_killed=True) as address, RawClient(address, timeout=30) as client:
        administer(client, "of-kafka")
        churn(client, data, "churn", is_trimmed=False)
    with Broker(data_dir=data, config=OFTEN) as broker, RawClient(broker.bootstrap_servers) as client:
        check(client, "of-kafka")
        churn(client, data, "ours")
    features = {
        record["data"]["name"]: record["data"]["featureLevel"]
        for record in decoded(data, max((data / "__cluster_metadata-0").glob("*.checkpoint")))
        if record["type"] == "FEATURE_LEVEL_RECORD"
    }
    assert features["share.version"] == 1, "what we do not act on is kept"
    session = {"broker.session.timeout.ms": "9000"}
    with reference_kafka(tmp_path, session) as address, RawClient(address, timeout=30) as client:
        while any(part.leader_id < 0 for part in client.topics("of-kafka-kept")["of-kafka-kept"].partitions):
            pass
        kept = client.topics("of-kafka-kept")["of-kafka-kept"]
        assert record_values(client.fetch(kept.topic_id, 2, 0)[1]) == [b"one", b"two", b"three"]


def test_a_directory_that_kafkas_tool_has_formatted_begins_as_it_says(tmp_path: Path) -> None:
    config = tmp_path / "server.properties"
    config.write_text(properties(tmp_path, 9092, 9093))
    scram = "SCRAM-SHA-256=[name=alice,password=secret]"
    done = java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config), "--release-version", "4.0",
                "--add-scram", scram)  # fmt: skip
    assert done.returncode == 0, done.stderr
    with Broker(data_dir=tmp_path / "data") as broker, RawClient(broker.bootstrap_servers) as client:
        assert broker.cluster_id == CLUSTER_ID
        versions = client.ask(ApiVersionsRequest(client_software_name="raw", client_software_version="1"), 4)
        levels = {feature.name: feature.max_version_level for feature in versions.finalized_features}
        assert levels["metadata.version"] == 25
        (told,) = client.ask(DescribeUserScramCredentialsRequest(users=None)).results
        assert told.user == "alice"
        administer(client, "late")
    records = decoded(tmp_path / "data")
    assert {record["version"] for record in records if record["type"] == "REGISTER_BROKER_RECORD"} == {3}


def test_what_lies_beside_our_log_is_what_kafkas_tool_reads(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Broker(data_dir=data) as broker, RawClient(broker.bootstrap_servers) as client:
        administer(client, "of-ours")
    begin = ["FEATURE_LEVEL_RECORD"] * 3
    assert [record["type"] for record in decoded(data, data / "bootstrap.checkpoint")] == begin
    log = [record["type"] for record in decoded(data)]
    expected = ["BEGIN_TRANSACTION_RECORD", *begin, "CONFIG_RECORD", "END_TRANSACTION_RECORD"]
    expected += ["REGISTER_BROKER_RECORD", "BROKER_REGISTRATION_CHANGE_RECORD", "TOPIC_RECORD", "CONFIG_RECORD"]
    assert log[: len(expected)] == expected


def decoded(data: Path, file: Path | None = None) -> list[dict[str, Any]]:
    """Returns the metadata records as Kafka's own tool reads them, of the log's first segment if not of another file."""
    file = file or data / "__cluster_metadata-0" / f"{0:020}.log"
    done = java("DumpLogSegments", "--cluster-metadata-decoder", "--files", str(file))
    assert done.returncode == 0, done.stderr
    assert "isvalid: false" not in done.stdout
    if file.suffix == ".checkpoint":
        assert "SnapshotHeader" in done.stdout
        assert "SnapshotFooter" in done.stdout
    return [json.loads(line.partition("payload: ")[2]) for line in done.stdout.splitlines() if "payload: " in line]
