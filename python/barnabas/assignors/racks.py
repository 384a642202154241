"""Which members stand in the rack of a replica of which partition, for the sticky assignors (KIP-881)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from barnabas.assignors.api import Subscription
    from barnabas.types import PartitionInfo

__all__ = ["Racks"]


class Racks:
    """What matters of racks. Where racks cannot make a difference `of_member` is empty and nothing mismatches."""

    def __init__(
        self,
        partitions: Mapping[str, Sequence[PartitionInfo]],
        members: Mapping[str, Subscription],
        order: Sequence[str],
    ) -> None:
        self.of_member: dict[str, str] = {}
        self.of_partition: dict[TopicPartition, frozenset[str]] = {}
        self._consumers: dict[TopicPartition, int] = {}
        of_member = {member_id: rack for member_id in order if (rack := members[member_id].rack_id)}
        if not of_member:
            return
        of_partition = {
            TopicPartition(topic, info.partition): frozenset(
                node.rack for node in info.replicas if node.rack is not None
            )
            for topic, infos in partitions.items()
            for info in infos
        }
        members_in: dict[str, int] = {}
        for rack in of_member.values():
            members_in[rack] = members_in.get(rack, 0) + 1
        self._consumers = {
            partition: sum(members_in.get(rack, 0) for rack in racks) for partition, racks in of_partition.items()
        }
        all_racks = frozenset[str]().union(*of_partition.values())
        if not all_racks.isdisjoint(members_in) and any(racks != all_racks for racks in of_partition.values()):
            self.of_member = of_member
            self.of_partition = of_partition

    def mismatch(self, member_id: str, partition: TopicPartition) -> bool:
        """Whether the member stands in a rack without a replica of the partition, and it matters."""
        rack = self.of_member.get(member_id)
        return rack is not None and rack not in self.of_partition.get(partition, ())

    def scarcest_first(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """The partitions that fewest members stand beside first; otherwise the order stays."""
        return sorted(partitions, key=lambda partition: self._consumers.get(partition, 0))

    def next_beside(self, partition: TopicPartition, member_ids: Sequence[str], first: int) -> int | None:
        """The index of the next member beside a replica, looked for from index `first` and around."""
        racks = self.of_partition.get(partition)
        if racks:
            for step in range(len(member_ids)):
                index = (first + step) % len(member_ids)
                if self.of_member.get(member_ids[index]) in racks:
                    return index
        return None
