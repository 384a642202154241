"""The sticky assignors: as even as can be first, and then as close to what members had as can be.

`sticky` is for eager groups: members give up everything before they join, so what they had travels in the assignor's
own user data. `cooperative-sticky` is for members that keep reading while the group rebalances: what they hold is in
the subscription itself, and a partition that changes hands is withheld from its new owner for one round, until the
old one has given it up.

Both come to the results of Kafka's AbstractStickyAssignor. It has two ways: where all members subscribe to the same
topics quotas decide (`sticky_equal`), and elsewhere partitions are moved until no move makes the group more even
(`sticky_general`). Racks (KIP-881) are minded as far as balance allows.

Three differences are meant. Kafka's assignor remembers the highest generation that it ever saw; a function of the
members' words alone knows that of the members who joined. A partition that a member says it owns, but that does not
exist any more, is not counted: Kafka's assignor would give away others twice then. And a partition goes back to a
former owner only if that still subscribes to the topic, which Kafka's forgets to ask.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from barnabas.assignors.api import RebalanceProtocol, computed_map_order, hash_map_order
from barnabas.assignors.racks import Racks
from barnabas.assignors.sticky_equal import assign_equal
from barnabas.assignors.sticky_general import assign_general
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from barnabas.assignors.api import Subscription
    from barnabas.types import PartitionInfo

__all__ = ["CooperativeStickyAssignor", "MemberData", "StickyAssignor"]

_Assignment = dict[str, list[TopicPartition]]
NO_GENERATION: Final = -1
_INT16: Final = struct.Struct(">h")
_INT32: Final = struct.Struct(">i")


@dataclass(frozen=True, slots=True)
class MemberData:
    """What a member had before it joined, and in which generation it got it; None if it does not say."""

    partitions: tuple[TopicPartition, ...]
    generation_id: int | None


class StickyAssignor:
    """Kafka's StickyAssignor.

    Example:
        >>> from barnabas.assignors import Subscription
        >>> from barnabas.types import PartitionInfo, TopicPartition
        >>> partitions = {"orders": [PartitionInfo("orders", number, None) for number in range(4)]}
        >>> had = StickyAssignor().user_data(["orders"], [TopicPartition("orders", n) for n in range(4)], 1)
        >>> members = {"old": Subscription(("orders",), user_data=had), "new": Subscription(("orders",))}
        >>> [tp.partition for tp in StickyAssignor().assign(partitions, members)["old"]]
        [0, 1]
    """

    name = "sticky"
    protocols = (RebalanceProtocol.EAGER,)

    def user_data(
        self, topics: Sequence[str], owned: Sequence[TopicPartition] | None, generation_id: int
    ) -> bytes | None:
        """What the member was last assigned, in Kafka's bytes; None before its first assignment."""
        del topics
        return None if owned is None else _encode_previous(owned, generation_id)

    def assign(
        self, partitions: Mapping[str, Sequence[PartitionInfo]], members: Mapping[str, Subscription]
    ) -> _Assignment:
        """Divides the partitions of the subscribed topics; see `Assignor.assign`."""
        return _assign(partitions, members, _member_data)[0]


class CooperativeStickyAssignor:
    """Kafka's CooperativeStickyAssignor: what changes hands is left out until its owner has given it up.

    Example:
        >>> from barnabas.assignors import Subscription
        >>> from barnabas.types import PartitionInfo, TopicPartition
        >>> partitions = {"orders": [PartitionInfo("orders", number, None) for number in range(4)]}
        >>> owned = tuple(TopicPartition("orders", number) for number in range(4))
        >>> members = {"old": Subscription(("orders",), owned, generation_id=1), "new": Subscription(("orders",))}
        >>> assignment = CooperativeStickyAssignor().assign(partitions, members)
        >>> [tp.partition for tp in assignment["old"]], assignment["new"]
        ([0, 1], [])
    """

    name = "cooperative-sticky"
    protocols = (RebalanceProtocol.COOPERATIVE, RebalanceProtocol.EAGER)

    def user_data(
        self, topics: Sequence[str], owned: Sequence[TopicPartition] | None, generation_id: int
    ) -> bytes | None:
        """The generation of the last assignment, for leaders that read subscriptions older than version 2."""
        del topics, owned
        return _INT32.pack(generation_id)

    def assign(
        self, partitions: Mapping[str, Sequence[PartitionInfo]], members: Mapping[str, Subscription]
    ) -> _Assignment:
        """Divides the partitions of the subscribed topics; see `Assignor.assign`."""
        assignment, moving = _assign(partitions, members, _cooperative_member_data)
        if moving is None:
            moving = _changing_hands(members, assignment)
        for partition, member_id in moving.items():
            assignment[member_id].remove(partition)
        return assignment


def _changing_hands(members: Mapping[str, Subscription], assignment: _Assignment) -> dict[TopicPartition, str]:
    added: dict[TopicPartition, str] = {}
    revoked: set[TopicPartition] = set()
    for member_id, assigned in assignment.items():
        owned = set(members[member_id].owned_partitions)
        added.update({partition: member_id for partition in assigned if partition not in owned})
        revoked |= owned.difference(assigned)
    return {partition: member_id for partition, member_id in added.items() if partition in revoked}


def _assign(
    partitions: Mapping[str, Sequence[PartitionInfo]],
    members: Mapping[str, Subscription],
    member_data: Callable[[Subscription], MemberData],
) -> tuple[_Assignment, dict[TopicPartition, str] | None]:
    """Returns the assignment and what changes hands in it; the latter is None where the general way was taken."""
    subscribed = {topic for subscription in members.values() for topic in subscription.topics}
    existing = {topic: infos for topic, infos in partitions.items() if infos and topic in subscribed}
    order = hash_map_order(members)
    data = {member_id: member_data(members[member_id]) for member_id in order}
    owned, claimed = _owned_partitions(existing, members, data)
    racks = Racks(existing, members, order)
    first = frozenset(members[order[0]].topics) if order else frozenset()
    if all(frozenset(subscription.topics) == first for subscription in members.values()):
        return assign_equal(existing, racks, owned, claimed)
    return assign_general(existing, racks, owned, {member_id: members[member_id] for member_id in order}, data), None


def _owned_partitions(
    partitions: Mapping[str, Sequence[PartitionInfo]],
    members: Mapping[str, Subscription],
    data: Mapping[str, MemberData],
) -> tuple[_Assignment, set[TopicPartition]]:
    """Returns what each member may keep, and what several claim in one generation, which none of them may.

    Of two claims the one of the higher generation holds.
    """
    exists = {TopicPartition(topic, info.partition) for topic, infos in partitions.items() for info in infos}
    owners: dict[TopicPartition, str] = {}
    owned: _Assignment = {}
    claimed: set[TopicPartition] = set()
    for member_id, said in data.items():
        mine = owned[member_id] = []
        generation_id = NO_GENERATION if said.generation_id is None else said.generation_id
        for partition in said.partitions:
            if partition not in exists:
                continue
            other = owners.get(partition)
            if other is None:
                mine.append(partition)
                owners[partition] = member_id
                continue
            # As in Kafka, the other's generation is that of its subscription, even where its data has one of its own.
            other_generation_id = members[other].generation_id
            if generation_id < other_generation_id:
                continue
            if partition in owned[other]:
                owned[other].remove(partition)
            if generation_id == other_generation_id:
                claimed.add(partition)
            else:
                mine.append(partition)
            owners[partition] = member_id
    return owned, claimed


def _cooperative_member_data(subscription: Subscription) -> MemberData:
    if subscription.generation_id >= 0:
        return MemberData(subscription.owned_partitions, subscription.generation_id)
    data = subscription.user_data
    if data is None:
        return MemberData(subscription.owned_partitions, None)
    generation_id = _INT32.unpack_from(data)[0] if len(data) >= _INT32.size else NO_GENERATION
    return MemberData(subscription.owned_partitions, generation_id)


def _member_data(subscription: Subscription) -> MemberData:
    if not subscription.user_data:
        return MemberData((), None)
    reader = _Reader(subscription.user_data)
    try:
        partitions = reader.partitions()
    except (ValueError, struct.error):
        # A member whose words cannot be read is treated as a new one, so that the group can go on.
        return MemberData((), NO_GENERATION)
    try:
        return MemberData(partitions, reader.int32())
    except struct.error:
        # Version 0 of the data has no generation.
        return MemberData(partitions, None)


def _encode_previous(owned: Sequence[TopicPartition], generation_id: int) -> bytes:
    by_topic: dict[str, list[int]] = {}
    for topic, partition in owned:
        by_topic.setdefault(topic, []).append(partition)
    parts = [_INT32.pack(len(by_topic))]
    for topic in computed_map_order(topic for topic, _ in owned):
        name = topic.encode()
        parts += [_INT16.pack(len(name)), name, _INT32.pack(len(by_topic[topic]))]
        parts += map(_INT32.pack, by_topic[topic])
    parts.append(_INT32.pack(generation_id))
    return b"".join(parts)


class _Reader:
    """Reads the user data of `sticky`; counts and lengths are checked before they are believed."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def partitions(self) -> tuple[TopicPartition, ...]:
        found = []
        for _ in range(self._count()):
            length = _INT16.unpack_from(self._data, self._at)[0]
            self._at += _INT16.size
            if length < 0 or length > len(self._data) - self._at:
                raise ValueError(f"a topic's name has the length {length}")
            topic = self._data[self._at : self._at + length].decode(errors="replace")
            self._at += length
            found += [TopicPartition(topic, self.int32()) for _ in range(self._count())]
        return tuple(found)

    def int32(self) -> int:
        value: int = _INT32.unpack_from(self._data, self._at)[0]
        self._at += _INT32.size
        return value

    def _count(self) -> int:
        count = self.int32()
        if count < 0 or count > len(self._data) - self._at:
            raise ValueError(f"an array has the count {count}")
        return count
