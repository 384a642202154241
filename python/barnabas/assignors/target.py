"""What an assignor of the group coordinator is (KIP-848): it divides partitions by topic id, for all members at once.

The coordinator keeps a *target* assignment and moves members towards it step by step; an assignor computes the next
target from the present one. Members and topics come in an order, and the result depends on it as Kafka's does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["Partitions", "TargetAssignment", "TargetAssignor", "TargetMember", "is_homogeneous"]

Partitions = dict[bytes, frozenset[int]]
"""Partition numbers by topic id (16 bytes); no topic has an empty set."""

TargetAssignment = dict[str, Partitions]
"""The partitions of each member, by member id."""


class TargetMember(NamedTuple):
    """A member as an assignor sees it.

    Attributes:
        topics: Ids of the topics it subscribes to.
        assignment: Its present target.
        group_instance_id: Its name as a static member.
    """

    topics: Collection[bytes]
    assignment: Partitions
    group_instance_id: str | None = None


class TargetAssignor(Protocol):
    """Computes a group's next target assignment."""

    @property
    def name(self) -> str:
        """The name by which members ask for it."""

    def assign(self, members: Mapping[str, TargetMember], partition_counts: Mapping[bytes, int]) -> TargetAssignment:
        """Divides the partitions of the subscribed topics.

        Args:
            members: The members by id.
            partition_counts: How many partitions each topic has; every subscribed topic is there.

        Returns:
            What each member shall have; a member that is left out shall have nothing.
        """


def is_homogeneous(members: Mapping[str, TargetMember]) -> bool:
    """Whether all members subscribe to the same topics."""
    first: frozenset[bytes] | None = None
    for member in members.values():
        topics = frozenset(member.topics)
        if first is None:
            first = topics
        elif topics != first:
            return False
    return True
