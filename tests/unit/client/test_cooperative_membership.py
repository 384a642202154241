"""Members of a group that give up partitions cooperatively, one by one and many in a group of their own."""

import random

import pytest
from test_membership import ALL_ORDERS, Rig, kinds

from barnabas.assignors.consumer_protocol import decode_subscription, encode_assignment
from barnabas.client.codes import Code
from barnabas.client.effects import Adopt, GroupSettings, Release, Send, Sent
from barnabas.client.membership import Membership
from barnabas.protocol.messages.join_group import JoinGroupResponse
from barnabas.protocol.messages.sync_group import SyncGroupResponse
from barnabas.types import PartitionInfo, TopicPartition

KEPT, GONE = ALL_ORDERS[:2], ALL_ORDERS[2:]
ROLLING = ("cooperative-sticky", "range")


def settings(*assignors: str) -> GroupSettings:
    return GroupSettings("billing", 45.0, 300.0, 3.0, 30.0, 0.1, assignors=assignors)


def cooperative(*topics: str) -> Rig:
    rig = Rig()
    rig.member = Membership(settings("cooperative-sticky"))
    rig.member.subscribe(topics)
    return rig


def subscription(rig: Rig, protocol: int = 0):
    return decode_subscription(rig.sent(Sent.JOIN).message.protocols[protocol].metadata)


def test_a_member_keeps_reading_while_it_joins_again():
    rig = cooperative("orders")
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    assert rig.poll()[0] == Release(lost=False, keep=frozenset(ALL_ORDERS))
    assert subscription(rig).owned_partitions == ALL_ORDERS
    assert subscription(rig).generation_id == 1
    rig.answer_join(generation_id=2)
    assert rig.answer_sync() == [Adopt(ALL_ORDERS)]
    assert rig.member.joined


def test_what_goes_to_others_is_given_up_before_the_rest_is_adopted_and_then_the_member_joins_again():
    rig = cooperative("orders")
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    rig.poll()
    rig.answer_join(generation_id=2)
    assert rig.answer_sync(partitions=KEPT) == [Release(lost=False, keep=frozenset(KEPT))]
    rig.member.poll(rig.now)
    assert rig.take() == [], "nothing goes on before the partitions are given up"
    rig.member.released()
    assert rig.take() == [Adopt(KEPT)]
    assert kinds(rig.poll()) == ["Release", "StopHeartbeat", "JoinGroup"]
    assert subscription(rig).owned_partitions == KEPT
    assert subscription(rig).generation_id == 2


def test_a_generation_lost_while_partitions_are_given_up_loses_the_rest_too():
    rig = cooperative("orders")
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    rig.poll()
    rig.answer_join(generation_id=2)
    rig.answer_sync(partitions=KEPT)
    rig.member.heartbeat_answered(Code.UNKNOWN_MEMBER_ID)
    rig.take()
    rig.member.released()
    assert rig.take() == []
    assert rig.poll()[0] == Release(lost=True)
    assert subscription(rig).owned_partitions == ()
    assert subscription(rig).generation_id == -1


def test_partitions_of_topics_that_are_not_wanted_any_more_are_given_up_before_joining():
    rig = cooperative("orders", "payments")
    payments = TopicPartition("payments", 0)
    rig.poll()
    rig.answer_join()
    rig.answer_sync(partitions=(*ALL_ORDERS, payments))
    rig.member.subscribe(["orders"])
    assert rig.poll()[0] == Release(lost=False, keep=frozenset(ALL_ORDERS))
    assert subscription(rig).owned_partitions == ALL_ORDERS


def test_leaving_while_partitions_are_given_up_adopts_nothing():
    rig = cooperative("orders")
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    rig.poll()
    rig.answer_join(generation_id=2)
    rig.answer_sync(partitions=KEPT)
    rig.member.leave("closed")
    rig.member.released()
    assert kinds(rig.take()) == ["StopHeartbeat", "LeaveGroup"]


@pytest.mark.parametrize("assignors", [("range",), ROLLING, ("sticky", "cooperative-sticky"), ("roundrobin",)])
def test_one_eager_assignor_makes_a_member_eager(assignors):
    rig = Rig()
    rig.member = Membership(settings(*assignors))
    rig.member.subscribe(["orders"])
    rig.join()
    rig.member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)
    assert rig.poll()[0] == Release(lost=False)
    assert subscription(rig).owned_partitions == ()


def test_sticky_tells_what_it_had_in_its_own_data():
    rig = Rig()
    rig.member = Membership(settings("sticky"))
    rig.member.subscribe(["orders"])
    rig.poll()
    assert subscription(rig).user_data is None
    rig.answer_join(generation_id=7)
    rig.answer_sync()
    rig.member.enforce_rejoin("test")
    rig.poll()
    names = b"\0\0\0\1\0\6orders\0\0\0\4" + b"".join(number.to_bytes(4, "big") for number in range(4))
    assert subscription(rig).user_data == names + (7).to_bytes(4, "big")


class Group:
    """Members of one group in a world where everything arrives at random times; the coordinator in a few lines."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        self.metadata = {
            topic: [PartitionInfo(topic, number, None) for number in range(self.random.randrange(1, 7))]
            for topic in ("orders", "payments")[: self.random.randrange(1, 3)]
        }
        self.partitions = {
            TopicPartition(topic, n) for topic, infos in self.metadata.items() for n in range(len(infos))
        }
        self.members: dict[str, Membership] = {}
        self.reading: dict[str, set[TopicPartition]] = {}
        self.asked: dict[str, Send] = {}
        self.synced: dict[str, Send] = {}
        self.giving: dict[str, Release] = {}
        self.generation = 0
        self.known: set[str] = set()
        self.releases = 0

    def start(self) -> None:
        name = f"m-{len(self.reading)}"
        self.members[name] = Membership(settings("cooperative-sticky"))
        self.members[name].subscribe(self.metadata)
        self.members[name].metadata_changed(self.metadata)
        self.reading[name] = set()
        self.tell()

    def stop(self) -> None:
        name = self.random.choice(sorted(self.members))
        del self.members[name]
        self.reading[name] = set()
        for waiting in (self.asked, self.synced, self.giving):
            waiting.pop(name, None)
        self.tell()

    def tell(self) -> None:
        """Members that are waited for hear of it by their heartbeats; a SyncGroup that waits is refused."""
        for name, member in self.members.items():
            if name in self.synced:
                sync = self.synced.pop(name)
                member.answered(sync.serial, SyncGroupResponse(error_code=Code.REBALANCE_IN_PROGRESS), 0.0)
            member.heartbeat_answered(Code.REBALANCE_IN_PROGRESS)

    def step(self) -> None:
        name = self.random.choice(sorted(self.members))
        member = self.members[name]
        if name in self.giving:
            self.reading[name] &= self.giving.pop(name).keep
            member.released()
        else:
            member.poll(1.0)
        for effect in member.take():
            self.carry_out(name, effect)
        if self.members.keys() == self.asked.keys():
            self.begin()
        if self.synced and self.members.keys() == self.synced.keys():
            self.finish()

    def carry_out(self, name: str, effect: object) -> None:
        match effect:
            case Release():
                assert name not in self.giving
                self.giving[name] = effect
                self.releases += bool(self.reading[name] - effect.keep)
            case Adopt(partitions=partitions):
                self.reading[name] = set(partitions)
                self.check()
            case Send(kind=Sent.JOIN):
                self.asked[name] = effect
                if name in self.known:
                    self.known.discard(name)
                    self.tell()
            case Send(kind=Sent.SYNC):
                self.synced[name] = effect

    def begin(self) -> None:
        self.generation += 1
        leader = self.random.choice(sorted(self.asked))
        listed = [
            JoinGroupResponse.JoinGroupResponseMember(member_id=name, metadata=sent.message.protocols[0].metadata)
            for name, sent in self.asked.items()
        ]
        asked, self.asked = self.asked, {}
        self.known = set(asked)
        for name, sent in asked.items():
            response = JoinGroupResponse(
                generation_id=self.generation,
                protocol_name="cooperative-sticky",
                leader=leader,
                member_id=name,
                members=listed if name == leader else [],
            )
            self.members[name].answered(sent.serial, response, 0.0)
            for effect in self.members[name].take():
                self.carry_out(name, effect)

    def finish(self) -> None:
        given = {each.member_id: each.assignment for sent in self.synced.values() for each in sent.message.assignments}
        synced, self.synced = self.synced, {}
        for name, sent in synced.items():
            response = SyncGroupResponse(assignment=given.get(name, encode_assignment([])))
            self.members[name].answered(sent.serial, response, 0.0)
            for effect in self.members[name].take():
                self.carry_out(name, effect)

    def check(self) -> None:
        owned = [partition for reading in self.reading.values() for partition in reading]
        assert len(owned) == len(set(owned)), "two members read one partition"

    @property
    def settled(self) -> bool:
        return all(member.joined for member in self.members.values()) and not self.giving


def live(seed: int) -> int:
    """One life of a group; returns how often somebody gave something up."""
    group = Group(seed)
    group.start()
    for _ in range(4):
        for _ in range(group.random.randrange(30)):
            group.step()
        if len(group.members) > 1 and group.random.random() < 0.4:
            group.stop()
        else:
            group.start()
    steps = 0
    while not group.settled:
        group.step()
        steps += 1
        assert steps < 5_000, f"seed {seed}: the group does not settle"
    read = {name: len(group.reading[name]) for name in group.members}
    assert set().union(*group.reading.values()) == group.partitions, f"seed {seed}"
    assert max(read.values()) - min(read.values()) <= 1, f"seed {seed}"
    return group.releases


@pytest.mark.parametrize("block", range(4))
def test_no_partition_has_two_readers_and_all_have_one_in_the_end(block):
    assert sum(live(seed) for seed in range(10 * block, 10 * block + 10)) > 10
