"""The round robin assignor: all partitions of all topics, one after the other, to one member after the other."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING

from barnabas.assignors.api import RebalanceProtocol, java_order, member_order
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from barnabas.assignors.api import Subscription
    from barnabas.types import PartitionInfo

__all__ = ["RoundRobinAssignor"]


class RoundRobinAssignor:
    """Kafka's RoundRobinAssignor: equal results, in equal order.

    Members that subscribe to different topics may end up with very different shares; the sticky ones do better there.

    Example:
        >>> from barnabas.assignors import Subscription
        >>> from barnabas.types import PartitionInfo
        >>> partitions = {"orders": [PartitionInfo("orders", number, None) for number in range(3)]}
        >>> members = {"a": Subscription(("orders",)), "b": Subscription(("orders",))}
        >>> [tp.partition for tp in RoundRobinAssignor().assign(partitions, members)["a"]]
        [0, 2]
    """

    name = "roundrobin"
    protocols = (RebalanceProtocol.EAGER,)

    def user_data(
        self, topics: Sequence[str], owned: Sequence[TopicPartition] | None, generation_id: int
    ) -> bytes | None:
        """Round robin needs none."""
        del topics, owned, generation_id
        return None

    def assign(
        self, partitions: Mapping[str, Sequence[PartitionInfo]], members: Mapping[str, Subscription]
    ) -> dict[str, list[TopicPartition]]:
        """Divides the partitions of the subscribed topics; see `Assignor.assign`."""
        assignment: dict[str, list[TopicPartition]] = {member_id: [] for member_id in members}
        topics_of = {member_id: frozenset(subscription.topics) for member_id, subscription in members.items()}
        turn = cycle(sorted(members, key=lambda member_id: member_order(member_id, members[member_id])))
        for topic in sorted(frozenset[str]().union(*topics_of.values()), key=java_order):
            for info in partitions.get(topic, ()):
                member_id = next(member_id for member_id in turn if topic in topics_of[member_id])
                assignment[member_id].append(TopicPartition(topic, info.partition))
        return assignment
