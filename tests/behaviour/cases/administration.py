"""Partitions, leaders, reassignments, the quorum, features, brokers, directories."""

from __future__ import annotations

from typing import Any, Final

from behaviour.batches import batch
from behaviour.cases import Body, Play, Topic, case
from behaviour.cases.bodies import to

PARTITIONS: Final = "CreatePartitions"
ELECT: Final = "ElectLeaders"
REASSIGN: Final = "AlterPartitionReassignments"
FEATURES: Final = "UpdateFeatures"
QUORUM: Final = "DescribeQuorum"
DIRECTORIES: Final = "DescribeLogDirs"
MOVE: Final = "AlterReplicaLogDirs"
TIME: Final = {"timeoutMs": 10_000}
SOME_ID: Final = "bm9ib2R5J3Mgdm90ZXIuLg"
MISSING_ID: Final = "AAAAAAAAAAAAAAAAAAAAAA"


def more(name: str, count: int, assignments: list[list[int]] | None = None) -> Body:
    replicas = None if assignments is None else [{"brokerIds": ids} for ids in assignments]
    return {"name": name, "count": count, "assignments": replicas}


@case
def partitions_that_are_refused(play: Play) -> None:
    one, two = play.topic("one", 2).name, play.topic("two", 2).name
    missing = play.named("missing")
    wanted = {
        "unknown": [more(missing, 3)], "empty": [more("", 3)], "bad name": [more("a b", 3)], "as many": [more(one, 2)],
        "fewer": [more(one, 1)], "none": [more(one, 0)], "negative": [more(one, -1)],
        "twice": [more(one, 3), more(one, 4)], "one of three": [more(one, 3), more(two, 3), more(missing, 3)],
        "no assignments": [more(one, 3, [])], "too many": [more(one, 3, [[1], [1]])], "too few": [more(one, 4, [[1]])],
        "no replicas": [more(one, 3, [[]])], "unknown broker": [more(one, 3, [[9]])],
        "broker twice": [more(one, 3, [[1, 1]])], "one is wrong": [more(one, 4, [[1], [9]])],
        "good": [more(one, 4, [[1], [1]])], "very many": [more(one, 20_000)], "nothing": [],
    }  # fmt: skip
    for version in play.versions(PARTITIONS):
        for label, topics in wanted.items():
            play.ask(PARTITIONS, version, label=label, topics=topics, validateOnly=True, **TIME)


@case
def partitions_that_come(play: Play) -> None:
    for version in play.versions(PARTITIONS):
        one, two = play.topic(f"one{version}", 2), play.topic(f"two{version}", 2)
        play.ask(PARTITIONS, version, topics=[more(one.name, 4), more(two.name, 3, [[1]])], **TIME)
        play.settle(one)
        play.ask("Metadata", 9, topics=[{"name": one.name}, {"name": two.name}])


@case
def no_time(play: Play) -> None:
    one, two = play.topic("one"), play.topic("two")
    play.ask(PARTITIONS, 3, topics=[more(one.name, 9)], timeoutMs=0)
    new = {"name": play.named("late"), "numPartitions": 1, "replicationFactor": 1}
    play.ask("CreateTopics", 7, topics=[new], timeoutMs=0)
    play.ask("DeleteTopics", 6, topics=[{"name": two.name}], timeoutMs=0)


@case
def elections(play: Play) -> None:
    topic = play.topic(partitions=2)
    some = {
        "some": [{"topic": topic.name, "partitions": [0, 1, 9]}],
        "unknown": [{"topic": play.named("missing"), "partitions": [0]}],
        "no partitions": [{"topic": topic.name, "partitions": []}],
        "no name": [{"topic": "", "partitions": [0]}],
        "nothing": [],
    }
    for version in play.versions(ELECT):
        for kind in (0, 1, 2) if version else (0,):
            for label, topics in some.items():
                play.ask(ELECT, version, label=f"{label}, {kind}", topicPartitions=topics, electionType=kind, **TIME)


@case
def elections_everywhere(play: Play) -> None:
    play.topic(partitions=2)
    prefix = play.named("")

    def keep(answer: Body) -> Body:
        found = answer["replicaElectionResults"]
        return {**answer, "replicaElectionResults": [one for one in found if one["topic"].startswith(prefix)]}

    for version in play.versions(ELECT):
        play.ask(ELECT, version, keep=keep, topicPartitions=None, **TIME)


@case
def reassignments(play: Play) -> None:
    name, missing = play.topic(partitions=2).name, play.named("missing")
    for version in play.versions(REASSIGN):
        for topic, index, replicas in (
            (name, 0, [1]), (name, 0, None), (name, 0, []), (name, 0, [9]), (name, 0, [1, 1]), (name, 0, [1, 9]),
            (name, 0, [-1]), (name, 9, [1]), (name, 9, None), (missing, 0, [1]), (missing, 0, None), ("", 0, [1]),
        ):  # fmt: skip
            topics = [{"name": topic, "partitions": [{"partitionIndex": index, "replicas": replicas}]}]
            play.ask(REASSIGN, version, label=f"{topic[-3:]} {index} {replicas}", topics=topics, **TIME)
        play.ask(REASSIGN, version, label="nothing", topics=[], **TIME)
        play.ask(REASSIGN, version, label="no partitions", topics=[{"name": name, "partitions": []}], **TIME)
    topics = [{"name": name, "partitions": [{"partitionIndex": 0, "replicas": [1, 9]}]}]
    play.ask(REASSIGN, 1, label="another factor", topics=topics, allowReplicationFactorChange=False, **TIME)


@case
def reassignments_under_way(play: Play) -> None:
    name = play.topic().name
    for topics in (None, [], [{"name": name, "partitionIndexes": [0, 9]}], [{"name": play.named("missing")}]):
        play.ask("ListPartitionReassignments", 0, topics=topics, **TIME)


def without_marks(answer: Body) -> Body:
    """Leaves out how far the metadata log has got, and how often its leader changed."""
    for topic in answer["topics"]:
        for partition in topic["partitions"]:
            partition["leaderEpoch"] = partition["highWatermark"] = min(partition["highWatermark"], 0)
    return answer


@case
def quorum(play: Play) -> None:
    for version in play.versions(QUORUM):
        for name, index in (("__cluster_metadata", 0), ("__cluster_metadata", 1), ("missing", 0)):
            topics = [{"topicName": name, "partitions": [{"partitionIndex": index}]}]
            play.ask(QUORUM, version, label=f"{name} {index}", keep=without_marks, topics=topics)
        play.ask(QUORUM, version, label="nothing", topics=[])


@case
def voters_that_stay(play: Play) -> None:
    reached, elsewhere = ([{"name": name, "host": "127.0.0.1", "port": 1}] for name in ("CONTROLLER", "OTHER"))
    for voter, directory, listeners in (
        (2, SOME_ID, reached), (2, SOME_ID, []), (2, SOME_ID, elsewhere), (2, MISSING_ID, reached), (-1, SOME_ID, reached),
        (1, SOME_ID, reached),
    ):  # fmt: skip
        body = {"clusterId": None, "voterId": voter, "voterDirectoryId": directory}
        for version in play.versions("AddRaftVoter"):
            play.ask("AddRaftVoter", version, **body, listeners=listeners, **TIME)
        play.ask("RemoveRaftVoter", 0, **body)


UPDATES: Final[dict[str, list[tuple[str, int, int]]]] = {
    "unknown": [("nope", 1, 1)],
    "as it is": [("metadata.version", 30, 1)],
    "lower, upgrading": [("metadata.version", 29, 1)],
    "lower, safely": [("metadata.version", 29, 2)],
    "lower, unsafely": [("metadata.version", 29, 3)],
    "unknown level": [("metadata.version", 99, 1)],
    "below the lowest": [("metadata.version", 3, 3)],
    "to nothing": [("metadata.version", 0, 2)],
    "negative": [("metadata.version", -1, 2)],
    "unknown kind": [("metadata.version", 30, 9)],
    "groups": [("group.version", 1, 1)],
    "groups off, upgrading": [("group.version", 0, 1)],
    "groups off": [("group.version", 0, 2)],
    "groups of later": [("group.version", 2, 1)],
    "no name": [("", 1, 1)],
    "one is wrong": [("group.version", 0, 2), ("nope", 1, 1)],
    "twice": [("group.version", 0, 2), ("group.version", 1, 1)],
    "nothing": [],
    "the quorum as it is": [("kraft.version", 0, 1)],
    "the quorum as it is, downgrading": [("kraft.version", 0, 3)],
    "the quorum, raised": [("kraft.version", 1, 1)],
    "the quorum, raised by a downgrade": [("kraft.version", 1, 2)],
    "the quorum, raised beside something wrong": [("kraft.version", 1, 1), ("nope", 1, 1)],
    "eligible replicas as they are": [("eligible.leader.replicas.version", 1, 1)],
    "eligible replicas off, upgrading": [("eligible.leader.replicas.version", 0, 1)],
    "eligible replicas off": [("eligible.leader.replicas.version", 0, 3)],
    "eligible replicas of later": [("eligible.leader.replicas.version", 2, 1)],
    "a quorum of later": [("kraft.version", 2, 1)],
    "a quorum of never": [("kraft.version", -1, 2)],
}


@case
def features(play: Play) -> None:
    for version in (1, 2):
        for label, some in UPDATES.items():
            updates = [{"feature": name, "maxVersionLevel": level, "upgradeType": kind} for name, level, kind in some]
            play.ask(FEATURES, version, label=label, featureUpdates=updates, validateOnly=True, **TIME)
    updates = [{"feature": "metadata.version", "maxVersionLevel": 30, "allowDowngrade": False}]
    play.ask(FEATURES, 0, featureUpdates=updates, **TIME)


@case
def brokers_that_are_not_there(play: Play) -> None:
    for broker in (9, -1, 2**31 - 1):
        play.ask("UnregisterBroker", 0, brokerId=broker)


def filled(play: Play) -> Topic:
    topic = play.topic(partitions=2)
    for index in range(2):
        play.quiet("Produce", 9, **to(Topic(topic.name, ""), {index: batch(*[b"x"] * (index + 1))}))
    return topic


@case
def directories(play: Play) -> None:
    name = filled(play).name
    some: list[Any] = [
        [{"topic": name, "partitions": [0, 1, 9]}], [{"topic": play.named("missing"), "partitions": [0]}],
        [{"topic": name, "partitions": []}], [],
    ]  # fmt: skip
    for version in play.versions(DIRECTORIES):
        for topics in some:
            play.ask(DIRECTORIES, version, topics=topics)


@case
def all_directories(play: Play) -> None:
    prefix = filled(play).name

    def keep(answer: Body) -> Body:
        for result in answer["results"]:
            result["topics"] = [topic for topic in result["topics"] if topic["name"].startswith(prefix)]
        return answer

    for version in play.versions(DIRECTORIES):
        play.ask(DIRECTORIES, version, keep=keep, topics=None)


@case
def moves_between_directories(play: Play) -> None:
    name, missing = filled(play).name, play.named("missing")
    answer = play.quiet(DIRECTORIES, 2, topics=[{"topic": name, "partitions": [0]}])
    path = answer["results"][0]["logDir"]
    play.name(path, "directory")
    for version in play.versions(MOVE):
        for number, (where, topic, index) in enumerate((
            (path, name, 0), ("/no/such/directory", name, 0), ("relative", name, 0), ("", name, 0), (path, name, 9),
            (path, missing, 0), ("/no/such/directory", missing, 0),
        )):  # fmt: skip
            dirs = [{"path": where, "topics": [{"name": topic, "partitions": [index]}]}]
            play.ask(MOVE, version, label=str(number), dirs=dirs)
        play.ask(MOVE, version, label="nothing", dirs=[])
