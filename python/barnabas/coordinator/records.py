"""The records of `__consumer_offsets`, in the types and versions that Kafka 4.3 writes. No decisions, no state.

A record is a pair (key message, value message or None for a tombstone).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from barnabas.coordinator.group import Group, GroupState, Member
from barnabas.protocol.messages.group_metadata_key import GroupMetadataKey
from barnabas.protocol.messages.group_metadata_value import GroupMetadataValue
from barnabas.protocol.messages.offset_commit_key import OffsetCommitKey
from barnabas.protocol.messages.offset_commit_value import OffsetCommitValue

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
OFFSET_COMMIT_VALUE_VERSION = 4
OFFSET_COMMIT_VALUE_VERSION_WITH_EXPIRY = 1
NO_TOPIC_ID = bytes(16)


@dataclass(frozen=True, slots=True)
class CommittedOffset:
    """A committed position as it is kept; `expire_timestamp_ms` is -1 unless the client asked for its own retention."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp_ms: int = -1
    expire_timestamp_ms: int = -1
    topic_id: bytes = NO_TOPIC_ID


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


def offset_record(group_id: str, topic: str, partition: int, committed: CommittedOffset) -> Record:
    """Returns the record of one committed offset."""
    value = OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.commit_timestamp_ms,
        expire_timestamp=committed.expire_timestamp_ms,
        topic_id=committed.topic_id,
    )
    return OffsetCommitKey(group=group_id, topic=topic, partition=partition), value


def offset_tombstone(group_id: str, topic: str, partition: int) -> Record:
    """Returns the record that forgets one committed offset."""
    return OffsetCommitKey(group=group_id, topic=topic, partition=partition), None


def value_version(value: Any) -> int:
    """Returns the version in which Kafka 4.3 writes a value."""
    if isinstance(value, GroupMetadataValue):
        return GROUP_METADATA_VALUE_VERSION
    if not isinstance(value, OffsetCommitValue):
        return 0
    return OFFSET_COMMIT_VALUE_VERSION if value.expire_timestamp == -1 else OFFSET_COMMIT_VALUE_VERSION_WITH_EXPIRY
