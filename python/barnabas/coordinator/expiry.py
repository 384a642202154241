"""When committed offsets are forgotten, and groups with them (`offsets.retention.minutes`).

The rules are Kafka's (KIP-186, KIP-211). Offsets of a group with members expire only while it is Stable, and only for
topics that no member subscribes to, counted from their commit; those of a group without members, from when it became
empty; those of a group that is used for offsets alone, from their commit. A commit that named a time of its own
(OffsetCommit up to version 4) expires then. An offset that an open transaction may replace stays. A group that has
neither members nor offsets left, nor any in an open transaction, is deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from barnabas.assignors.consumer_protocol import decode_subscription
from barnabas.coordinator.committed import CommittedOffset, OffsetKey, decode_value
from barnabas.coordinator.group import CONSUMER_PROTOCOL_TYPE, Group, GroupState
from barnabas.coordinator.records import Record, offset_tombstone
from barnabas.errors import ProtocolError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from barnabas.coordinator.consumer_group import ConsumerGroup
    from barnabas.coordinator.offsets import Offsets

__all__ = ["Rule", "expired", "of_classic", "of_consumer", "subscribed_topics"]


class Rule(NamedTuple):
    """What may expire in a group.

    Attributes:
        since_ms: From when an offset's retention counts.
        subscribed: Topics whose offsets stay.
    """

    since_ms: Callable[[CommittedOffset], int]
    subscribed: Collection[str] = ()


def _commit_time(committed: CommittedOffset) -> int:
    return committed.commit_timestamp_ms


def of_classic(group: Group) -> Rule | None:
    """Returns the rule for a classic group; None while nothing may expire."""
    if group.protocol_type is None:
        return Rule(_commit_time)
    if group.state is GroupState.EMPTY:
        emptied_ms = group.state_timestamp_ms
        return Rule(_commit_time if emptied_ms < 0 else lambda _committed: emptied_ms)
    if group.state is not GroupState.STABLE:
        return None
    subscribed = subscribed_topics(group)
    return None if subscribed is None else Rule(_commit_time, subscribed)


def of_consumer(group: ConsumerGroup) -> Rule:
    """Returns the rule for a group of KIP-848."""
    return Rule(_commit_time, frozenset(group.subscribed_topics()))


def subscribed_topics(group: Group) -> frozenset[str] | None:
    """Returns the topics that a classic group's members subscribe to; None if that cannot be known.

    What members say is their assignor's affair, except that consumers begin it with their topics.
    """
    if group.protocol_type != CONSUMER_PROTOCOL_TYPE:
        return None
    if not group.members:
        return frozenset()
    if group.protocol is None:
        return None
    try:
        return frozenset(
            topic
            for member in group.members.values()
            for topic in decode_subscription(member.metadata(group.protocol)).topics
        )
    except ProtocolError:
        return None


def expired(
    offsets: Offsets, group_id: str, rule: Rule | None, now_ms: int, retention_ms: int
) -> tuple[list[Record], bool]:
    """Returns tombstones for the expired offsets of a group, and whether none is left then."""
    topics = offsets.groups.get(group_id)
    kept = bool(offsets.pending.of_group(group_id))
    if not topics:
        return [], not kept
    if rule is None:
        return [], False
    tombstones: list[Record] = []
    for topic, partitions in topics.items():
        if topic in rule.subscribed:
            kept = True
            continue
        for partition, value in partitions.items():
            committed = decode_value(value)
            if committed.expire_timestamp_ms >= 0:
                is_expired = now_ms >= committed.expire_timestamp_ms
            else:
                is_expired = now_ms - rule.since_ms(committed) >= retention_ms
            if is_expired and not offsets.pending.holds(OffsetKey(group_id, topic, partition)):
                tombstones.append(offset_tombstone(group_id, topic, partition))
            else:
                kept = True
    return tombstones, not kept
