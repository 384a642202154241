"""Sticky assignment where members subscribe to different topics: partitions are moved while that makes it more even.

What members own stays; what nobody owns goes to the member with the least of those that may have it; then partitions
move, the ones with the fewest candidates first, until no move makes the group more even. A partition that moves back
and forth between two members stays where it was (`_Movements`), and if the whole effort made nothing better, it is
undone.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import TYPE_CHECKING

from barnabas.assignors.api import HashOrder, java_order, partition_hash
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from barnabas.assignors.api import Subscription
    from barnabas.assignors.racks import Racks
    from barnabas.assignors.sticky import MemberData
    from barnabas.types import PartitionInfo

__all__ = ["assign_general"]

_Assignment = dict[str, list[TopicPartition]]


def assign_general(
    partitions: Mapping[str, Sequence[PartitionInfo]],
    racks: Racks,
    owned: _Assignment,
    members: Mapping[str, Subscription],
    data: Mapping[str, MemberData],
) -> _Assignment:
    """Divides `partitions` as evenly as the subscriptions allow.

    Args:
        partitions: The partitions of each topic.
        racks: Who stands where.
        owned: What each member may keep if it still subscribes to it; changed in place into the result.
        members: The subscriptions.
        data: What each member said it had, and since which generation.

    Returns:
        The partitions of each member.
    """
    division = _Division(partitions, racks, owned, members)
    assigned = division.keep_owned(members)
    missing = [partition for partition in division.all_partitions if partition not in assigned]
    division.balance(_previous_owners(data), missing)
    return division.assignment


def _previous_owners(data: Mapping[str, MemberData]) -> dict[TopicPartition, str]:
    """Who had what in older generations than the newest: a partition that must move had better go back there."""
    newest = max((said.generation_id for said in data.values() if said.generation_id is not None), default=-1)
    newest = max(newest, -1)
    found: dict[TopicPartition, tuple[int, str]] = {}
    for member_id, said in data.items():
        generation_id = -1 if said.generation_id is None else said.generation_id
        if generation_id >= newest:
            continue
        for partition in said.partitions:
            if partition not in found or generation_id > found[partition][0]:
                found[partition] = (generation_id, member_id)
    return {partition: member_id for partition, (_, member_id) in found.items()}


class _BySize:
    """Members in the order of how much they have, then of their ids."""

    def __init__(self, assignment: _Assignment) -> None:
        self._assignment = assignment
        self._sorted = sorted((self._key(member_id), member_id) for member_id in assignment)

    def _key(self, member_id: str) -> tuple[int, bytes]:
        return (len(self._assignment[member_id]), java_order(member_id))

    def __iter__(self) -> Iterator[str]:
        return (member_id for _, member_id in self._sorted)

    @property
    def most(self) -> str:
        return self._sorted[-1][1]

    def add(self, member_id: str) -> None:
        insort(self._sorted, (self._key(member_id), member_id))

    def remove(self, member_id: str) -> None:
        """Takes a member out; must come before what it has changes."""
        del self._sorted[bisect_left(self._sorted, (self._key(member_id), member_id))]

    def even(self) -> bool:
        """Whether nobody has two more than another."""
        return self._sorted[0][0][0] >= self._sorted[-1][0][0] - 1


class _Division:
    """How far the division has come."""

    def __init__(
        self,
        partitions: Mapping[str, Sequence[PartitionInfo]],
        racks: Racks,
        owned: _Assignment,
        members: Mapping[str, Subscription],
    ) -> None:
        self.assignment = owned
        self._racks = racks
        self._topics_of = {
            member_id: [topic for topic in subscription.topics if topic in partitions]
            for member_id, subscription in members.items()
        }
        self._members_of: dict[str, list[str]] = {topic: [] for topic in partitions}
        for member_id, topics in self._topics_of.items():
            for topic in topics:
                self._members_of[topic].append(member_id)
        self._count_of = {topic: len(infos) for topic, infos in partitions.items()}
        self._owner = {partition: member_id for member_id, has in owned.items() for partition in has}
        self.all_partitions = [
            TopicPartition(topic, info.partition)
            for topic in sorted(partitions, key=lambda topic: (len(self._members_of[topic]), java_order(topic)))
            for info in partitions[topic]
        ]
        self._movements = _Movements()
        self._must_revoke = False

    def keep_owned(self, members: Mapping[str, Subscription]) -> set[TopicPartition]:
        """Takes from members what they do not want any more or is out of their rack; returns what is kept."""
        kept: set[TopicPartition] = set()
        for member_id, has in self.assignment.items():
            topics = members[member_id].topics
            stays = [tp for tp in has if tp.topic in topics and not self._racks.mismatch(member_id, tp)]
            self._must_revoke = self._must_revoke or len(stays) < len(has)
            self.assignment[member_id] = stays
            kept.update(stays)
        return kept

    def balance(self, previous: Mapping[TopicPartition, str], missing: list[TopicPartition]) -> None:
        self._by_size = _BySize(self.assignment)
        initializing = not self.assignment[self._by_size.most]
        left = missing
        if self._racks.of_member:
            left = [partition for partition in missing if not self._give(partition, within_rack=True)]
        for partition in left:
            self._give(partition, within_rack=False)
        # What only one member subscribes to cannot move, and who can neither give nor take has no part in it.
        movable = [partition for partition in self.all_partitions if len(self._members_of[partition.topic]) > 1]
        movable_missing = [partition for partition in missing if len(self._members_of[partition.topic]) > 1]
        fixed = {
            member_id: self.assignment[member_id] for member_id in self._topics_of if not self._takes_part(member_id)
        }
        for member_id in fixed:
            self._by_size.remove(member_id)
        for member_id in fixed:
            del self.assignment[member_id]
        before = {member_id: list(has) for member_id, has in self.assignment.items()}
        if not self._must_revoke:
            self._move(movable_missing, previous)
        moved = self._move(movable, previous)
        if not initializing and moved and _unevenness(self.assignment) >= _unevenness(before):
            self.assignment.update(before)
        self.assignment.update(fixed)

    def _give(self, partition: TopicPartition, *, within_rack: bool) -> bool:
        """Gives a partition to the member with the least of those that may have it."""
        for member_id in self._by_size:
            if partition.topic in self._topics_of[member_id] and not (
                within_rack and self._racks.mismatch(member_id, partition)
            ):
                self._by_size.remove(member_id)
                self.assignment[member_id].append(partition)
                self._owner[partition] = member_id
                self._by_size.add(member_id)
                return True
        return False

    def _takes_part(self, member_id: str) -> bool:
        has = self.assignment[member_id]
        most = sum(self._count_of[topic] for topic in self._topics_of[member_id])
        return len(has) < most or any(len(self._members_of[partition.topic]) > 1 for partition in has)

    def _move(self, partitions: Sequence[TopicPartition], previous: Mapping[TopicPartition, str]) -> bool:
        """Moves partitions, over and over, until no move makes the group more even; tells whether one was made."""
        moved = False
        while True:
            modified = False
            for partition in partitions:
                if self._is_balanced():
                    break
                target = self._better_owner(partition, previous)
                if target is not None:
                    self._reassign(partition, target)
                    modified = True
            if not modified:
                return moved
            moved = True

    def _better_owner(self, partition: TopicPartition, previous: Mapping[TopicPartition, str]) -> str | None:
        owner = self._owner[partition]
        enough = len(self.assignment[owner]) - 1
        former = previous.get(partition, "")
        if former in self._members_of[partition.topic] and len(self.assignment[former]) < enough:
            return former
        # Kafka looks for one in the rack first, but moves to the member with the least all the same.
        if any(len(self.assignment[other]) < enough for other in self._members_of[partition.topic]):
            return next(member_id for member_id in self._by_size if partition.topic in self._topics_of[member_id])
        return None

    def _reassign(self, partition: TopicPartition, target: str) -> None:
        partition = self._movements.instead_of(partition, self._owner[partition], target)
        owner = self._owner[partition]
        self._by_size.remove(owner)
        self._by_size.remove(target)
        self._movements.move(partition, owner, target)
        self.assignment[owner].remove(partition)
        self.assignment[target].append(partition)
        self._owner[partition] = target
        self._by_size.add(target)
        self._by_size.add(owner)

    def _is_balanced(self) -> bool:
        if self._by_size.even():
            return True
        most: dict[str, int] = {}
        for has in self.assignment.values():
            for topic, _ in has:
                most[topic] = max(most.get(topic, 0), len(has))
        return all(
            most.get(topic, 0) <= len(has) + 1
            for member_id, has in self.assignment.items()
            for topic in self._topics_of[member_id]
        )


def _unevenness(assignment: _Assignment) -> int:
    """The sum of the differences between any two members."""
    sizes = sorted(map(len, assignment.values()))
    return sum((2 * index - len(sizes) + 1) * size for index, size in enumerate(sizes))


class _Movements:
    """What has moved between whom, so that no two partitions of a topic change places."""

    def __init__(self) -> None:
        self._of: dict[TopicPartition, tuple[str, str]] = {}
        self._by_topic: dict[str, dict[tuple[str, str], HashOrder[TopicPartition]]] = {}

    def move(self, partition: TopicPartition, source: str, target: str) -> None:
        if partition in self._of:
            source, _ = self._remove(partition)
            if source == target:
                return
        pairs = self._by_topic.setdefault(partition.topic, {})
        pairs.setdefault((source, target), HashOrder(partition_hash)).add(partition)
        self._of[partition] = (source, target)

    def instead_of(self, partition: TopicPartition, source: str, target: str) -> TopicPartition:
        """The partition to move from `source` to `target`: one that came the other way goes back instead."""
        pairs = self._by_topic.get(partition.topic, {})
        if partition in self._of:
            source, _ = self._of[partition]
        reverse = pairs.get((target, source))
        return partition if reverse is None else reverse.first()

    def _remove(self, partition: TopicPartition) -> tuple[str, str]:
        pair = self._of.pop(partition)
        pairs = self._by_topic[partition.topic]
        pairs[pair].discard(partition)
        if not pairs[pair]:
            del pairs[pair]
        return pair
