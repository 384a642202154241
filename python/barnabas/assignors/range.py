"""The range assignor: per topic, consecutive partitions to members in the order of their ids.

Topics with equal partition counts and the same members are co-partitioned: partition p of each goes to the same
member. Where members and replicas name their racks (KIP-881), partitions go first to members of a replica's rack, in
the same amounts; what is left is divided without minding racks.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from barnabas.assignors.api import RebalanceProtocol, hash_map_order, java_order, member_order
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from barnabas.assignors.api import Subscription
    from barnabas.types import PartitionInfo

__all__ = ["RangeAssignor"]

_Assignment = dict[str, list[TopicPartition]]


class RangeAssignor:
    """Kafka's RangeAssignor: equal results, in equal order.

    Example:
        >>> from barnabas.assignors import Subscription
        >>> from barnabas.types import PartitionInfo
        >>> partitions = {"orders": [PartitionInfo("orders", number, None) for number in range(3)]}
        >>> members = {"a": Subscription(("orders",)), "b": Subscription(("orders",))}
        >>> [tp.partition for tp in RangeAssignor().assign(partitions, members)["a"]]
        [0, 1]
    """

    name = "range"
    protocols = (RebalanceProtocol.EAGER,)

    def user_data(
        self, topics: Sequence[str], owned: Sequence[TopicPartition] | None, generation_id: int
    ) -> bytes | None:
        """Range needs none."""
        del topics, owned, generation_id
        return None

    def assign(
        self, partitions: Mapping[str, Sequence[PartitionInfo]], members: Mapping[str, Subscription]
    ) -> _Assignment:
        """Divides the partitions of the subscribed topics; see `Assignor.assign`."""
        by_topic: dict[str, list[str]] = defaultdict(list)
        for member_id in sorted(members, key=lambda member_id: member_order(member_id, members[member_id])):
            for topic in dict.fromkeys(members[member_id].topics):
                by_topic[topic].append(member_id)
        subscribed = hash_map_order(
            topic for member_id in hash_map_order(members) for topic in members[member_id].topics
        )
        existing = hash_map_order(topic for topic in subscribed if partitions.get(topic))
        topics = [_Topic(topic, partitions[topic], by_topic[topic], members) for topic in existing]
        assignment: _Assignment = {member_id: [] for member_id in members}
        rack_aware = any(topic.needs_racks for topic in topics)
        if rack_aware:
            _assign_by_rack(topics, assignment)
        for state in topics:
            state.assign_ranges(lambda _member, _partition: True, assignment)
        if rack_aware:
            for assigned in assignment.values():
                assigned.sort(key=lambda tp: (java_order(tp.topic), tp.partition))
        return assignment


class _Topic:
    """How far the division of one topic has come."""

    __slots__ = ("_quota", "_racks_of", "_taken", "_with_extra", "members", "needs_racks", "partitions", "topic")

    def __init__(
        self,
        topic: str,
        infos: Sequence[PartitionInfo],
        member_ids: Sequence[str],
        subscriptions: Mapping[str, Subscription],
    ) -> None:
        self.topic = topic
        self.members = {member_id: subscriptions[member_id].rack_id or None for member_id in member_ids}
        self.partitions = [info.partition for info in infos]
        self._quota, self._with_extra = divmod(len(infos), len(self.members))
        self._taken = dict.fromkeys(self.members, 0)
        member_racks = {rack for rack in self.members.values() if rack is not None}
        self._racks_of: dict[int, frozenset[str]] = {}
        if member_racks:
            self._racks_of = {
                info.partition: frozenset(node.rack for node in info.replicas if node.rack is not None)
                for info in infos
            }
        partition_racks = frozenset[str]().union(*self._racks_of.values())
        self.needs_racks = not member_racks.isdisjoint(partition_racks) and any(
            racks != partition_racks for racks in self._racks_of.values()
        )

    @property
    def racks_known(self) -> int:
        return len(self._racks_of)

    def racks_match(self, member_id: str, partition: int) -> bool:
        rack = self.members[member_id]
        return rack is None or rack in self._racks_of.get(partition, ())

    def room(self, member_id: str) -> int:
        return max(0, self._quota + (self._with_extra > 0) - self._taken[member_id])

    def give(self, member_id: str, chosen: Sequence[int], assignment: _Assignment) -> None:
        assignment[member_id].extend(TopicPartition(self.topic, partition) for partition in chosen)
        self._taken[member_id] += len(chosen)
        if self._taken[member_id] > self._quota:
            self._with_extra -= 1
        gone = set(chosen)
        self.partitions = [partition for partition in self.partitions if partition not in gone]

    def assign_ranges(self, may_assign: Callable[[str, int], bool], assignment: _Assignment) -> None:
        for member_id in self.members:
            if not self.partitions:
                break
            fitting = [partition for partition in self.partitions if may_assign(member_id, partition)]
            chosen = fitting[: self.room(member_id)]
            if chosen:
                self.give(member_id, chosen, assignment)


def _assign_by_rack(topics: Sequence[_Topic], assignment: _Assignment) -> None:
    groups: dict[tuple[tuple[tuple[str, str | None], ...], int], list[_Topic]] = defaultdict(list)
    for topic in topics:
        groups[tuple(topic.members.items()), topic.racks_known].append(topic)
    for (_, count), alike in groups.items():
        if len(alike) > 1:
            _assign_copartitioned(alike, count, assignment)
        elif alike[0].needs_racks:
            alike[0].assign_ranges(alike[0].racks_match, assignment)


def _assign_copartitioned(topics: Sequence[_Topic], count: int, assignment: _Assignment) -> None:
    """Gives partition p of all topics to one member whose rack has a replica of each."""
    remaining = list(topics[0].members)
    for partition in range(count):
        for member_id in remaining:
            if all(topic.racks_match(member_id, partition) and topic.room(member_id) > 0 for topic in topics):
                for topic in topics:
                    topic.give(member_id, [partition], assignment)
                if not any(topic.room(member_id) > 0 for topic in topics):
                    remaining.remove(member_id)
                break
        if not remaining:
            break
