"""A classic consumer group: its members, its state and the questions one asks of them.

A `Group` is a value to its readers. Handlers take a `copy()`, change the copy and hand it back as a soft change;
nothing here decides, replies or knows about time, versions or records.

The states, with every action and transition (`classic.py` and `offsets.py` are the code for this table):

Empty
    No members; only offsets. Also a group that is used for offset commits alone.
    - JoinGroup of a new member: parked; -> PreparingRebalance (the initial delay starts)
    - JoinGroup of an unknown member id, SyncGroup, Heartbeat, LeaveGroup: UNKNOWN_MEMBER_ID
    - OffsetCommit: accepted with generation < 0, else UNKNOWN_MEMBER_ID
    - DeleteGroups: tombstones; -> Dead
PreparingRebalance
    Waits until every member of the last generation and every pending member has joined.
    - JoinGroup, new or known: parked; when all have joined (not during the initial delay): -> CompletingRebalance
    - SyncGroup: REBALANCE_IN_PROGRESS
    - Heartbeat: session prolonged, REBALANCE_IN_PROGRESS
    - LeaveGroup, session expiry: member removed; nobody left: -> Empty
    - OffsetCommit: accepted from the last generation, session prolonged
    - initial delay over, or rebalance timeout: dynamic members that did not rejoin are removed; -> CompletingRebalance,
      or Empty when nobody is left; with only static members that did not rejoin, wait another rebalance timeout
CompletingRebalance
    Waits for the leader's assignment.
    - JoinGroup of a member with unchanged protocols: answered again with this generation; changed, or a new member:
      waiting SyncGroups get REBALANCE_IN_PROGRESS; -> PreparingRebalance
    - SyncGroup of a follower: parked; of the leader: assignment written, all waiting answered; -> Stable
    - Heartbeat: session prolonged, no error
    - LeaveGroup, session expiry: member removed; -> PreparingRebalance
    - OffsetCommit: REBALANCE_IN_PROGRESS
    - rebalance timeout since the generation began: members without SyncGroup are removed; -> PreparingRebalance
Stable
    - JoinGroup of a follower with unchanged protocols: answered with this generation; of the leader, of a member with
      changed protocols, of a new member: -> PreparingRebalance; of a static member that comes back with the same
      protocol choice: takes over its predecessor's place, no rebalance
    - SyncGroup: answered with the member's assignment
    - Heartbeat: session prolonged, no error
    - LeaveGroup, session expiry: member removed; -> PreparingRebalance
    - OffsetCommit: accepted from this generation, session prolonged
    - rebalance timeout since the generation began: members without SyncGroup are removed; -> PreparingRebalance
Dead
    Deleted; the name is free again. Never stored: a group that is not in the shard is Dead. DescribeGroups says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["PREDECESSORS", "Group", "GroupState", "Member", "Waiting"]

CONSUMER_PROTOCOL_TYPE = "consumer"


class GroupState(Enum):
    """State of a classic group; the value is Kafka's name for it."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


PREDECESSORS: dict[GroupState, frozenset[GroupState]] = {
    GroupState.EMPTY: frozenset({GroupState.PREPARING_REBALANCE}),
    GroupState.PREPARING_REBALANCE: frozenset(
        {GroupState.STABLE, GroupState.COMPLETING_REBALANCE, GroupState.EMPTY},
    ),
    GroupState.COMPLETING_REBALANCE: frozenset({GroupState.PREPARING_REBALANCE}),
    GroupState.STABLE: frozenset({GroupState.COMPLETING_REBALANCE}),
    GroupState.DEAD: frozenset(GroupState),
}
"""From which states each state may be entered."""


@dataclass(frozen=True, slots=True)
class Member:
    """One member as the group knows it.

    Attributes:
        protocols: (name, metadata) in the member's order of preference.
        assignment: What the leader gave it in the group's generation; empty while a rebalance runs.
    """

    member_id: str
    group_instance_id: str | None
    client_id: str
    client_host: str
    rebalance_timeout_ms: int
    session_timeout_ms: int
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    assignment: bytes = b""

    def metadata(self, protocol: str) -> bytes:
        """Returns the member's metadata under `protocol`; empty when it does not speak it."""
        for name, metadata in self.protocols:
            if name == protocol:
                return metadata
        return b""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A parked request of a member."""

    token: int
    api_version: int


@dataclass(slots=True)
class Group:
    """A classic group.

    Attributes:
        awaiting_join: Members whose JoinGroup is parked.
        awaiting_sync: Members whose SyncGroup is parked.
        pending_join: Member ids given out with MEMBER_ID_REQUIRED that have not come back with it.
        pending_sync: Members of this generation that have not sent SyncGroup.
        new_members: Members that have never completed a JoinGroup: their session may expire while they are parked.
        supporters: For each protocol name, how many members speak it.
        initial_delay: While the initial rebalance delay runs: how long it was set for, and how much longer it may be
            extended in all.
        new_member_added: Somebody joined during the initial rebalance delay, so that it may be extended.
    """

    group_id: str
    state: GroupState = GroupState.EMPTY
    previous_state: GroupState = GroupState.DEAD
    state_timestamp_ms: int = -1
    generation: int = 0
    protocol_type: str | None = None
    protocol: str | None = None
    leader: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    awaiting_join: dict[str, Waiting] = field(default_factory=dict)
    awaiting_sync: dict[str, Waiting] = field(default_factory=dict)
    pending_join: set[str] = field(default_factory=set)
    pending_sync: set[str] = field(default_factory=set)
    new_members: set[str] = field(default_factory=set)
    supporters: dict[str, int] = field(default_factory=dict)
    initial_delay: tuple[int, int] | None = None
    new_member_added: bool = False

    def copy(self) -> Group:
        """Returns a group that can be changed without changing this one."""
        return replace(
            self,
            members=self.members.copy(),
            static_members=self.static_members.copy(),
            awaiting_join=self.awaiting_join.copy(),
            awaiting_sync=self.awaiting_sync.copy(),
            pending_join=self.pending_join.copy(),
            pending_sync=self.pending_sync.copy(),
            new_members=self.new_members.copy(),
            supporters=self.supporters.copy(),
        )

    # Questions.

    @property
    def is_simple(self) -> bool:
        """Whether the group has only ever been used for offsets."""
        return self.protocol_type is None and self.state is GroupState.EMPTY and not self.pending_join

    @property
    def can_rebalance(self) -> bool:
        """Whether a rebalance may start from the present state."""
        return self.state in PREDECESSORS[GroupState.PREPARING_REBALANCE]

    @property
    def has_all_members_joined(self) -> bool:
        """Whether nobody is missing for the next generation."""
        return len(self.awaiting_join) == len(self.members) and not self.pending_join

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest time any member asked for."""
        return max((member.rebalance_timeout_ms for member in self.members.values()), default=0)

    def is_leader(self, member_id: str) -> bool:
        """Whether `member_id` leads this generation."""
        return self.leader == member_id

    def supports(self, protocol_type: str, protocols: Iterable[str]) -> bool:
        """Whether a member of that type with these protocols could be added without shutting anybody out."""
        names = list(protocols)
        if self.state is GroupState.EMPTY:
            return bool(protocol_type) and bool(names)
        everybody = len(self.members)
        return self.protocol_type == protocol_type and any(self.supporters.get(name, 0) == everybody for name in names)

    def elected_protocol(self) -> str:
        """Returns the protocol that most members prefer among those that all of them speak.

        Ties go to the protocol that a member seen first voted for, so that the choice does not depend on hashing.
        """
        everybody = len(self.members)
        candidates = {name for name, count in self.supporters.items() if count == everybody}
        votes: dict[str, int] = {}
        for member in self.members.values():
            vote = next((name for name, _ in member.protocols if name in candidates), None)
            if vote is not None:
                votes[vote] = votes.get(vote, 0) + 1
        return max(votes, key=lambda name: votes[name])

    # Changes, on a copy.

    def transition(self, state: GroupState, wall_ms: int) -> None:
        """Enters `state`.

        Raises:
            RuntimeError: The table of states does not allow it, which is a defect of the caller.
        """
        if self.state not in PREDECESSORS[state]:
            raise RuntimeError(f"group {self.group_id}: {self.state.value} -> {state.value} is not a transition")
        self.previous_state, self.state, self.state_timestamp_ms = self.state, state, wall_ms

    def add(self, member: Member) -> None:
        """Adds a member; the first one decides the group's protocol type and becomes the leader."""
        if not self.members:
            self.protocol_type = member.protocol_type
        if self.leader is None:
            self.leader = member.member_id
        if member.group_instance_id is not None:
            self.static_members[member.group_instance_id] = member.member_id
        self.members[member.member_id] = member
        self._count(member, 1)
        self.pending_join.discard(member.member_id)

    def remove(self, member_id: str) -> None:
        """Removes a member or a pending member id; another member becomes the leader if need be."""
        member = self.members.pop(member_id, None)
        if member is not None:
            self._count(member, -1)
            if member.group_instance_id is not None:
                self.static_members.pop(member.group_instance_id, None)
        for waiting in (self.awaiting_join, self.awaiting_sync):
            waiting.pop(member_id, None)
        for ids in (self.pending_join, self.pending_sync, self.new_members):
            ids.discard(member_id)
        if self.leader == member_id:
            self.leader = next(iter(self.members), None)

    def update(
        self,
        member_id: str,
        protocols: tuple[tuple[str, bytes], ...],
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
    ) -> None:
        """Takes over what a rejoining member says about itself."""
        member = self.members[member_id]
        self._count(member, -1)
        member = replace(
            member,
            protocols=protocols,
            rebalance_timeout_ms=rebalance_timeout_ms,
            session_timeout_ms=session_timeout_ms,
        )
        self.members[member_id] = member
        self._count(member, 1)

    def replace_static(self, group_instance_id: str, member_id: str) -> Member:
        """Gives the place of a static member to its next incarnation, `member_id`."""
        old_id = self.static_members[group_instance_id]
        member = replace(self.members.pop(old_id), member_id=member_id)
        self.members[member_id] = member
        self.static_members[group_instance_id] = member_id
        self.awaiting_join.pop(old_id, None)
        self.awaiting_sync.pop(old_id, None)
        for ids in (self.pending_sync, self.new_members):
            if old_id in ids:
                ids.discard(old_id)
                ids.add(member_id)
        if self.leader == old_id:
            self.leader = member_id
        return member

    def elect_joined_leader(self) -> bool:
        """Makes sure that the leader is a member that has joined; False when no member has."""
        if self.leader is None:
            return False
        if self.leader in self.awaiting_join:
            return True
        joined = next((member_id for member_id in self.members if member_id in self.awaiting_join), None)
        if joined is None:
            return False
        self.leader = joined
        return True

    def begin_generation(self, wall_ms: int) -> None:
        """Counts the generation up and enters CompletingRebalance, or Empty when nobody is left."""
        self.generation += 1
        self.pending_sync.clear()
        if self.members:
            self.protocol = self.elected_protocol()
            self.transition(GroupState.COMPLETING_REBALANCE, wall_ms)
        else:
            self.protocol = None
            self.transition(GroupState.EMPTY, wall_ms)

    def set_assignments(self, assignments: dict[str, bytes]) -> None:
        """Gives every member its assignment; members that `assignments` does not name get an empty one."""
        for member_id, member in self.members.items():
            self.members[member_id] = replace(member, assignment=assignments.get(member_id, b""))

    def _count(self, member: Member, step: int) -> None:
        for name, _ in member.protocols:
            count = self.supporters.get(name, 0) + step
            if count:
                self.supporters[name] = count
            else:
                self.supporters.pop(name, None)
