"""The records of KIP-848 groups in `__consumer_offsets`, and their replay. No decisions.

A record is a pair (key message, value message or None for a tombstone), in the versions that Kafka 4.3 writes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from barnabas.coordinator.consumer_group import ConsumerGroup, ResolvedRegex
from barnabas.coordinator.consumer_member import (
    LEAVING_EPOCH,
    ClassicMember,
    ConsumerMember,
    Epochs,
    MemberState,
)
from barnabas.protocol.messages.consumer_group_current_member_assignment_key import (
    ConsumerGroupCurrentMemberAssignmentKey as AssignmentKey,
)
from barnabas.protocol.messages.consumer_group_current_member_assignment_value import (
    ConsumerGroupCurrentMemberAssignmentValue as AssignmentValue,
)
from barnabas.protocol.messages.consumer_group_member_metadata_key import ConsumerGroupMemberMetadataKey as MemberKey
from barnabas.protocol.messages.consumer_group_member_metadata_value import (
    ConsumerGroupMemberMetadataValue as MemberValue,
)
from barnabas.protocol.messages.consumer_group_metadata_key import ConsumerGroupMetadataKey as GroupKey
from barnabas.protocol.messages.consumer_group_metadata_value import ConsumerGroupMetadataValue as GroupValue
from barnabas.protocol.messages.consumer_group_partition_metadata_key import (
    ConsumerGroupPartitionMetadataKey as PartitionMetadataKey,
)
from barnabas.protocol.messages.consumer_group_regular_expression_key import (
    ConsumerGroupRegularExpressionKey as RegexKey,
)
from barnabas.protocol.messages.consumer_group_regular_expression_value import (
    ConsumerGroupRegularExpressionValue as RegexValue,
)
from barnabas.protocol.messages.consumer_group_target_assignment_member_key import (
    ConsumerGroupTargetAssignmentMemberKey as TargetKey,
)
from barnabas.protocol.messages.consumer_group_target_assignment_member_value import (
    ConsumerGroupTargetAssignmentMemberValue as TargetValue,
)
from barnabas.protocol.messages.consumer_group_target_assignment_metadata_key import (
    ConsumerGroupTargetAssignmentMetadataKey as TargetEpochKey,
)
from barnabas.protocol.messages.consumer_group_target_assignment_metadata_value import (
    ConsumerGroupTargetAssignmentMetadataValue as TargetEpochValue,
)

if TYPE_CHECKING:
    from barnabas.assignors.target import Partitions

__all__ = [
    "KEYS",
    "assignment_record",
    "epoch_record",
    "group_tombstones",
    "member_record",
    "member_tombstones",
    "regex_record",
    "regex_tombstone",
    "replay",
    "target_epoch_record",
    "target_record",
]

Record = tuple[Any, Any]

KEYS = (GroupKey, PartitionMetadataKey, MemberKey, TargetEpochKey, TargetKey, AssignmentKey, RegexKey)
"""The kinds of key that `replay` understands."""


# Writing.


def epoch_record(group_id: str, epoch: int, metadata_hash: int) -> Record:
    """Returns the record of a group's epoch."""
    return GroupKey(group_id=group_id), GroupValue(epoch=epoch, metadata_hash=metadata_hash)


def member_record(group_id: str, member: ConsumerMember) -> Record:
    """Returns the record of what a member said about itself."""
    classic = member.classic
    value = MemberValue(
        instance_id=member.instance_id,
        rack_id=member.rack_id,
        client_id=member.client_id,
        client_host=member.client_host,
        subscribed_topic_names=list(member.topic_names),
        subscribed_topic_regex=member.topic_regex,
        rebalance_timeout_ms=member.rebalance_timeout_ms,
        server_assignor=member.server_assignor,
        classic_member_metadata=None
        if classic is None
        else MemberValue.ClassicMemberMetadata(
            session_timeout_ms=classic.session_timeout_ms,
            supported_protocols=[
                MemberValue.ClassicProtocol(name=name, metadata=metadata) for name, metadata in classic.protocols
            ],
        ),
    )
    return MemberKey(group_id=group_id, member_id=member.member_id), value


def assignment_record(group_id: str, member: ConsumerMember) -> Record:
    """Returns the record of what a member has."""
    value = AssignmentValue(
        member_epoch=member.epoch,
        previous_member_epoch=member.previous_epoch,
        state=int(member.state),
        assigned_partitions=_topic_partitions(member.assigned),
        partitions_pending_revocation=_topic_partitions(member.pending_revocation),
    )
    return AssignmentKey(group_id=group_id, member_id=member.member_id), value


def target_record(group_id: str, member_id: str, partitions: Partitions) -> Record:
    """Returns the record of a member's target."""
    value = TargetValue(
        topic_partitions=[
            TargetValue.TopicPartition(topic_id=topic, partitions=sorted(chosen))
            for topic, chosen in partitions.items()
        ]
    )
    return TargetKey(group_id=group_id, member_id=member_id), value


def target_epoch_record(group_id: str, epoch: int, timestamp_ms: int) -> Record:
    """Returns the record that ends a new target."""
    return TargetEpochKey(group_id=group_id), TargetEpochValue(
        assignment_epoch=epoch, assignment_timestamp=timestamp_ms
    )


def regex_record(group_id: str, regex: str, resolved: ResolvedRegex) -> Record:
    """Returns the record of what a regular expression matched."""
    value = RegexValue(topics=sorted(resolved.topics), version=resolved.version, timestamp=resolved.timestamp_ms)
    return RegexKey(group_id=group_id, regular_expression=regex), value


def regex_tombstone(group_id: str, regex: str) -> Record:
    """Returns the record that forgets a regular expression."""
    return RegexKey(group_id=group_id, regular_expression=regex), None


def member_tombstones(group_id: str, member_id: str) -> list[Record]:
    """Returns the records that remove a member, in Kafka's order."""
    return [
        (AssignmentKey(group_id=group_id, member_id=member_id), None),
        (TargetKey(group_id=group_id, member_id=member_id), None),
        (MemberKey(group_id=group_id, member_id=member_id), None),
    ]


def group_tombstones(group: ConsumerGroup) -> list[Record]:
    """Returns the records that remove a group with all its members, in Kafka's order."""
    group_id = group.group_id
    records: list[Record] = [
        (AssignmentKey(group_id=group_id, member_id=member_id), None) for member_id in group.members
    ]
    records += [(TargetKey(group_id=group_id, member_id=member_id), None) for member_id in group.target]
    records.append((TargetEpochKey(group_id=group_id), None))
    records += [(MemberKey(group_id=group_id, member_id=member_id), None) for member_id in group.members]
    records += [regex_tombstone(group_id, regex) for regex in group.regexes]
    if group.has_partition_metadata:
        records.append((PartitionMetadataKey(group_id=group_id), None))
    records.append((GroupKey(group_id=group_id), None))
    return records


def _topic_partitions(epochs: Epochs) -> list[AssignmentValue.TopicPartitions]:
    return [
        AssignmentValue.TopicPartitions(
            topic_id=topic, partitions=list(partitions), assignment_epochs=list(partitions.values())
        )
        for topic, partitions in epochs.items()
    ]


# Replay.


def replay(groups: dict[str, ConsumerGroup], key: Any, value: Any) -> None:
    """Applies one record whose key is one of `KEYS`."""
    group_id = key.group_id
    if isinstance(key, GroupKey) and value is None:
        groups.pop(group_id, None)
        return
    group = groups.get(group_id)
    if group is None:
        if value is None:
            return  # The group's own tombstone came first, or compaction has removed what this one was for.
        group = groups[group_id] = ConsumerGroup(group_id)
    _REPLAY[type(key)](group, key, value)


def _replay_epoch(group: ConsumerGroup, key: GroupKey, value: GroupValue) -> None:
    del key
    group.epoch, group.metadata_hash = value.epoch, value.metadata_hash


def _replay_partition_metadata(group: ConsumerGroup, key: Any, value: Any) -> None:
    """Written up to Kafka 4.0, since then only deleted: the hash in the group's epoch took its place."""
    del key
    group.has_partition_metadata = value is not None


def _replay_member(group: ConsumerGroup, key: MemberKey, value: MemberValue | None) -> None:
    if value is None:
        group.drop_member(key.member_id)
        return
    classic = value.classic_member_metadata
    known = group.members.get(key.member_id, ConsumerMember(key.member_id))
    group.put_member(
        replace(
            known,
            instance_id=value.instance_id,
            rack_id=value.rack_id,
            client_id=value.client_id,
            client_host=value.client_host,
            topic_names=tuple(value.subscribed_topic_names),
            topic_regex=value.subscribed_topic_regex,
            rebalance_timeout_ms=value.rebalance_timeout_ms,
            server_assignor=value.server_assignor,
            classic=None
            if classic is None
            else ClassicMember(
                classic.session_timeout_ms,
                tuple((protocol.name, bytes(protocol.metadata)) for protocol in classic.supported_protocols),
            ),
        )
    )


def _replay_target_epoch(group: ConsumerGroup, key: TargetEpochKey, value: TargetEpochValue | None) -> None:
    del key
    group.target_epoch = -1 if value is None else value.assignment_epoch
    group.target_timestamp_ms = 0 if value is None else value.assignment_timestamp


def _replay_target(group: ConsumerGroup, key: TargetKey, value: TargetValue | None) -> None:
    if value is None:
        group.target.pop(key.member_id, None)
    else:
        group.target[key.member_id] = {
            bytes(topic.topic_id): frozenset(topic.partitions) for topic in value.topic_partitions if topic.partitions
        }


def _replay_assignment(group: ConsumerGroup, key: AssignmentKey, value: AssignmentValue | None) -> None:
    if value is None:
        member = group.members.get(key.member_id)
        if member is not None:
            group.put_member(
                replace(
                    member,
                    epoch=LEAVING_EPOCH,
                    previous_epoch=LEAVING_EPOCH,
                    state=MemberState.STABLE,
                    assigned={},
                    pending_revocation={},
                )
            )
        return
    member = group.members.get(key.member_id, ConsumerMember(key.member_id))
    group.put_member(
        replace(
            member,
            epoch=value.member_epoch,
            previous_epoch=value.previous_member_epoch,
            state=_state(value.state),
            assigned=_epochs(value.assigned_partitions, value.member_epoch),
            pending_revocation=_epochs(value.partitions_pending_revocation, value.member_epoch),
        )
    )


def _replay_regex(group: ConsumerGroup, key: RegexKey, value: RegexValue | None) -> None:
    if value is None:
        group.regexes.pop(key.regular_expression, None)
    else:
        resolved = ResolvedRegex(frozenset(value.topics), value.version, value.timestamp)
        group.regexes[key.regular_expression] = resolved


_REPLAY: dict[type, Any] = {
    GroupKey: _replay_epoch,
    PartitionMetadataKey: _replay_partition_metadata,
    MemberKey: _replay_member,
    TargetEpochKey: _replay_target_epoch,
    TargetKey: _replay_target,
    AssignmentKey: _replay_assignment,
    RegexKey: _replay_regex,
}


def _state(number: int) -> MemberState:
    try:
        return MemberState(number)
    except ValueError:
        return MemberState.UNKNOWN


def _epochs(topics: list[AssignmentValue.TopicPartitions], member_epoch: int) -> Epochs:
    """Reads partitions with their epochs; records of Kafka before 4.3 have none, the member's stands in."""
    found: Epochs = {}
    for topic in topics:
        epochs = topic.assignment_epochs or [member_epoch] * len(topic.partitions)
        if topic.partitions:
            found[bytes(topic.topic_id)] = dict(zip(topic.partitions, epochs, strict=False))
    return found
