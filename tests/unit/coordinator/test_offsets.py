"""Offsets of a group: commits, fetches, fencing, deletion, and what the log keeps of them."""

from __future__ import annotations

import pytest
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.coordinator.partition import java_string_hash, partition_for
from barnabas.coordinator.shard import DeleteGroup, DescribeGroup, ForgetTopics, ListShard
from barnabas.protocol.messages.offset_delete import OffsetDeleteRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest


@pytest.mark.parametrize(
    ("text", "value", "partition"),
    # Computed by java.lang.String.hashCode of OpenJDK 17.
    [
        ("billing", -109829509, 9),
        ("", 0, 0),
        ("a\N{GRINNING FACE}b", 57849694, 44),
        ("polygenelubricants", -2147483648, 0),
        ("console-consumer-12345", 158455506, 6),
    ],
)
def test_partition_is_javas(text: str, value: int, partition: int) -> None:
    assert (java_string_hash(text), partition_for(text, 50)) == (value, partition)


def test_simple_consumer_commits_and_fetches() -> None:
    virtual = VirtualShard()
    assert virtual.fetch() == (-1, -1, "")
    assert virtual.commit("", -1, 7, "note") == 0
    assert virtual.fetch() == (7, 3, "note")
    virtual.reload()
    assert virtual.fetch() == (7, 3, "note")


def test_member_commits_in_its_generation_and_keeps_its_session() -> None:
    virtual = VirtualShard()
    (member,), generation = virtual.stable(1)
    for offset in range(4):
        virtual.advance(9_000)
        assert virtual.commit(member, generation, offset) == 0
    assert virtual.heartbeat(member, generation) == 0
    assert virtual.fetch()[0] == 3


def test_commits_are_accepted_while_preparing_and_refused_while_completing() -> None:
    virtual = VirtualShard()
    (member,), generation = virtual.stable(1)
    virtual.enter()
    assert virtual.commit(member, generation) == 0
    virtual.join(member)
    assert virtual.commit(member, generation + 1) == errors.RebalanceInProgressError.code


def test_commit_to_a_group_that_is_gone() -> None:
    assert VirtualShard().commit("m", 1) == errors.GroupIdNotFoundError.code


def test_metadata_is_limited_in_utf16_units() -> None:
    virtual = VirtualShard(offset_metadata_max_size=4)
    smile = "\N{GRINNING FACE}"
    assert virtual.commit("", -1, 1, smile * 2) == 0
    assert virtual.commit("", -1, 2, smile * 2 + "x") == errors.OffsetMetadataTooLargeError.code
    assert virtual.fetch() == (1, 3, smile * 2)


def test_all_offsets_of_a_group() -> None:
    virtual = VirtualShard()
    virtual.commit("", -1, 7)
    answer = virtual.ask(OffsetFetchRequest.OffsetFetchRequestGroup(group_id=GROUP, topics=None))
    assert [(topic.name, [p.committed_offset for p in topic.partitions]) for topic in answer.topics] == [
        ("orders", [7])
    ]


def test_group_with_offsets_alone_is_listed_and_can_be_deleted() -> None:
    virtual = VirtualShard()
    virtual.commit("", -1, 7)
    (listed,) = virtual.ask(ListShard())
    assert tuple(listed) == (GROUP, "", "Empty", "classic")
    assert virtual.ask(DeleteGroup(GROUP)) == 0
    assert virtual.fetch() == (-1, -1, "")
    virtual.reload()
    assert virtual.ask(DescribeGroup(GROUP)) is None
    assert [value for _, value in virtual.log[-2:]] == [None, None]


def test_group_with_members_cannot_be_deleted() -> None:
    virtual = VirtualShard()
    assert virtual.ask(DeleteGroup(GROUP)) == errors.GroupIdNotFoundError.code
    (member,), _ = virtual.stable(1)
    assert virtual.ask(DeleteGroup(GROUP)) == errors.NonEmptyGroupError.code
    virtual.leave((member, None))
    assert virtual.ask(DeleteGroup(GROUP)) == 0


def test_offsets_are_deleted_unless_members_may_read_them() -> None:
    partition = OffsetDeleteRequest.OffsetDeleteRequestPartition(partition_index=0)
    topic = OffsetDeleteRequest.OffsetDeleteRequestTopic(name="orders", partitions=[partition])
    request = OffsetDeleteRequest(group_id=GROUP, topics=[topic])
    virtual = VirtualShard()
    assert virtual.ask(request).error_code == errors.GroupIdNotFoundError.code
    (member,), generation = virtual.stable(1)
    virtual.commit(member, generation)
    refused = virtual.ask(request).topics[0].partitions[0]
    assert refused.error_code == errors.GroupSubscribedToTopicError.code
    virtual.leave((member, None))
    assert virtual.ask(request).topics[0].partitions[0].error_code == 0
    assert virtual.fetch() == (-1, -1, "")


def test_offsets_of_deleted_topics_are_forgotten() -> None:
    virtual = VirtualShard()
    virtual.commit("", -1, 7)
    virtual.commit("", -1, 8, group_id="other")
    virtual.send(ForgetTopics(frozenset({"payments"})))
    assert virtual.fetch()[0] == 7
    virtual.send(ForgetTopics(frozenset({"orders"})))
    left = {GROUP: {}, "other": {}}
    assert virtual.shard.offsets.groups == left, "the groups are there until somebody looks whether they may go"
    virtual.reload()
    assert virtual.shard.offsets.groups == left
