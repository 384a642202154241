"""Groups of KIP-848: heartbeats, targets, fencing, static members, patterns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from behaviour.cases import Body, Play, Topic, case
from behaviour.cases.bodies import MISSING_ID, coordinator_is_ready
from behaviour.cases.classic_groups import join, only_mine, stable
from behaviour.cases.configs import BROKER, DELETE, GROUP, SET
from behaviour.cases.offsets import commit, committed

if TYPE_CHECKING:
    from collections.abc import Callable

API = "ConsumerGroupHeartbeat"
DESCRIBE = "ConsumerGroupDescribe"


def beat(group: str, member: str, epoch: int, owned: dict[Topic, list[int]] | None = None, **more: Any) -> Body:
    if epoch == 0:
        owned = owned or {}
    fields: Body = {"rebalanceTimeoutMs": 30_000, "topicPartitions": None}
    if owned is not None:
        fields["topicPartitions"] = [{"topicId": topic.id, "partitions": indexes} for topic, indexes in owned.items()]
    return {**fields, "groupId": group, "memberId": member, "memberEpoch": epoch, **more}


def ready(play: Play, group: str) -> None:
    coordinator_is_ready(play, group)


def in_order(answer: Body) -> Body:
    return answer


def has_assignment(answer: Body) -> bool:
    return bool(answer["assignment"] and answer["assignment"]["topicPartitions"])


def group_of_one(play: Play, label: str = "g", partitions: int = 4) -> tuple[str, Topic]:
    """A group with the member `a`, which owns what it was assigned, in epoch 2 or later; the reference hears of topics late."""
    topic = play.topic(f"{label}-t", partitions)
    group = play.named(label)
    ready(play, group)
    play.until(has_assignment, API, 1, **beat(group, "a", 0, subscribedTopicNames=[topic.name]))
    return group, topic


def epoch_of(play: Play, group: str, member: str = "a") -> int:
    told = play.quiet(DESCRIBE, 1, groupIds=[group])["groups"][0]["members"]
    return next(one["memberEpoch"] for one in told if one["memberId"] == member)


@case
def refused(play: Play) -> None:
    group = play.named("g")
    ready(play, group)
    ready(play, "")
    names: Body = {"subscribedTopicNames": ["nothing"]}
    for label, body in {
        "no group": beat("", "a", 0, **names),
        "no member": beat(group, "", 0, **names),
        "no member in an epoch": beat(group, "", 1),
        "unknown member": beat(group, "a", 1),
        "unknown member leaves": beat(group, "a", -1),
        "unknown static member leaves": beat(group, "a", -2, instanceId="i"),
        "epoch -2 without an instance": beat(group, "a", -2),
        "epoch -3": beat(group, "a", -3),
        "no subscription": beat(group, "a", 0),
        "no rebalance timeout": beat(group, "a", 0, **names, rebalanceTimeoutMs=-1),
        "owns at the start": beat(group, "a", 0, {Topic("", MISSING_ID): [0]}, **names),
        "no list of what it owns": {**beat(group, "a", 0, **names), "topicPartitions": None},
        "empty instance": beat(group, "a", 0, **names, instanceId=""),
        "empty rack": beat(group, "a", 0, **names, rackId=""),
        "unknown assignor": beat(group, "a", 0, **names, serverAssignor="bogus"),
        "bad pattern": beat(group, "a", 0, subscribedTopicRegex="("),
    }.items():
        for version in (0, 1):
            play.ask(API, version, label=label, keep=without_made_up_member if "no member" in label else None, **body)


def without_made_up_member(answer: Body) -> Body:
    """In version 0 the coordinator makes an id up."""
    return {**answer, "memberId": bool(answer["memberId"])}


@case
def what_nobody_knows(play: Play) -> None:
    group = play.named("none")
    ready(play, group)
    for version in play.versions(DESCRIBE):
        play.ask(DESCRIBE, version, groupIds=[group, ""])
        play.ask(DESCRIBE, version, groupIds=[])
        play.ask(DESCRIBE, version, groupIds=[group], includeAuthorizedOperations=True)


@case
def a_first_member(play: Play) -> None:
    group, topic = group_of_one(play)
    epoch = epoch_of(play, group)
    told = {topic: [0, 1, 2, 3]}
    play.ask(API, 1, label="owns", **beat(group, "a", epoch, told))
    play.ask(API, 1, label="nothing new", **beat(group, "a", epoch))
    for version in play.versions(DESCRIBE):
        play.ask(DESCRIBE, version, groupIds=[group])
        play.ask(DESCRIBE, version, groupIds=[group], includeAuthorizedOperations=True)
    for types in (["consumer"], ["classic"], ["Consumer"]):
        play.ask("ListGroups", 5, label=str(types), typesFilter=types, keep=only_mine(play))
    for version in play.versions("DescribeGroups"):
        play.ask("DescribeGroups", version, groups=[group])
    for version in play.versions("DeleteGroups"):
        play.ask("DeleteGroups", version, groupsNames=[group])


@case
def epochs_are_fenced(play: Play) -> None:
    group, topic = group_of_one(play)
    epoch = epoch_of(play, group)
    play.ask(API, 1, label="owns", **beat(group, "a", epoch, {topic: [0, 1, 2, 3]}))
    for version in (0, 1):
        for label, member, said, owned in (
            ("ahead", "a", epoch + 5, None),
            ("behind", "a", epoch - 1, None),
            ("an answer was lost", "a", epoch - 1, {topic: [0]}),
            ("owns what it was not given", "a", epoch, {topic: [9]}),
            ("a stranger", "c", epoch, None),
        ):
            play.ask(API, version, label=label, **beat(group, member, said, owned))


def since(base: int) -> Callable[[Body], Body]:
    """Tells epochs from one of them on: how often the reference computes a target depends on when it hears of a topic."""

    def count(told: Body) -> Body:
        return {
            key: value - base if key.lower().endswith("epoch") and value > 0 else each(value)
            for key, value in told.items()
        }

    def each(value: Any) -> Any:
        if isinstance(value, list):
            return [each(element) for element in value]
        return count(value) if isinstance(value, dict) else value

    return count


@case
def two_members(play: Play) -> None:
    """Partitions move only after they were given up."""
    group, topic = group_of_one(play)
    keep = since(epoch_of(play, group))
    play.quiet(API, 1, **beat(group, "a", epoch_of(play, group), {topic: [0, 1, 2, 3]}))
    names = {"subscribedTopicNames": [topic.name]}
    play.ask(API, 1, keep=keep, label="b joins", **beat(group, "b", 0, **names))
    play.until(
        lambda told: bool(told["assignment"]) and len(told["assignment"]["topicPartitions"][0]["partitions"]) < 4,
        API, 1, **beat(group, "a", epoch_of(play, group), {topic: [0, 1, 2, 3]}, **names),
    )  # fmt: skip
    play.ask(DESCRIBE, 1, keep=keep, label="a gives up", groupIds=[group])
    kept = play.quiet(DESCRIBE, 1, groupIds=[group])["groups"][0]["members"]
    left = next(one for one in kept if one["memberId"] == "a")["targetAssignment"]["topicPartitions"][0]["partitions"]
    play.ask(API, 1, keep=keep, label="a gave up", **beat(group, "a", epoch_of(play, group), {topic: left}))
    play.ask(API, 1, keep=keep, label="b takes", **beat(group, "b", epoch_of(play, group, "b"), {}))
    play.ask(DESCRIBE, 1, keep=keep, label="moved", groupIds=[group])
    play.ask(API, 1, keep=keep, label="b leaves", **beat(group, "b", -1))
    play.ask(API, 1, keep=keep, label="b leaves again", **beat(group, "b", -1))
    play.ask(API, 1, keep=keep, label="a leaves", **beat(group, "a", -1))
    play.ask(DESCRIBE, 1, keep=keep, label="empty", groupIds=[group])


def set_interval(play: Play, topic: Topic, kind: int, name: str, value: int) -> None:
    """Sets the least time between two targets, of a group or for all brokers, and waits until it is in force."""
    option = "consumer.assignment.interval.ms" if kind == GROUP else "group.consumer.assignment.interval.ms"
    resource = {"resourceType": kind, "resourceName": name}
    change = {"name": option, "configOperation": SET, "value": str(value)}
    play.quiet("IncrementalAlterConfigs", 1, resources=[{**resource, "configs": [change]}])
    play.until(
        lambda told: [one["value"] for one in told["results"][0]["configs"]] == [str(value)],
        "DescribeConfigs", 4, resources=[{**resource, "configurationKeys": [option]}],
    )  # fmt: skip
    play.settle(topic)


def before_and_after_an_interval(play: Play, group: str, topic: Topic, change: Callable[[int], None]) -> None:
    """Who joins before the interval is over gets nothing yet, and nobody has to give anything up."""
    change(15_000)
    play.quiet(API, 1, **beat(group, "a", epoch_of(play, group), {topic: [0, 1, 2, 3]}))
    names = {"subscribedTopicNames": [topic.name]}
    keep = since(epoch_of(play, group))
    play.ask(API, 1, keep=keep, label="b joins", **beat(group, "b", 0, **names))
    play.ask(API, 1, keep=keep, label="a has what it had", **beat(group, "a", epoch_of(play, group)))
    play.ask(API, 1, keep=keep, label="b waits", **beat(group, "b", epoch_of(play, group, "b"), {}))
    play.ask(DESCRIBE, 1, keep=keep, label="waiting", groupIds=[group])
    change(0)
    play.ask(API, 1, keep=keep, label="a gives up", **beat(group, "a", epoch_of(play, group)))
    play.ask(DESCRIBE, 1, keep=keep, label="over", groupIds=[group])


@case
def targets_wait_for_the_groups_interval(play: Play) -> None:
    group, topic = group_of_one(play)
    before_and_after_an_interval(play, group, topic, lambda value: set_interval(play, topic, GROUP, group, value))


@case
def targets_wait_for_the_brokers_interval(play: Play) -> None:
    group, topic = group_of_one(play)
    try:
        before_and_after_an_interval(play, group, topic, lambda value: set_interval(play, topic, BROKER, "", value))
    finally:
        unset = {"name": "group.consumer.assignment.interval.ms", "configOperation": DELETE, "value": None}
        resource = {"resourceType": BROKER, "resourceName": "", "configs": [unset]}
        play.quiet("IncrementalAlterConfigs", 1, resources=[resource])


@case
def offsets_are_fenced_by_epochs(play: Play) -> None:
    group, topic = group_of_one(play)
    epoch = epoch_of(play, group)
    for version in play.versions("OffsetCommit"):
        for label, said, member in (
            ("good", epoch, "a"), ("behind", epoch - 1, "a"), ("ahead", epoch + 1, "a"), ("stranger", epoch, "c"),
            ("nobody", -1, ""),
        ):  # fmt: skip
            play.ask("OffsetCommit", version, label=label, **commit(group, topic, said, member))
    for version in (9, 10):
        for said, member in ((epoch, "a"), (epoch - 1, "a"), (epoch, "c"), (-1, None)):
            committed(play, version, group, [(topic, [0])], memberId=member, memberEpoch=said)
    play.ask("OffsetDelete", 0, groupId=group, topics=[{"name": topic.name, "partitions": [{"partitionIndex": 0}]}])


@case
def classic_requests_to_a_new_group(play: Play) -> None:
    group, _ = group_of_one(play)
    play.ask("Heartbeat", 4, groupId=group, memberId="a", generationId=2)
    play.ask("LeaveGroup", 5, groupId=group, members=[{"memberId": "z"}])
    play.ask(
        "SyncGroup", 5, groupId=group, memberId="a", generationId=2, protocolType="consumer", protocolName="uniform"
    )
    play.ask("JoinGroup", 9, **join(group))


@case
def new_requests_to_a_classic_group(play: Play) -> None:
    group = play.named("g")
    ready(play, group)
    stable(play, group)
    play.ask(API, 1, **beat(group, "a", 0, subscribedTopicNames=["nothing"]))
    play.ask(DESCRIBE, 1, groupIds=[group])


@case
def static_members(play: Play) -> None:
    group = play.named("g")
    ready(play, group)
    names = {"subscribedTopicNames": ["nothing"]}
    one = {"instanceId": "one", **names}
    play.ask(API, 1, label="joined", **beat(group, "s", 0, **one))
    play.ask(API, 1, label="another with its name", **beat(group, "s2", 0, **one))
    play.ask(API, 1, label="fenced", **beat(group, "s2", 1, instanceId="one"))
    play.ask(API, 1, label="unknown name", **beat(group, "s", 1, instanceId="two"))
    play.ask(API, 1, label="away for a while", **beat(group, "s", -2, instanceId="one"))
    play.ask(DESCRIBE, 1, label="away", groupIds=[group])
    play.ask(API, 1, label="back", **beat(group, "s2", 0, **one))
    play.ask(DESCRIBE, 1, label="back", groupIds=[group])
    play.ask(API, 1, label="the old one", **beat(group, "s", 1, instanceId="one"))
    play.ask(API, 1, label="left", **beat(group, "s2", -1, instanceId="one"))


@case
def patterns(play: Play) -> None:
    topics = [play.topic(label, count) for label, count in (("p-1", 2), ("p-2", 1), ("q", 3))]
    group = play.named("g")
    group_of_one(play, "warm", 1)
    ready(play, group)
    prefix = topics[0].name.removesuffix("1").replace("-", "[-]")
    play.until(has_assignment, API, 1, **beat(group, "a", 0, subscribedTopicRegex=f"{prefix}.*"))
    play.ask(API, 1, **beat(group, "a", epoch_of(play, group), {}))


@case
def subscriptions_change(play: Play) -> None:
    group, topic = group_of_one(play)
    other = play.topic("other", 2)
    epoch = epoch_of(play, group)
    play.ask(API, 1, label="owns", **beat(group, "a", epoch, {topic: [0, 1, 2, 3]}))
    play.until(
        lambda told: bool(told["assignment"]) and len(told["assignment"]["topicPartitions"]) == 2, API, 1,
        **beat(group, "a", 0, subscribedTopicNames=[topic.name, other.name]),
    )  # fmt: skip
    epoch = epoch_of(play, group)
    play.ask(API, 1, label="owns both", **beat(group, "a", epoch, {topic: [0, 1, 2, 3], other: [0, 1]}))
    play.ask(DESCRIBE, 1, groupIds=[group], keep=without_epochs)


def without_epochs(answer: Body) -> Body:
    """How often the reference computes a target depends on when it hears of a topic."""
    for group in answer["groups"]:
        group["groupEpoch"] -= group["assignmentEpoch"]
        for member in group["members"]:
            member["memberEpoch"] -= group["assignmentEpoch"]
        group["assignmentEpoch"] = 0
    return answer
