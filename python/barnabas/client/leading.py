"""What a member does for others when it leads a classic group: look at what an assignment depends on, and check it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas import errors
from barnabas.assignors import RebalanceProtocol
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from barnabas.assignors import Assignor, Subscription
    from barnabas.types import PartitionInfo

__all__ = ["Racks", "checked", "protocol_of", "racks_of"]

Racks = dict[str, tuple[frozenset[str], ...]]
"""Topic -> for each partition the racks of its replicas."""


def racks_of(metadata: Mapping[str, Sequence[PartitionInfo]], topics: Iterable[str]) -> Racks:
    """Returns what an assignment depends on, to see whether it would come out differently now."""
    return {
        topic: tuple(
            frozenset(node.rack for node in info.replicas if node.rack is not None) for info in metadata[topic]
        )
        for topic in topics
        if metadata.get(topic)
    }


def protocol_of(assignors: Sequence[Assignor]) -> RebalanceProtocol:
    """Returns the highest protocol that all assignors of a member have."""
    common = frozenset(RebalanceProtocol)
    for assignor in assignors:
        common &= frozenset(assignor.protocols)
    if not common:
        names = [assignor.name for assignor in assignors]
        raise errors.ConfigError(
            f"partition.assignment.strategy={names}: no rebalance protocol is common to all of them"
        )
    return max(common)


def checked(
    assignment: Mapping[str, Sequence[TopicPartition]],
    partitions: Mapping[str, Sequence[PartitionInfo]],
    members: Mapping[str, Subscription],
) -> dict[str, list[TopicPartition]]:
    """Returns an assignment in which every member stands, with partitions that exist, each once.

    Raises:
        ValueError: It is another one.
    """
    free = {TopicPartition(topic, info.partition) for topic, infos in partitions.items() for info in infos}
    for member_id, given in assignment.items():
        if member_id not in members:
            raise ValueError(f"there is no member {member_id!r}")
        for partition in given:
            if partition not in free:
                raise ValueError(f"{partition} does not exist, or was given twice")
            free.discard(TopicPartition(*partition))
    return {member_id: list(assignment.get(member_id, ())) for member_id in members}
