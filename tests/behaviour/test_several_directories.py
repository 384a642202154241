"""Replicas and the directories of a node with several: what the reference says to who names one, and our broker the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch, record_values
from reference_kafka import free_port, options, reference_kafka
from stored_groups import plain

from barnabas import Broker, errors
from barnabas.protocol.messages.alter_replica_log_dirs import AlterReplicaLogDirsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from barnabas.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TOPIC, LONG = "placed", "l" * 249
DIRECTORIES = ("first", "second")


def log_dirs(root: Path) -> dict[str, str]:
    return {"log.dirs": ",".join(str(root / name) for name in DIRECTORIES)}


def move(client: RawClient, *wanted: tuple[Path | str, str, int]) -> Any:
    """The answer to a request that names a directory for each replica."""
    shape = AlterReplicaLogDirsRequest
    dirs = [
        shape.AlterReplicaLogDir(
            path=str(path), topics=[shape.AlterReplicaLogDirTopic(name=topic, partitions=[partition])]
        )
        for path, topic, partition in wanted
    ]
    answer = client.ask(shape(dirs=dirs))
    return sorted((topic.topic_name, plain(topic.partitions)) for topic in answer.results)


def placed(client: RawClient, topic: str = TOPIC) -> dict[int, str]:
    """Where the replicas of a topic are."""
    wanted = [DescribeLogDirsRequest.DescribableLogDirTopic(topic=topic, partitions=[0, 1])]
    return {
        partition.partition_index: where.log_dir
        for where in client.ask(DescribeLogDirsRequest(topics=wanted)).results
        for found in where.topics
        for partition in found.partitions
        if not partition.is_future_key
    }


def fill(client: RawClient) -> bytes:
    """Both topics, with a record in each partition; the id of the first."""
    ids = []
    for name in (TOPIC, LONG):
        wanted = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=2, replication_factor=1)
        (topic,) = client.ask(CreateTopicsRequest(topics=[wanted], timeout_ms=5_000)).topics
        ids.append(bytes(topic.topic_id))
        for partition in range(2):
            while client.produce(name, ids[-1], partition, record_batch([b"one"]))[0]:
                pass
    return ids[0]


def told(client: RawClient, root: Path) -> Iterator[tuple[str, Any]]:
    """Names directories that change nothing, and some that are none."""
    topic_id = fill(client)
    before = placed(client)
    yield "directories", sorted(set(before.values())) == sorted(str(root / name) for name in DIRECTORIES)
    here, there = before[0], before[1]
    yield "its own", move(client, (here, TOPIC, 0))
    yield "each its own", move(client, (here, TOPIC, 0), (there, TOPIC, 1))
    yield "one that is none", move(client, (root / "third", TOPIC, 0))
    yield "one that is none and its own", move(client, (root / "third", TOPIC, 0), (there, TOPIC, 1))
    yield "without its path", move(client, (DIRECTORIES[0], TOPIC, 0))
    yield "with a slash behind", move(client, (f"{here}/", TOPIC, 0))
    yield "a partition that is none", move(client, (here, TOPIC, 9))
    yield "a topic that is none", move(client, (here, "missing", 0))
    yield "of a long name", [move(client, (placed(client, LONG)[0], LONG, 0))[0][1]]
    yield "of a long name, to one that is none", move(client, (root / "third", LONG, 0))
    for length in (213, 214):
        yield f"of a name of {length}", move(client, (here, "n" * length, 0))
    yield "what is moved", plain(client.ask(ListPartitionReassignmentsRequest(topics=None, timeout_ms=5_000)).topics)
    yield "where they are", placed(client) == before
    yield "what is in them", record_values(client.fetch(topic_id, 0, 0)[1])
    yield "what follows", client.produce(TOPIC, topic_id, 0, record_batch([b"two"]))


@pytest.mark.interop
@pytest.mark.timeout(180)
def test_directories_are_named_as_to_the_reference(tmp_path: Path) -> None:
    with (
        reference_kafka(tmp_path / "theirs", log_dirs(tmp_path / "theirs")) as address,
        RawClient(address, timeout=60) as client,
    ):
        theirs = dict(told(client, tmp_path / "theirs"))
    config = {**options(tmp_path / "ours", free_port(), free_port()), **log_dirs(tmp_path / "ours")}
    with Broker(config=config, embedded=False) as broker, RawClient(broker.bootstrap_servers, timeout=60) as client:
        ours = dict(told(client, tmp_path / "ours"))
    assert ours == theirs
    assert theirs["its own"] == [(TOPIC, [{"partition_index": 0, "error_code": 0}])]


def test_a_replica_that_is_not_to_be_moved_stays(tmp_path: Path) -> None:
    with Broker(config=log_dirs(tmp_path)) as broker, RawClient(broker.bootstrap_servers) as client:
        fill(client)
        before = placed(client)
        refused = [(TOPIC, [{"partition_index": 0, "error_code": errors.KafkaStorageError.code}])]
        assert move(client, (before[1], TOPIC, 0)) == refused
        assert placed(client) == before
        assert move(client, (before[0], TOPIC, 0)) == [(TOPIC, [{"partition_index": 0, "error_code": 0}])]


def test_a_replica_without_files_is_where_it_is_said_to_be(tmp_path: Path) -> None:
    with Broker(config=log_dirs(tmp_path)) as broker, RawClient(broker.bootstrap_servers) as client:
        wanted = CreateTopicsRequest.CreatableTopic(name=TOPIC, num_partitions=2, replication_factor=1)
        assert client.ask(CreateTopicsRequest(topics=[wanted], timeout_ms=5_000)).topics[0].error_code == 0
        said = placed(client)
        for index in range(2):
            for name in DIRECTORIES:
                (answer,) = move(client, (tmp_path / name, TOPIC, index))
                is_there = said[index] == str(tmp_path / name)
                assert answer[1][0]["error_code"] == (0 if is_there else errors.KafkaStorageError.code)
