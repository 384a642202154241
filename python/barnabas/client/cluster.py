"""The cluster as metadata describes it, in the public types."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from barnabas.types import Node, PartitionInfo, TopicListing

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Cluster", "from_response", "from_view"]


@dataclass(frozen=True, slots=True)
class Cluster:
    """Brokers and topics at one time. `topic_errors` has topics that could not be described, by error code."""

    cluster_id: str | None
    controller_id: int
    nodes: dict[int, Node]
    topics: dict[str, TopicListing] = field(default_factory=dict)
    topic_errors: dict[str, int] = field(default_factory=dict)

    def partition(self, topic: str, partition: int) -> PartitionInfo | None:
        """A partition, or None while it is not known."""
        listing = self.topics.get(topic)
        if listing is None:
            return None
        if partition < len(listing.partitions) and listing.partitions[partition].partition == partition:
            return listing.partitions[partition]
        return next((info for info in listing.partitions if info.partition == partition), None)

    def partitions_of(self, topics: Iterable[str]) -> dict[str, tuple[PartitionInfo, ...]]:
        """The partitions of those topics that exist."""
        return {topic: self.topics[topic].partitions for topic in topics if topic in self.topics}


def from_view(view: tuple[Any, ...]) -> Cluster:
    """Builds the cluster from `ClientCore.cluster()`."""
    cluster_id, controller_id, brokers, topics = view
    cluster = Cluster(cluster_id, controller_id, {broker[0]: Node(*broker) for broker in brokers})
    for name, topic_id, error_code, is_internal, partitions in topics:
        if error_code:
            cluster.topic_errors[name] = error_code
        else:
            _add(cluster, name, topic_id, is_internal, partitions)
    return cluster


def from_response(response: Any) -> Cluster:
    """Builds the cluster from a MetadataResponse."""
    nodes = {broker.node_id: Node(broker.node_id, broker.host, broker.port, broker.rack) for broker in response.brokers}
    cluster = Cluster(response.cluster_id, response.controller_id, nodes)
    for topic in response.topics:
        if topic.error_code:
            cluster.topic_errors[topic.name or ""] = topic.error_code
        else:
            partitions = [
                (
                    partition.partition_index,
                    partition.leader_id,
                    partition.leader_epoch,
                    partition.replica_nodes,
                    partition.isr_nodes,
                )
                for partition in topic.partitions
            ]
            _add(cluster, topic.name or "", topic.topic_id, topic.is_internal, partitions)
    return cluster


def _add(cluster: Cluster, name: str, topic_id: Any, is_internal: bool, partitions: Iterable[Any]) -> None:  # noqa: FBT001
    nodes = cluster.nodes
    infos = [
        PartitionInfo(
            name,
            partition,
            nodes.get(leader),
            tuple(nodes.get(node_id) or Node(node_id, "", -1) for node_id in replicas),
            tuple(nodes.get(node_id) or Node(node_id, "", -1) for node_id in in_sync),
            leader_epoch if leader_epoch >= 0 else None,
        )
        for partition, leader, leader_epoch, replicas, in_sync in partitions
    ]
    infos.sort(key=lambda info: info.partition)
    raw_id = topic_id if isinstance(topic_id, bytes) else getattr(topic_id, "bytes", b"\0" * 16)
    cluster.topics[name] = TopicListing(name, raw_id, is_internal, tuple(infos))
