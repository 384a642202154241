"""Our client's KIP-848 members against our coordinator in virtual time: everything is late, repeated or lost at random."""

import random

import pytest
from our_members import Member, listings
from virtual_shard import VirtualShard

from barnabas import errors
from barnabas.client.codes import Code
from barnabas.client.consumer_membership import ConsumerMemberState
from barnabas.client.effects import Release
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatResponse
from barnabas.types import TopicPartition


def test_a_member_joins_adopts_acknowledges_and_then_only_repeats():
    virtual = VirtualShard()
    member = Member(virtual, "m-1", ["orders"])
    member.poll()
    assert (member.sent.message.member_epoch, member.sent.message.subscribed_topic_names) == (0, ["orders"])
    assert member.sent.message.rebalance_timeout_ms == 60_000
    member.settle()
    assert member.reading == {TopicPartition("orders", number) for number in range(4)}
    assert member.machine.joined
    assert member.sent is None
    assert member.kinds[:3] == ["Send", "StartHeartbeat", "NeedMetadata"]
    member.repeat()
    member.poll()
    assert member.sent is None


def test_another_subscription_is_told_and_nothing_else():
    virtual = VirtualShard()
    member = Member(virtual, "m-1", ["orders"])
    member.settle()
    member.machine.subscribe(["orders", "payments"])
    member.poll()
    message = member.sent.message
    assert (message.subscribed_topic_names, message.topic_partitions) == (["orders", "payments"], None)
    assert (message.rebalance_timeout_ms, message.rack_id, message.server_assignor) == (-1, None, None)
    member.settle()
    assert {partition.topic for partition in member.reading} == {"orders", "payments"}


def test_a_fenced_member_loses_everything_and_joins_anew():
    virtual = VirtualShard()
    member = Member(virtual, "m-1", ["orders"])
    member.settle()
    member.machine.heartbeat_answered(ConsumerGroupHeartbeatResponse(error_code=Code.FENCED_MEMBER_EPOCH), member.now)
    assert member.machine.stable_generation is None
    member.poll()
    assert member.releasing == Release(lost=True)
    member.poll()
    assert member.reading == frozenset()
    assert member.sent.message.member_epoch == 0
    member.settle()
    assert len(member.reading) == 4


def test_a_member_that_polls_too_late_joins_anew_when_it_polls():
    virtual = VirtualShard()
    member = Member(virtual, "m-1", ["orders"])
    member.settle()
    virtual.ask(member.machine._leave_request(), 1)
    member.machine.poll_deadline_passed()
    member.poll()
    assert member.releasing == Release(lost=True)
    member.settle()
    assert len(member.reading) == 4


def test_what_is_kept_while_the_rest_is_given_up_is_lost_if_the_membership_is_lost_then():
    virtual = VirtualShard()
    first, second = [Member(virtual, name, ["orders"]) for name in ("m-1", "m-2")]
    first.settle()
    second.poll()
    second.deliver()
    first.repeat()
    first.poll()
    kept = first.releasing.keep
    assert (len(kept), first.releasing.lost) == (2, False)
    first.machine.poll_deadline_passed()
    first.poll()
    assert (first.reading, first.releasing) == (kept, Release(lost=True))
    first.settle()
    assert first.reading == kept


@pytest.mark.parametrize(
    ("code", "state"),
    [
        (Code.COORDINATOR_LOAD_IN_PROGRESS, ConsumerMemberState.STABLE),
        (Code.NOT_COORDINATOR, ConsumerMemberState.STABLE),
        (Code.COORDINATOR_NOT_AVAILABLE, ConsumerMemberState.STABLE),
        (Code.FENCED_MEMBER_EPOCH, ConsumerMemberState.UNJOINED),
        (Code.UNKNOWN_MEMBER_ID, ConsumerMemberState.UNJOINED),
        (42, ConsumerMemberState.FATAL),
        (81, ConsumerMemberState.FATAL),
        (112, ConsumerMemberState.FATAL),
        (30, ConsumerMemberState.FATAL),
        (35, ConsumerMemberState.FATAL),
        (-1, ConsumerMemberState.FATAL),
    ],
)
def test_every_error_of_a_heartbeat(code, state):
    virtual = VirtualShard()
    member = Member(virtual, "m-1", ["orders"])
    member.settle()
    member.machine.heartbeat_answered(ConsumerGroupHeartbeatResponse(error_code=code), member.now)
    assert member.machine.state is state
    member.carry_out()
    assert [failure.code for failure in member.failures] == ([code] if state is ConsumerMemberState.FATAL else [])
    member.poll()
    if state is ConsumerMemberState.FATAL:
        assert member.releasing == Release(lost=True)
        member.settle()
        assert member.sent is None
        assert member.reading == frozenset()
        member.machine.subscribe(["orders"])
    member.settle()
    assert len(member.reading) == 4


def test_a_static_member_comes_back_to_its_partitions():
    virtual = VirtualShard()
    first, second = Member(virtual, "m-1", ["orders"], "till-7"), Member(virtual, "m-2", ["orders"])
    for _ in range(8):
        first.settle(), second.settle(), first.repeat(), second.repeat()
    had = first.reading
    assert len(had) == 2
    first.machine.leave("closed")
    first.carry_out()
    again = Member(virtual, "m-3", ["orders"], "till-7")
    again.settle()
    assert again.reading == had
    second.repeat()
    second.settle()
    assert second.reading.isdisjoint(had)


def test_a_commit_with_an_epoch_that_has_moved_on_can_be_made_again():
    virtual = VirtualShard()
    member = Member(virtual, "m-1", ["orders"])
    member.settle()
    generation = member.machine.stable_generation
    stale = errors.for_code(Code.STALE_MEMBER_EPOCH)
    assert isinstance(member.machine.commit_refused(stale, generation), errors.CommitFailedError)
    virtual.topics.put("orders", 9)
    member.repeat()
    member.settle()
    assert member.machine.stable_generation != generation
    assert member.machine.commit_refused(stale, generation).code == Code.REBALANCE_IN_PROGRESS


def test_a_lost_answer_to_a_repeated_heartbeat_that_moved_the_epoch_fences_nobody():
    virtual = VirtualShard()
    first, second = Member(virtual, "m-1", ["orders"]), Member(virtual, "m-2", ["orders"])
    for _ in range(8):
        first.settle(), second.settle(), first.repeat(), second.repeat()
    assert len(first.reading) == 2
    second.machine.leave("closed")
    second.carry_out()
    first.repeat(lose_answer=True)
    # The epoch has moved on without us: the plain heartbeat would cost us what we own.
    assert virtual.ask(first.plain, 1).error_code == Code.FENCED_MEMBER_EPOCH
    first.repeat()
    first.settle()
    assert len(first.reading) == 4
    assert first.losses == 0


class Life:
    """One life of a group, in which everything happens at random."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance = random.Random(seed)  # noqa: S311
        self.virtual = VirtualShard()
        self.members: list[Member] = []
        self.revocations = 0

    def check(self) -> None:
        owned = [partition for member in self.members for partition in member.reading]
        assert len(owned) == len(set(owned)), f"seed {self.seed}: two members read one partition"

    def step(self) -> None:
        member = self.chance.choice(self.members)
        match self.chance.randrange(6):
            case 0 | 1:
                member.poll()
                self.revocations += member.releasing is not None and not member.reading <= member.releasing.keep
            case 2 | 3:
                member.deliver(lose_request=self.chance.random() < 0.1, lose_answer=self.chance.random() < 0.1)
            case 4:
                member.repeat(lose_answer=self.chance.random() < 0.2)
            case 5:
                self.virtual.advance(20)
        self.check()

    def happen(self) -> None:
        match self.chance.randrange(10):
            case 0 | 1:
                self.virtual.reload()
            case 2 | 3:
                count = self.virtual.topics.get("orders").partition_count
                self.virtual.topics.put("orders", count + self.chance.randrange(4))
            case 4 if len(self.members) > 1:
                leaver = self.members.pop(self.chance.randrange(len(self.members)))
                leaver.machine.leave("closed")
                leaver.carry_out()
            case 5 | 6:
                self.members[0].machine.subscribe(["orders", "payments"])

    def settle(self) -> None:
        for _ in range(40):
            for member in self.members:
                member.repeat(), member.settle()
                self.check()
        subscribed = {topic for member in self.members for topic in member.machine.group_topics}
        everything = {
            TopicPartition(name, info.partition)
            for name, listing in listings(self.virtual).items()
            for info in listing.partitions
            if name in subscribed
        }
        assert frozenset().union(*(member.reading for member in self.members)) == everything, f"seed {self.seed}"
        assert not any(member.failures for member in self.members)


def live(seed: int) -> int:
    """One life of a group; returns how often somebody had to give something up."""
    life = Life(seed)
    for number in range(life.chance.randrange(2, 6)):
        topics = life.chance.choice([["orders"], ["orders", "payments"], ["payments"]])
        life.members.append(Member(life.virtual, f"m-{number}", topics))
        for _ in range(life.chance.randrange(60)):
            life.step()
        life.happen()
    life.settle()
    return life.revocations


@pytest.mark.parametrize("block", range(4))
def test_no_partition_has_two_readers_and_all_have_one_in_the_end(block):
    assert sum(live(seed) for seed in range(25 * block, 25 * block + 25)) > 10
