"""The coordinator's range assignor: per topic, consecutive partitions to members in the order of their names.

It starts from nothing each time; the present target has no influence. As in Kafka 4.3 it does not mind racks.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from barnabas.assignors.api import java_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.assignors.target import Partitions, TargetAssignment, TargetMember

__all__ = ["TargetRangeAssignor"]


class TargetRangeAssignor:
    """Kafka's `org.apache.kafka.coordinator.group.assignor.RangeAssignor`: equal results.

    Example:
        >>> from barnabas.assignors.target import TargetMember
        >>> orders = bytes(16)
        >>> members = {"a": TargetMember([orders], {}), "b": TargetMember([orders], {})}
        >>> sorted(TargetRangeAssignor().assign(members, {orders: 3})["a"][orders])
        [0, 1]
    """

    name = "range"

    def assign(self, members: Mapping[str, TargetMember], partition_counts: Mapping[bytes, int]) -> TargetAssignment:
        """Divides the partitions; see `barnabas.assignors.target.TargetAssignor.assign`."""
        subscribers = Counter(topic for member in members.values() for topic in member.topics)
        ranges = {topic: _Ranges(partition_counts[topic], count) for topic, count in subscribers.items()}
        target: TargetAssignment = {}
        for member_id in sorted(members, key=lambda member_id: _order(member_id, members[member_id])):
            partitions: Partitions = {}
            for topic in members[member_id].topics:
                chosen = ranges[topic].take()
                if chosen:
                    partitions[topic] = chosen
            target[member_id] = partitions
        return target


def _order(member_id: str, member: TargetMember) -> tuple[bool, bytes]:
    """Static members first, by their instance id, because it outlives them; then the others by member id."""
    instance = member.group_instance_id
    return (instance is None, java_order(member_id if instance is None else instance))


class _Ranges:
    """How far one topic has been divided."""

    __slots__ = ("_count", "_next", "_quota", "_with_extra")

    def __init__(self, partition_count: int, member_count: int) -> None:
        self._count = partition_count
        self._next = 0
        self._quota, self._with_extra = divmod(partition_count, member_count)

    def take(self) -> frozenset[int]:
        size = self._quota
        if self._with_extra:
            self._with_extra -= 1
            size += 1
        start, self._next = self._next, min(self._next + size, self._count)
        return frozenset(range(start, self._next))
