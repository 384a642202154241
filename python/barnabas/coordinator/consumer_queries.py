"""What others ask about a KIP-848 group: may this member commit or fetch offsets, what does the group look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.coordinator.offsets import Admission
from barnabas.errors import (
    IllegalGenerationError,
    StaleMemberEpochError,
    UnknownMemberIdError,
    UnsupportedVersionError,
)
from barnabas.protocol.messages.consumer_group_describe import ConsumerGroupDescribeResponse

if TYPE_CHECKING:
    from barnabas.assignors.target import Partitions
    from barnabas.coordinator.consumer_group import ConsumerGroup
    from barnabas.coordinator.topics import Topics
    from barnabas.protocol.messages.offset_commit import OffsetCommitRequest

__all__ = ["admit_commit", "check_fetch", "describe"]

COMMIT_VERSION_WITH_MEMBER_EPOCHS = 9
MEMBER_TYPE_CLASSIC = 0
MEMBER_TYPE_CONSUMER = 1


def admit_commit(group: ConsumerGroup, request: OffsetCommitRequest, api_version: int) -> Admission:
    """Whether a commit is accepted (OffsetCommit).

    A commit with an older member epoch is still good for partitions that the member has had since then: it was on its
    way while the member moved to another epoch (KIP-1251).
    """
    epoch = request.generation_id_or_member_epoch
    if epoch < 0 and not group.members:
        return Admission()
    member = group.members.get(request.member_id)
    if member is None:
        return Admission(UnknownMemberIdError.code)
    if member.classic is None and api_version < COMMIT_VERSION_WITH_MEMBER_EPOCHS:
        return Admission(UnsupportedVersionError.code)
    if epoch == member.epoch:
        return Admission()
    stale = StaleMemberEpochError.code if member.classic is None else IllegalGenerationError.code
    if epoch > member.epoch:
        return Admission(stale)

    def refuse(topic_id: bytes, partition: int) -> int:
        for epochs in (member.assigned, member.pending_revocation):
            since = epochs.get(topic_id, {}).get(partition)
            if since is not None:
                return 0 if since <= epoch else stale
        return stale

    return Admission(refuse=refuse)


def check_fetch(group: ConsumerGroup, member_id: str | None, epoch: int) -> int:
    """Returns the error code for an OffsetFetch: 0 for a member in its epoch, and for somebody who names no member."""
    if member_id is None and epoch < 0:
        return 0
    member = group.members.get(member_id or "")
    if member is None:
        return UnknownMemberIdError.code
    if epoch == member.epoch:
        return 0
    return StaleMemberEpochError.code if member.classic is None else IllegalGenerationError.code


def describe(group: ConsumerGroup, topics: Topics, default_assignor: str) -> Any:
    """Returns the group as ConsumerGroupDescribe shows it."""
    return ConsumerGroupDescribeResponse.DescribedGroup(
        group_id=group.group_id,
        group_state=group.state.value,
        group_epoch=group.epoch,
        assignment_epoch=group.target_epoch,
        assignor_name=group.preferred_assignor(group.members.values()) or default_assignor,
        members=[
            ConsumerGroupDescribeResponse.Member(
                member_id=member.member_id,
                instance_id=member.instance_id,
                rack_id=member.rack_id,
                member_epoch=member.epoch,
                client_id=member.client_id,
                client_host=member.client_host,
                subscribed_topic_names=list(member.topic_names),
                subscribed_topic_regex=member.topic_regex,
                assignment=_assignment(member.held, topics),
                target_assignment=_assignment(group.target.get(member.member_id, {}), topics),
                member_type=MEMBER_TYPE_CONSUMER if member.classic is None else MEMBER_TYPE_CLASSIC,
            )
            for member in group.members.values()
        ],
    )


def _assignment(partitions: Partitions, topics: Topics) -> ConsumerGroupDescribeResponse.Assignment:
    named = ((topic, topics.name(topic), sorted(chosen)) for topic, chosen in partitions.items())
    return ConsumerGroupDescribeResponse.Assignment(
        topic_partitions=[
            ConsumerGroupDescribeResponse.TopicPartitions(topic_id=topic, topic_name=name, partitions=chosen)
            for topic, name, chosen in named
            if name is not None
        ]
    )
