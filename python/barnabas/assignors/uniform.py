"""The uniform assignor: every member as many partitions as any other, moving as few as possible.

Where all members subscribe to the same topics, each keeps what it has up to its quota, and what is over or new goes to
members with room. Where subscriptions differ, what is unassigned goes to the least loaded subscribers, topic by topic,
and then partitions move from the most to the least loaded subscribers of each topic until no move makes it evener.
As in Kafka 4.3 it does not mind racks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.assignors.api import hash_order, uuid_hash
from barnabas.assignors.target import is_homogeneous

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from barnabas.assignors.target import Partitions, TargetAssignment, TargetMember

__all__ = ["UniformAssignor"]

PASSES_MAX = 16
"""Rounds over all topics while balancing: with overlapping subscriptions each round about halves what is uneven."""

_NOBODY = -1


class UniformAssignor:
    """Kafka's `org.apache.kafka.coordinator.group.assignor.UniformAssignor`: equal results.

    Example:
        >>> from barnabas.assignors.target import TargetMember
        >>> orders = bytes(16)
        >>> members = {"a": TargetMember([orders], {orders: frozenset({0, 1})}), "b": TargetMember([orders], {})}
        >>> sorted(UniformAssignor().assign(members, {orders: 2})["b"][orders])
        [1]
    """

    name = "uniform"

    def assign(self, members: Mapping[str, TargetMember], partition_counts: Mapping[bytes, int]) -> TargetAssignment:
        """Divides the partitions; see `barnabas.assignors.target.TargetAssignor.assign`."""
        if not any(member.topics for member in members.values()):
            return {}
        if is_homogeneous(members):
            return _assign_alike(members, partition_counts)
        return _Balance(members, partition_counts).result()


# All members subscribe to the same topics.


def _assign_alike(members: Mapping[str, TargetMember], counts: Mapping[bytes, int]) -> TargetAssignment:
    topics = hash_order(next(iter(members.values())).topics, uuid_hash, copied=True)
    owned = {
        (topic, partition)
        for member in members.values()
        for topic, partitions in member.assignment.items()
        for partition in partitions
    }
    free = [(topic, part) for topic in topics for part in range(counts[topic]) if (topic, part) not in owned]
    quota, with_extra = divmod(sum(counts[topic] for topic in topics), len(members))
    kept: dict[str, dict[bytes, set[int]]] = {}
    room: dict[str, int] = {}
    subscribed = frozenset(topics)
    for number, (member_id, member) in enumerate(members.items()):
        has_extra = with_extra > 0
        kept[member_id], over, room[member_id] = _keep(member.assignment, subscribed, quota + has_extra)
        free += over
        if has_extra and room[member_id] and len(members) - number > with_extra:
            # It holds no more than the quota anyway: the extra one is left to a member that may hold one already.
            room[member_id] -= 1
            has_extra = False
        with_extra -= has_extra
    remaining = iter(free)
    for member_id, size in room.items():
        for _, (topic, partition) in zip(range(size), remaining, strict=False):
            kept[member_id].setdefault(topic, set()).add(partition)
    return {member_id: _frozen(partitions) for member_id, partitions in kept.items()}


def _keep(
    assignment: Partitions, subscribed: frozenset[bytes], quota: int
) -> tuple[dict[bytes, set[int]], list[tuple[bytes, int]], int]:
    """Returns what a member keeps, what it has over its quota, and its room for more."""
    kept: dict[bytes, set[int]] = {}
    over: list[tuple[bytes, int]] = []
    for topic, numbers in assignment.items():
        if topic not in subscribed:
            continue
        # Kafka goes by the order of its hash tables here, which for few partitions is theirs by number.
        partitions = sorted(numbers)
        if partitions[:quota]:
            kept[topic] = set(partitions[:quota])
        over += [(topic, partition) for partition in partitions[quota:]]
        quota -= min(quota, len(partitions))
    return kept, over, quota


def _frozen(partitions: Mapping[bytes, set[int]]) -> Partitions:
    return {topic: frozenset(numbers) for topic, numbers in partitions.items() if numbers}


# Subscriptions differ.


class _Balance:
    """A division under way. Members are named by their index in the given order."""

    def __init__(self, members: Mapping[str, TargetMember], counts: Mapping[bytes, int]) -> None:
        self._counts = counts
        self._member_ids = list(members)
        self._subscribers: dict[bytes, list[int]] = {}
        for index, member in enumerate(members.values()):
            for topic in member.topics:
                self._subscribers.setdefault(topic, []).append(index)
        self._owners = {topic: [_NOBODY] * counts[topic] for topic in self._subscribers}
        self._loads = [0] * len(members)
        for index, member in enumerate(members.values()):
            subscribed = frozenset(member.topics)
            for topic, partitions in member.assignment.items():
                if topic in subscribed:
                    for partition in partitions:
                        self._owners[topic][partition] = index
                    self._loads[index] += len(partitions)

    def result(self) -> TargetAssignment:
        self._assign_free()
        self._balance()
        assigned: list[dict[bytes, set[int]]] = [{} for _ in self._member_ids]
        for topic, owners in self._owners.items():
            for partition, owner in enumerate(owners):
                assigned[owner].setdefault(topic, set()).add(partition)
        return {member_id: _frozen(assigned[index]) for index, member_id in enumerate(self._member_ids)}

    def _sorted(self, topics: Iterable[bytes]) -> list[bytes]:
        """Topics with most partitions per subscriber first, then those with fewest subscribers, then by id."""

        def order(topic: bytes) -> tuple[float, int, int, int]:
            count = len(self._subscribers[topic])
            high = int.from_bytes(topic[:8], "big", signed=True)
            return (-self._counts[topic] / count, count, high, int.from_bytes(topic[8:], "big", signed=True))

        return sorted(topics, key=order)

    def _assign_free(self) -> None:
        for topic in self._sorted(topic for topic, owners in self._owners.items() if _NOBODY in owners):
            levels = _Levels(self._subscribers[topic], self._loads)
            for partition, owner in enumerate(self._owners[topic]):
                if owner == _NOBODY:
                    self._move(topic, partition, levels.next_least())

    def _move(self, topic: bytes, partition: int, member: int) -> None:
        owners = self._owners[topic]
        if owners[partition] != _NOBODY:
            self._loads[owners[partition]] -= 1
        owners[partition] = member
        self._loads[member] += 1

    def _balance(self) -> None:
        """Goes over the topics until none has changed since it was last looked at."""
        topics = self._sorted(topic for topic, subscribers in self._subscribers.items() if len(subscribers) > 1)
        last_changed = None
        for _ in range(PASSES_MAX):
            for topic in topics:
                if topic == last_changed:
                    return
                if self._balance_topic(topic) or last_changed is None:
                    last_changed = topic

    def _balance_topic(self, topic: bytes) -> bool:
        subscribers = self._subscribers[topic]
        loads = [self._loads[member] for member in subscribers]
        if max(loads) - min(loads) <= 1:
            return False
        levels = _Levels(subscribers, self._loads)
        owned: dict[int, list[int]] = {}
        for partition, owner in enumerate(self._owners[topic]):
            owned.setdefault(owner, []).append(partition)
        moved = False
        while not levels.is_balanced():
            giver = levels.next_most()
            while giver is not None and not owned.get(giver):
                levels.exclude_most()
                giver = levels.next_most()
            if giver is None:
                break
            partition = owned[giver].pop()
            taker = levels.next_least()
            if levels.is_balanced():
                break
            self._move(topic, partition, taker)
            moved = True
        return moved


class _Levels:
    """The subscribers of a topic by load, least and most loaded ones taken level by level.

    Two ranges of the sorted subscribers grow towards each other: `[0, least_end)` fills up from the least load,
    `[most_start, most_end)` is drained from the greatest. Within a range all have the same load before a round.
    Loads are those of the beginning of a round; the caller changes them as it moves partitions.
    """

    def __init__(self, members: Sequence[int], loads: Sequence[int]) -> None:
        self._loads = loads
        self._sorted = sorted(members, key=lambda member: (loads[member], member))
        self._least_end = 0
        self._least_load = loads[self._sorted[0]] - 1
        self._least_next = 0
        self._most_start = self._most_end = len(self._sorted)
        self._most_load = loads[self._sorted[-1]] + 1
        self._most_next = len(self._sorted) - 1

    def is_balanced(self) -> bool:
        """Whether the loads of both ranges differ by one or less."""
        return self._most_load - self._least_load <= 1

    def next_least(self) -> int:
        """Returns the member to give a partition to."""
        if self._least_next >= self._least_end:
            self._least_load += 1
            while self._least_end < len(self._sorted) and self._load_at(self._least_end) == self._least_load:
                self._least_end += 1
            self._least_next = 0
        member = self._sorted[self._least_next]
        self._least_next += 1
        return member

    def next_most(self) -> int | None:
        """Returns the member to take a partition from; None when nobody is left."""
        if self._most_next < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                # Everybody in the range had nothing to give: it begins anew at the next member.
                self._most_load = self._load_at(self._most_start - 1)
            else:
                self._most_load -= 1
            while self._most_start > 0 and self._load_at(self._most_start - 1) == self._most_load:
                self._most_start -= 1
            self._most_next = self._most_end - 1
        if self._most_next < 0:
            return None
        member = self._sorted[self._most_next]
        self._most_next -= 1
        return member

    def exclude_most(self) -> None:
        """Takes the member that `next_most` returned last out of the range: it has nothing to give."""
        here, last = self._most_next + 1, self._most_end - 1
        self._sorted[here], self._sorted[last] = self._sorted[last], self._sorted[here]
        self._most_end -= 1

    def _load_at(self, position: int) -> int:
        return self._loads[self._sorted[position]]
