"""Offsets that Kafka's transactions wrote, committed, aborted and open ones: our coordinator reads the partitions of
`__consumer_offsets` that Kafka wrote, and answers as Kafka does; also when they are deleted, and after that was replayed. Groups with members, too."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import confluent_kafka
import pytest
from confluent_kafka import TopicPartition

sys.path.insert(0, str(Path(__file__).parent.parent / "broker"))

from raw_client import RawClient
from reference_kafka import copy_of_running
from stored_groups import groups_told, write_groups

from barnabas import Broker
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_groups import DeleteGroupsRequest
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from barnabas.protocol.messages.list_groups import ListGroupsRequest
from barnabas.protocol.messages.offset_delete import OffsetDeleteRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.interop
BOUND = 60.0
TOPIC = "in-transactions"
PARTITIONS = 3
UNSTABLE_OFFSET_COMMIT = 88


class History:
    """Writes offsets through Kafka, in transactions and outside of them."""

    def __init__(self, address: str) -> None:
        # They outlive Kafka, of which each would tell on every attempt to connect.
        self.options = {"bootstrap.servers": address, "log_level": "0"}
        self.consumers: dict[str, confluent_kafka.Consumer] = {}
        self.client = RawClient(address, timeout=BOUND)

    def group(self, name: str) -> confluent_kafka.Consumer:
        if name not in self.consumers:
            self.consumers[name] = confluent_kafka.Consumer({**self.options, "group.id": name})
        return self.consumers[name]

    def commit(self, group: str, *offsets: TopicPartition) -> None:
        for answer in self.group(group).commit(offsets=list(offsets), asynchronous=False):
            assert answer.error is None

    def begin(self, group: str, *offsets: TopicPartition, name: str = "") -> confluent_kafka.Producer:
        """A transaction that has sent its offsets and is open."""
        options = {"transactional.id": name or group, "transaction.timeout.ms": 900_000}
        producer = confluent_kafka.Producer({**self.options, **options})
        producer.init_transactions(BOUND)
        producer.begin_transaction()
        producer.send_offsets_to_transaction(list(offsets), self.group(group).consumer_group_metadata(), BOUND)
        return producer

    def write(self) -> list[confluent_kafka.Producer]:
        """Returns the producers whose transactions are open."""
        self.begin("committed", at(0, 10, "with metadata"), at(1, 11)).commit_transaction(BOUND)
        self.commit("aborted", at(0, 1))
        self.begin("aborted", at(0, 10), at(1, 11)).abort_transaction(BOUND)
        self.begin("only aborted", at(0, 10)).abort_transaction(BOUND)

        self.commit("overtaken", at(0, 1))
        overtaken = self.begin("overtaken", at(0, 10), at(1, 11))
        self.commit("overtaken", at(0, 50))
        overtaken.commit_transaction(BOUND)

        for group, order in (("in order", (0, 1)), ("against the order", (1, 0))):
            two = [self.begin(group, at(0, 10 + number), name=f"{group} {number}") for number in range(2)]
            for number in order:
                two[number].commit_transaction(BOUND)
        one_of_two = self.begin("one of two", at(0, 10), name="first of two")
        other = self.begin("one of two", at(0, 20), at(1, 21), name="second of two")
        other.commit_transaction(BOUND)

        self.commit("offset deleted", at(0, 1), at(1, 2))
        deleted = self.begin("offset deleted", at(0, 10), at(2, 12))
        assert delete_offsets(self.client, "offset deleted", 0, 2) == (0, [(0, 0), (2, 0)])
        deleted.commit_transaction(BOUND)
        self.commit("group deleted", at(0, 1))
        deleted = self.begin("group deleted", at(0, 10), at(2, 12))
        assert delete_groups(self.client, "group deleted") == [("group deleted", 0)]
        deleted.commit_transaction(BOUND)
        self.commit("nothing left", at(0, 1))
        assert delete_offsets(self.client, "nothing left", 0) == (0, [(0, 0)])

        self.commit("open", at(0, 1, "kept"), at(1, 2))
        opened = self.begin("open", at(0, 10), at(2, 12))
        self.commit("open and overtaken", at(0, 1))
        overtaken = self.begin("open and overtaken", at(0, 10))
        self.commit("open and overtaken", at(0, 5))
        return [opened, overtaken, one_of_two, self.begin("only open", at(0, 10)), self.begin("open, too", at(1, 10))]


GROUPS = [
    "committed", "aborted", "only aborted", "overtaken", "in order", "against the order", "one of two", "offset deleted",
    "group deleted", "nothing left", "open", "open and overtaken", "only open", "open, too", "never there",
]  # fmt: skip


OPEN = {
    ("open", 0), ("open", 2), ("open and overtaken", 0), ("one of two", 0), ("only open", 0), ("open, too", 1),
}  # fmt: skip
"""What `History.write` leaves in open transactions."""


def at(partition: int, offset: int, metadata: str = "m") -> TopicPartition:
    return TopicPartition(TOPIC, partition, offset, metadata)


def delete_offsets(client: RawClient, group: str, *partitions: int) -> tuple[int, list[tuple[int, int]]]:
    wanted = [OffsetDeleteRequest.OffsetDeleteRequestPartition(partition_index=index) for index in partitions]
    topic = OffsetDeleteRequest.OffsetDeleteRequestTopic(name=TOPIC, partitions=wanted)
    answer = client.ask(OffsetDeleteRequest(group_id=group, topics=[topic]))
    found = [(one.partition_index, one.error_code) for topic in answer.topics for one in topic.partitions]
    return answer.error_code, sorted(found)


def delete_groups(client: RawClient, *groups: str) -> list[tuple[str, int]]:
    answer = client.ask(DeleteGroupsRequest(groups_names=list(groups)))
    return sorted((group.group_id, group.error_code) for group in answer.results)


def told(client: RawClient) -> dict[str, Any]:
    """Everything that a broker tells of the groups."""
    found: dict[str, Any] = {}
    for is_stable in (False, True):
        for topics in (
            None,
            [OffsetFetchRequest.OffsetFetchRequestTopics(name=TOPIC, partition_indexes=[*range(PARTITIONS)])],
        ):
            asked = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=topics) for group in GROUPS]
            answer = client.ask(OffsetFetchRequest(groups=asked, require_stable=is_stable), 9)
            for group in answer.groups:
                offsets = sorted(
                    (
                        one.partition_index,
                        one.error_code,
                        one.committed_offset,
                        one.committed_leader_epoch,
                        one.metadata,
                    )
                    for topic in group.topics
                    for one in topic.partitions
                )
                what = f"{group.group_id}: {'stable ' if is_stable else ''}{'all' if topics is None else 'named'}"
                found[what] = (group.error_code, offsets)
    listed = client.ask(ListGroupsRequest()).groups
    states = sorted((group.group_id, group.group_state, group.group_type) for group in listed)
    found["list"] = [state for state in states if state[0] in GROUPS]
    described = client.ask(DescribeGroupsRequest(groups=GROUPS)).groups
    found["describe"] = sorted((group.group_id, group.error_code, group.group_state) for group in described)
    return found


def unstable(client: RawClient) -> set[tuple[str, int]]:
    """Groups and partitions for which transactions are open."""
    topics = [OffsetFetchRequest.OffsetFetchRequestTopics(name=TOPIC, partition_indexes=[*range(PARTITIONS)])]
    asked = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=topics) for group in GROUPS]
    return {
        (group.group_id, partition.partition_index)
        for group in client.ask(OffsetFetchRequest(groups=asked, require_stable=True), 9).groups
        for topic in group.topics
        for partition in topic.partitions
        if partition.error_code == UNSTABLE_OFFSET_COMMIT
    }


def administered(client: RawClient) -> Iterator[Any]:
    """What a broker says to deletions, and what it tells then."""
    yield delete_offsets(client, "open", 0, 1)
    yield delete_offsets(client, "only open", 0)
    yield delete_offsets(client, "only open", 0)
    yield delete_offsets(client, "never there", 0)
    yield told(client)
    yield delete_groups(client, "open", "only open", "open, too", "committed", "only aborted", "never there")
    yield told(client)
    yield delete_groups(client, "open", "only aborted", "nothing left", "group deleted")
    yield told(client)


def _needless(directory: str, names: list[str]) -> list[str]:
    """What a copy of a Kafka's files can do without: other tests' topics, and indexes, whose files are mostly holes."""

    def is_needed(path: Path) -> bool:
        if path.is_dir():
            return path.name.startswith(("__", f"{TOPIC}-"))
        return path.name != ".lock" and path.suffix not in (".tmp", ".index", ".timeindex")

    return [name for name in names if not is_needed(Path(directory, name))]


@pytest.mark.timeout(180)
def test_offsets_of_kafkas_transactions_are_told_as_by_kafka(kafka: str, tmp_path: Path) -> None:
    with RawClient(kafka, timeout=BOUND) as reference:
        topic = CreateTopicsRequest.CreatableTopic(name=TOPIC, num_partitions=PARTITIONS, replication_factor=1)
        assert reference.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000)).topics[0].error_code == 0
        history = History(kafka)
        open_ones = history.write()
        # Who commits is answered before the markers are written.
        while unstable(reference) != OPEN:
            pass
        write_groups(reference, TOPIC)
        theirs = told(reference)
        (where,) = reference.ask(DescribeLogDirsRequest(topics=None)).results
        their_groups = None
        # Kafka matches patterns on a thread of its own; what it tells must be what was copied.
        while their_groups != (their_groups := groups_told(reference)):
            copy_of_running(where.log_dir, tmp_path / "ours", _needless)
        said = list(administered(reference))
        history.client.close()
    for producer in open_ones:
        producer.abort_transaction(BOUND)
    assert theirs["open: stable named"] == (
        0,
        [(0, UNSTABLE_OFFSET_COMMIT, -1, -1, ""), (1, 0, 2, -1, "m\0"), (2, UNSTABLE_OFFSET_COMMIT, -1, -1, "")],
    ), "the case is what it should be; confluent-kafka ends metadata with a zero"
    with Broker(data_dir=tmp_path / "ours") as broker, RawClient(broker.bootstrap_servers, timeout=BOUND) as ours:
        loaded(ours)
        assert groups_told(ours) == their_groups
        assert told(ours) == theirs
        assert list(administered(ours)) == said
    with Broker(data_dir=tmp_path / "ours") as broker, RawClient(broker.bootstrap_servers, timeout=BOUND) as ours:
        loaded(ours)
        assert told(ours) == said[-1]


def loaded(client: RawClient) -> None:
    """Waits until the coordinators of all groups serve."""
    asked = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=None) for group in GROUPS]
    while any(group.error_code for group in client.ask(OffsetFetchRequest(groups=asked), 9).groups):
        pass
