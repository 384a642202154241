"""What a coordinator does when members of a KIP-848 group heartbeat, leave or fall silent.

The coordinator divides the partitions itself. A heartbeat says who the member is, what it subscribes to and what it
owns; the answer says its epoch and, when that changed, what it may own. `consumer_group.py` has the table of states.

Source: KIP-848 and Kafka 4.3's `GroupMetadataManager`, whose error codes and texts these are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from barnabas.coordinator import consumer_records as records
from barnabas.coordinator.consumer_change import REVOCATION, SESSION, Change, Surroundings
from barnabas.coordinator.consumer_group import ConsumerGroup
from barnabas.coordinator.consumer_member import (
    JOINING_EPOCH,
    LEAVING_EPOCH,
    STATIC_LEAVING_EPOCH,
    ConsumerMember,
    MemberState,
    numbers,
)
from barnabas.errors import (
    FencedMemberEpochError,
    GroupIdNotFoundError,
    InvalidRequestError,
    KafkaError,
    UnreleasedInstanceIdError,
    UnsupportedAssignorError,
)
from barnabas.machine import Caller, Reply, Result
from barnabas.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

if TYPE_CHECKING:
    from barnabas.assignors.target import Partitions
    from barnabas.coordinator.settings import ConsumerSettings

__all__ = ["expire_revocation", "expire_session", "heartbeat", "loaded"]


# ConsumerGroupHeartbeat


def heartbeat(
    group: ConsumerGroup | None,
    request: ConsumerGroupHeartbeatRequest,
    caller: Caller,
    around: Surroundings,
) -> Result:
    """Handles ConsumerGroupHeartbeat: joining, staying, leaving."""
    try:
        _check_request(request, caller, around.settings)
        if request.member_epoch in (LEAVING_EPOCH, STATIC_LEAVING_EPOCH):
            return _leave(group, request, caller, around)
        if group is None:
            if request.member_epoch != JOINING_EPOCH:
                raise GroupIdNotFoundError(f"Consumer group {request.group_id} not found.")
            group = ConsumerGroup(request.group_id)
        return _stay(Change(group, around), request, caller)
    except KafkaError as error:
        response = ConsumerGroupHeartbeatResponse(error_code=error.code, error_message=str(error.args[0]))
        return Result(replies=[Reply(caller.token, response)])


def _check_request(request: ConsumerGroupHeartbeatRequest, caller: Caller, settings: ConsumerSettings) -> None:
    if not request.member_id and (caller.api_version >= 1 or request.member_epoch not in (0, STATIC_LEAVING_EPOCH)):
        raise InvalidRequestError("MemberId can't be empty.")
    for value, name in (
        (request.group_id, "GroupId"),
        (request.instance_id, "InstanceId"),
        (request.rack_id, "RackId"),
    ):
        if value is not None and not value.strip():
            raise InvalidRequestError(f"{name} can't be empty.")
    if request.member_epoch == JOINING_EPOCH:
        _check_join(request)
    elif request.member_epoch == STATIC_LEAVING_EPOCH and request.instance_id is None:
        raise InvalidRequestError("InstanceId can't be null.")
    elif request.member_epoch < STATIC_LEAVING_EPOCH:
        raise InvalidRequestError("MemberEpoch is invalid.")
    if request.server_assignor is not None and request.server_assignor not in settings.assignors:
        raise UnsupportedAssignorError(
            f"ServerAssignor {request.server_assignor} is not supported. "
            f"Supported assignors: {', '.join(settings.assignors)}."
        )


def _check_join(request: ConsumerGroupHeartbeatRequest) -> None:
    if request.rebalance_timeout_ms == -1:
        raise InvalidRequestError("RebalanceTimeoutMs must be provided in first request.")
    if request.topic_partitions is None or request.topic_partitions:
        raise InvalidRequestError("TopicPartitions must be empty when (re-)joining.")
    if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
        raise InvalidRequestError(
            "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when (re-)joining."
        )


def _stay(change: Change, request: ConsumerGroupHeartbeatRequest, caller: Caller) -> Result:
    """A member joins, comes back, or is still there."""
    member_id = request.member_id or caller.fresh_id
    change.check_room(member_id)
    owned = _owned(request)
    before = _member(change, request, member_id, owned)
    member = _updated(before, request, caller)
    changed = change.write(before, member)
    target_epoch, target = change.assign(member)
    moved = change.reconcile(member, target_epoch, target, owned, changed=changed)
    change.deadline(SESSION, member_id, change.settings.session_timeout_ms)
    response = ConsumerGroupHeartbeatResponse(
        member_id=member_id, member_epoch=moved.epoch, heartbeat_interval_ms=change.settings.heartbeat_interval_ms
    )
    is_full = request.member_epoch == JOINING_EPOCH or (
        request.rebalance_timeout_ms != -1
        and (request.subscribed_topic_names is not None or request.subscribed_topic_regex is not None)
        and owned is not None
    )
    if is_full or numbers(moved.assigned) != numbers(before.assigned):
        response.assignment = _assignment(moved)
    # An answer that only confirms what the member was told already need not wait for anything. An epoch that the member
    # does not name may not be committed yet.
    is_news = response.assignment is not None or response.member_epoch != request.member_epoch
    waits = bool(change.result.records) or is_news
    change.result.replies.append(Reply(caller.token, response, waits=waits))
    return change.result


def _member(
    change: Change, request: ConsumerGroupHeartbeatRequest, member_id: str, owned: Partitions | None
) -> ConsumerMember:
    """Returns the member that heartbeats; a new one, or one that takes over a static member's place, if it joins."""
    if request.member_epoch != JOINING_EPOCH:
        member = change.member_of(member_id, request.instance_id)
        _check_epoch(member, request.member_epoch, owned)
        return member
    if request.instance_id is None:
        return change.group.members.get(member_id) or ConsumerMember(member_id)
    existing = change.group.static_member(request.instance_id)
    if existing is None:
        return ConsumerMember(member_id)
    if existing.classic is None and existing.epoch != STATIC_LEAVING_EPOCH:
        raise UnreleasedInstanceIdError(
            f"Static member {member_id} with instance id {existing.instance_id} cannot join the group because the "
            f"instance id is owned by {existing.member_id} member."
        )
    return change.take_over(existing, member_id)


def _check_epoch(member: ConsumerMember, epoch: int, owned: Partitions | None) -> None:
    if epoch in (JOINING_EPOCH, member.epoch):
        return
    if epoch == member.previous_epoch and epoch < member.epoch and owned is not None:
        # The answer that told it the new epoch was lost, as long as it has nothing that it should not have.
        assigned = numbers(member.assigned)
        if all(partitions <= assigned.get(topic, frozenset()) for topic, partitions in owned.items()):
            return
    side = "greater" if epoch > member.epoch else "smaller"
    raise FencedMemberEpochError(
        f"The consumer group member has a {side} member epoch ({epoch}) than the one known by the group coordinator "
        f"({member.epoch}). The member must abandon all its partitions and rejoin."
    )


def _updated(member: ConsumerMember, request: ConsumerGroupHeartbeatRequest, caller: Caller) -> ConsumerMember:
    """Returns the member with what the request says anew; what it leaves out stays."""
    names, regex = request.subscribed_topic_names, request.subscribed_topic_regex
    return replace(
        member,
        instance_id=member.instance_id if request.instance_id is None else request.instance_id,
        rack_id=member.rack_id if request.rack_id is None else request.rack_id,
        rebalance_timeout_ms=(
            member.rebalance_timeout_ms if request.rebalance_timeout_ms == -1 else request.rebalance_timeout_ms
        ),
        server_assignor=member.server_assignor if request.server_assignor is None else request.server_assignor,
        topic_names=member.topic_names if names is None else tuple(sorted(set(names))),
        topic_regex=member.topic_regex if regex is None else regex,
        client_id=caller.client_id,
        client_host=caller.client_host,
        classic=None,
    )


def _owned(request: ConsumerGroupHeartbeatRequest) -> Partitions | None:
    if request.topic_partitions is None:
        return None
    owned: dict[bytes, frozenset[int]] = {}
    for topic in request.topic_partitions:
        topic_id = bytes(topic.topic_id)
        owned[topic_id] = owned.get(topic_id, frozenset()).union(topic.partitions)
    return owned


def _assignment(member: ConsumerMember) -> ConsumerGroupHeartbeatResponse.Assignment:
    return ConsumerGroupHeartbeatResponse.Assignment(
        topic_partitions=[
            ConsumerGroupHeartbeatResponse.TopicPartitions(topic_id=topic, partitions=sorted(partitions))
            for topic, partitions in member.assigned.items()
        ]
    )


# Going away


def _leave(
    group: ConsumerGroup | None,
    request: ConsumerGroupHeartbeatRequest,
    caller: Caller,
    around: Surroundings,
) -> Result:
    """A member leaves, or a static one goes away for a while."""
    if group is None:
        raise GroupIdNotFoundError(f"Group {request.group_id} not found.")
    change = Change(group, around)
    member = change.member_of(request.member_id, request.instance_id)
    if request.member_epoch == STATIC_LEAVING_EPOCH:
        away = replace(member, epoch=STATIC_LEAVING_EPOCH, pending_revocation={})
        change.result.records.append(records.assignment_record(group.group_id, away))
    else:
        change.remove([member])
    response = ConsumerGroupHeartbeatResponse(member_id=member.member_id, member_epoch=request.member_epoch)
    change.result.replies.append(Reply(caller.token, response))
    return change.result


def expire_session(group: ConsumerGroup | None, member_id: str, around: Surroundings) -> Result:
    """A member has not been heard of within its session timeout."""
    member = None if group is None else group.members.get(member_id)
    if group is None or member is None:
        return Result()
    change = Change(group, around)
    change.remove([member])
    return change.result


def expire_revocation(group: ConsumerGroup | None, member_id: str, around: Surroundings) -> Result:
    """A member has not given up partitions within its rebalance timeout."""
    member = None if group is None else group.members.get(member_id)
    if member is None or member.state is not MemberState.UNREVOKED_PARTITIONS:
        return Result()
    return expire_session(group, member_id, around)


def loaded(group: ConsumerGroup, around: Surroundings) -> Result:
    """Every member of a group that was loaded from the log has a whole session to be heard of."""
    change = Change(group, around)
    for member in group.members.values():
        session_ms = around.settings.session_timeout_ms
        if member.classic is not None:
            session_ms = member.classic.session_timeout_ms
        change.deadline(SESSION, member.member_id, session_ms)
        if member.state is MemberState.UNREVOKED_PARTITIONS and member.classic is None:
            change.deadline(REVOCATION, member.member_id, member.rebalance_timeout_ms)
    return change.result
