"""A group under decision: the copy a handler works on, and what it decides while it does.

Every handler of the classic protocol starts with a `Draft`, changes it and ends with `result()`. Nothing outside the
draft changes. The steps that several requests share (preparing a rebalance, completing a join, passing out an
assignment, removing a member) live here; which request takes which step is in `classic.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.coordinator.group import Group, GroupState, Member, Waiting
from barnabas.coordinator.records import group_record
from barnabas.errors import (
    FencedInstanceIdError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from barnabas.machine import Deadline, Moment, Reply, Result
from barnabas.protocol.messages.join_group import JoinGroupResponse
from barnabas.protocol.messages.sync_group import SyncGroupResponse

if TYPE_CHECKING:
    from barnabas.coordinator.settings import GroupSettings

__all__ = ["JOIN", "SESSION", "SYNC", "Draft"]

SESSION = "session"
"""Deadline (SESSION, group, member): the member, or the pending member id, has not been heard of in time."""
JOIN = "join"
"""Deadline (JOIN, group): the time for joining is over."""
SYNC = "sync"
"""Deadline (SYNC, group): members of the generation have not sent SyncGroup in time."""


class Draft:
    """What one event does to one group."""

    def __init__(self, group: Group, settings: GroupSettings, now: Moment) -> None:
        self.group = group.copy()
        self.settings = settings
        self.now = now
        self.result = Result(soft=[self.group])

    # Small steps.

    def reply(self, token: int, message: Any) -> None:
        """Answers a request once everything so far is committed."""
        self.result.replies.append(Reply(token, message))

    def set_deadline(self, key: tuple[Any, ...], after_ms: float | None) -> None:
        """Sets a deadline `after_ms` from now, or cancels it."""
        at_ms = None if after_ms is None else self.now.stamp_ms + after_ms
        self.result.deadlines.append(Deadline(key, at_ms))

    def prolong_session(self, member: Member, after_ms: float | None = None) -> None:
        """Counts the member's session timeout (or `after_ms`) from now."""
        self.set_deadline(
            (SESSION, self.group.group_id, member.member_id),
            member.session_timeout_ms if after_ms is None else after_ms,
        )

    def drop_session(self, member_id: str) -> None:
        """Forgets the session of a member that is gone."""
        self.set_deadline((SESSION, self.group.group_id, member_id), None)

    def answer_join(self, member_id: str, message: JoinGroupResponse) -> None:
        """Answers the parked JoinGroup of a member, if there is one."""
        waiting = self.group.awaiting_join.pop(member_id, None)
        if waiting is not None:
            self.reply(waiting.token, message)

    def answer_sync(self, member_id: str, message: SyncGroupResponse) -> bool:
        """Answers the parked SyncGroup of a member, if there is one."""
        waiting = self.group.awaiting_sync.pop(member_id, None)
        if waiting is not None:
            self.reply(waiting.token, message)
        return waiting is not None

    def joined(self, member_id: str, *, skip_assignment: bool = False) -> JoinGroupResponse:
        """Returns the successful answer to a member's JoinGroup; only the leader is shown the members."""
        group = self.group
        protocol = group.protocol or ""
        members = []
        if group.is_leader(member_id):
            members = [
                JoinGroupResponse.JoinGroupResponseMember(
                    member_id=member.member_id,
                    group_instance_id=member.group_instance_id,
                    metadata=member.metadata(protocol),
                )
                for member in group.members.values()
            ]
        return JoinGroupResponse(
            generation_id=group.generation,
            protocol_type=group.protocol_type,
            protocol_name=group.protocol,
            leader=group.leader or "",
            skip_assignment=skip_assignment,
            member_id=member_id,
            members=members,
        )

    # Joining.

    def park_join(self, member_id: str, waiting: Waiting) -> None:
        """Parks a member's JoinGroup.

        A JoinGroup of the same member that is still parked (its connection broke, or the client gave up waiting) is
        answered first, so that no request is left without an answer.
        """
        self.answer_join(member_id, _join_error(member_id, RebalanceInProgressError.code))
        self.group.awaiting_join[member_id] = waiting

    def rebalance_or_complete(self) -> None:
        """A member has joined, changed or left: starts a rebalance, or goes on with the one that runs."""
        if self.group.can_rebalance:
            self.prepare_rebalance()
        else:
            self.complete_join_if_possible()

    def prepare_rebalance(self) -> None:
        """Enters PreparingRebalance; at once goes on when everybody has joined already."""
        group = self.group
        if group.state is GroupState.COMPLETING_REBALANCE:
            group.set_assignments({})
            self.pass_out_assignments(RebalanceInProgressError.code)
        group.pending_sync.clear()
        self.set_deadline((SYNC, group.group_id), None)
        initial = group.state is GroupState.EMPTY
        group.transition(GroupState.PREPARING_REBALANCE, self.now.wall_ms)
        if initial:
            delay_ms = self.settings.initial_rebalance_delay_ms
            if delay_ms == 0:
                # No timer round trip: a single member with `group.initial.rebalance.delay.ms=0` is answered at once.
                self.complete_join()
                return
            group.new_member_added = False
            self.schedule_initial_join(delay_ms, max(group.rebalance_timeout_ms - delay_ms, 0))
        elif group.has_all_members_joined:
            self.complete_join()
        else:
            self.set_deadline((JOIN, group.group_id), group.rebalance_timeout_ms)

    def schedule_initial_join(self, delay_ms: int, remaining_ms: int) -> None:
        """Waits `delay_ms` for more members; `remaining_ms` is how much longer it may be extended in all."""
        self.group.initial_delay = (delay_ms, remaining_ms)
        self.set_deadline((JOIN, self.group.group_id), delay_ms)

    def complete_join_if_possible(self) -> None:
        """Ends PreparingRebalance if all members have joined; the initial delay is always waited out."""
        group = self.group
        if (
            group.state is GroupState.PREPARING_REBALANCE
            and group.initial_delay is None
            and group.has_all_members_joined
        ):
            self.complete_join()

    def complete_join(self) -> None:
        """Ends PreparingRebalance: who has not joined is out, the next generation begins."""
        group = self.group
        group.initial_delay = None
        self.set_deadline((JOIN, group.group_id), None)
        missing = [
            member.member_id
            for member in group.members.values()
            if member.group_instance_id is None and member.member_id not in group.awaiting_join
        ]
        for member_id in missing:
            group.remove(member_id)
            self.drop_session(member_id)
        if not group.elect_joined_leader() and group.members:
            # Only static members are left and none has come back: wait for them or for the end of their sessions.
            self.set_deadline((JOIN, group.group_id), group.rebalance_timeout_ms)
            return
        group.begin_generation(self.now.wall_ms)
        if group.state is GroupState.EMPTY:
            self.result.records.append(group_record(group))
            return
        for member in list(group.members.values()):
            self.answer_join(member.member_id, self.joined(member.member_id))
            self.prolong_session(member)
        group.new_members.clear()
        group.pending_sync = set(group.members)
        self.set_deadline((SYNC, group.group_id), group.rebalance_timeout_ms)

    # Assigning.

    def become_stable(self, assignments: dict[str, bytes]) -> None:
        """The leader has assigned: stores the generation, answers who waits, enters Stable."""
        group = self.group
        group.set_assignments(assignments)
        group.transition(GroupState.STABLE, self.now.wall_ms)
        self.result.records.append(group_record(group))
        self.pass_out_assignments(0)

    def pass_out_assignments(self, error_code: int) -> None:
        """Answers every parked SyncGroup, with its member's assignment or with an error."""
        group = self.group
        named = error_code == 0
        for member in list(group.members.values()):
            answered = self.answer_sync(
                member.member_id,
                SyncGroupResponse(
                    error_code=error_code,
                    protocol_type=group.protocol_type if named else None,
                    protocol_name=group.protocol if named else None,
                    assignment=member.assignment,
                ),
            )
            if answered:
                # A session that ran out while its member was parked was let pass and has no deadline any more.
                self.prolong_session(member)

    # Leaving.

    def remove_member(self, member_id: str) -> None:
        """Takes a member out; a parked JoinGroup of it is told to start over."""
        self.answer_join(member_id, _join_error("", UnknownMemberIdError.code))
        self.answer_sync(member_id, SyncGroupResponse(error_code=UnknownMemberIdError.code, assignment=b""))
        self.group.remove(member_id)
        self.drop_session(member_id)

    def take_over(self, group_instance_id: str, member_id: str) -> Member:
        """Gives a static member's place to its next incarnation and fences the old one."""
        old_id = self.group.static_members[group_instance_id]
        fenced = FencedInstanceIdError.code
        self.answer_join(old_id, _join_error(old_id, fenced))
        self.answer_sync(old_id, SyncGroupResponse(error_code=fenced, assignment=b""))
        member = self.group.replace_static(group_instance_id, member_id)
        self.drop_session(old_id)
        self.prolong_session(member)
        return member


def _join_error(member_id: str, error_code: int) -> JoinGroupResponse:
    return JoinGroupResponse(error_code=error_code, member_id=member_id, protocol_name=None)
