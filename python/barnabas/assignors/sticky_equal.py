"""Sticky assignment where all members subscribe to the same topics: quotas decide.

With n partitions and m members everybody gets n // m, and n % m members one more. Members keep what they have up to
their quota; the rest goes round among those that have less.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.assignors.api import java_order
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from barnabas.assignors.racks import Racks
    from barnabas.types import PartitionInfo

__all__ = ["assign_equal"]

_Assignment = dict[str, list[TopicPartition]]


def assign_equal(
    partitions: Mapping[str, Sequence[PartitionInfo]],
    racks: Racks,
    owned: _Assignment,
    claimed: set[TopicPartition],
) -> tuple[_Assignment, dict[TopicPartition, str]]:
    """Divides `partitions` evenly.

    Args:
        partitions: The partitions of each topic.
        racks: Who stands where.
        owned: What each member may keep.
        claimed: What several members claimed, so that nobody keeps it.

    Returns:
        The partitions of each member, and those that change hands with their new owners.
    """
    if not owned:
        return {}, {}
    division = _Division(partitions, racks, owned, claimed)
    division.keep_owned()
    missing = division.unassigned()
    division.under.sort(key=java_order)
    division.exact.sort(key=java_order)
    missing = racks.scarcest_first(missing)
    if racks.of_member:
        missing = division.give_within_racks(missing)
    division.give_around(missing)
    return division.assignment, division.moving


class _Division:
    """How far the division has come.

    Attributes:
        under: Members with less than the lower quota.
        exact: Members with just the lower quota of whom some will get one more.
    """

    def __init__(
        self,
        partitions: Mapping[str, Sequence[PartitionInfo]],
        racks: Racks,
        owned: _Assignment,
        claimed: set[TopicPartition],
    ) -> None:
        self.assignment: _Assignment = {member_id: [] for member_id in owned}
        self.moving: dict[TopicPartition, str] = {}
        self.under: list[str] = []
        self.exact: list[str] = []
        self._partitions = partitions
        self._racks = racks
        self._owned = owned
        self._claimed = claimed
        self._revoked: dict[TopicPartition, str] = {}
        self._min, self._with_extra = divmod(sum(map(len, partitions.values())), len(owned))
        self._max = self._min + (self._with_extra > 0)
        self._extra_given = 0

    def keep_owned(self) -> None:
        for member_id, owned in self._owned.items():
            self._revoked.update({tp: member_id for tp in owned if self._racks.mismatch(member_id, tp)})
            kept = sorted(
                (tp for tp in owned if not self._racks.mismatch(member_id, tp) and tp not in self._claimed),
                key=lambda tp: (tp.partition, java_order(tp.topic)),
            )
            quota = self._min
            if len(kept) < self._min:
                self.under.append(member_id)
            elif len(kept) >= self._max and self._extra_given < self._with_extra:
                quota = self._max
                self._give_extra()
            elif self._extra_given < self._with_extra:
                self.exact.append(member_id)
            self.assignment[member_id] += kept[:quota]
            self._revoked.update(dict.fromkeys(kept[quota:], member_id))

    def unassigned(self) -> list[TopicPartition]:
        assigned = {partition for partitions in self.assignment.values() for partition in partitions}
        return [
            partition
            for topic in sorted(self._partitions, key=java_order)
            for partition in (TopicPartition(topic, info.partition) for info in self._partitions[topic])
            if partition not in assigned
        ]

    def give_within_racks(self, missing: Sequence[TopicPartition]) -> list[TopicPartition]:
        """Gives partitions to members beside a replica as far as quotas allow; returns what is left."""
        left = []
        at = 0
        for partition in missing:
            index = self._racks.next_beside(partition, self.under, at)
            if index is not None:
                member_id = self.under[index]
                count = len(self.assignment[member_id]) + 1
                if count >= self._min:
                    del self.under[index]
                    if count < self._max and self._extra_given < self._with_extra:
                        self.exact.append(member_id)
                else:
                    index += 1
                at = index % len(self.under) if self.under else 0
            else:
                index = self._racks.next_beside(partition, self.exact, 0)
                if index is None:
                    left.append(partition)
                    continue
                member_id = self.exact[index]
                if len(self.assignment[member_id]) + 1 == self._max:
                    del self.exact[index]
                    self._give_extra()
            self._give(partition, member_id)
        return left

    def give_around(self, missing: Sequence[TopicPartition]) -> None:
        """Gives one partition after the other to one member after the other."""
        at = 0
        for partition in missing:
            if self.under:
                at = at if at < len(self.under) else 0
                member_id = self.under[at]
                at += 1
            else:
                member_id = self.exact.pop(0)
            count = self._give(partition, member_id)
            if count == self._min:
                at -= 1
                del self.under[at]
                self.exact.append(member_id)

    def _give(self, partition: TopicPartition, member_id: str) -> int:
        self.assignment[member_id].append(partition)
        if self._revoked.get(partition, member_id) != member_id or partition in self._claimed:
            self.moving[partition] = member_id
        return len(self.assignment[member_id])

    def _give_extra(self) -> None:
        """One more member has the upper quota; when enough have, nobody with the lower one waits for more."""
        self._extra_given += 1
        if self._extra_given == self._with_extra:
            self.exact.clear()
