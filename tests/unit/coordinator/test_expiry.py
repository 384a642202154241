"""Expiry of committed offsets under virtual time: Kafka's rules for every kind and state of group."""

from __future__ import annotations

import pytest
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.assignors import Subscription
from barnabas.assignors.consumer_protocol import encode_subscription
from barnabas.coordinator import shard as shard_module
from barnabas.coordinator.group import GroupState
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.offset_delete import OffsetDeleteRequest

DAY_MS = 24 * 3_600_000
RETENTION_MS = 7 * DAY_MS
CHECK_MS = 600_000
NONE = (-1, -1, "")


@pytest.fixture
def virtual() -> VirtualShard:
    shard = VirtualShard(session_timeout_ms_max=30 * DAY_MS)
    shard.reload()
    return shard


def commits(virtual: VirtualShard) -> bool:
    return virtual.fetch() != NONE


def reads(*topics: str) -> bytes:
    return encode_subscription(Subscription(topics))


def test_offsets_alone_expire_from_their_commit_and_the_group_with_them(virtual):
    virtual.commit("", -1)
    virtual.advance(RETENTION_MS - CHECK_MS)
    assert commits(virtual)
    virtual.commit("", -1)
    virtual.advance(RETENTION_MS - CHECK_MS)
    assert commits(virtual), "counted from the last commit"
    virtual.advance(2 * CHECK_MS)
    assert not commits(virtual)
    assert virtual.shard.group(GROUP) is None
    virtual.reload()
    assert not commits(virtual)


def test_a_time_of_the_commits_own_counts(virtual):
    virtual.commit("", -1, retention_time_ms=DAY_MS, version=4)
    virtual.advance(DAY_MS - CHECK_MS)
    assert commits(virtual)
    virtual.advance(2 * CHECK_MS)
    assert not commits(virtual)


def test_an_empty_group_keeps_its_offsets_from_when_it_became_empty(virtual):
    (member,), generation = virtual.stable(1)
    virtual.commit(member, generation)
    virtual.advance(5_000)
    virtual.leave((member, None))
    assert virtual.shard.groups[GROUP].state is GroupState.EMPTY
    virtual.advance(RETENTION_MS - CHECK_MS)
    assert commits(virtual)
    virtual.advance(2 * CHECK_MS)
    assert not commits(virtual)
    assert virtual.shard.groups == {}


def test_members_keep_what_they_subscribe_to(virtual):
    fields = {"session_timeout_ms": 20 * DAY_MS}
    (member,), generation = virtual.stable(1, metadata=reads("orders"), **fields)
    virtual.commit(member, generation)
    virtual.advance(2 * RETENTION_MS)
    assert commits(virtual)


def test_members_lose_what_they_no_longer_subscribe_to(virtual):
    fields = {"session_timeout_ms": 20 * DAY_MS}
    (member,), generation = virtual.stable(1, metadata=reads("payments"), **fields)
    virtual.commit(member, generation)
    virtual.advance(RETENTION_MS - CHECK_MS)
    assert commits(virtual)
    virtual.advance(2 * CHECK_MS)
    assert not commits(virtual)
    assert virtual.shard.groups[GROUP].state is GroupState.STABLE


@pytest.mark.parametrize("metadata", [b"", b"\x00", b"garbage"])
def test_nothing_expires_where_the_subscription_cannot_be_read(virtual, metadata):
    (member,), generation = virtual.stable(1, metadata=metadata, session_timeout_ms=20 * DAY_MS)
    virtual.commit(member, generation)
    virtual.advance(2 * RETENTION_MS)
    assert commits(virtual)


def test_nothing_expires_while_a_group_rebalances(virtual):
    fields = {"session_timeout_ms": 20 * DAY_MS, "rebalance_timeout_ms": 20 * DAY_MS}
    (member,), generation = virtual.stable(1, metadata=reads("payments"), **fields)
    virtual.commit(member, generation)
    virtual.enter(metadata=reads("payments"), **fields)
    assert virtual.shard.groups[GROUP].state is GroupState.PREPARING_REBALANCE
    virtual.advance(RETENTION_MS + DAY_MS)
    assert commits(virtual)


def test_groups_of_kip_848_keep_what_they_subscribe_to():
    virtual = VirtualShard(consumer_session_timeout_ms=20 * DAY_MS)
    virtual.reload()
    request = ConsumerGroupHeartbeatRequest(
        group_id=GROUP,
        member_id="a",
        rebalance_timeout_ms=1_000,
        topic_partitions=[],
        subscribed_topic_names=["orders"],
    )
    epoch = virtual.ask(request, 1).member_epoch
    assert virtual.commit("a", epoch) == 0
    virtual.advance(2 * RETENTION_MS)
    assert commits(virtual)
    virtual.ask(ConsumerGroupHeartbeatRequest(group_id=GROUP, member_id="a", member_epoch=-1), 1)
    virtual.advance(CHECK_MS)
    assert not commits(virtual)
    assert virtual.shard.consumer_groups == {}


def test_many_groups_take_several_steps(virtual, monkeypatch):
    monkeypatch.setattr(shard_module, "EXPIRY_SLICE", 3)
    for number in range(10):
        virtual.commit("", -1, group_id=f"group-{number}")
    before = len(virtual.log)
    virtual.advance(RETENTION_MS + CHECK_MS)
    assert virtual.shard.offsets.groups == {}
    assert len(virtual.log) == before + 20, "one tombstone for each offset and each group"


def test_deleting_offsets_spares_topics_that_members_read(virtual):
    (member,), generation = virtual.stable(1, metadata=reads("payments"))
    virtual.commit(member, generation)
    partition = OffsetDeleteRequest.OffsetDeleteRequestPartition(partition_index=0)
    topics = [
        OffsetDeleteRequest.OffsetDeleteRequestTopic(name=name, partitions=[partition])
        for name in ("orders", "payments")
    ]
    answer = virtual.ask(OffsetDeleteRequest(group_id=GROUP, topics=topics))
    codes = [topic.partitions[0].error_code for topic in answer.topics]
    assert codes == [0, errors.GroupSubscribedToTopicError.code]
    assert not commits(virtual)
