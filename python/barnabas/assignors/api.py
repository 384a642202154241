"""What an assignor is, and Java's orders that all of them depend on."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from barnabas.types import PartitionInfo, TopicPartition

__all__ = [
    "Assignor",
    "HashOrder",
    "RebalanceProtocol",
    "Subscription",
    "computed_map_order",
    "hash_map_order",
    "hash_order",
    "java_order",
    "member_order",
    "partition_hash",
    "uuid_hash",
]

_K = TypeVar("_K")


@dataclass(frozen=True, slots=True)
class Subscription:
    """What a member tells the group's leader about itself.

    Attributes:
        topics: The topics it subscribes to.
        owned_partitions: What it holds while it joins.
        user_data: Bytes of its assignor's own.
        generation_id: The generation in which it got the owned partitions, or -1.
        rack_id: Where it stands.
        group_instance_id: Its name as a static member.
    """

    topics: tuple[str, ...]
    owned_partitions: tuple[TopicPartition, ...] = ()
    user_data: bytes | None = None
    generation_id: int = -1
    rack_id: str | None = None
    group_instance_id: str | None = None


class RebalanceProtocol(enum.IntEnum):
    """How members give up partitions (KIP-429); a group's members use the highest that all their assignors have."""

    EAGER = 0
    """All of them, before the member joins."""
    COOPERATIVE = 1
    """Those that go to others, once the member knows which."""


class Assignor(Protocol):
    """Divides partitions among members."""

    @property
    def name(self) -> str:
        """The name that members vote for."""

    @property
    def protocols(self) -> Sequence[RebalanceProtocol]:
        """How members may give up partitions under it."""

    def user_data(
        self, topics: Sequence[str], owned: Sequence[TopicPartition] | None, generation_id: int
    ) -> bytes | None:
        """Bytes to send with a subscription.

        Args:
            topics: What is subscribed to.
            owned: What the member was last assigned; None if it never was.
            generation_id: The generation of that assignment, or -1.
        """

    def assign(
        self, partitions: Mapping[str, Sequence[PartitionInfo]], members: Mapping[str, Subscription]
    ) -> dict[str, list[TopicPartition]]:
        """Divides the partitions of the subscribed topics.

        Args:
            partitions: The partitions of every topic that exists, ordered by number.
            members: Subscriptions by member id.

        Returns:
            The partitions of each member; a member without any has an empty list.
        """


def java_order(text: str) -> bytes:
    """A key that sorts strings as Java does: by UTF-16 units, not by code points."""
    return text.encode("utf-16-be", "surrogatepass")


def hash_map_order(keys: Iterable[str]) -> list[str]:
    """Returns strings in the order in which a Java HashMap that they were put into, one by one, would be walked.

    Kafka's assignors walk such maps, so the order of topics inside an assignment's bytes follows from it.
    """
    return hash_order(keys, _string_hash)


def computed_map_order(keys: Iterable[str]) -> list[str]:
    """Returns strings in the order of a Java HashMap that was filled by `computeIfAbsent(key)` for each of `keys`.

    That puts a key before those that share its place, and looks whether to grow at each call, but before it adds.
    """
    known: dict[str, None] = {}
    capacity = 16
    for key in keys:
        if len(known) > capacity * 3 // 4:
            capacity *= 2
        known[key] = None
    latest_first = list(reversed(known))
    latest_first.sort(key=lambda key: _spread(_string_hash(key)) & (capacity - 1))
    return latest_first


def hash_order(keys: Iterable[_K], hash_code: Callable[[_K], int], *, copied: bool = False) -> list[_K]:
    """Returns keys in the order of a Java HashMap or HashSet.

    Args:
        keys: The keys in the order in which they were put in; repeated ones count once.
        hash_code: Java's hashCode of a key, as an unsigned number of 32 bits.
        copied: Whether the set was made from another collection, which leaves more room than growing does.
    """
    ordered = list(dict.fromkeys(keys))
    capacity = 16
    while len(ordered) > capacity * 3 // 4 or (copied and len(ordered) * 4 // 3 + 1 > capacity):
        capacity *= 2
    return sorted(ordered, key=lambda key: _spread(hash_code(key)) & (capacity - 1))


class HashOrder(Generic[_K]):
    """A set that knows which of its keys a Java HashSet would give first. Like that set it grows and never shrinks."""

    def __init__(self, hash_code: Callable[[_K], int]) -> None:
        self._hash_code = hash_code
        self._keys: dict[_K, None] = {}
        self._capacity = 16

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, key: _K) -> None:
        """Puts a key in."""
        self._keys[key] = None
        if len(self._keys) > self._capacity * 3 // 4:
            self._capacity *= 2

    def discard(self, key: _K) -> None:
        """Takes a key out, if it is there."""
        self._keys.pop(key, None)

    def first(self) -> _K:
        """The key that the set's iterator begins with."""
        return min(self._keys, key=lambda key: _spread(self._hash_code(key)) & (self._capacity - 1))


def member_order(member_id: str, subscription: Subscription) -> tuple[bool, bytes]:
    """A key that sorts members: static ones first, by their instance id, then the others by member id."""
    instance = subscription.group_instance_id
    return (instance is None, java_order(member_id if instance is None else instance))


def partition_hash(partition: TopicPartition) -> int:
    """Returns Java's hash of a TopicPartition as an unsigned number."""
    return (31 * (31 + partition.partition) + _string_hash(partition.topic)) & 0xFFFF_FFFF


def uuid_hash(uuid: bytes) -> int:
    """Returns Java's hash of a topic id (`org.apache.kafka.common.Uuid`) as an unsigned number."""
    folded = int.from_bytes(uuid[:8], "big") ^ int.from_bytes(uuid[8:], "big")
    return (folded >> 32 ^ folded) & 0xFFFF_FFFF


def _string_hash(text: str) -> int:
    """Java's String.hashCode as an unsigned number."""
    units = java_order(text)
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFF_FFFF
    return value


def _spread(value: int) -> int:
    return value ^ (value >> 16)
