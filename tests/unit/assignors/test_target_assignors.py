"""The group coordinator's assignors against results computed by Kafka's."""

import gzip
import json
from pathlib import Path

import pytest

from barnabas.assignors.target import Partitions, TargetMember
from barnabas.assignors.target_range import TargetRangeAssignor
from barnabas.assignors.uniform import UniformAssignor

GOLDEN = Path(__file__).parents[2] / "golden" / "assignors" / "target.jsonl.gz"


def partitions(said: dict[str, list[int]]) -> Partitions:
    return {bytes.fromhex(topic): frozenset(numbers) for topic, numbers in said.items()}


def cases():
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            members = {
                member_id: TargetMember(
                    topics=[bytes.fromhex(topic) for topic in member["topics"]],
                    assignment=partitions(member["assignment"]),
                    group_instance_id=member["instance"],
                )
                for member_id, member in case["members"].items()
            }
            counts = {bytes.fromhex(topic): count for topic, count in case["topics"].items()}
            yield case, members, counts


@pytest.mark.parametrize("assignor", [UniformAssignor(), TargetRangeAssignor()], ids=lambda assignor: assignor.name)
def test_targets_equal_kafkas(assignor):
    for number, (case, members, counts) in enumerate(cases()):
        expected = {member_id: partitions(assigned) for member_id, assigned in case[assignor.name].items()}
        assert assignor.assign(members, counts) == expected, f"case {number}"


@pytest.mark.parametrize("assignor", [UniformAssignor(), TargetRangeAssignor()], ids=lambda assignor: assignor.name)
def test_every_subscribed_partition_has_one_owner_among_its_subscribers(assignor):
    for _, members, counts in cases():
        target = assignor.assign(members, counts)
        given = [
            (topic, partition)
            for member_id, assigned in target.items()
            for topic, numbers in assigned.items()
            for partition in numbers
            if topic in members[member_id].topics
        ]
        subscribed = {topic for member in members.values() for topic in member.topics}
        assert sorted(given) == sorted((topic, number) for topic in subscribed for number in range(counts[topic]))


def test_uniform_moves_only_what_it_must():
    topic = bytes(16)
    members = {
        "a": TargetMember([topic], {topic: frozenset(range(6))}),
        "b": TargetMember([topic], {topic: frozenset(range(6, 12))}),
        "c": TargetMember([topic], {}),
    }
    target = UniformAssignor().assign(members, {topic: 12})
    assert {member_id: len(assigned[topic]) for member_id, assigned in target.items()} == {"a": 4, "b": 4, "c": 4}
    assert target["a"][topic] < members["a"].assignment[topic]
    assert target["b"][topic] < members["b"].assignment[topic]


def test_nobody_and_nothing():
    for assignor in (UniformAssignor(), TargetRangeAssignor()):
        assert assignor.assign({}, {}) == {}
    assert UniformAssignor().assign({"a": TargetMember([], {})}, {}) == {}
