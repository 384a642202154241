"""Groups that change between the classic protocol and KIP-848 while they have members: what either kind of member is told."""

from __future__ import annotations

import base64
import struct
from typing import TYPE_CHECKING, Any, Final

from behaviour.cases import Body, Play, Topic, case
from behaviour.cases.classic_groups import group_of, join, leave, only_mine, synced
from behaviour.cases.consumer_groups import API, DESCRIBE, beat, epoch_of
from behaviour.cases.offsets import commit, committed

if TYPE_CHECKING:
    from collections.abc import Callable

PARTITIONS: Final = 4
HEARTBEAT: Final = "Heartbeat"
GROUP_RESOURCE: Final = 32


def text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def subscription(topic: Topic) -> bytes:
    """What a consumer says in JoinGroup, version 1: one topic, no user data, nothing owned."""
    return struct.pack(">hi", 1, 1) + text(topic.name) + struct.pack(">ii", -1, 0)


def assignment(topic: Topic, *partitions: int) -> bytes:
    listed = struct.pack(f">i{len(partitions)}i", len(partitions), *partitions)
    return struct.pack(">hi", 1, 1) + text(topic.name) + listed + struct.pack(">i", -1)


def joins(group: str, topic: Topic, member: str = "", **more: Any) -> Body:
    protocols = [{"name": "range", "metadata": subscription(topic)}]
    return {**join(group, member), "protocols": protocols, **more}


def text_of(raw: Any, key: str = "assignment") -> Body:
    """An assignment as text, the partitions of each topic: bytes that hold names of this play cannot be compared."""
    data = base64.b64decode(raw) if isinstance(raw, str) else bytes(raw)
    if not data:
        return {key: ""}
    version, topics = struct.unpack_from(">hi", data)
    position, found = 6, []
    for _ in range(topics):
        position += 2 + struct.unpack_from(">h", data, position)[0]
        (count,) = struct.unpack_from(">i", data, position)
        found.append(sorted(struct.unpack_from(f">{count}i", data, position + 4)))
        position += 4 + 4 * count
    return {key: f"version {version}: {found}"}


def readable(answer: Body) -> Body:
    return {**answer, **text_of(answer["assignment"])}


def described(answer: Body) -> Body:
    """Members' bytes as text, likewise."""
    groups = [
        {
            **group,
            "members": [
                {
                    **one,
                    "memberMetadata": bool(one["memberMetadata"]),
                    **text_of(one["memberAssignment"], "memberAssignment"),
                }
                for one in group["members"]
            ],
        }
        for group in answer["groups"]
    ]
    return {**answer, "groups": groups}


def since(base: int) -> Callable[[Any], Any]:
    """Tells epochs and generations from one of them on: how many targets the reference computes depends on the moment."""

    def each(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: each(element, name) for name, element in value.items()}
        if isinstance(value, list):
            return [each(element) for element in value]
        counts = key.lower().endswith("epoch") or key == "generationId"
        return value - base if counts and value > 0 else value

    return each


def classic_group(play: Play, topic: Topic, group: str, **more: Any) -> str:
    """One member of the classic protocol, which has all partitions; returns its id."""
    member = play.quiet("JoinGroup", 9, **joins(group, topic, **more))["memberId"]
    if not more:
        play.quiet("JoinGroup", 9, **joins(group, topic, member))
    given = [{"memberId": member, "assignment": assignment(topic, *range(PARTITIONS))}]
    instance = more.get("groupInstanceId")
    told = play.quiet("SyncGroup", 5, **{**synced(group, member, 1), "assignments": given, "groupInstanceId": instance})
    assert not told["errorCode"], told
    play.name(member, "classic")
    return member


def target_is_new(told: Body) -> bool:
    group = told["groups"][0]
    return group["errorCode"] == 0 and group["assignmentEpoch"] == group["groupEpoch"]


def prepared(play: Play) -> tuple[Topic, str]:
    """A topic that the coordinator knows, and the name of a group whose target is computed at once."""
    topic, group = play.topic("t", PARTITIONS), group_of(play)
    at_once = {"name": "consumer.assignment.interval.ms", "configOperation": 0, "value": "0"}
    resource = {"resourceType": GROUP_RESOURCE, "resourceName": group, "configs": [at_once]}
    told = play.quiet("IncrementalAlterConfigs", 1, resources=[resource])
    assert not told["responses"][0]["errorCode"], told
    play.settle(topic)
    return topic, group


def beat_of(group: str, member: str, generation: int, instance: str | None = None) -> Body:
    return {"groupId": group, "memberId": member, "generationId": generation, "groupInstanceId": instance}


@case
def up_and_down(play: Play) -> None:
    """A member of the new protocol joins a classic group, which becomes a new one; it leaves, and the group is what it was."""
    topic, group = prepared(play)
    first = classic_group(play, topic, group)
    names = {"subscribedTopicNames": [topic.name]}
    answer = play.ask(
        API,
        1,
        label="b joins",
        keep=lambda told: {**told, "memberEpoch": told["memberEpoch"] > 1},
        **beat(group, "member-b", 0, **names),
    )
    assert not answer["errorCode"], answer
    play.until(lambda told: bool(told["errorCode"]), HEARTBEAT, 4, **beat_of(group, first, 1))
    play.ask(HEARTBEAT, 4, label="shall join again", **beat_of(group, first, 1))
    play.until(target_is_new, DESCRIBE, 1, groupIds=[group])
    play.until(has_joined(play, topic, group, first), "JoinGroup", 9, **joins(group, topic, first))
    base = epoch_of(play, group, first)
    keep = since(base)
    play.ask("JoinGroup", 9, label="joins again", keep=keep, **joins(group, topic, first))
    play.ask("SyncGroup", 5, label="its share", keep=readable, **synced(group, first, base))
    play.until(
        lambda told: bool(told["assignment"] and told["assignment"]["topicPartitions"]),
        API,
        1,
        **beat(group, "member-b", 0, **names),
    )
    play.ask(DESCRIBE, 1, label="both kinds", keep=keep, groupIds=[group])
    play.ask("DescribeGroups", 6, keep=described, groups=[group])
    for types in (["consumer"], ["classic"]):
        play.ask("ListGroups", 5, label=str(types), typesFilter=types, keep=only_mine(play))
    fencing_while_both(play, topic, group, first, keep)
    play.ask(API, 1, label="b leaves", **beat(group, "member-b", -1))
    play.ask(DESCRIBE, 1, label="classic again", groupIds=[group])
    play.ask(HEARTBEAT, 4, label="shall join the classic group", **beat_of(group, first, base))
    play.ask("DescribeGroups", 6, label="classic again", keep=described, groups=[group])
    play.ask("JoinGroup", 9, label="joins the classic group", keep=keep, **joins(group, topic, first))
    generation = play.quiet("JoinGroup", 9, **joins(group, topic, first))["generationId"]
    given = [{"memberId": first, "assignment": assignment(topic, 0, 1)}]
    play.ask("SyncGroup", 5, label="leads", keep=readable, **{**synced(group, first, generation), "assignments": given})
    play.ask(HEARTBEAT, 4, label="in the classic group", **beat_of(group, first, generation))
    play.ask(API, 1, label="b is unknown", **beat(group, "member-b", 3))
    play.ask("LeaveGroup", 5, **leave(group, (first, None)))


def has_joined(play: Play, topic: Topic, group: str, first: str) -> Callable[[Body], bool]:
    """Joins and synchronises until the classic member has come to the group's epoch."""

    def is_so(told: Body) -> bool:
        if told["errorCode"]:
            return False
        play.quiet("SyncGroup", 5, **synced(group, first, told["generationId"]))
        described = play.quiet(DESCRIBE, 1, groupIds=[group])["groups"][0]
        return told["generationId"] == described["groupEpoch"] == described["assignmentEpoch"]

    return is_so


def fencing_while_both(play: Play, topic: Topic, group: str, first: str, keep: Callable[[Any], Any]) -> None:
    """Every kind of stale request to a group that has members of both protocols."""
    mine, other = epoch_of(play, group, first), epoch_of(play, group, "member-b")
    for label, member, generation, instance in (
        ("good", first, mine, None), ("behind", first, mine - 1, None), ("ahead", first, mine + 1, None),
        ("a stranger", "member-c", mine, None), ("of the other protocol", "member-b", other, None), ("an instance", first, mine, "i"),
    ):  # fmt: skip
        play.ask(HEARTBEAT, 4, label=label, **beat_of(group, member, generation, instance))
        told = {**synced(group, member, generation), "groupInstanceId": instance}
        play.ask("SyncGroup", 5, label=label, keep=readable, **told)
    play.ask("SyncGroup", 5, label="another protocol", keep=readable, **synced(group, first, mine, protocolName="z"))
    play.ask("SyncGroup", 5, label="another type", keep=readable, **synced(group, first, mine, protocolType="z"))
    for version in (8, 9, 10):
        for label, said, member in (
            ("good", mine, first), ("behind", mine - 1, first), ("ahead", mine + 1, first), ("stranger", mine, "member-c"),
            ("member-b", other, "member-b"), ("b behind", other - 1, "member-b"), ("nobody", -1, ""),
        ):  # fmt: skip
            play.ask("OffsetCommit", version, label=label, **commit(group, topic, said, member))
    for said, member in (
        (mine, first),
        (mine - 1, first),
        (mine, "member-c"),
        (other, "member-b"),
        (other - 1, "member-b"),
    ):
        committed(play, 9, group, [(topic, [0])], memberId=member, memberEpoch=said)
    protocols = [{"name": "other", "metadata": subscription(topic)}]
    play.ask("JoinGroup", 9, label="no protocol in common", **joins(group, topic, first, protocols=protocols))
    play.ask("JoinGroup", 9, label="another type", **joins(group, topic, first, protocolType="connect"))
    play.ask(
        "JoinGroup",
        9,
        label="unreadable",
        **joins(group, topic, first, protocols=[{"name": "range", "metadata": b"\xff"}]),
    )
    play.ask("JoinGroup", 9, label="a stranger", **joins(group, topic, "member-c", groupInstanceId="i"))
    play.ask("LeaveGroup", 5, label="others", **leave(group, ("member-b", None), ("member-c", None), (first, "i")))
    for label, said in (("behind", other - 1), ("ahead", other + 1)):
        play.ask(API, 1, label=label, keep=without_text, **beat(group, "member-b", said))
    play.ask("DeleteGroups", 2, groupsNames=[group])


def without_text(answer: Body) -> Body:
    """The text of an error names epochs."""
    return {**answer, "errorMessage": bool(answer["errorMessage"])}


@case
def a_classic_member_joins_a_new_group(play: Play) -> None:
    topic, group = prepared(play)
    play.until(
        lambda told: bool(told["assignment"] and told["assignment"]["topicPartitions"]), API, 1,
        **beat(group, "member-a", 0, subscribedTopicNames=[topic.name]),
    )  # fmt: skip
    for version in (3, 9):
        play.ask("JoinGroup", version, label="unreadable", **join(group))
        play.ask("JoinGroup", version, label="another type", **joins(group, topic, protocolType="connect"))
    member = play.ask("JoinGroup", 9, label="gets an id", **joins(group, topic))["memberId"]
    keep = since(epoch_of(play, group, "member-a"))
    answer = play.ask("JoinGroup", 9, label="joins", keep=keep, **joins(group, topic, member))
    play.ask(
        "SyncGroup", 5, label="nothing is free yet", keep=readable, **synced(group, member, answer["generationId"])
    )
    play.ask(API, 1, label="a leaves", **beat(group, "member-a", -1))
    play.ask(DESCRIBE, 1, label="classic now", groupIds=[group])
    play.ask("DescribeGroups", 6, label="classic now", keep=described, groups=[group])


@case
def static_members_change_their_protocol(play: Play) -> None:
    """A static member is replaced by its next incarnation, which speaks the other protocol."""
    topic, group = prepared(play)
    one = {"groupInstanceId": "one"}
    first = classic_group(play, topic, group, **one)
    play.ask(API, 1, label="now a new one", keep=lambda told: {**told, "memberEpoch": told["memberEpoch"] > 0, "assignment": None},
             **beat(group, "member-s", 0, subscribedTopicNames=[topic.name], instanceId="one"))  # fmt: skip
    play.ask(HEARTBEAT, 4, label="the old one", **beat_of(group, first, 1, "one"))
    play.ask("JoinGroup", 9, label="the old one", **joins(group, topic, first, **one))
    play.ask("OffsetCommit", 9, label="the old one", **commit(group, topic, 1, first, instance="one"))
    play.ask(
        "JoinGroup",
        9,
        label="classic again",
        keep=lambda told: {**told, "generationId": told["generationId"] > 0},
        **joins(group, topic, **one),
    )
    play.ask(API, 1, label="the new one", **beat(group, "member-s", 1, instanceId="one"))
    play.ask(DESCRIBE, 1, groupIds=[group])
    play.ask("LeaveGroup", 5, **leave(group, ("", "one")))
