"""Commits of very many partitions, commits and forgotten offsets that no batch can hold: nobody else notices."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient
from stored_groups import wait_until_served

from barnabas import Broker, errors
from barnabas.broker.handlers.offset_commit import PIECE
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ONE_SHARD = {"offsets.topic.num.partitions": "1"}
UNKNOWN_PARTITION = errors.UnknownTopicOrPartitionError.code
UNKNOWN_SERVER_ERROR = -1
LONG = "g" * 30_000
"""A group whose records are so large that 40 of them are more than a batch may hold."""


@pytest.fixture
def client() -> Iterator[RawClient]:
    with Broker(config=ONE_SHARD) as broker, RawClient(broker.bootstrap_servers, timeout=60) as connected:
        yield connected


def create(client: RawClient, **partitions: int) -> None:
    topics = [
        CreateTopicsRequest.CreatableTopic(name=name, num_partitions=count, replication_factor=1)
        for name, count in partitions.items()
    ]
    created = client.ask(CreateTopicsRequest(topics=topics, timeout_ms=30_000)).topics
    assert {topic.error_code for topic in created} == {0}


def commit(client: RawClient, group: str, wanted: dict[str, Iterable[int]], **fields: Any) -> dict[str, list[Any]]:
    """Commits ten times its number for each partition; returns (partition, error code) by topic."""
    shape = OffsetCommitRequest
    topics = [
        shape.OffsetCommitRequestTopic(
            name=name,
            partitions=[
                shape.OffsetCommitRequestPartition(partition_index=index, committed_offset=10 * index)
                for index in indexes
            ],
        )
        for name, indexes in wanted.items()
    ]
    answer = client.ask(shape(group_id=group, topics=topics, **fields), 9)
    assert len({topic.name for topic in answer.topics}) == len(answer.topics)
    return {topic.name: [(one.partition_index, one.error_code) for one in topic.partitions] for topic in answer.topics}


def committed(client: RawClient, group: str) -> dict[str, dict[int, int]]:
    groups = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=None)]
    answer = client.ask(OffsetFetchRequest(groups=groups), 8).groups[0]
    assert answer.error_code == 0
    return {
        topic.name: {one.partition_index: one.committed_offset for one in topic.partitions} for topic in answer.topics
    }


def member_of(client: RawClient, group: str, known_id: str = "") -> tuple[str, int]:
    """Joins a group alone, and is not given anything yet: nothing of it is in the log. Returns (member id, generation)."""

    def join(member_id: str) -> Any:
        protocol = JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"x")
        return client.ask(
            JoinGroupRequest(
                group_id=group, session_timeout_ms=30_000, rebalance_timeout_ms=30_000, member_id=member_id,
                protocol_type="consumer", protocols=[protocol],
            )
        )  # fmt: skip

    joined = join(known_id or join("").member_id)
    assert joined.error_code == 0
    return joined.member_id, joined.generation_id


def sync(client: RawClient, group: str, member_id: str, generation: int, assignment: bytes) -> int:
    given = [SyncGroupRequest.SyncGroupRequestAssignment(member_id=member_id, assignment=assignment)]
    request = SyncGroupRequest(
        group_id=group, generation_id=generation, member_id=member_id, assignments=given,
        protocol_type="consumer", protocol_name="range",
    )  # fmt: skip
    return int(client.ask(request).error_code)


def test_what_is_committed_in_pieces_is_answered_as_a_whole(tmp_path: Path) -> None:
    many, more = range(4 * PIECE + 7), range(PIECE)
    with (
        Broker(data_dir=tmp_path, config=ONE_SHARD) as broker,
        RawClient(broker.bootstrap_servers, timeout=60) as client,
    ):
        create(client, many=len(many), few=3, more=len(more))
        wait_until_served(client, "billing")
        answer = commit(client, "billing", {"many": many, "none": [0, 1], "few": [0, 7, 2], "more": more})
        assert answer == {
            "many": [(index, 0) for index in many],
            "none": [(0, UNKNOWN_PARTITION), (1, UNKNOWN_PARTITION)],
            "few": [(0, 0), (2, 0), (7, UNKNOWN_PARTITION)],
            "more": [(index, 0) for index in more],
        }
        expected = {"many": {n: 10 * n for n in many}, "few": {0: 0, 2: 20}, "more": {n: 10 * n for n in more}}
        assert committed(client, "billing") == expected
    with (
        Broker(data_dir=tmp_path, config=ONE_SHARD) as broker,
        RawClient(broker.bootstrap_servers, timeout=60) as client,
    ):
        wait_until_served(client, "billing")
        assert committed(client, "billing") == expected


def test_every_piece_is_fenced(client: RawClient) -> None:
    create(client, many=2 * PIECE)
    wait_until_served(client, "billing")
    member_id, generation = member_of(client, "billing")
    assert sync(client, "billing", member_id, generation, b"a") == 0
    everything = {"many": range(2 * PIECE)}
    stale = commit(client, "billing", everything, member_id=member_id, generation_id_or_member_epoch=generation - 1)
    assert stale == {"many": [(index, errors.IllegalGenerationError.code) for index in range(2 * PIECE)]}
    good = commit(client, "billing", everything, member_id=member_id, generation_id_or_member_epoch=generation)
    assert good == {"many": [(index, 0) for index in range(2 * PIECE)]}


def test_a_commit_that_no_batch_can_hold_is_refused_and_others_go_on(client: RawClient) -> None:
    create(client, many=40)
    wait_until_served(client, "billing")
    # What a member has before its first assignment is nowhere but in memory.
    member_id, generation = member_of(client, "billing")
    refused = commit(client, LONG, {"many": range(40)})
    assert refused == {"many": [(index, UNKNOWN_SERVER_ERROR) for index in range(40)]}
    assert committed(client, LONG) == {}
    assert sync(client, "billing", member_id, generation, b"a") == 0
    assert commit(client, LONG, {"many": range(20)}) == {"many": [(index, 0) for index in range(20)]}


def test_a_group_that_no_batch_can_hold_starts_over(bootstrap_servers: str) -> None:
    group = f"large-{uuid.uuid4()}"
    with RawClient(bootstrap_servers, timeout=60) as client:
        wait_until_served(client, group)
        member_id, generation = member_of(client, group)
        assert sync(client, group, member_id, generation, bytes(1_100_000)) == UNKNOWN_SERVER_ERROR
        heartbeat = HeartbeatRequest(group_id=group, generation_id=generation, member_id=member_id)
        assert client.ask(heartbeat).error_code == errors.RebalanceInProgressError.code
        again, generation = member_of(client, group, member_id)
        assert (again, generation) == (member_id, 2)
        assert sync(client, group, member_id, generation, b"a") == 0


def test_a_deleted_topics_offsets_are_forgotten_however_many(tmp_path: Path) -> None:
    with (
        Broker(data_dir=tmp_path, config=ONE_SHARD) as broker,
        RawClient(broker.bootstrap_servers, timeout=60) as client,
    ):
        create(client, gone=60, kept=1)
        wait_until_served(client, LONG)
        for first in range(0, 60, 20):
            commit(client, LONG, {"gone": range(first, first + 20), "kept": [0]})
        gone = [DeleteTopicsRequest.DeleteTopicState(name="gone")]
        assert client.ask(DeleteTopicsRequest(topics=gone, timeout_ms=30_000)).responses[0].error_code == 0
        assert committed(client, LONG) == {"kept": {0: 0}}
    with (
        Broker(data_dir=tmp_path, config=ONE_SHARD) as broker,
        RawClient(broker.bootstrap_servers, timeout=60) as client,
    ):
        wait_until_served(client, LONG)
        assert committed(client, LONG) == {"kept": {0: 0}}
