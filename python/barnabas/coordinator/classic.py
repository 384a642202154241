"""The classic group protocol: which request, in which state, takes which steps. The table is in `group.py`.

Functions take (group or None, request, caller, settings, now) and return a `Result`. None is a group that does not
exist. They keep no state, know no clock and no other group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.coordinator.draft import SESSION, SYNC, Draft
from barnabas.coordinator.group import Group, GroupState, Member, Waiting
from barnabas.coordinator.offsets import Admission
from barnabas.coordinator.records import group_record
from barnabas.errors import (
    FencedInstanceIdError,
    GroupIdNotFoundError,
    GroupMaxSizeReachedError,
    IllegalGenerationError,
    InconsistentGroupProtocolError,
    InvalidSessionTimeoutError,
    MemberIdRequiredError,
    RebalanceInProgressError,
    UnknownMemberIdError,
    UnknownServerError,
)
from barnabas.machine import Caller, Deadline, Moment, Reply, Result
from barnabas.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from barnabas.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.protocol.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from barnabas.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:
    from barnabas.coordinator.settings import GroupSettings
    from barnabas.protocol.messages.offset_commit import OffsetCommitRequest

__all__ = [
    "admit_commit",
    "check_member",
    "expire_join",
    "expire_session",
    "expire_sync",
    "heartbeat",
    "join",
    "leave",
    "sync",
]

JOIN_VERSION_NEEDS_MEMBER_ID = 4
JOIN_VERSION_CAN_SKIP_ASSIGNMENT = 9


def check_member(group: Group, member_id: str, group_instance_id: str | None) -> int:
    """Returns the error code for a request in the name of a member; 0 when it may speak."""
    if group_instance_id is not None:
        known_id = group.static_members.get(group_instance_id)
        if known_id is None:
            return UnknownMemberIdError.code
        if known_id != member_id:
            return FencedInstanceIdError.code
    return 0 if member_id in group.members else UnknownMemberIdError.code


# JoinGroup


def join(
    group: Group | None, request: JoinGroupRequest, caller: Caller, settings: GroupSettings, now: Moment
) -> Result:
    """Handles JoinGroup."""
    member_id = request.member_id
    if not settings.session_timeout_ms_min <= request.session_timeout_ms <= settings.session_timeout_ms_max:
        return _join_refused(caller, member_id, InvalidSessionTimeoutError.code)
    if group is None and member_id:
        return _join_refused(caller, member_id, UnknownMemberIdError.code)
    is_new_group = group is None
    if group is None:
        group = Group(group_id=request.group_id, state_timestamp_ms=now.wall_ms)
    if not _accepts(group, member_id, settings.group_size_max):
        draft = Draft(group, settings, now)
        if member_id in draft.group.members or member_id in draft.group.pending_join:
            draft.remove_member(member_id)
        draft.reply(caller.token, _join_error("", GroupMaxSizeReachedError.code))
        return draft.result
    if not group.supports(request.protocol_type, (protocol.name for protocol in request.protocols)):
        result = _join_refused(caller, member_id, InconsistentGroupProtocolError.code)
    elif not member_id:
        result = _join_new(group, request, caller, settings, now)
    else:
        result = _join_known(group, request, caller, settings, now)
    if is_new_group and not result.records and result.soft:
        # The group's existence is stored from its first member on, as Kafka does, so that a name that has been answered
        # for stays known.
        result.records.append(group_record(Group(group_id=group.group_id, state_timestamp_ms=now.wall_ms)))
    return result


def _accepts(group: Group, member_id: str, size_max: int) -> bool:
    """Whether the group has room: by who waits while it prepares, by its members otherwise."""
    if group.state is GroupState.EMPTY:
        return True
    if group.state is GroupState.PREPARING_REBALANCE:
        return member_id in group.awaiting_join or len(group.awaiting_join) < size_max
    return member_id in group.members or len(group.members) < size_max


def _join_new(
    group: Group,
    request: JoinGroupRequest,
    caller: Caller,
    settings: GroupSettings,
    now: Moment,
) -> Result:
    """A member without an id: it gets one, and from version 4 on comes back with it."""
    draft = Draft(group, settings, now)
    instance_id = request.group_instance_id
    member_id = f"{caller.client_id if instance_id is None else instance_id}-{caller.fresh_id}"
    if instance_id is not None and instance_id in group.static_members:
        _join_static_again(draft, request, caller, member_id)
    elif instance_id is None and caller.api_version >= JOIN_VERSION_NEEDS_MEMBER_ID:
        draft.group.pending_join.add(member_id)
        draft.set_deadline((SESSION, group.group_id, member_id), request.session_timeout_ms)
        draft.reply(caller.token, _join_error(member_id, MemberIdRequiredError.code))
    else:
        _add_member(draft, request, caller, member_id)
    return draft.result


def _join_known(
    group: Group,
    request: JoinGroupRequest,
    caller: Caller,
    settings: GroupSettings,
    now: Moment,
) -> Result:
    """A member that names its id: pending, rejoining, repeating, or unknown."""
    member_id = request.member_id
    draft = Draft(group, settings, now)
    if member_id in group.pending_join:
        if request.group_instance_id is not None:
            return _join_refused(caller, member_id, UnknownMemberIdError.code)
        _add_member(draft, request, caller, member_id)
        return draft.result
    error_code = check_member(group, member_id, request.group_instance_id)
    if error_code or group.state is GroupState.EMPTY:
        return _join_refused(caller, member_id, error_code or UnknownMemberIdError.code)
    unchanged = group.members[member_id].protocols == _protocols(request)
    repeats = unchanged and (
        group.state is GroupState.COMPLETING_REBALANCE
        or (group.state is GroupState.STABLE and not group.is_leader(member_id))
    )
    if repeats:
        # The answer to the first JoinGroup may have been lost: it is given again, and nothing changes.
        return Result(replies=[Reply(caller.token, draft.joined(member_id))])
    _update_member(draft, request, member_id)
    draft.park_join(member_id, Waiting(caller.token, caller.api_version))
    draft.rebalance_or_complete()
    return draft.result


def _join_static_again(draft: Draft, request: JoinGroupRequest, caller: Caller, member_id: str) -> None:
    """A static member comes back without its member id: it takes its old place under a new one."""
    group = draft.group
    old_leader = group.leader
    draft.take_over(request.group_instance_id or "", member_id)
    _update_member(draft, request, member_id)
    if group.state is GroupState.STABLE and group.elected_protocol() == group.protocol:
        draft.result.records.append(group_record(group))
        can_skip = caller.api_version >= JOIN_VERSION_CAN_SKIP_ASSIGNMENT
        answer = draft.joined(member_id, skip_assignment=can_skip and group.is_leader(member_id))
        if not can_skip:
            # Such a client would assign again if it were told that it leads; it keeps what it has.
            answer.leader, answer.members = old_leader or "", []
        draft.reply(caller.token, answer)
        return
    draft.park_join(member_id, Waiting(caller.token, caller.api_version))
    if group.state is GroupState.PREPARING_REBALANCE:
        draft.complete_join_if_possible()
    else:
        draft.prepare_rebalance()


def _add_member(draft: Draft, request: JoinGroupRequest, caller: Caller, member_id: str) -> None:
    group = draft.group
    if group.initial_delay is not None:
        group.new_member_added = True
    member = Member(
        member_id=member_id,
        group_instance_id=request.group_instance_id,
        client_id=caller.client_id,
        client_host=caller.client_host,
        rebalance_timeout_ms=_rebalance_timeout_ms(request),
        session_timeout_ms=request.session_timeout_ms,
        protocol_type=request.protocol_type,
        protocols=_protocols(request),
    )
    group.add(member)
    group.new_members.add(member_id)
    draft.park_join(member_id, Waiting(caller.token, caller.api_version))
    # A new member cannot heartbeat while its JoinGroup is parked, and a client that gave up and tried again leaves its
    # former self behind; so the parked request itself has a time limit.
    draft.prolong_session(member, draft.settings.new_member_join_timeout_ms)
    draft.rebalance_or_complete()


def _update_member(draft: Draft, request: JoinGroupRequest, member_id: str) -> None:
    draft.group.update(member_id, _protocols(request), _rebalance_timeout_ms(request), request.session_timeout_ms)


def _protocols(request: JoinGroupRequest) -> tuple[tuple[str, bytes], ...]:
    named: dict[str, bytes] = {}
    for protocol in request.protocols:
        named.setdefault(protocol.name, bytes(protocol.metadata))
    return tuple(named.items())


def _rebalance_timeout_ms(request: JoinGroupRequest) -> int:
    # A negative one would end every rebalance at once.
    return request.session_timeout_ms if request.rebalance_timeout_ms < 0 else request.rebalance_timeout_ms


def _join_error(member_id: str, error_code: int) -> JoinGroupResponse:
    return JoinGroupResponse(error_code=error_code, member_id=member_id, protocol_name=None)


def _join_refused(caller: Caller, member_id: str, error_code: int) -> Result:
    return Result(replies=[Reply(caller.token, _join_error(member_id, error_code))])


# SyncGroup


def sync(
    group: Group | None, request: SyncGroupRequest, caller: Caller, settings: GroupSettings, now: Moment
) -> Result:
    """Handles SyncGroup."""
    if group is None or group.state is GroupState.EMPTY:
        return _sync_refused(caller, UnknownMemberIdError.code)
    error_code = _check_sync(group, request)
    if error_code == 0 and group.state is GroupState.PREPARING_REBALANCE:
        error_code = RebalanceInProgressError.code
    if error_code:
        return _sync_refused(caller, error_code)
    member_id = request.member_id
    draft = Draft(group, settings, now)
    draft.group.pending_sync.discard(member_id)
    if not draft.group.pending_sync:
        draft.set_deadline((SYNC, group.group_id), None)
    if group.state is GroupState.STABLE:
        draft.reply(
            caller.token,
            SyncGroupResponse(
                protocol_type=group.protocol_type,
                protocol_name=group.protocol,
                assignment=group.members[member_id].assignment,
            ),
        )
        return draft.result
    draft.answer_sync(member_id, SyncGroupResponse(error_code=RebalanceInProgressError.code, assignment=b""))
    draft.group.awaiting_sync[member_id] = Waiting(caller.token, caller.api_version)
    if group.is_leader(member_id):
        draft.become_stable({given.member_id: bytes(given.assignment) for given in request.assignments})
        draft.result.otherwise = lambda: _cannot_be_stored(group, caller, settings, now)
    return draft.result


def _cannot_be_stored(group: Group, leader: Caller, settings: GroupSettings, now: Moment) -> Result:
    """The group with what its leader assigned is too large for the log: all are told so, and start over."""
    draft = Draft(group, settings, now)
    draft.group.awaiting_sync[group.leader or ""] = Waiting(leader.token, leader.api_version)
    draft.group.set_assignments({})
    draft.pass_out_assignments(UnknownServerError.code)
    draft.prepare_rebalance()
    return draft.result


def _check_sync(group: Group, request: SyncGroupRequest) -> int:
    error_code = check_member(group, request.member_id, request.group_instance_id)
    if error_code:
        return error_code
    if request.generation_id != group.generation:
        return IllegalGenerationError.code
    for said, known in (
        (request.protocol_type, group.protocol_type),
        (request.protocol_name, group.protocol),
    ):
        if said is not None and known is not None and said != known:
            return InconsistentGroupProtocolError.code
    return 0


def _sync_refused(caller: Caller, error_code: int) -> Result:
    return Result(replies=[Reply(caller.token, SyncGroupResponse(error_code=error_code, assignment=b""))])


# Heartbeat


def heartbeat(
    group: Group | None,
    request: HeartbeatRequest,
    caller: Caller,
    settings: GroupSettings,
    now: Moment,
) -> Result:
    """Handles Heartbeat. A good answer repeats what the member was told already, so it does not wait for a commit."""
    del settings
    error_code = UnknownMemberIdError.code
    member = None
    if group is not None:
        error_code = check_member(group, request.member_id, request.group_instance_id)
        if error_code == 0 and request.generation_id != group.generation:
            error_code = IllegalGenerationError.code
        if error_code == 0:
            member = group.members[request.member_id]
            if group.state is GroupState.PREPARING_REBALANCE:
                error_code = RebalanceInProgressError.code
    result = Result(replies=[Reply(caller.token, HeartbeatResponse(error_code=error_code), waits=error_code != 0)])
    if member is not None:
        result.deadlines.append(session_deadline(request.group_id, member, now))
    return result


# LeaveGroup


def leave(
    group: Group | None,
    request: LeaveGroupRequest,
    caller: Caller,
    settings: GroupSettings,
    now: Moment,
) -> Result:
    """Handles LeaveGroup, in its newest shape: a list of members, each answered for itself."""
    draft = Draft(group or Group(group_id=request.group_id), settings, now)
    answers = [
        LeaveGroupResponse.MemberResponse(
            member_id=identity.member_id,
            group_instance_id=identity.group_instance_id,
            error_code=UnknownMemberIdError.code if group is None else _leave_one(draft, identity),
        )
        for identity in request.members
    ]
    response = LeaveGroupResponse(members=answers)
    if group is None or all(answer.error_code for answer in answers):
        return Result(replies=[Reply(caller.token, response)])
    if draft.group.state in (GroupState.STABLE, GroupState.COMPLETING_REBALANCE):
        draft.rebalance_or_complete()
    else:
        draft.complete_join_if_possible()
    draft.reply(caller.token, response)
    return draft.result


def _leave_one(draft: Draft, identity: Any) -> int:
    group = draft.group
    member_id = identity.member_id
    if not member_id:
        # An administrator removes a static member by its instance id alone.
        known_id = group.static_members.get(identity.group_instance_id or "")
        if known_id is None:
            return UnknownMemberIdError.code
        draft.remove_member(known_id)
        return 0
    if member_id in group.pending_join:
        draft.remove_member(member_id)
        return 0
    error_code = check_member(group, member_id, identity.group_instance_id)
    if error_code == 0:
        draft.remove_member(member_id)
    return error_code


# OffsetCommit


def admit_commit(group: Group | None, request: OffsetCommitRequest, now: Moment) -> Admission:
    """Whether a commit is accepted; a member's commit prolongs its session as a heartbeat does."""
    error_code = _check_commit(group, request)
    if group is not None and error_code == 0 and group.state in (GroupState.STABLE, GroupState.PREPARING_REBALANCE):
        member = group.members.get(request.member_id)
        if member is not None:
            return Admission(deadlines=(session_deadline(request.group_id, member, now),))
    return Admission(error_code)


def _check_commit(group: Group | None, request: OffsetCommitRequest) -> int:
    generation = request.generation_id_or_member_epoch
    if group is None:
        if generation < 0:
            return 0  # A consumer that assigns itself, or an administrator.
        return GroupIdNotFoundError.code
    if generation < 0 and group.state is GroupState.EMPTY:
        return 0
    if generation < 0 and not request.member_id and request.group_instance_id is None:
        return UnknownMemberIdError.code  # Somebody outside the group commits while it has members.
    error_code = check_member(group, request.member_id, request.group_instance_id)
    if error_code == 0 and generation != group.generation:
        error_code = IllegalGenerationError.code
    if error_code == 0 and group.state is GroupState.COMPLETING_REBALANCE:
        error_code = RebalanceInProgressError.code
    return error_code


# Deadlines


def session_deadline(group_id: str, member: Member, now: Moment) -> Deadline:
    """Returns the deadline that counts `member`'s session from now."""
    return Deadline((SESSION, group_id, member.member_id), now.stamp_ms + member.session_timeout_ms)


def expire_session(group: Group | None, member_id: str, settings: GroupSettings, now: Moment) -> Result:
    """A member, or a pending member id, has not been heard of within its session timeout."""
    if group is None:
        return Result()
    parked = member_id in group.awaiting_join or member_id in group.awaiting_sync
    is_pending = member_id in group.pending_join
    if not is_pending and (member_id not in group.members or (parked and member_id not in group.new_members)):
        # A member that waits for the others is alive as far as anybody can tell; it gets a new deadline when answered.
        return Result()
    draft = Draft(group, settings, now)
    draft.remove_member(member_id)
    if draft.group.state is GroupState.PREPARING_REBALANCE:
        draft.complete_join_if_possible()
    elif not is_pending and draft.group.state is not GroupState.EMPTY:
        draft.rebalance_or_complete()
    return draft.result


def expire_join(group: Group | None, settings: GroupSettings, now: Moment) -> Result:
    """The time for joining is over: the initial delay, unless it may be extended, or the rebalance timeout."""
    if group is None or group.state is not GroupState.PREPARING_REBALANCE:
        return Result()
    draft = Draft(group, settings, now)
    if group.initial_delay is not None:
        delay_ms, remaining_ms = group.initial_delay
        if group.new_member_added and remaining_ms > 0:
            draft.group.new_member_added = False
            next_delay_ms = min(settings.initial_rebalance_delay_ms, remaining_ms)
            draft.schedule_initial_join(next_delay_ms, max(remaining_ms - delay_ms, 0))
            return draft.result
    draft.complete_join()
    return draft.result


def expire_sync(group: Group | None, settings: GroupSettings, now: Moment) -> Result:
    """Members of the generation never sent SyncGroup: they are out, and the others start over."""
    if (
        group is None
        or group.state not in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE)
        or not group.pending_sync
    ):
        return Result()
    draft = Draft(group, settings, now)
    for member_id in sorted(group.pending_sync):
        draft.remove_member(member_id)
    draft.prepare_rebalance()
    return draft.result
