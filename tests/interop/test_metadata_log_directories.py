"""One directory, two brokers in turn: each starts on what the other wrote, metadata and records."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch, record_values
from reference_kafka import java, reference_kafka

from barnabas import Broker
from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsRequest

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
    shutil.copytree(where.log_dir, tmp_path / "data", ignore=shutil.ignore_patterns(".lock", "*.tmp"))
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


def decoded(data: Path) -> list[dict[str, Any]]:
    """Returns the metadata records as Kafka's own tool reads them."""
    log = data / "__cluster_metadata-0" / f"{0:020}.log"
    done = java("DumpLogSegments", "--cluster-metadata-decoder", "--files", str(log))
    assert done.returncode == 0, done.stderr
    assert "isvalid: false" not in done.stdout
    return [json.loads(line.partition("payload: ")[2]) for line in done.stdout.splitlines() if "payload: " in line]
