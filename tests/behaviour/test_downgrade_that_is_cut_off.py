"""A coordinator that is killed between a group's downgrade and the rebalance that follows: ours does as the reference does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient
from reference_kafka import copy_of_running, free_port, options, reference_kafka
from stored_groups import plain, wait_until_served

from barnabas import Broker, errors
from barnabas.assignors import Subscription, consumer_protocol
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from pathlib import Path

GROUP, TOPIC = "cut-off", "t"
ALL = [TopicPartition(TOPIC, 0), TopicPartition(TOPIC, 1)]
SESSION_MS = 300_000
REBALANCE = errors.RebalanceInProgressError.code


class ClassicMember:
    """A member of the classic protocol; it leads its group."""

    def __init__(self) -> None:
        self.member_id, self.generation = "", -1

    def join(self, client: RawClient, owned: list[TopicPartition]) -> Any:
        metadata = consumer_protocol.encode_subscription(Subscription((TOPIC,), owned_partitions=tuple(owned)))
        protocols = [JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=metadata)]
        while True:
            answer = client.ask(
                JoinGroupRequest(
                    group_id=GROUP, session_timeout_ms=SESSION_MS, rebalance_timeout_ms=SESSION_MS,
                    member_id=self.member_id, protocol_type="consumer", protocols=protocols,
                )
            )  # fmt: skip
            self.member_id, self.generation = answer.member_id, answer.generation_id
            if answer.error_code != errors.MemberIdRequiredError.code:
                return answer

    def sync(self, client: RawClient, given: list[TopicPartition] | None = None) -> tuple[int, list[int]]:
        """What it is given; `given` is what it decides as a leader."""
        assignments = [
            SyncGroupRequest.SyncGroupRequestAssignment(
                member_id=self.member_id, assignment=consumer_protocol.encode_assignment(given)
            )
            for given in ([] if given is None else [given])
        ]
        answer = client.ask(
            SyncGroupRequest(
                group_id=GROUP, generation_id=self.generation, member_id=self.member_id, protocol_type="consumer",
                protocol_name="range", assignments=assignments,
            )
        )  # fmt: skip
        if answer.error_code:
            return answer.error_code, []
        return 0, [partition.partition for partition in consumer_protocol.decode_assignment(answer.assignment)]

    def heartbeat(self, client: RawClient) -> int:
        asked = HeartbeatRequest(group_id=GROUP, generation_id=self.generation, member_id=self.member_id)
        return int(client.ask(asked).error_code)


def before(client: RawClient) -> ClassicMember:
    """A classic group takes in a member of KIP-848, which gets a partition and leaves again."""
    wanted = CreateTopicsRequest.CreatableTopic(name=TOPIC, num_partitions=2, replication_factor=1)
    client.ask(CreateTopicsRequest(topics=[wanted], timeout_ms=5_000))
    wait_until_served(client, GROUP)
    classic = ClassicMember()
    assert classic.join(client, []).error_code == 0
    assert classic.sync(client, ALL) == (0, [0, 1])

    def modern(epoch: int, *owned: int) -> Any:
        shape = ConsumerGroupHeartbeatRequest
        topic_id = client.topics(TOPIC)[TOPIC].topic_id
        return client.ask(
            shape(
                group_id=GROUP, member_id="modern", member_epoch=epoch, rebalance_timeout_ms=SESSION_MS,
                subscribed_topic_names=[TOPIC],
                topic_partitions=[shape.TopicPartitions(topic_id=topic_id, partitions=list(owned))] if owned else [],
            )
        )  # fmt: skip

    answer = modern(0)
    assert answer.error_code == 0, answer
    given: list[int] = []
    while len(given) != 1:
        if classic.heartbeat(client) == REBALANCE:
            owned = [TopicPartition(TOPIC, number) for number in given]
            assert classic.join(client, owned).error_code == 0
            code, given = classic.sync(client)
            assert code in (0, REBALANCE)
    theirs: list[int] = []
    while not theirs:
        answer = modern(answer.member_epoch)
        topics = answer.assignment.topic_partitions if answer.assignment else []
        theirs = [number for topic in topics for number in topic.partitions]
    answer = modern(answer.member_epoch, *theirs)
    assert modern(-1).member_epoch == -1
    return classic


def after(client: RawClient, classic: ClassicMember) -> dict[str, Any]:
    """What the member that is left is told by the coordinator that was started again."""
    wait_until_served(client, GROUP)
    epoch = classic.generation
    (group,) = client.ask(DescribeGroupsRequest(groups=[GROUP])).groups
    found: dict[str, Any] = {
        "state": (group.group_state, group.protocol_type, group.protocol_data, len(group.members)),
        "heartbeats": [classic.heartbeat(client) for _ in range(3)],
        "its generation": classic.generation >= epoch,
        "what it has": len(classic.sync(client)[1]),
    }
    joined = classic.join(client, [])
    found["joined again"] = (joined.error_code, joined.generation_id - epoch, len(joined.members))
    found["what it gets"] = classic.sync(client, ALL)
    found["then"] = (
        classic.heartbeat(client),
        plain(client.ask(DescribeGroupsRequest(groups=[GROUP])).groups[0].group_state),
    )
    return found


EXPECTED = {
    "state": ("Stable", "consumer", "range", 1),
    "heartbeats": [0, 0, 0],
    "its generation": True,
    "what it has": 1,
    "joined again": (0, 1, 1),
    "what it gets": (0, [0, 1]),
    "then": (0, "Stable"),
}
"""As in Kafka the rebalance that begins with the downgrade is in memory alone: after the kill the member is told nothing, and
has the partitions of the one that left when it joins again for a reason of its own."""


def test_our_coordinator_loads_the_group_as_it_was(tmp_path: Path) -> None:
    config = options(tmp_path / "first", free_port(), free_port())
    with Broker(config=config, embedded=False) as broker, RawClient(broker.bootstrap_servers, timeout=60) as client:
        classic = before(client)
        copy_of_running(config["log.dirs"], tmp_path / "second")
    config = {**options(tmp_path / "second", free_port(), free_port()), "log.dirs": str(tmp_path / "second")}
    with Broker(config=config, embedded=False) as broker, RawClient(broker.bootstrap_servers, timeout=60) as client:
        assert after(client, classic) == EXPECTED


@pytest.mark.interop
@pytest.mark.timeout(240)
def test_the_reference_does_the_same(tmp_path: Path) -> None:
    # Its controller takes the broker for alive for as long as this after the kill, and does not let it in again.
    given = {"broker.session.timeout.ms": "9000"}
    with reference_kafka(tmp_path, given, is_killed=True) as address, RawClient(address, timeout=60) as client:
        classic = before(client)
    with reference_kafka(tmp_path, given) as address, RawClient(address, timeout=60) as client:
        assert after(client, classic) == EXPECTED
