"""The records of `__consumer_offsets`, in the types and versions that Kafka 4.3 writes. No decisions, no state.

A record is a pair (key message, value message or None for a tombstone); that of a committed offset, see `committed.py`,
is a pair (`OffsetKey`, the value's bytes or None).
"""

from __future__ import annotations

from typing import Any

from barnabas.coordinator.committed import NO_TOPIC_ID, CommittedOffset, OffsetKey, encode_value
from barnabas.coordinator.group import Group, GroupState, Member
from barnabas.protocol.messages.group_metadata_key import GroupMetadataKey
from barnabas.protocol.messages.group_metadata_value import GroupMetadataValue

__all__ = [
    "GROUP_METADATA_VALUE_VERSION",
    "NO_TOPIC_ID",
    "CommittedOffset",
    "Record",
    "group_from_record",
    "group_record",
    "group_tombstone",
    "offset_record",
    "offset_tombstone",
]

Record = tuple[Any, Any]

GROUP_METADATA_VALUE_VERSION = 3


def group_record(group: Group) -> Record:
    """Returns the record that stores `group`'s generation, members and assignments.

    It is written when a generation becomes durable (the leader's assignment), when a group becomes empty and when a
    static member takes over its predecessor's place.
    """
    value = GroupMetadataValue(
        protocol_type=group.protocol_type or "",
        generation=group.generation,
        protocol=group.protocol,
        leader=group.leader,
        current_state_timestamp=group.state_timestamp_ms,
        members=[
            GroupMetadataValue.MemberMetadata(
                member_id=member.member_id,
                group_instance_id=member.group_instance_id,
                client_id=member.client_id,
                client_host=member.client_host,
                rebalance_timeout=member.rebalance_timeout_ms,
                session_timeout=member.session_timeout_ms,
                subscription=member.metadata(group.protocol or ""),
                assignment=member.assignment,
            )
            for member in group.members.values()
        ],
    )
    return GroupMetadataKey(group=group.group_id), value


def group_tombstone(group_id: str) -> Record:
    """Returns the record that deletes a group."""
    return GroupMetadataKey(group=group_id), None


def group_from_record(group_id: str, value: Any) -> Group:
    """Rebuilds a group from its stored form: Stable with members, else Empty. The opposite of `group_record`."""
    group = Group(
        group_id=group_id,
        state=GroupState.STABLE if value.members else GroupState.EMPTY,
        state_timestamp_ms=value.current_state_timestamp,
        generation=value.generation,
        protocol=value.protocol,
    )
    for stored in value.members:
        group.add(
            Member(
                member_id=stored.member_id,
                group_instance_id=stored.group_instance_id,
                client_id=stored.client_id,
                client_host=stored.client_host,
                rebalance_timeout_ms=(
                    stored.session_timeout if stored.rebalance_timeout == -1 else stored.rebalance_timeout
                ),
                session_timeout_ms=stored.session_timeout,
                protocol_type=value.protocol_type,
                protocols=((value.protocol or "", bytes(stored.subscription)),),
                assignment=bytes(stored.assignment),
            ),
        )
    group.protocol_type = value.protocol_type or None
    group.leader = value.leader
    return group


def offset_record(group: str, topic: str, partition: int, committed: CommittedOffset) -> Record:
    """Returns the record of one committed offset."""
    return OffsetKey(group, topic, partition), encode_value(committed)


def offset_tombstone(group: str, topic: str, partition: int) -> Record:
    """Returns the record that forgets one committed offset."""
    return OffsetKey(group, topic, partition), None


def value_version(value: Any) -> int:
    """Returns the version in which Kafka 4.3 writes a value."""
    return GROUP_METADATA_VALUE_VERSION if isinstance(value, GroupMetadataValue) else 0
