"""Values that the public API takes and returns: small, immutable, comparable. This module has no effects."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "ClusterDescription",
    "ConsumerGroupMetadata",
    "GroupDescription",
    "GroupListing",
    "MemberDescription",
    "NewTopic",
    "Node",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "PartitionInfo",
    "RecordMetadata",
    "SubscriptionPattern",
    "TopicListing",
    "TopicPartition",
]


class TopicPartition(NamedTuple):
    """A partition of a topic: the unit of order, assignment and commit.

    Example:
        >>> TopicPartition("orders", 3)
        TopicPartition(topic='orders', partition=3)
    """

    topic: str
    partition: int


class SubscriptionPattern(NamedTuple):
    """A regular expression for topics that the group's coordinator evaluates (RE2's syntax, KIP-848), for `subscribe`.

    Example:
        >>> SubscriptionPattern("orders-.*").pattern
        'orders-.*'
    """

    pattern: str


class OffsetAndMetadata(NamedTuple):
    """What a consumer group commits for a partition: the offset of the next record to read, and a note.

    Example:
        >>> OffsetAndMetadata(42).metadata
        ''
    """

    offset: int
    metadata: str = ""
    leader_epoch: int | None = None


class ConsumerGroupMetadata(NamedTuple):
    """Who a consumer is in its group, as `Consumer.group_metadata` tells it.

    In a group of the consumer protocol `generation_id` is the member's epoch. The defaults are those of no member.

    Example:
        >>> ConsumerGroupMetadata("billing").generation_id
        -1
    """

    group_id: str
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None


class OffsetAndTimestamp(NamedTuple):
    """The first record at or after a time, as `Consumer.offsets_for_times` finds it."""

    offset: int
    timestamp: int
    leader_epoch: int | None = None


class RecordMetadata(NamedTuple):
    """Where a produced record was written."""

    topic: str
    partition: int
    offset: int
    timestamp: int


class Node(NamedTuple):
    """A broker of the cluster."""

    id: int
    host: str
    port: int
    rack: str | None = None


class PartitionInfo(NamedTuple):
    """A partition as the cluster's metadata describes it; `leader` is None while there is no leader."""

    topic: str
    partition: int
    leader: Node | None
    replicas: tuple[Node, ...] = ()
    in_sync_replicas: tuple[Node, ...] = ()
    leader_epoch: int | None = None


class TopicListing(NamedTuple):
    """A topic of the cluster with its partitions, ordered by number."""

    name: str
    topic_id: bytes
    is_internal: bool
    partitions: tuple[PartitionInfo, ...]


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to create. Counts left at -1 take the broker's defaults (`num.partitions`, `default.replication.factor`).

    Example:
        >>> NewTopic("orders", num_partitions=6, configs={"cleanup.policy": "compact"}).num_partitions
        6
    """

    name: str
    num_partitions: int = -1
    replication_factor: int = -1
    replica_assignments: Mapping[int, Sequence[int]] = field(default_factory=dict)
    configs: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClusterDescription:
    """The cluster: its id, its controller (None while there is none) and its brokers."""

    cluster_id: str | None
    controller: Node | None
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class GroupListing:
    """A group in `Admin.list_groups`."""

    group_id: str
    protocol_type: str
    state: str | None = None
    group_type: str | None = None


@dataclass(frozen=True, slots=True)
class MemberDescription:
    """A member of a group and what it was assigned."""

    member_id: str
    client_id: str
    client_host: str
    group_instance_id: str | None
    assignment: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class GroupDescription:
    """A group in `Admin.describe_groups`: its state, the assignor its members agreed on, and its members."""

    group_id: str
    state: str
    protocol_type: str
    protocol: str
    members: tuple[MemberDescription, ...]
