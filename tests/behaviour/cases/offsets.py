"""OffsetCommit, OffsetFetch, OffsetDelete."""

from __future__ import annotations

from typing import Any

from behaviour.cases import Body, Play, Topic, case
from behaviour.cases.bodies import MISSING_ID, missing
from behaviour.cases.classic_groups import group_of, joined, leave, stable, synced

COMMIT = "OffsetCommit"
FETCH = "OffsetFetch"


def commit(group: str, topic: Topic, generation: int = -1, member: str = "", **more: Any) -> Body:
    partitions = [
        {
            "partitionIndex": index,
            "committedOffset": more.get("offset", 1),
            "committedLeaderEpoch": more.get("epoch", -1),
            "committedMetadata": more.get("metadata", ""),
        }
        for index in more.get("partitions", [0])
    ]
    return {
        "groupId": group,
        "generationIdOrMemberEpoch": generation,
        "memberId": member,
        "groupInstanceId": more.get("instance"),
        "topics": [{"name": topic.name, "topicId": topic.id, "partitions": partitions}],
    }


def committed(play: Play, version: int, group: str, topics: list[tuple[Topic, list[int]]] | None, **more: Any) -> None:
    """Fetches what a group committed, in the shape of the version."""
    wanted = None
    if topics is not None:
        wanted = [{"name": topic.name, "partitionIndexes": indexes} for topic, indexes in topics]
    if wanted and topics and version >= 8:
        wanted = [{**one, "topicId": topic.id} for one, (topic, _) in zip(wanted, topics, strict=True)]
    if version < 8:
        play.ask(FETCH, version, groupId=group, topics=wanted, **more)
    else:
        one = {"groupId": group, "memberId": None, "memberEpoch": -1, "topics": wanted}
        play.ask(FETCH, version, groups=[{**one, **more}])


@case
def of_a_group_without_members(play: Play) -> None:
    group, topic = group_of(play), play.topic(partitions=2)
    for version in play.versions(COMMIT):
        play.ask(COMMIT, version, **commit(group, topic, offset=version, metadata=f"v{version}", epoch=0))
        committed(play, min(version, 10), group, [(topic, [0, 1])])
    for generation, member in ((-1, "who"), (0, ""), (1, "who")):
        play.ask(COMMIT, 9, label=f"{generation} {member!r}", **commit(group, topic, generation, member))


@case
def of_a_group_that_nobody_knows(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    for version in play.versions(COMMIT):
        for generation, member in ((1, "m"), (1, ""), (-1, "m"), (-1, "")):
            if (generation, member) != (-1, ""):
                play.ask(COMMIT, version, label=f"{generation} {member!r}", **commit(group, topic, generation, member))


@case
def of_members(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    member = stable(play, group)
    for version in play.versions(COMMIT):
        for label, generation, name in (
            ("good", 1, member), ("old", 0, member), ("new", 2, member), ("none", -1, ""), ("stranger", 1, "stranger"),
            ("no generation", -1, member), ("no member", 1, ""),
        ):  # fmt: skip
            play.ask(COMMIT, version, label=label, **commit(group, topic, generation, name))
    for version in range(7, 11):
        play.ask(COMMIT, version, label="instance", **commit(group, topic, 1, member, instance="z"))


@case
def before_the_assignment(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    member = joined(play, group)
    for version in play.versions(COMMIT):
        play.ask(COMMIT, version, **commit(group, topic, 1, member))


@case
def of_topics_that_are_not_there(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    for version in play.versions(COMMIT):
        play.ask(COMMIT, version, **commit(group, missing(play)))
        play.ask(COMMIT, version, **commit(group, topic, partitions=[0, 9, -1]))
        play.ask(COMMIT, version, **commit(group, Topic("", MISSING_ID)))
        play.ask(COMMIT, version, **commit(group, Topic("a b", MISSING_ID)))
    committed(play, 7, group, None)


@case
def values(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    for version in play.versions(COMMIT):
        for more in (
            {"metadata": None}, {"metadata": "y" * 4_096}, {"metadata": "y" * 4_097}, {"metadata": "ü" * 2_048},
            {"metadata": "ü" * 4_096}, {"offset": -1}, {"offset": -5}, {"offset": 2**63 - 1}, {"epoch": 7}, {"partitions": []},
            {"partitions": [0, 0]},
        ):  # fmt: skip
            play.ask(COMMIT, version, label=str(more)[:24], **commit(group, topic, **more))
            committed(play, 5, group, [(topic, [0])])
        play.ask(COMMIT, version, groupId=group, generationIdOrMemberEpoch=-1, topics=[])


@case
def more_than_a_batch_may_hold(play: Play) -> None:
    """A group's long name is in every record; the members of groups beside it are where they were."""
    group, topic = group_of(play, "g" * 30_000), play.topic()
    member = joined(play, group)
    for version in (2, 8, 9, 10):
        play.ask(COMMIT, version, **commit(group, topic, 1, "", partitions=[0] * 40))
    play.quiet("SyncGroup", 5, **synced(group, member, 1, member))
    for version in (2, 8, 9, 10):
        play.ask(COMMIT, version, **commit(group, topic, 1, member, partitions=[0] * 40))
        committed(play, 7, group, None)
    play.ask(COMMIT, 9, **commit(group, topic, 1, member, partitions=[0] * 20))
    committed(play, 7, group, None)


@case
def fetched_in_every_shape(play: Play) -> None:
    group, topic, other = group_of(play), play.topic(partitions=3), play.topic("other")
    play.quiet(COMMIT, 9, **commit(group, Topic(topic.name, ""), partitions=[0, 2], metadata="m", epoch=0))
    play.quiet(COMMIT, 9, **commit(group, Topic(other.name, ""), offset=99))
    for version in play.versions(FETCH):
        committed(play, version, group, [(topic, [0, 1, 2, 9]), (other, [0])])
        committed(play, version, group, [(missing(play), [0])])
        committed(play, version, group, [])
        if version >= 2:
            committed(play, version, group, None)
        committed(play, version, play.named("none"), [(topic, [0])])
    for version in range(7, 11):
        play.ask(FETCH, version, **({"requireStable": True, "groupId": group, "topics": None} if version < 8 else {
            "requireStable": True, "groups": [{"groupId": group, "topics": None}],
        }))  # fmt: skip


@case
def fetched_of_several_groups(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    play.quiet(COMMIT, 9, **commit(group, Topic(topic.name, "")))
    wanted = {"groupId": group, "topics": [{"name": topic.name, "topicId": topic.id, "partitionIndexes": [0]}]}
    for version in (8, 9, 10):
        play.ask(
            FETCH, version, groups=[wanted, {"groupId": play.named("none"), "topics": None}, {**wanted, "topics": None}]
        )
        play.ask(FETCH, version, groups=[])


@case
def fetched_by_members(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    member = stable(play, group)
    for version in (9, 10):
        for name, epoch in ((member, 1), (member, 9), ("stranger", 1), (None, -1), ("", 0)):
            committed(play, version, group, [(topic, [0])], memberId=name, memberEpoch=epoch)


@case
def deleted(play: Play) -> None:
    group, topic = group_of(play), play.topic(partitions=2)
    play.quiet(COMMIT, 9, **commit(group, Topic(topic.name, ""), partitions=[0, 1]))

    def delete(name: str, indexes: list[int], of: str = group) -> None:
        partitions = [{"partitionIndex": index} for index in indexes]
        play.ask("OffsetDelete", 0, groupId=of, topics=[{"name": name, "partitions": partitions}])
        committed(play, 7, group, None)

    delete(topic.name, [0])
    delete(topic.name, [0, 9])
    delete(play.named("missing"), [0])
    delete(topic.name, [1], of=play.named("none"))
    delete(topic.name, [1], of="")
    play.ask("OffsetDelete", 0, groupId=group, topics=[])
    member = stable(play, group)
    delete(topic.name, [1])
    play.quiet("LeaveGroup", 5, **leave(group, (member, None)))
    delete(topic.name, [1])


@case
def nothing_is_left_but_the_group(play: Play) -> None:
    """It is there until somebody looks whether it may go."""
    group, topic = group_of(play), play.topic()
    play.quiet(COMMIT, 9, **commit(group, Topic(topic.name, "")))
    topics = [{"name": topic.name, "partitions": [{"partitionIndex": 0}]}]
    for label in ("deleted", "again"):
        play.ask("OffsetDelete", 0, label=label, groupId=group, topics=topics)
        committed(play, 9, group, None)
        play.ask("DescribeGroups", 6, label=label, groups=[group])
        play.ask("ConsumerGroupDescribe", 1, label=label, groupIds=[group])
    for label in ("there", "gone"):
        play.ask("DeleteGroups", 2, label=label, groupsNames=[group])
        play.ask("OffsetDelete", 0, label=label, groupId=group, topics=topics)
        play.ask("DescribeGroups", 6, label=label, groups=[group])


@case
def gone_with_the_group(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    play.quiet(COMMIT, 9, **commit(group, Topic(topic.name, "")))
    play.ask("DeleteGroups", 2, groupsNames=[group])
    for version in (7, 9):
        committed(play, version, group, None)


@case
def gone_with_the_topic(play: Play) -> None:
    group, topic = group_of(play), play.topic()
    play.quiet(COMMIT, 9, **commit(group, Topic(topic.name, "")))
    play.quiet("DeleteTopics", 6, topics=[{"name": topic.name}], timeoutMs=20_000)
    play.wait_until_gone(topic)
    play.until(lambda told: not told["topics"], FETCH, 7, groupId=group, topics=None)
    for version in (7, 9):
        committed(play, version, group, [(topic, [0])])
