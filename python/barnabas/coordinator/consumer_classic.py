"""Members of a KIP-848 group that still speak the classic protocol, while the group changes from one to the other.

To them the group looks like a classic one led by somebody else: JoinGroup brings them to the target's epoch, which is
their generation, SyncGroup gives them what they may own, and a heartbeat says when to join again.

Source: Kafka 4.3's `GroupMetadataManager.classicGroup…ToConsumerGroup`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from barnabas.assignors import consumer_protocol
from barnabas.coordinator import migration
from barnabas.coordinator.consumer_change import JOIN, SESSION, SYNC, Change, Rejoining
from barnabas.coordinator.consumer_member import ClassicMember, ConsumerMember, MemberState, numbers
from barnabas.coordinator.group import CONSUMER_PROTOCOL_TYPE
from barnabas.errors import (
    IllegalGenerationError,
    InconsistentGroupProtocolError,
    KafkaError,
    MemberIdRequiredError,
    ProtocolError,
    RebalanceInProgressError,
    UnknownMemberIdError,
    UnknownServerError,
)
from barnabas.machine import Caller, Reply, Result
from barnabas.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from barnabas.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:
    from barnabas.coordinator.consumer_group import ConsumerGroup

__all__ = ["heartbeat", "join", "leave", "sync"]

JOIN_VERSION_NEEDS_MEMBER_ID = 4


# JoinGroup


def join(change: Change, request: JoinGroupRequest, caller: Caller) -> Result:
    """Handles JoinGroup; unlike in a classic group nobody waits for anybody."""
    try:
        return _join(change, request, caller)
    except KafkaError as error:
        # Unlike a classic group's, such an answer names no member.
        response = JoinGroupResponse(error_code=error.code, protocol_name=None)
        return Result(replies=[Reply(caller.token, response)])


def _join(change: Change, request: JoinGroupRequest, caller: Caller) -> Result:
    group = change.group
    member_id = request.member_id or caller.fresh_id
    change.check_room(member_id)
    protocols = tuple((protocol.name, bytes(protocol.metadata)) for protocol in request.protocols)
    if not _supports(group, request.protocol_type, protocols):
        raise InconsistentGroupProtocolError(f"Member {member_id}'s protocols are not supported.")
    instance_id = request.group_instance_id
    if not request.member_id and instance_id is None and caller.api_version >= JOIN_VERSION_NEEDS_MEMBER_ID:
        response = JoinGroupResponse(error_code=MemberIdRequiredError.code, member_id=member_id, protocol_name=None)
        return Result(replies=[Reply(caller.token, response)])
    try:
        subscription = consumer_protocol.decode_subscription(protocols[0][1])
    except ProtocolError:
        # Kafka takes this for its own failure.
        raise UnknownServerError(f"Member {member_id}'s subscription cannot be read.") from None
    existing = group.static_member(instance_id)
    before = _member(change, member_id, instance_id, is_unknown=not request.member_id)
    member = replace(
        before,
        instance_id=before.instance_id if instance_id is None else instance_id,
        rack_id=before.rack_id if subscription.rack_id is None else subscription.rack_id,
        rebalance_timeout_ms=(
            request.session_timeout_ms if request.rebalance_timeout_ms < 0 else request.rebalance_timeout_ms
        ),
        topic_names=tuple(sorted(set(subscription.topics))),
        client_id=caller.client_id,
        client_host=caller.client_host,
        classic=ClassicMember(request.session_timeout_ms, protocols),
    )
    changed = change.write(before, member)
    target_epoch, target = change.assign(member)
    owned = migration.by_id(subscription.owned_partitions, change.topics)
    moved = change.reconcile(member, target_epoch, target, owned, changed=changed)
    leaving = set() if existing is None or existing.member_id == member_id else {existing.member_id}
    if not (leaving and change.downgrade(leaving, moved)):
        change.deadline(JOIN, member_id, None)
        change.deadline(SESSION, member_id, request.session_timeout_ms)
        change.deadline(SYNC, member_id, member.rebalance_timeout_ms)
        change.result.soft.append(Rejoining(group.group_id, member_id, waits=False))
    response = JoinGroupResponse(
        member_id=member_id,
        generation_id=moved.epoch,
        protocol_type=CONSUMER_PROTOCOL_TYPE,
        protocol_name=protocols[0][0],
    )
    change.result.replies.append(Reply(caller.token, response))
    return change.result


def _supports(group: ConsumerGroup, protocol_type: str, protocols: tuple[tuple[str, bytes], ...]) -> bool:
    """Whether all members of the classic protocol have a protocol in common with these."""
    names = {name for name, _ in protocols}
    for member in group.members.values():
        if member.classic is not None:
            names &= {name for name, _ in member.classic.protocols}
    return protocol_type == CONSUMER_PROTOCOL_TYPE and bool(names)


def _member(change: Change, member_id: str, instance_id: str | None, *, is_unknown: bool) -> ConsumerMember:
    if instance_id is None:
        return change.group.members.get(member_id) or ConsumerMember(member_id)
    if not is_unknown:
        return change.member_of(member_id, instance_id)
    existing = change.group.static_member(instance_id)
    return ConsumerMember(member_id) if existing is None else change.take_over(existing, member_id)


# SyncGroup


def sync(change: Change, request: SyncGroupRequest, caller: Caller) -> Result:
    """Handles SyncGroup: gives a member what it may own now."""
    try:
        member, classic = _speaking(change, request.member_id, request.group_instance_id, request.generation_id)
        protocol, metadata = classic.protocols[0]
        for said, known in ((request.protocol_type, CONSUMER_PROTOCOL_TYPE), (request.protocol_name, protocol)):
            if said is not None and said != known:
                raise InconsistentGroupProtocolError
        if change.group.epoch > member.epoch and member.state is not MemberState.UNREVOKED_PARTITIONS:
            _must_rejoin(change, member)
            raise RebalanceInProgressError
    except KafkaError as error:
        refused = SyncGroupResponse(error_code=error.code, assignment=b"")
        change.result.replies.append(Reply(caller.token, refused))
        return change.result
    change.deadline(SYNC, member.member_id, None)
    change.deadline(SESSION, member.member_id, classic.session_timeout_ms)
    assigned = migration.by_name(numbers(member.assigned), change.topics)
    version = consumer_protocol.version_of(metadata)
    response = SyncGroupResponse(
        protocol_type=request.protocol_type,
        protocol_name=request.protocol_name,
        assignment=consumer_protocol.encode_assignment(assigned, version=version),
    )
    change.result.replies.append(Reply(caller.token, response))
    return change.result


def _speaking(
    change: Change, member_id: str, instance_id: str | None, generation: int
) -> tuple[ConsumerMember, ClassicMember]:
    member = change.member_of(member_id, instance_id)
    if member.classic is None:
        raise UnknownMemberIdError(f"Member {member_id} does not use the classic protocol.")
    if member.epoch != generation:
        raise IllegalGenerationError(
            f"The request generation id {generation} is not equal to the member epoch {member.epoch} of member "
            f"{member_id}."
        )
    return member, member.classic


def _must_rejoin(change: Change, member: ConsumerMember) -> None:
    """Gives a member its rebalance timeout to join again, counted from when it was first told."""
    if member.member_id not in change.group.rejoining:
        change.deadline(JOIN, member.member_id, member.rebalance_timeout_ms)
        change.result.soft.append(Rejoining(change.group.group_id, member.member_id, waits=True))


# Heartbeat


def heartbeat(change: Change, request: HeartbeatRequest, caller: Caller) -> Result:
    """Handles Heartbeat: REBALANCE_IN_PROGRESS when joining again would bring the member further."""
    code = 0
    try:
        member, classic = _speaking(change, request.member_id, request.group_instance_id, request.generation_id)
    except KafkaError as error:
        code = error.code
    else:
        change.deadline(SESSION, member.member_id, classic.session_timeout_ms)
        released = member.state is MemberState.UNRELEASED_PARTITIONS and not _waits(change.group, member)
        if member.epoch < change.group.epoch or member.state is MemberState.UNREVOKED_PARTITIONS or released:
            code = RebalanceInProgressError.code
            _must_rejoin(change, member)
    change.result.replies.append(Reply(caller.token, HeartbeatResponse(error_code=code), waits=code != 0))
    return change.result


def _waits(group: ConsumerGroup, member: ConsumerMember) -> bool:
    """Whether somebody else still holds partitions of the member's target."""
    return any(
        partition not in member.assigned.get(topic, {}) and group.is_held(topic, partition)
        for topic, partitions in group.target.get(member.member_id, {}).items()
        for partition in partitions
    )


# LeaveGroup


def leave(change: Change, request: LeaveGroupRequest, caller: Caller) -> Result:
    """Handles LeaveGroup: members leave, of either protocol; an administrator may name a static one by its instance."""
    answers = []
    leaving: dict[str, ConsumerMember] = {}
    for identity in request.members:
        code = 0
        try:
            member = _leaver(change, identity.member_id, identity.group_instance_id)
            leaving[member.member_id] = member
        except KafkaError as error:
            code = error.code
        answers.append(
            LeaveGroupResponse.MemberResponse(
                member_id=identity.member_id, group_instance_id=identity.group_instance_id, error_code=code
            )
        )
    if leaving:
        change.remove(leaving.values())
    change.result.replies.append(Reply(caller.token, LeaveGroupResponse(members=answers)))
    return change.result


def _leaver(change: Change, member_id: str, instance_id: str | None) -> ConsumerMember:
    existing = change.group.static_member(instance_id)
    if instance_id is not None and not member_id and existing is not None:
        member_id = existing.member_id
    return change.member_of(member_id, instance_id)
