"""A node whose data is in two directories and whose metadata log has kraft.version 1: the reference, and our broker on a copy
of what the reference wrote. The suite's other cases have one directory and kraft.version 0."""

from __future__ import annotations

import itertools
import re
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch, record_values
from reference_kafka import CLUSTER_ID, free_port, options, reference_kafka
from stored_groups import groups_told, write_groups

from barnabas import Broker
from barnabas.errors import KafkaStorageError
from barnabas.protocol.messages.alter_replica_log_dirs import AlterReplicaLogDirsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from barnabas.protocol.messages.update_raft_voter import UpdateRaftVoterRequest
from behaviour.quorum import NONE, quorum, voters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.interop
BOUND = 60.0
TOPIC = "moved"
PARTITIONS = 4


def update_is_not_for_clients(address: str) -> bool:
    """Only controllers are asked to update a voter: on this listener the connection ends."""
    with RawClient(address, timeout=BOUND) as client:
        client.send(UpdateRaftVoterRequest(cluster_id=CLUSTER_ID))
        return client.closed()


def fill(client: RawClient) -> None:
    """Each partition of the topic has a record, and so a directory."""
    topic = CreateTopicsRequest.CreatableTopic(name=TOPIC, num_partitions=PARTITIONS, replication_factor=1)
    topic_id = client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=20_000)).topics[0].topic_id
    for index in range(PARTITIONS):
        while client.produce(TOPIC, topic_id, index, record_batch([b"x"]))[0]:
            pass


def places(client: RawClient) -> tuple[list[str], dict[int, str]]:
    """The directories, and which of them has each partition."""
    wanted = DescribeLogDirsRequest.DescribableLogDirTopic(topic=TOPIC, partitions=[*range(PARTITIONS)])
    results = client.ask(DescribeLogDirsRequest(topics=[wanted])).results
    where = {
        partition.partition_index: result.log_dir
        for result in results
        for topic in result.topics
        for partition in topic.partitions
        if not partition.is_future_key
    }
    return sorted(result.log_dir for result in results), where


def moves(client: RawClient) -> Iterator[tuple[str, Any]]:
    """What is said to moves that change nothing, that make no sense, and that are called off."""
    directories, where = places(client)
    assert len(directories) == 2
    assert sorted(where) == [*range(PARTITIONS)]
    own = where[0]
    (other,) = (path for path in directories if path != own)

    def ask(*wanted: tuple[str, str, int]) -> list[tuple[str, int, int]]:
        dirs = [
            AlterReplicaLogDirsRequest.AlterReplicaLogDir(
                path=path,
                topics=[AlterReplicaLogDirsRequest.AlterReplicaLogDirTopic(name=name, partitions=[index])],
            )
            for path, name, index in wanted
        ]
        results = client.ask(AlterReplicaLogDirsRequest(dirs=dirs)).results
        return sorted(
            (topic.topic_name, one.partition_index, one.error_code) for topic in results for one in topic.partitions
        )

    yield "its own", ask((own, TOPIC, 0))
    yield "each its own", [ask((where[index], TOPIC, index)) for index in range(PARTITIONS)]
    yield "nowhere", ask(("/no/such/directory", TOPIC, 0))
    yield "with a slash", ask((f"{own}/", TOPIC, 0))
    yield "no path", ask(("", TOPIC, 0))
    yield "no such topic, elsewhere", ask((other, "missing", 0))
    yield "no such partition, elsewhere", ask((other, TOPIC, 9))
    yield "no such topic, nowhere", ask(("/no/such/directory", "missing", 0))
    yield "elsewhere, then its own", ask((other, TOPIC, 0), (own, TOPIC, 0))
    yield "elsewhere, then nowhere", ask((other, TOPIC, 0), ("/no/such/directory", TOPIC, 0))
    moved = ask((other, TOPIC, 0))
    yield "called off", ask((own, TOPIC, 0))
    yield "called off again", ask((own, TOPIC, 0))
    yield "moved", moved


OFTEN = {
    "metadata.log.max.record.bytes.between.snapshots": "1500",
    "metadata.max.retention.bytes": "4000",
    "internal.metadata.log.segment.bytes": "3000",
    "internal.metadata.delete.delay.millis": "0",
}
"""Snapshots soon, and a log whose beginning is trimmed behind them."""


def churn(client: RawClient, log: Path) -> None:
    """Creates topics until the log's beginning, which said who votes, is only in a snapshot."""
    for number in itertools.count():
        topic = CreateTopicsRequest.CreatableTopic(name=f"many-{number}", num_partitions=9, replication_factor=1)
        assert client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=20_000)).topics[0].error_code == 0
        if min(int(path.stem) for path in log.glob("*.log")) > 0:
            return


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directories of all brokers."""
    return tmp_path_factory.mktemp("voters")


def directories(of: Path) -> dict[str, str]:
    return {"log.dirs": f"{of / 'a'},{of / 'b'}"}


@pytest.fixture(scope="module")
def told(root: Path) -> list[dict[str, Any]]:
    """What the reference says, and what our broker says."""
    found: list[dict[str, Any]] = []

    def ask(address: str) -> None:
        with RawClient(address, timeout=BOUND) as client:
            fill(client)
            found.append({**dict(voters(client)), **dict(moves(client))})
        found[-1]["UpdateRaftVoter"] = update_is_not_for_clients(address)

    with reference_kafka(root / "kafka", directories(root / "kafka"), may_change_voters=True) as address:
        for name in "ab":
            left = root / "ours" / name
            shutil.copytree(root / "kafka" / name, left, ignore=shutil.ignore_patterns(".lock", "*.tmp"))
        ask(address)
    given = {**options(root, free_port(), free_port()), **directories(root / "ours"), **OFTEN}
    with Broker(config={**given, "controller.quorum.voters": ""}, embedded=False) as broker:
        ask(broker.bootstrap_servers)
        with RawClient(broker.bootstrap_servers, timeout=BOUND) as client:
            write_groups(client, TOPIC)
            found[-1]["groups"] = groups_told(client)
            churn(client, root / "ours/a/__cluster_metadata-0")
    return found


@pytest.mark.timeout(180)
def test_a_quorum_of_one_is_what_it_is(told: list[dict[str, Any]]) -> None:
    theirs, ours = told
    assert theirs["kraft.version"] == 1
    assert theirs["voters"][0][1] != NONE
    assert {name: said for name, said in ours.items() if name not in ("moved", "groups") and theirs[name] != said} == {}
    codes = {said[0] for name, said in theirs.items() if re.match("Add|Remove|Update", name) and said is not True}
    assert codes == {0, 7, 42, 95, 104, 126, 127}, "the cases are what they should be"


@pytest.mark.timeout(180)
def test_replicas_stay_in_their_directories(told: list[dict[str, Any]]) -> None:
    """That they cannot move is one of the limits that the README names."""
    theirs, ours = told
    assert theirs["moved"] == [(TOPIC, 0, 0)]
    assert ours["moved"] == [(TOPIC, 0, KafkaStorageError.code)]


@pytest.mark.timeout(180)
def test_the_reference_goes_on_where_our_broker_stopped(told: list[dict[str, Any]], root: Path) -> None:
    # It takes our registration for that of another that lives, until its session is over.
    given = {**directories(root / "ours"), "broker.session.timeout.ms": "6000"}
    again = reference_kafka(root / "again", given, may_change_voters=True)
    with again as address, RawClient(address, timeout=BOUND) as client:
        own = [(one.replica_id, bytes(one.replica_directory_id)) for one in quorum(client).current_voters]
        assert own == told[1]["voters"]
        while any(partition.leader_id < 0 for partition in client.topics(TOPIC)[TOPIC].partitions):
            pass
        topic = client.topics(TOPIC)[TOPIC]
        for index in range(PARTITIONS):
            assert record_values(client.fetch(topic.topic_id, index, 0)[1]) == [b"x"]
        assert groups_told(client) == told[1]["groups"]
