"""Groups that change between the classic protocol and KIP-848 while they work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from test_consumer_group import Client
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.assignors import Subscription
from barnabas.assignors import consumer_protocol as protocol
from barnabas.coordinator.group import GroupState
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from barnabas.protocol.messages.join_group import JoinGroupResponse

REBALANCE = errors.RebalanceInProgressError.code
ALL = [TopicPartition("orders", number) for number in range(4)]


class ClassicClient:
    """A consumer of the classic protocol that gives up what it loses before it joins again (cooperative)."""

    def __init__(self, virtual: VirtualShard, instance: str | None = None) -> None:
        self.virtual = virtual
        self.instance = instance
        self.member_id = ""
        self.generation = -1
        self.owned: list[TopicPartition] = []
        self.must_join = True

    @property
    def partitions(self) -> list[int]:
        return sorted(partition.partition for partition in self.owned)

    def subscription(self) -> bytes:
        return protocol.encode_subscription(Subscription(("orders",), owned_partitions=tuple(self.owned)))

    def join(self) -> int:
        fields = {"group_instance_id": self.instance, "metadata": self.subscription()}
        return self.virtual.join(self.member_id, protocols=("cooperative-sticky",), **fields)

    def joined(self, answer: JoinGroupResponse) -> None:
        self.member_id, self.generation, self.must_join = answer.member_id, answer.generation_id, False

    def step(self) -> None:
        """Heartbeats, and joins again if it is told to."""
        if not self.must_join:
            request = HeartbeatRequest(
                group_id=GROUP, member_id=self.member_id, generation_id=self.generation, group_instance_id=self.instance
            )
            code = self.virtual.ask(request).error_code
            assert code in (0, REBALANCE), code
            self.must_join = code == REBALANCE
        if self.must_join:
            answer = self.virtual.answers.pop(self.join())
            if answer.error_code == errors.MemberIdRequiredError.code:
                self.member_id = answer.member_id
                answer = self.virtual.answers.pop(self.join())
            assert answer.error_code == 0
            self.joined(answer)
            request = SyncGroupRequest(
                group_id=GROUP,
                member_id=self.member_id,
                generation_id=self.generation,
                group_instance_id=self.instance,
                protocol_type="consumer",
                protocol_name="cooperative-sticky",
            )
            synced = self.virtual.ask(request)
            if synced.error_code == REBALANCE:
                self.must_join = True
                return
            assert synced.error_code == 0
            given = protocol.decode_assignment(synced.assignment)
            # What it loses it has given up when it joins again, which a loss makes it do at once.
            self.must_join = not set(self.owned) <= set(given)
            self.owned = given


def classic_group(virtual: VirtualShard, *clients: ClassicClient) -> None:
    """A Stable classic group whose first member has everything."""
    tokens = {}
    for client in clients:
        if client.instance is None:
            client.member_id = virtual.answers.pop(client.join()).member_id
        tokens[client] = client.join()
        for other in clients:
            if other in tokens and other is not client:
                virtual.answers.pop(tokens[other], None)
                tokens[other] = other.join()
    answers = {client: virtual.answers.pop(tokens[client]) for client in clients}
    for client, answer in answers.items():
        client.joined(answer)
    leader = next(client for client in clients if answers[client].leader == client.member_id)
    given = {client.member_id: protocol.encode_assignment(ALL if client is leader else []) for client in clients}
    for client in sorted(clients, key=lambda client: client is leader):
        virtual.sync(
            client.member_id,
            client.generation,
            given if client is leader else None,
            group_instance_id=client.instance,
        )
    virtual.answers.clear()
    leader.owned = ALL


def settle(virtual: VirtualShard, classic: list[ClassicClient], modern: list[Client]) -> None:
    for _ in range(20):
        for client in modern:
            assert client.heartbeat().error_code == 0
            client.reconcile()
        for client in classic:
            client.step()
        check_owners(classic, modern)
    everything = [number for client in [*classic, *modern] for number in client.partitions]
    assert sorted(everything) == [0, 1, 2, 3]


def check_owners(classic: list[ClassicClient], modern: list[Client]) -> None:
    held = [number for client in [*classic, *modern] for number in client.partitions]
    assert len(held) == len(set(held)), "a partition has two owners"


@pytest.fixture
def virtual() -> VirtualShard:
    return VirtualShard()


def test_a_classic_group_takes_a_member_of_the_new_protocol_in(virtual):
    classic = [ClassicClient(virtual), ClassicClient(virtual)]
    classic_group(virtual, *classic)
    modern = [Client(virtual, "new")]
    settle(virtual, classic, modern)
    assert virtual.shard.groups == {}
    assert sorted(len(client.partitions) for client in [*classic, *modern]) == [1, 1, 2]
    assert virtual.commit(classic[0].member_id, classic[0].generation) == 0
    virtual.reload()
    assert virtual.shard.groups == {}
    settle(virtual, classic, modern)


def test_the_last_member_of_the_new_protocol_leaves_and_the_group_is_classic_again(virtual):
    classic = [ClassicClient(virtual), ClassicClient(virtual)]
    classic_group(virtual, *classic)
    modern = Client(virtual, "new")
    settle(virtual, classic, [modern])
    epoch = virtual.shard.consumer_groups[GROUP].epoch
    modern.heartbeat(member_epoch=-1)
    assert virtual.shard.consumer_groups == {}
    group = virtual.shard.groups[GROUP]
    assert (group.state, group.generation) == (GroupState.PREPARING_REBALANCE, epoch)
    assert virtual.heartbeat(classic[0].member_id, group.generation) == REBALANCE
    virtual.reload()
    assert set(virtual.shard.groups[GROUP].members) == {client.member_id for client in classic}
    assert virtual.shard.consumer_groups == {}
    tokens = [client.join() for client in classic]
    assert [virtual.answers[token].error_code for token in tokens] == [0, 0]


# The rebalance that begins with the downgrade is in memory alone, as in Kafka: what is loaded is the group as it was then.
def test_a_group_that_is_loaded_before_that_rebalance_has_it_with_whoever_joins_next(virtual):
    classic = [ClassicClient(virtual), ClassicClient(virtual)]
    classic_group(virtual, *classic)
    modern = Client(virtual, "new")
    settle(virtual, classic, [modern])
    kept = [client.partitions for client in classic]
    epoch = virtual.shard.consumer_groups[GROUP].epoch
    modern.heartbeat(member_epoch=-1)
    virtual.reload()
    group = virtual.shard.groups[GROUP]
    assert (group.state, group.generation) == (GroupState.STABLE, epoch)
    # Nobody is lost and nobody is told anything, for as long as nobody joins; what the other one had waits.
    for _ in range(20):
        virtual.advance(5_000)
        assert [virtual.heartbeat(client.member_id, epoch) for client in classic] == [0, 0]
    assert [virtual.commit(client.member_id, epoch) for client in classic] == [0, 0]
    synced = [virtual.answers.pop(virtual.sync(client.member_id, epoch)) for client in classic]
    given = [protocol.decode_assignment(answer.assignment) for answer in synced]
    assert [sorted(partition.partition for partition in one) for one in given] == kept
    assert sum(map(len, kept)) < len(ALL)
    # One that joins again is enough.
    first = classic[0].join()
    assert virtual.heartbeat(classic[1].member_id, epoch) == REBALANCE
    answers = [virtual.answers.pop(token) for token in (classic[1].join(), first)]
    assert {answer.generation_id for answer in answers} == {epoch + 1}
    leader = next(answer for answer in answers if answer.leader == answer.member_id)
    assert {member.member_id for member in leader.members} == {client.member_id for client in classic}


def test_a_silent_member_of_the_new_protocol_ends_it_too(virtual):
    classic = [ClassicClient(virtual)]
    classic_group(virtual, *classic)
    settle(virtual, classic, [Client(virtual, "new")])
    for _ in range(10):
        virtual.advance(5_000)
        if GROUP in virtual.shard.groups:
            break
        classic[0].step()
    assert list(virtual.shard.groups[GROUP].members) == [classic[0].member_id]


def test_a_static_member_changes_its_protocol_and_keeps_its_partitions(virtual):
    old, other = ClassicClient(virtual, "one"), ClassicClient(virtual)
    classic_group(virtual, old, other)
    new = Client(virtual, "new", instance_id="one")
    settle(virtual, [other], [new])
    held = new.partitions
    back = ClassicClient(virtual, "one")
    answer = virtual.answers.pop(back.join())
    assert answer.error_code == 0
    assert virtual.shard.consumer_groups == {}, "no member of the new protocol is left"
    group = virtual.shard.groups[GROUP]
    assert group.state is GroupState.STABLE
    given = protocol.decode_assignment(group.members[answer.member_id].assignment)
    assert [partition.partition for partition in given] == held


def test_members_that_wait_for_a_rebalance_are_told_of_the_new_one(virtual):
    first = ClassicClient(virtual)
    classic_group(virtual, first)
    second = ClassicClient(virtual)
    second.member_id = virtual.answers.pop(second.join()).member_id
    token = second.join()
    assert token not in virtual.answers
    assert Client(virtual, "new").heartbeat().error_code == 0
    assert virtual.answers.pop(token).error_code == REBALANCE


def test_a_classic_member_that_does_not_join_again_is_removed(virtual):
    classic = ClassicClient(virtual)
    classic_group(virtual, classic)
    modern = Client(virtual, "new")
    modern.heartbeat()
    for _ in range(9):
        virtual.advance(9_000)
        request = HeartbeatRequest(group_id=GROUP, member_id=classic.member_id, generation_id=classic.generation)
        code = virtual.ask(request).error_code
        modern.heartbeat()
    assert code == errors.UnknownMemberIdError.code
    modern.heartbeat()
    modern.reconcile()
    assert modern.partitions == [0, 1, 2, 3]


@pytest.mark.parametrize("policy", ["disabled", "downgrade"])
def test_upgrading_may_be_forbidden(policy):
    virtual = VirtualShard(consumer_migration_policy=policy)
    classic_group(virtual, ClassicClient(virtual))
    assert Client(virtual, "new").heartbeat().error_code == errors.GroupIdNotFoundError.code
    assert virtual.shard.consumer_groups == {}


def test_downgrading_may_be_forbidden():
    virtual = VirtualShard(consumer_migration_policy="upgrade")
    classic = [ClassicClient(virtual)]
    classic_group(virtual, *classic)
    modern = Client(virtual, "new")
    settle(virtual, classic, [modern])
    modern.heartbeat(member_epoch=-1)
    settle(virtual, classic, [])
    assert virtual.shard.groups == {}


def test_a_group_whose_members_cannot_be_understood_stays_classic(virtual):
    virtual.stable(1, metadata=b"")
    response = Client(virtual, "new").heartbeat()
    assert response.error_code == errors.GroupIdNotFoundError.code
    assert "malformed" in response.error_message
    assert virtual.shard.groups[GROUP].state is GroupState.STABLE
    virtual.answers.clear()


def test_a_classic_member_with_foreign_protocols_is_refused(virtual):
    classic = [ClassicClient(virtual)]
    classic_group(virtual, *classic)
    settle(virtual, classic, [Client(virtual, "new")])
    for fields in ({"protocols": ("range",)}, {"protocol_type": "connect"}):
        answer = virtual.answers.pop(virtual.join("", metadata=classic[0].subscription(), **fields))
        assert answer.error_code == errors.InconsistentGroupProtocolError.code
