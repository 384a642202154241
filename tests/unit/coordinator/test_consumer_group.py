"""KIP-848 groups under virtual time: joining, reconciling, leaving, falling silent, static members, patterns, reloads."""

from __future__ import annotations

from typing import Any

import pytest
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.coordinator.consumer_group import ConsumerGroupState
from barnabas.coordinator.consumer_member import MemberState
from barnabas.coordinator.shard import DeleteGroup, DescribeConsumerGroup, DescribeGroup, ListShard
from barnabas.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

Owned = dict[bytes, list[int]]
REBALANCE_MS = 60_000


class Client:
    """A client that does what KIP-848 asks of it, one heartbeat at a time."""

    def __init__(self, virtual: VirtualShard, member_id: str, **said: Any) -> None:
        self.virtual = virtual
        self.member_id = member_id
        self.said = {"subscribed_topic_names": ["orders"], **said}
        self.epoch = 0
        self.owned: Owned = {}
        self.target: Owned = {}

    def heartbeat(self, **fields: Any) -> ConsumerGroupHeartbeatResponse:
        """A heartbeat that says everything; takes over what it is told."""
        owned = {} if self.epoch == 0 else self.owned
        request = ConsumerGroupHeartbeatRequest(
            **{
                "group_id": GROUP,
                "member_id": self.member_id,
                "member_epoch": self.epoch,
                "rebalance_timeout_ms": REBALANCE_MS,
                "topic_partitions": [
                    ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=topic, partitions=partitions)
                    for topic, partitions in owned.items()
                ],
                **self.said,
                **fields,
            }
        )
        response: ConsumerGroupHeartbeatResponse = self.virtual.ask(request, 1)
        if response.error_code == 0 and response.member_epoch >= 0:
            self.epoch = response.member_epoch
            if response.assignment is not None:
                self.target = {bytes(t.topic_id): list(t.partitions) for t in response.assignment.topic_partitions}
        return response

    def reconcile(self) -> None:
        """Takes and gives up partitions as told."""
        self.owned = dict(self.target)

    @property
    def partitions(self) -> list[int]:
        return sorted(partition for partitions in self.owned.values() for partition in partitions)


def settle(*clients: Client) -> None:
    """Heartbeats in turn until nothing changes any more."""
    for _ in range(12):
        before = [(client.epoch, client.owned) for client in clients]
        for client in clients:
            assert client.heartbeat().error_code == 0
            client.reconcile()
        if before == [(client.epoch, client.owned) for client in clients]:
            return
    raise AssertionError("the group does not settle")


@pytest.fixture
def virtual() -> VirtualShard:
    return VirtualShard()


def group(virtual: VirtualShard):
    return virtual.shard.consumer_groups[GROUP]


def code(error: type[errors.KafkaError]) -> int:
    return error.code


def test_the_first_member_gets_everything_with_its_first_answer(virtual):
    client = Client(virtual, "a")
    response = client.heartbeat()
    assert (response.error_code, response.member_id, response.member_epoch) == (0, "a", 2)
    assert response.heartbeat_interval_ms == 5_000
    assert client.target == {virtual.topics.id("orders"): [0, 1, 2, 3]}
    assert group(virtual).state is ConsumerGroupState.STABLE


def test_a_partition_goes_to_another_member_only_after_its_owner_gave_it_up(virtual):
    first, second = Client(virtual, "a"), Client(virtual, "b")
    first.heartbeat()
    first.reconcile()
    assert second.heartbeat().assignment == ConsumerGroupHeartbeatResponse.Assignment()
    assert group(virtual).members["b"].state is MemberState.UNRELEASED_PARTITIONS
    assert group(virtual).state is ConsumerGroupState.RECONCILING
    response = first.heartbeat()
    assert response.member_epoch == 2, "in its old epoch until it has revoked"
    assert sorted(first.target[virtual.topics.id("orders")]) == [0, 1]
    assert second.heartbeat().assignment is not None
    assert second.target == {}
    first.reconcile()
    assert first.heartbeat().member_epoch == 3
    assert second.heartbeat().member_epoch == 3
    second.reconcile()
    assert (first.partitions, second.partitions) == ([0, 1], [2, 3])
    assert group(virtual).state is ConsumerGroupState.STABLE


def test_a_heartbeat_that_changes_nothing_writes_nothing_and_waits_for_nothing(virtual):
    client = Client(virtual, "a")
    settle(client)
    before = len(virtual.log)
    request = ConsumerGroupHeartbeatRequest(group_id=GROUP, member_id="a", member_epoch=client.epoch)
    assert virtual.ask(request, 1).assignment is None
    assert len(virtual.log) == before


def test_leaving_gives_everything_to_the_others(virtual):
    first, second = Client(virtual, "a"), Client(virtual, "b")
    settle(first, second)
    assert second.heartbeat(member_epoch=-1).member_epoch == -1
    settle(first)
    assert first.partitions == [0, 1, 2, 3]
    assert first.heartbeat(member_epoch=-1).error_code == 0
    assert group(virtual).state is ConsumerGroupState.EMPTY


def test_a_silent_member_is_removed_after_its_session(virtual):
    first, second = Client(virtual, "a"), Client(virtual, "b")
    settle(first, second)
    virtual.advance(44_000)
    first.heartbeat()
    virtual.advance(2_000)
    assert second.heartbeat().error_code == code(errors.UnknownMemberIdError)
    settle(first)
    assert first.partitions == [0, 1, 2, 3]


def test_a_member_that_does_not_give_up_is_removed_after_its_rebalance_timeout(virtual):
    first, second = Client(virtual, "a"), Client(virtual, "b")
    settle(first)
    second.heartbeat()
    first.heartbeat()
    for _ in range(7):
        virtual.advance(10_000)
        first.heartbeat()
        second.heartbeat()
    assert first.heartbeat().error_code == code(errors.UnknownMemberIdError)
    second.heartbeat()
    second.reconcile()
    assert second.partitions == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ({"member_id": ""}, errors.InvalidRequestError),
        ({"instance_id": ""}, errors.InvalidRequestError),
        ({"rack_id": ""}, errors.InvalidRequestError),
        ({"rebalance_timeout_ms": -1}, errors.InvalidRequestError),
        ({"topic_partitions": None}, errors.InvalidRequestError),
        ({"subscribed_topic_names": None}, errors.InvalidRequestError),
        ({"member_epoch": -3}, errors.InvalidRequestError),
        ({"member_epoch": -2}, errors.InvalidRequestError),
        ({"server_assignor": "best"}, errors.UnsupportedAssignorError),
        ({"member_epoch": 1}, errors.GroupIdNotFoundError),
        ({"member_epoch": -1}, errors.GroupIdNotFoundError),
        ({"subscribed_topic_regex": "("}, errors.InvalidRegularExpressionError),
    ],
)
def test_a_bad_first_heartbeat_is_refused_and_leaves_nothing(virtual, fields, error):
    response = Client(virtual, "a").heartbeat(**fields)
    assert response.error_code == error.code
    assert response.error_message
    assert virtual.log == []
    assert virtual.deadlines == {}


def test_epochs_fence(virtual):
    client = Client(virtual, "a")
    settle(client)
    assert client.heartbeat(member_epoch=client.epoch + 1).error_code == code(errors.FencedMemberEpochError)
    assert client.heartbeat(member_id="b").error_code == code(errors.UnknownMemberIdError)
    other = Client(virtual, "b")
    settle(client, other)
    stale = client.epoch - 1
    assert client.heartbeat(member_epoch=stale).error_code == 0, "the answer with the new epoch may have been lost"
    foreign = [ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=virtual.topics.id("orders"), partitions=[0, 3])]
    refused = client.heartbeat(member_epoch=stale, topic_partitions=foreign)
    assert refused.error_code == code(errors.FencedMemberEpochError)


def test_a_member_may_join_again_with_epoch_zero_and_keeps_its_target(virtual):
    client = Client(virtual, "a")
    settle(client)
    client.epoch, client.owned = 0, {}
    assert client.heartbeat().error_code == 0
    client.reconcile()
    assert client.partitions == [0, 1, 2, 3]


def test_the_group_has_a_greatest_size():
    virtual = VirtualShard(consumer_group_size_max=1)
    assert Client(virtual, "a").heartbeat().error_code == 0
    assert Client(virtual, "b").heartbeat().error_code == code(errors.GroupMaxSizeReachedError)


def test_a_static_member_comes_back_to_its_partitions(virtual):
    first, second = Client(virtual, "a", instance_id="i"), Client(virtual, "b")
    settle(first, second)
    held = first.partitions
    again = Client(virtual, "a2", instance_id="i")
    assert again.heartbeat().error_code == code(errors.UnreleasedInstanceIdError)
    assert first.heartbeat(member_epoch=-2).member_epoch == -2
    epoch = group(virtual).epoch
    assert again.heartbeat().error_code == 0
    again.reconcile()
    assert again.partitions == held
    assert group(virtual).epoch == epoch, "nobody else is disturbed"
    assert first.heartbeat().error_code == code(errors.FencedInstanceIdError)


def test_a_static_member_that_stays_away_is_removed_after_its_session(virtual):
    first, second = Client(virtual, "a", instance_id="i"), Client(virtual, "b")
    settle(first, second)
    first.heartbeat(member_epoch=-2)
    virtual.advance(30_000)
    second.heartbeat()
    virtual.advance(20_000)
    settle(second)
    assert second.partitions == [0, 1, 2, 3]
    assert first.heartbeat().error_code == code(errors.UnknownMemberIdError)


def test_changed_subscriptions_move_partitions(virtual):
    client = Client(virtual, "a")
    settle(client)
    client.said["subscribed_topic_names"] = ["payments"]
    settle(client)
    assert client.owned == {virtual.topics.id("payments"): [0, 1]}


def test_new_partitions_and_recreated_topics_are_found_at_the_next_heartbeat(virtual):
    client = Client(virtual, "a")
    settle(client)
    virtual.topics.put("orders", 6)
    settle(client)
    assert client.partitions == [0, 1, 2, 3, 4, 5]
    virtual.topics.remove("orders")
    settle(client)
    assert client.owned == {}
    virtual.topics.put("orders", 2)
    settle(client)
    assert client.owned == {virtual.topics.id("orders"): [0, 1]}


def test_a_pattern_follows_the_topics(virtual):
    client = Client(virtual, "a", subscribed_topic_names=None, subscribed_topic_regex="order.*|pay.*")
    settle(client)
    assert sorted(client.owned) == [virtual.topics.id("orders"), virtual.topics.id("payments")]
    virtual.topics.put("orders-old", 1)
    virtual.topics.put("other", 1)
    settle(client)
    assert len(client.owned) == 3
    client.said["subscribed_topic_regex"] = "other"
    settle(client)
    assert client.owned == {virtual.topics.id("other"): [0]}
    assert list(group(virtual).regexes) == ["other"]
    client.said |= {"subscribed_topic_regex": "", "subscribed_topic_names": ["orders"]}
    settle(client)
    assert group(virtual).regexes == {}


def test_targets_are_not_computed_more_often_than_the_interval_allows():
    virtual = VirtualShard(consumer_assignment_interval_ms=1_000)
    first, second = Client(virtual, "a"), Client(virtual, "b")
    settle(first)
    second.heartbeat()
    assert group(virtual).state is ConsumerGroupState.ASSIGNING
    virtual.advance(1_000)
    settle(first, second)
    assert (first.partitions, second.partitions) == ([0, 1], [2, 3])


def test_the_most_wanted_assignor_is_used(virtual):
    virtual.topics.put("payments", 4)
    said = {"server_assignor": "range", "subscribed_topic_names": ["orders", "payments"]}
    clients = [Client(virtual, name, **said) for name in "abc"]
    settle(*clients)
    assert [client.owned[virtual.topics.id("orders")] for client in clients] == [[0, 1], [2], [3]]
    assert [client.owned[virtual.topics.id("payments")] for client in clients] == [[0, 1], [2], [3]]


def test_nothing_is_lost_when_the_shard_is_loaded_again(virtual):
    first, second = Client(virtual, "a", instance_id="i"), Client(virtual, "b", subscribed_topic_regex="p.*")
    settle(first, second)
    before = vars(group(virtual)).copy()
    virtual.reload()
    after = vars(group(virtual)).copy()
    assert after.pop("topics_seen") == -1
    del before["topics_seen"]
    assert after == before
    settle(first, second)
    virtual.advance(50_000)
    assert group(virtual).members == {}


def test_commits_are_fenced_by_member_epoch(virtual):
    client = Client(virtual, "a")
    assert virtual.commit("", -1) == 0
    settle(client)
    topic_id = virtual.topics.id("orders")
    assert virtual.commit("a", client.epoch) == 0
    assert virtual.commit("a", client.epoch + 1) == code(errors.StaleMemberEpochError)
    assert virtual.commit("b", client.epoch) == code(errors.UnknownMemberIdError)
    assert virtual.commit("a", client.epoch, version=8) == code(errors.UnsupportedVersionError)
    other = Client(virtual, "b")
    settle(client, other)
    assert group(virtual).members["a"].assigned[topic_id][0] == 2
    assert virtual.commit("a", 2, topic_id=topic_id) == 0, "partition 0 was its own all the time"
    assert virtual.commit("b", 2, topic_id=topic_id) == code(errors.StaleMemberEpochError)


def test_kinds_of_groups_that_may_not_migrate_do_not_mix_while_they_have_members():
    virtual = VirtualShard(consumer_migration_policy="disabled")
    client = Client(virtual, "a")
    settle(client)
    assert virtual.heartbeat("a", 1) == code(errors.UnknownMemberIdError)
    client.heartbeat(member_epoch=-1)
    member, _ = virtual.enter()
    assert virtual.shard.consumer_groups == {}
    refused = Client(virtual, "b").heartbeat()
    assert refused.error_code == code(errors.GroupIdNotFoundError)
    virtual.leave((member, None))
    assert Client(virtual, "b").heartbeat().error_code == 0
    assert virtual.shard.groups == {}
    virtual.reload()
    assert (list(virtual.shard.groups), list(virtual.shard.consumer_groups)) == ([], [GROUP])


def test_administration(virtual):
    client = Client(virtual, "a")
    settle(client)
    described = virtual.ask(DescribeConsumerGroup(GROUP))
    assert (described.group_state, described.group_epoch, described.assignment_epoch) == ("Stable", 2, 2)
    assert described.assignor_name == "uniform"
    member = described.members[0]
    assert (member.member_id, member.member_epoch, member.member_type) == ("a", 2, 1)
    assert member.assignment == member.target_assignment
    assert [(t.topic_name, t.partitions) for t in member.assignment.topic_partitions] == [("orders", [0, 1, 2, 3])]
    assert virtual.ask(DescribeGroup(GROUP)) == f"Group {GROUP} is not a classic group."
    assert [tuple(row) for row in virtual.ask(ListShard())] == [(GROUP, "consumer", "Stable", "consumer")]
    assert virtual.ask(DeleteGroup(GROUP)) == code(errors.NonEmptyGroupError)
    client.heartbeat(member_epoch=-1)
    assert virtual.ask(DeleteGroup(GROUP)) == 0
    virtual.reload()
    assert virtual.shard.consumer_groups == {}
    assert virtual.ask(DescribeConsumerGroup(GROUP)) == f"Group {GROUP} not found."
