"""Round robin and the sticky assignors against results computed by Kafka's Java client."""

import gzip
import json
import os
from pathlib import Path

import pytest

from barnabas.assignors import ASSIGNORS, Subscription
from barnabas.types import Node, PartitionInfo, TopicPartition

GOLDEN = Path(os.environ.get("STICKY_CASES") or Path(__file__).parents[2] / "golden" / "assignors" / "sticky.jsonl.gz")


def cases(assignor):
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            if case["assignor"] == assignor:
                yield case


def partitions_of(case):
    return {
        topic: [
            PartitionInfo(topic, number, None, replicas=tuple(Node(0, "h", 1, rack) for rack in racks))
            for number, racks in enumerate(partitions)
        ]
        for topic, partitions in case["topics"].items()
    }


def subscription_of(member):
    return Subscription(
        topics=tuple(member["topics"]),
        owned_partitions=tuple(TopicPartition(*owned) for owned in member["owned"]),
        user_data=None if member["data"] is None else bytes.fromhex(member["data"]),
        generation_id=member["generation"],
        rack_id=member["rack"],
        group_instance_id=member["instance"],
    )


def listed(said):
    return [TopicPartition(*partition) for partition in said]


@pytest.mark.parametrize("name", ["roundrobin", "sticky", "cooperative-sticky"])
def test_assignments_equal_javas_in_content_and_order(name):
    for number, case in enumerate(cases(name)):
        members = {member_id: subscription_of(member) for member_id, member in case["members"].items()}
        found = ASSIGNORS[name].assign(partitions_of(case), members)
        expected = {member_id: listed(assigned) for member_id, assigned in case["assignments"].items()}
        assert found == expected, f"case {number} of group {case['group']}"


@pytest.mark.parametrize("name", ["roundrobin", "sticky", "cooperative-sticky"])
def test_user_data_equals_javas(name):
    for case in cases(name):
        for member in case["members"].values():
            owned = None if member["had"] is None else listed(member["had"])
            data = ASSIGNORS[name].user_data(member["topics"], owned, member["since"])
            assert (None if data is None else data.hex()) == member["user_data"]
