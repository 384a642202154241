"""The range assignor and the consumer protocol against results computed by Kafka's Java client."""

import gzip
import json
from pathlib import Path

import pytest

from barnabas.assignors import ASSIGNORS, RangeAssignor, Subscription
from barnabas.assignors import consumer_protocol as protocol
from barnabas.errors import ProtocolError
from barnabas.types import Node, PartitionInfo, TopicPartition

GOLDEN = Path(__file__).parents[2] / "golden" / "assignors" / "range.jsonl.gz"


def cases() -> list[dict[str, object]]:
    with gzip.open(GOLDEN, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def partitions_of(case) -> dict[str, list[PartitionInfo]]:
    return {
        topic: [
            PartitionInfo(topic, number, None, replicas=tuple(Node(0, "h", 1, rack) for rack in racks))
            for number, racks in enumerate(partitions)
        ]
        for topic, partitions in case["topics"].items()
    }


def members_of(case) -> dict[str, Subscription]:
    return {
        member_id: Subscription(
            topics=tuple(member["topics"]),
            owned_partitions=tuple(TopicPartition(*owned) for owned in member["owned"]),
            generation_id=case["generation"],
            rack_id=member["rack"],
            group_instance_id=member.get("instance"),
        )
        for member_id, member in case["members"].items()
    }


def test_assignments_equal_javas_in_content_and_order():
    for number, case in enumerate(cases()):
        found = RangeAssignor().assign(partitions_of(case), members_of(case))
        expected = {
            member_id: [TopicPartition(*partition) for partition in assignment["partitions"]]
            for member_id, assignment in case["assignments"].items()
        }
        assert found == expected, f"case {number}"


def test_subscription_and_assignment_bytes_equal_javas():
    for case in cases():
        for member_id, subscription in members_of(case).items():
            data = bytes.fromhex(case["members"][member_id]["bytes"])
            assert protocol.encode_subscription(subscription) == data
            decoded = protocol.decode_subscription(data, subscription.group_instance_id)
            assert decoded.topics == subscription.topics
            assert set(decoded.owned_partitions) == set(subscription.owned_partitions)
            assert decoded.rack_id == subscription.rack_id
        for assignment in case["assignments"].values():
            partitions = [TopicPartition(*partition) for partition in assignment["partitions"]]
            data = bytes.fromhex(assignment["bytes"])
            assert protocol.encode_assignment(partitions) == data
            assert sorted(protocol.decode_assignment(data)) == sorted(partitions)


def test_a_newer_version_of_the_protocol_is_read_as_far_as_it_is_known():
    data = protocol.encode_assignment([TopicPartition("t", 1)])
    assert protocol.decode_assignment((9).to_bytes(2, "big") + data[2:] + b"future") == [TopicPartition("t", 1)]


@pytest.mark.parametrize("data", [b"\0", b"\xff\xff", b"\0\3\0\0\0\7"])
def test_damaged_protocol_data_is_refused(data):
    with pytest.raises(ProtocolError):
        protocol.decode_assignment(data)


def test_the_registry_holds_assignors_by_wire_name():
    assert ASSIGNORS["range"].name == "range"
