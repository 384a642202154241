"""Groups of both protocols, with members and offsets, and everything that a broker tells of them: for logs that another
broker wrote."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.assignors import Subscription, consumer_protocol
from barnabas.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.list_groups import ListGroupsRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest
from barnabas.protocol.struct import Struct
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from raw_client import RawClient

GROUPS = ("stored-classic", "stored-modern", "stored-simple")
SESSION_MS = 300_000


def wait_until_served(client: RawClient, *groups: str) -> None:
    """Waits until the coordinators of groups answer."""
    asked = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=[]) for group in groups]
    for group in groups:
        while client.coordinator(group).error_code:
            pass
    while any(one.error_code for one in client.ask(OffsetFetchRequest(groups=asked), 9).groups):
        pass


def write_groups(client: RawClient, topic: str) -> None:
    """A Stable group with a static member, one of KIP-848 with a static member and a pattern, and one with offsets alone."""
    topic_id = client.topics(topic)[topic].topic_id
    wait_until_served(client, *GROUPS)
    classic, modern, simple = GROUPS
    metadata = consumer_protocol.encode_subscription(Subscription(topics=(topic,)))
    protocols = [JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=metadata)]
    joined = client.ask(
        JoinGroupRequest(
            group_id=classic, session_timeout_ms=SESSION_MS, rebalance_timeout_ms=20_000, group_instance_id="i",
            protocol_type="consumer", protocols=protocols,
        )
    )  # fmt: skip
    assignment = consumer_protocol.encode_assignment([TopicPartition(topic, 0)], version=1)
    given = [SyncGroupRequest.SyncGroupRequestAssignment(member_id=joined.member_id, assignment=assignment)]
    synced = client.ask(
        SyncGroupRequest(
            group_id=classic, generation_id=joined.generation_id, member_id=joined.member_id, group_instance_id="i",
            protocol_type="consumer", protocol_name="range", assignments=given,
        )
    )  # fmt: skip
    assert (joined.error_code, synced.error_code) == (0, 0)
    regex = {"subscribed_topic_names": None, "subscribed_topic_regex": f"{topic[:-1]}."}
    for member, more in (
        ("a", {}), ("b", {"instance_id": "i", "rack_id": "r", "server_assignor": "range", **regex}),
    ):  # fmt: skip
        said = {"rebalance_timeout_ms": 60_000, "subscribed_topic_names": [topic], "topic_partitions": [], **more}
        answer = client.ask(ConsumerGroupHeartbeatRequest(group_id=modern, member_id=member, member_epoch=0, **said))
        assert answer.error_code == 0, answer
    partition = OffsetCommitRequest.OffsetCommitRequestPartition(
        partition_index=0, committed_offset=7, committed_leader_epoch=3, committed_metadata="nöte"
    )
    committed = OffsetCommitRequest.OffsetCommitRequestTopic(name=topic, topic_id=topic_id, partitions=[partition])
    answer = client.ask(OffsetCommitRequest(group_id=simple, topics=[committed]))
    assert answer.topics[0].partitions[0].error_code == 0


def groups_told(client: RawClient) -> dict[str, Any]:
    """What is listed, described and fetched of them."""
    wait_until_served(client, *GROUPS)
    fetched = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=None) for group in GROUPS]
    return {
        "listed": plain([group for group in client.ask(ListGroupsRequest()).groups if group.group_id in GROUPS]),
        "described": plain(client.ask(DescribeGroupsRequest(groups=[*GROUPS])).groups),
        "described as of KIP-848": plain(client.ask(ConsumerGroupDescribeRequest(group_ids=[*GROUPS])).groups),
        "fetched": plain(client.ask(OffsetFetchRequest(groups=fetched), 9).groups),
    }


def plain(value: Any) -> Any:
    """A message as values that can be compared, whatever the order of what it lists."""
    if isinstance(value, Struct):
        names = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
        return {name: plain(getattr(value, name)) for name in names if name != "unknown_tagged_fields"}
    if isinstance(value, list):
        return sorted(map(plain, value), key=repr)
    return bytes(value) if isinstance(value, memoryview | bytearray) else value
