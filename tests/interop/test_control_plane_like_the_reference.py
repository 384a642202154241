"""The control plane's answers, byte for byte fields, beside the reference's: the same raw requests to both.

Ids that each side makes up (member ids, topic ids) are compared by where they occur. Differences that are meant are in
`MEANT`, each with its reason.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "broker"))

from raw_client import RawClient, record_batch, record_values

from barnabas import errors
from barnabas.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_groups import DeleteGroupsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_cluster import DescribeClusterRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.init_producer_id import InitProducerIdRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.protocol.messages.list_groups import ListGroupsRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_delete import OffsetDeleteRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

__all__ = ["RawClient", "Session", "record_batch", "record_values"]

pytestmark = pytest.mark.interop

MEANT = {
    "coordinator of an unknown kind": "the reference's text is a general one; the code is the same",
    "configs of an unknown kind": "the reference's text is a general one; the code is the same",
}
CONSUMER = {"protocol_type": "consumer", "protocol_name": "range"}
NO_ID = bytes(16)
Answers = Iterator[tuple[str, Any]]


class Session:
    """One side: asks, and makes answers comparable."""

    def __init__(self, address: str) -> None:
        self.client = RawClient(address, client_id="raw", timeout=30)
        self.port = address.rpartition(":")[2]
        self.names: dict[str, str] = {}

    def ask(self, request: Any, version: int | None = None) -> Any:
        answer = self.client.ask(request, version)
        for field in ("topics", "results", "responses", "groups"):
            found = getattr(answer, field, None) or []
            found.sort(key=lambda item: (getattr(item, "name", None) or "", getattr(item, "group_id", "")))
            for item in found:
                for topic in [item, *getattr(item, "topics", [])]:
                    if hasattr(topic, "partitions"):
                        topic.partitions.sort(key=lambda partition: partition.partition_index)
        return answer

    def text(self, answer: Any) -> str:
        text = repr(answer).replace(self.port, "PORT")
        text = re.sub(r"(raw|one)-[0-9a-f]{8}-[0-9a-f-]{27}", self._name, text)
        text = re.sub(r"topic_id=(b'(?:[^'\\]|\\.)*'|b\"(?:[^\"\\]|\\.)*\")", self._topic_id, text)
        return re.sub(r"cluster_id='[^']*'", "cluster_id=…", text)

    def _name(self, match: re.Match[str]) -> str:
        return self.names.setdefault(match[0], f"member{len(self.names)}")

    @staticmethod
    def _topic_id(match: re.Match[str]) -> str:
        return "topic_id=none" if match[1] == repr(NO_ID) else "topic_id=some"


def new_topic(name: str, partitions: int = 1, factor: int = 1, **fields: Any) -> CreateTopicsRequest.CreatableTopic:
    return CreateTopicsRequest.CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=factor,
        configs=[
            CreateTopicsRequest.CreatableTopicConfig(name=key, value=value) for key, value in fields.pop("configs", [])
        ],
        assignments=[
            CreateTopicsRequest.CreatableReplicaAssignment(partition_index=index, broker_ids=nodes)
            for index, nodes in fields.pop("assignments", [])
        ],
    )


def topics(session: Session) -> Answers:
    """CreateTopics and DeleteTopics, with what is wrong about them."""
    configs = [
        ("nope", "1"),
        ("retention.ms", "x"),
        ("retention.ms", None),
        ("retention.ms", "-5"),
        ("segment.bytes", "1"),
        ("cleanup.policy", "bogus"),
        ("min.cleanable.dirty.ratio", "2"),
        ("compression.type", "bz"),
        ("compression.zstd.level", "99"),
        ("preallocate", "yes"),
        ("max.message.bytes", "99999999999"),
    ]
    session.ask(CreateTopicsRequest(topics=[new_topic("there"), new_topic("a.b")], timeout_ms=5_000))
    wanted = [
        *([new_topic(name)] for name in ("", ".", "..", "no spaces", "x" * 250, "there", "a_b", "__cluster_metadata")),
        [new_topic("c.d"), new_topic("c_d")],
        [new_topic("q"), new_topic("q"), new_topic("r")],
        *([new_topic("t", partitions)] for partitions in (0, -2)),
        *([new_topic("t", 1, factor)] for factor in (0, 2, -2)),
        *([new_topic("t", configs=[config])] for config in configs),
        *(
            [new_topic("t", -1, -1, assignments=assignments)]
            for assignments in (
                [(0, [1]), (1, [1])],
                [(0, [1]), (0, [1])],
                [(1, [1])],
                [(0, [9])],
                [(0, [1, 1])],
                [(0, [])],
            )
        ),
        [new_topic("t", 1, -1, assignments=[(0, [1])])],
        [new_topic("t", -1, 1, assignments=[(0, [1])])],
        [],
    ]
    for version in (2, 4, 7):
        for index, some in enumerate(wanted):
            request = CreateTopicsRequest(topics=some, timeout_ms=5_000, validate_only=True)
            answer = session.ask(request, version)
            for topic in answer.topics:
                topic.configs = []
            yield f"create {index} v{version}", answer
    state = DeleteTopicsRequest.DeleteTopicState
    topic_id = session.client.topics("there")["there"].topic_id
    deletions = [
        [state(name="missing")],
        [state(name=None, topic_id=b"\7" * 16)],
        [state(name="there", topic_id=topic_id)],
        [state(name=None)],
        [state(name="there"), state(name="there")],
        [state(name="there"), state(name=None, topic_id=topic_id)],
        [state(name="there")],
    ]
    for index, some in enumerate(deletions):
        yield f"delete {index}", session.ask(DeleteTopicsRequest(topics=some, timeout_ms=5_000))
    yield "delete v1", session.ask(DeleteTopicsRequest(topic_names=["missing"], timeout_ms=5_000), 1)


def commit(topic_id: bytes, generation: int, member: str, **fields: Any) -> OffsetCommitRequest:
    partitions = [
        OffsetCommitRequest.OffsetCommitRequestPartition(
            partition_index=index,
            committed_offset=fields.get("offset", 1),
            committed_metadata=fields.get("metadata", ""),
        )
        for index in fields.get("partitions", [0])
    ]
    name = fields.get("topic", "orders")
    topic = OffsetCommitRequest.OffsetCommitRequestTopic(
        name=name,
        topic_id=b"\x09" * 16 if name == "missing" else topic_id,
        partitions=partitions,
    )
    return OffsetCommitRequest(
        group_id=fields.get("group", "g"),
        generation_id_or_member_epoch=generation,
        member_id=member,
        group_instance_id=fields.get("instance"),
        topics=[topic],
    )


def join(member: str = "", **fields: Any) -> JoinGroupRequest:
    names = fields.pop("names", ("range",))
    return JoinGroupRequest(
        **{
            "group_id": "g",
            "session_timeout_ms": 10_000,
            "rebalance_timeout_ms": 5_000,
            "member_id": member,
            "protocol_type": "consumer",
            "protocols": [JoinGroupRequest.JoinGroupRequestProtocol(name=name, metadata=b"x") for name in names],
            **fields,
        },
    )


def leave(group: str, *members: tuple[str, str | None]) -> LeaveGroupRequest:
    identity = LeaveGroupRequest.MemberIdentity
    return LeaveGroupRequest(
        group_id=group,
        members=[identity(member_id=member, group_instance_id=instance) for member, instance in members],
    )


def assigned(group: str, member: str, generation: int, given: bytes = b"A", **fields: Any) -> SyncGroupRequest:
    one = SyncGroupRequest.SyncGroupRequestAssignment(member_id=member, assignment=given)
    return SyncGroupRequest(
        **{**CONSUMER, **fields},
        group_id=group,
        member_id=member,
        generation_id=generation,
        assignments=[one],
    )


def await_coordinator(session: Session, *groups: str) -> None:
    not_yet = {
        errors.CoordinatorNotAvailableError.code,
        errors.CoordinatorLoadInProgressError.code,
        errors.NotCoordinatorError.code,
    }
    for group in groups:
        while session.client.coordinator(group).error_code in not_yet:
            pass
        while session.ask(leave(group, ("x", None))).error_code in not_yet:
            pass


def groups(session: Session) -> Answers:  # noqa: C901, PLR0912 - one life, told in order
    """A group's life, with every kind of fencing at every state."""
    session.ask(CreateTopicsRequest(topics=[new_topic("orders", 2)], timeout_ms=5_000))
    topic_id = session.client.topics("orders")["orders"].topic_id
    await_coordinator(session, "g", "none", "static", *(f"old{version}" for version in range(4)))
    ask = session.ask

    def beat(member: str, generation: int, group: str = "g", instance: str | None = None) -> Any:
        request = HeartbeatRequest(
            group_id=group, member_id=member, generation_id=generation, group_instance_id=instance
        )
        return ask(request)

    yield "coordinators of two", ask(FindCoordinatorRequest(coordinator_keys=["x", "y"]))
    yield "coordinators of none", ask(FindCoordinatorRequest(coordinator_keys=[]))
    yield "coordinator of an unknown kind", ask(FindCoordinatorRequest(key_type=9, coordinator_keys=["x"]))
    yield "coordinator v0", ask(FindCoordinatorRequest(key="x"), 0)
    for group in ("none", ""):
        yield f"heartbeat {group!r}", beat("m", 1, group)
        yield f"sync {group!r}", ask(assigned(group, "m", 1))
        yield f"leave {group!r}", ask(leave(group, ("m", None)))
        yield f"unnamed sync {group!r}", ask(SyncGroupRequest(group_id=group, member_id="m", generation_id=1))
        yield f"describe {group!r}", ask(DescribeGroupsRequest(groups=[group]))
        yield f"delete {group!r}", ask(DeleteGroupsRequest(groups_names=[group]))
    yield "leave v0", ask(LeaveGroupRequest(group_id="none", member_id="m"), 0)
    for version in (2, 8, 9, 10):
        yield f"commit to none v{version}", ask(commit(topic_id, 1, "m", group="none"), version)
    refused: list[dict[str, Any]] = [
        {"group_id": ""},
        {"session_timeout_ms": 1},
        {"session_timeout_ms": 10**8},
        {"member_id": "stranger"},
        {"protocol_type": ""},
        {"names": ()},
    ]
    for index, fields in enumerate(refused):
        for version in (2, 9):
            yield f"join refused {index} v{version}", ask(join(**fields), version)
    required = ask(join())
    yield "member id required", required
    member = required.member_id
    yield "describe pending", ask(DescribeGroupsRequest(groups=["g"]))
    yield "joined", ask(join(member))
    yield "describe completing", ask(DescribeGroupsRequest(groups=["g"]))
    yield "commit completing", ask(commit(topic_id, 1, member))
    for label, generation, instance in (("good", 1, None), ("bad generation", 7, None), ("bad instance", 1, "z")):
        yield f"heartbeat completing, {label}", beat(member, generation, instance=instance)
    yield "joined again", ask(join(member))
    for fields in ({"protocol_type": "z"}, {"protocol_name": "z"}):
        yield f"sync with {fields}", ask(assigned("g", member, 1, **fields))
    yield "sync with a bad generation", ask(assigned("g", member, 3))
    yield "synced", ask(assigned("g", member, 1))
    yield "synced again", ask(SyncGroupRequest(group_id="g", member_id=member, generation_id=1), 0)
    for version in (0, 4, 6):
        yield f"describe stable v{version}", ask(DescribeGroupsRequest(groups=["g"]), version)
    for filters in ({"states_filter": ["stable"]}, {"states_filter": ["bogus"]}, {"types_filter": ["bogus"]}):
        listed = ask(ListGroupsRequest(**filters))
        listed.groups = [group for group in listed.groups if group.group_id == "g"]
        yield f"list {filters}", listed
    commits: list[tuple[int, str, dict[str, Any]]] = [
        (1, member, {}),
        (0, member, {}),
        (-1, "", {}),
        (1, "stranger", {}),
        (1, member, {"partitions": [0, 9]}),
        (1, member, {"topic": "missing"}),
        (1, member, {"metadata": "y" * 4_097}),
        (1, member, {"metadata": None}),
        (-1, member, {}),
        (1, member, {"instance": "z"}),
        (1, member, {"offset": -5}),
    ]
    for index, (generation, name, fields) in enumerate(commits):
        for version in (7, 9, 10):
            request = commit(topic_id, generation, name, **fields)
            yield f"commit {index} v{version}", ask(request, version)
    yield from fetches(session, topic_id, member)
    for fields in ({"protocol_type": "connect"}, {"names": ("other",)}):
        yield f"join that does not fit: {fields}", ask(join(**fields))
    for name in ("orders", "missing"):
        partition = OffsetDeleteRequest.OffsetDeleteRequestPartition(partition_index=0)
        topic = OffsetDeleteRequest.OffsetDeleteRequestTopic(name=name, partitions=[partition])
        for group in ("g", "none"):
            yield f"delete offsets of {name}, {group}", ask(OffsetDeleteRequest(group_id=group, topics=[topic]))
    yield "delete with members", ask(DeleteGroupsRequest(groups_names=["g"]))
    yield "leave", ask(leave("g", ("stranger", None), (member, "instance"), (member, None)))
    yield "describe empty", ask(DescribeGroupsRequest(groups=["g"]))
    yield "heartbeat of who left", beat(member, 1)
    for generation, name in ((-1, ""), (2, member), (-1, "who")):
        yield f"commit {generation} to the empty group", ask(commit(topic_id, generation, name))
    yield "join of who left", ask(join(member))
    yield "delete", ask(DeleteGroupsRequest(groups_names=["g"]))
    yield "describe dead", ask(DescribeGroupsRequest(groups=["g"]))
    yield from static_members(session)
    for version in range(4):
        joined = ask(join(group_id=f"old{version}"), version)
        yield f"join v{version}", joined
        yield f"leave v{version}", ask(leave(f"old{version}", (joined.member_id, None)), 3)


def fetches(session: Session, topic_id: bytes, member: str) -> Answers:
    """OffsetFetch in all its shapes."""
    old, new, group = (
        OffsetFetchRequest.OffsetFetchRequestTopic,
        OffsetFetchRequest.OffsetFetchRequestTopics,
        OffsetFetchRequest.OffsetFetchRequestGroup,
    )
    named = [old(name="orders", partition_indexes=[0, 1, 9]), old(name="missing", partition_indexes=[0])]
    for version in (1, 2, 5, 7):
        yield f"fetch v{version}", session.ask(OffsetFetchRequest(group_id="g", topics=named), version)
    for name in ("g", "none"):
        yield f"fetch all of {name} v7", session.ask(OffsetFetchRequest(group_id=name, topics=None), 7)
    wanted = [new(name="orders", partition_indexes=[0, 1])]
    both = [group(group_id="g", topics=wanted), group(group_id="none", topics=None)]
    for version in (8, 9):
        yield f"fetch v{version}", session.ask(OffsetFetchRequest(groups=both), version)
    by_id = [new(topic_id=topic_id, partition_indexes=[0, 1]), new(topic_id=b"\x09" * 16, partition_indexes=[0])]
    yield "fetch by id", session.ask(OffsetFetchRequest(groups=[group(group_id="g", topics=by_id)]))
    epoch = group(group_id="g", member_id=member, member_epoch=9, topics=None)
    yield "fetch with an epoch", session.ask(OffsetFetchRequest(groups=[epoch]), 9)
    yield "fetch nothing", session.ask(OffsetFetchRequest(groups=[]))


def static_members(session: Session) -> Answers:
    """A static member and its next incarnations."""
    ask = session.ask
    fields: dict[str, Any] = {"group_id": "static", "group_instance_id": "one"}
    first = ask(join(**fields))
    yield "static joined", first
    yield "static synced", ask(assigned("static", first.member_id, 1, group_instance_id="one"))
    second = ask(join(**fields))
    yield "static came back", second
    old = {"member_id": first.member_id, "generation_id": 1, "group_instance_id": "one", "group_id": "static"}
    yield "fenced heartbeat", ask(HeartbeatRequest(**old))
    yield "fenced sync", ask(SyncGroupRequest(**CONSUMER, **old))
    yield "fenced join", ask(join(first.member_id, **fields))
    yield "keeps its assignment", ask(SyncGroupRequest(**CONSUMER, **{**old, "member_id": second.member_id}))
    yield "described", ask(DescribeGroupsRequest(groups=["static"]))
    yield "came back v8", ask(join(**fields), 8)
    yield "removed", ask(leave("static", ("", "one"), ("", "two"), ("", None)))


def consumer_groups(session: Session) -> Answers:  # noqa: C901 - one life, told in order
    """The life of a group of KIP-848, with every kind of fencing."""
    ask = session.ask
    session.ask(CreateTopicsRequest(topics=[new_topic("kip", 4), new_topic("kip-2", 2)], timeout_ms=5_000))
    topic_ids = {name: session.client.topics(name)[name].topic_id for name in ("kip", "kip-2")}
    await_coordinator(session, "k", "k-warm", "k-none", "k-static", "k-regex", "k-classic")

    def beat(member: str, epoch: int, group: str = "k", version: int = 1, **fields: Any) -> Any:
        said: dict[str, Any] = {"rebalance_timeout_ms": 30_000, "subscribed_topic_names": ["kip"], **fields}
        owned = said.pop("owned", None)
        if epoch == 0:
            owned = owned or {}
        said["topic_partitions"] = None
        if owned is not None:
            said["topic_partitions"] = [
                ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=topic_ids[name], partitions=partitions)
                for name, partitions in owned.items()
            ]
        request = ConsumerGroupHeartbeatRequest(group_id=group, member_id=member, member_epoch=epoch, **said)
        answer = ask(request, version)
        if version == 0 and not member:
            answer.member_id = "made up"
        return answer

    def until(told: Callable[[Any], bool], *wanted: Any, **fields: Any) -> Any:
        """Heartbeats until the target has been computed, which takes its interval."""
        deadline = time.monotonic() + 20
        while not told(answer := beat(*wanted, **fields)):
            assert time.monotonic() < deadline, answer
        return answer

    def describe(group: str) -> Any:
        answer = ask(ConsumerGroupDescribeRequest(group_ids=[group]))
        for found in answer.groups:
            found.members.sort(key=lambda member: member.member_id)
            for member in found.members:
                for assignment in (member.assignment, member.target_assignment):
                    assignment.topic_partitions.sort(key=lambda topic: topic.topic_name)
        return answer

    # The reference's coordinators hear of a new topic a little later than its clients do.
    until(lambda answer: answer.assignment and answer.assignment.topic_partitions, "warm", 0, "k-warm")
    bad: list[dict[str, Any]] = [
        {"group": ""},
        {"member": ""},
        {"epoch": 1},
        {"epoch": -1},
        {"epoch": -2},
        {"epoch": -3},
        {"epoch": -2, "instance_id": "i"},
        {"instance_id": ""},
        {"rack_id": ""},
        {"rebalance_timeout_ms": -1},
        {"owned": {"kip": [0]}},
        {"subscribed_topic_names": None},
        {"server_assignor": "best"},
    ]
    for index, fields in enumerate(bad):
        wanted = {"member": "a", "epoch": 0, "group": "k-none", **fields}
        yield f"refused {index}", beat(**wanted)
    yield "refused pattern", beat("a", 0, "k-none", subscribed_topic_regex="(").error_code
    yield "joined", beat("a", 0)
    yield "described", describe("k")
    yield "confirmed", beat("a", 2, rebalance_timeout_ms=-1, subscribed_topic_names=None)
    yield "all said", beat("a", 2, owned={"kip": [0, 1, 2, 3]})
    yield "second joined", beat("b", 0)
    yield "must give up", until(lambda answer: answer.assignment, "a", 2, subscribed_topic_names=None)
    yield "described reconciling", describe("k")
    yield "still owns", beat("a", 2, owned={"kip": [0, 1, 2, 3]})
    yield "second waits", beat("b", 0)
    yield "gave up", beat("a", 2, owned={"kip": [0, 1]})
    yield "second gets it", beat("b", 3)
    yield "described stable", describe("k")
    for label, member, epoch, owned in (
        ("ahead", "a", 9, None),
        ("behind", "a", 2, None),
        ("lost answer", "a", 2, {"kip": [0]}),
        ("foreign", "a", 2, {"kip": [0, 3]}),
        ("stranger", "c", 3, None),
    ):
        yield f"epoch {label}", beat(member, epoch, owned=owned)
    topic_id = topic_ids["kip"]
    for version in (7, 9, 10):
        for epoch, member in ((3, "a"), (2, "a"), (1, "a"), (4, "a"), (3, "c"), (-1, "")):
            request = commit(topic_id, epoch, member, topic="kip", group="k")
            yield f"commit of {member} in {epoch} v{version}", ask(request, version)
            request = commit(topic_id, epoch, member, topic="kip", group="k", partitions=[2])
            yield f"commit of {member} in {epoch} v{version} elsewhere", ask(request, version)
    shape = OffsetFetchRequest.OffsetFetchRequestGroup
    for epoch, name in ((3, "a"), (2, "a"), (9, "a"), (3, "c"), (-1, None)):
        wanted_group = shape(group_id="k", member_id=name, member_epoch=epoch, topics=None)
        yield f"fetch of {name} in {epoch}", ask(OffsetFetchRequest(groups=[wanted_group]), 9)
    for filters in ({"types_filter": ["consumer"]}, {"states_filter": ["stable"]}, {"types_filter": ["classic"]}):
        listed = ask(ListGroupsRequest(**filters))
        listed.groups = [group for group in listed.groups if group.group_id == "k"]
        yield f"list {filters}", listed
    yield "describe as classic", ask(DescribeGroupsRequest(groups=["k"]))
    yield "describe as classic v5", ask(DescribeGroupsRequest(groups=["k"]), 5)
    yield "describe none", describe("k-none")
    yield "classic heartbeat", ask(HeartbeatRequest(group_id="k", member_id="a", generation_id=3))
    yield "classic leave of a stranger", ask(leave("k", ("z", None)))
    for name in ("kip", "kip-2"):
        partition = OffsetDeleteRequest.OffsetDeleteRequestPartition(partition_index=0)
        topic = OffsetDeleteRequest.OffsetDeleteRequestTopic(name=name, partitions=[partition])
        yield f"delete offsets of {name}", ask(OffsetDeleteRequest(group_id="k", topics=[topic]))
    yield "delete with members", ask(DeleteGroupsRequest(groups_names=["k"]))
    yield "left", beat("b", -1)
    yield "left again", beat("b", -1)
    yield "other left", beat("a", -1)
    yield "described empty", describe("k")
    yield "commit to the empty group", ask(commit(topic_id, -1, "", topic="kip", group="k"))
    yield "joined v0 without an id", beat("", 0, version=0).error_code
    yield from static_consumers(beat, describe)
    yield "pattern", beat("a", 0, "k-regex", subscribed_topic_names=None, subscribed_topic_regex="kip.*").error_code
    yield (
        "pattern resolved",
        sorted(
            len(topic.partitions)
            for topic in until(
                lambda answer: answer.assignment and answer.assignment.topic_partitions,
                "a",
                0,
                "k-regex",
                subscribed_topic_names=None,
                subscribed_topic_regex="kip.*",
            ).assignment.topic_partitions
        ),
    )
    yield "deleted", ask(DeleteGroupsRequest(groups_names=["k-none"]))


def static_consumers(beat: Callable[..., Any], describe: Callable[[str], Any]) -> Answers:
    """A static member of KIP-848 and its next incarnations."""
    yield "static joined", beat("s", 0, "k-static", instance_id="one")
    yield "static twice", beat("s2", 0, "k-static", instance_id="one")
    yield "static fenced", beat("s2", 2, "k-static", instance_id="one")
    yield "static unknown", beat("s", 2, "k-static", instance_id="two")
    yield "static away", beat("s", -2, "k-static", instance_id="one")
    yield "static described away", describe("k-static")
    yield "static back", beat("s2", 0, "k-static", instance_id="one")
    yield "static described back", describe("k-static")
    yield "static old heartbeat", beat("s", 2, "k-static", instance_id="one")
    yield "static left", beat("s2", -1, "k-static", instance_id="one")


def cluster(session: Session) -> Answers:
    """What describes the broker, its options and its producers."""
    for endpoint_type in (2, 9):
        yield f"cluster {endpoint_type}", session.ask(DescribeClusterRequest(endpoint_type=endpoint_type))
    for version in range(6):
        yield (
            f"empty transactional id v{version}",
            session.ask(InitProducerIdRequest(transaction_timeout_ms=1), version),
        )
    session.ask(CreateTopicsRequest(topics=[new_topic("described")], timeout_ms=5_000))
    resource = DescribeConfigsRequest.DescribeConfigsResource
    for label, kind, name in (
        ("topic", 2, "missing"),
        ("bad topic", 2, "a b"),
        ("broker", 4, "7"),
        ("an unknown kind", 9, "7"),
    ):
        wanted = [resource(resource_type=kind, resource_name=name, configuration_keys=None)]
        yield f"configs of {label}", session.ask(DescribeConfigsRequest(resources=wanted))
    wanted = [resource(resource_type=2, resource_name="described", configuration_keys=None)]
    found = session.ask(DescribeConfigsRequest(resources=wanted, include_synonyms=True)).results[0]
    for config in sorted(found.configs, key=lambda config: str(config.name)):
        yield f"config {config.name}", config


def answers(script: Callable[[Session], Answers], address: str) -> dict[str, str]:
    session = Session(address)
    with session.client:
        return {label: session.text(answer) for label, answer in script(session)}


@pytest.mark.parametrize("script", [topics, groups, consumer_groups, cluster])
def test_same_answers_as_the_reference(script: Any, our_broker: str, kafka: str) -> None:
    found, expected = (answers(script, address) for address in (our_broker, kafka))
    different = {label: (text, found.get(label)) for label, text in expected.items() if found.get(label) != text}
    unmeant = {label: pair for label, pair in different.items() if label not in MEANT}
    assert not unmeant, "\n".join(f"{label}\n  {theirs}\n  {ours}" for label, (theirs, ours) in unmeant.items())
    assert len(found) == len(expected)
