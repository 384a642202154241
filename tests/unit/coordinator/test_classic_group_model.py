"""A model of many clients against one shard: lost, late and repeated requests, silence, reloads, at any point.

Invariants: at most one leader, and it is a member; generations only grow; every member of a Stable group is answered with
the assignment of its generation; no known member is told UNKNOWN_MEMBER_ID while its session lives; a stale generation
never commits; what the log says is what the living state says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.coordinator import classic, draft
from barnabas.coordinator.draft import JOIN
from barnabas.coordinator.group import Group, GroupState
from barnabas.coordinator.offsets import Admission
from barnabas.coordinator.records import group_record

SESSION_MS = 10_000
REBALANCE_MS = 15_000
UNKNOWN = errors.UnknownMemberIdError.code
CLIENTS = st.integers(0, 4)


@dataclass
class Client:
    """What one client believes."""

    member_id: str = ""
    generation: int = -1
    leads: bool = False
    members: list[str] = field(default_factory=list)
    join: int | None = None
    sync: int | None = None
    heard_ms: float = 0.0
    instance: str | None = None
    known: bool = False
    synced: bool = False
    must_rejoin: bool = False

    def forget(self) -> None:
        self.member_id, self.generation, self.join, self.sync = "", -1, None, None
        self.synced = self.must_rejoin = False


class GroupModel(RuleBasedStateMachine):
    @initialize(delay=st.sampled_from([0, 3_000]), static=st.booleans())
    def start(self, delay: int, *, static: bool) -> None:
        self.virtual = VirtualShard(initial_rebalance_delay_ms=delay)
        self.clients = [Client(instance=f"i{index}" if static and index < 2 else None) for index in range(5)]
        self.generation = 0
        self.committed = -1
        self.given: dict[int, dict[str, bytes]] = {}

    # What clients do when all goes well: each one's next step, in turn, so that groups become Stable often.

    @rule(chosen=st.sets(CLIENTS, min_size=1), rounds=st.integers(1, 4))
    def go_on(self, chosen: set[int], rounds: int) -> None:
        for _ in range(rounds):
            for index in sorted(chosen):
                client = self.clients[index]
                if client.join is not None or client.sync is not None:
                    continue
                if client.generation < 0:
                    self.join(index, version=9, metadata=b"a")
                elif not client.synced:
                    self.sync(index)
                else:
                    self.heartbeat(index)
                    if client.must_rejoin:
                        self.join(index, version=9, metadata=b"a")

    # What clients do at any time, sensible or not.

    @rule(index=CLIENTS, version=st.sampled_from([3, 9]), metadata=st.sampled_from([b"a", b"a", b"b"]))
    def join(self, index: int, version: int, metadata: bytes) -> None:
        client = self.clients[index]
        client.known = self._alive(client)
        client.sync = None
        fields: dict[str, Any] = {"metadata": metadata, "group_instance_id": client.instance}
        fields["rebalance_timeout_ms"] = REBALANCE_MS
        client.join = self.virtual.join(client.member_id, version=version, **fields)
        client.heard_ms = self.virtual.now_ms
        self._settle()

    @rule(index=CLIENTS)
    def sync(self, index: int) -> None:
        client = self.clients[index]
        if client.generation < 0 or client.join is not None:
            return
        assignments = None
        if client.leads:
            assignments = {name: f"{client.generation}:{name}".encode() for name in client.members}
        client.sync = self.virtual.sync(
            client.member_id,
            client.generation,
            assignments,
            group_instance_id=client.instance,
        )
        self._settle()

    @rule(index=CLIENTS)
    def heartbeat(self, index: int) -> None:
        client = self.clients[index]
        if client.generation < 0:
            return
        alive = self._alive(client)
        code = self.virtual.heartbeat(client.member_id, client.generation, group_instance_id=client.instance)
        if code == UNKNOWN:
            assert not alive, "a member whose session lives was forgotten"
            client.forget()
        elif code in (0, errors.RebalanceInProgressError.code):
            client.heard_ms = self.virtual.now_ms
            client.must_rejoin = code != 0
        elif code == errors.FencedInstanceIdError.code:
            client.forget()
        else:
            client.must_rejoin = True

    @rule(index=CLIENTS)
    def leave(self, index: int) -> None:
        client = self.clients[index]
        if client.member_id:
            self.virtual.leave((client.member_id, client.instance))
            client.forget()
            self._settle()

    @rule(index=CLIENTS)
    def crash(self, index: int) -> None:
        self.clients[index].forget()

    @rule(index=CLIENTS, age=st.integers(0, 2), offset=st.integers(0, 1000))
    def commit(self, index: int, age: int, offset: int) -> None:
        client = self.clients[index]
        if client.generation < 0:
            return
        generation = client.generation - age
        code = self.virtual.commit(client.member_id, generation, offset, group_instance_id=client.instance)
        group = self.virtual.shard.groups.get(GROUP)
        if code == 0:
            empty = group is None or (group.state is GroupState.EMPTY and generation < 0)
            assert empty or (group is not None and generation == group.generation)
            self.committed = offset
            client.heard_ms = max(client.heard_ms, 0.0)

    # What the world does.

    @rule(milliseconds=st.sampled_from([10, 500, 3_000, 9_000]))
    def time_passes(self, milliseconds: int) -> None:
        self.virtual.advance(milliseconds)
        self._settle()

    @rule(chosen=st.sets(CLIENTS), steps=st.integers(1, 8))
    def time_passes_while_some_are_alive(self, chosen: set[int], steps: int) -> None:
        for _ in range(steps):
            for index in chosen:
                client = self.clients[index]
                if client.join is None and client.sync is None:
                    self.heartbeat(index)
            self.virtual.advance(3_000)
            self._settle()

    @precondition(lambda self: self.virtual.log)
    @rule()
    def reload(self) -> None:
        self.virtual.reload()
        group = self.virtual.shard.groups.get(GROUP)
        known = group.members if group is not None else {}
        for client in self.clients:
            # Whoever was parked is refused, finds the coordinator again and starts over; so does a member whose
            # generation was never stored.
            client.join = client.sync = None
            stored = known.get(client.member_id)
            if stored is None or group is None or client.generation != group.generation:
                client.forget()
            else:
                client.heard_ms = self.virtual.now_ms
        self.generation = group.generation if group is not None else 0
        self.virtual.joined = {self.generation: set(known)}
        self.given = {generation: given for generation, given in self.given.items() if generation <= self.generation}

    def _alive(self, client: Client) -> bool:
        group = self.virtual.shard.groups.get(GROUP)
        if group is None or client.generation != group.generation or client.member_id not in group.members:
            return False
        return self.virtual.now_ms - client.heard_ms < SESSION_MS

    def _settle(self) -> None:
        """Hands answers to the clients that wait for them."""
        for client in self.clients:
            if client.join in self.virtual.answers:
                self._joined(client, self.virtual.answers.pop(client.join))
            if client.sync in self.virtual.answers:
                self._synced(client, self.virtual.answers.pop(client.sync))

    def _joined(self, client: Client, answer: Any) -> None:
        client.join = None
        if answer.error_code == 0:
            client.member_id, client.generation = answer.member_id, answer.generation_id
            client.leads = answer.leader == answer.member_id
            client.members = [member.member_id for member in answer.members]
            client.synced = client.must_rejoin = False
            group = self.virtual.shard.groups[GROUP]
            if client.leads and group.state is GroupState.COMPLETING_REBALANCE:
                assert answer.generation_id not in self.given, "a generation that was assigned begins again"
                if answer.generation_id == group.generation:
                    assert set(client.members) == set(group.members)
            assert not client.leads or answer.member_id in client.members
            client.heard_ms = self.virtual.now_ms
        elif answer.error_code == errors.MemberIdRequiredError.code:
            client.member_id = answer.member_id
        elif answer.error_code == UNKNOWN:
            assert not client.known, "a member was forgotten while it waited for the others"
            client.forget()
        else:
            client.forget()

    def _synced(self, client: Client, answer: Any) -> None:
        client.sync = None
        if answer.error_code == 0:
            client.heard_ms = self.virtual.now_ms
            given = self.given.setdefault(client.generation, {})
            assert given.setdefault(client.member_id, answer.assignment) == answer.assignment
            client.synced = True
            if client.instance is None:
                assert answer.assignment == f"{client.generation}:{client.member_id}".encode(), "a truncated assignment"
        elif answer.error_code in (UNKNOWN, errors.FencedInstanceIdError.code):
            client.forget()
        else:
            client.must_rejoin = client.synced = True

    # What must always hold.

    @invariant()
    def group_is_sound(self) -> None:
        group = getattr(self, "virtual", None) and self.virtual.shard.groups.get(GROUP)
        if not group:
            return
        assert group.generation >= self.generation
        self.generation = group.generation
        assert (group.leader in group.members) if group.members else group.leader is None
        assert set(group.awaiting_join) <= set(group.members)
        assert set(group.awaiting_sync) <= set(group.members)
        assert group.pending_join.isdisjoint(group.members)
        assert set(group.static_members.values()) <= set(group.members)
        assert group.supporters == self._counted(group)
        assert not (group.awaiting_sync and group.state is not GroupState.COMPLETING_REBALANCE)
        assert not (group.awaiting_join and group.state is not GroupState.PREPARING_REBALANCE)
        if group.state in (GroupState.COMPLETING_REBALANCE, GroupState.STABLE):
            told = self.virtual.joined[group.generation] | set(group.static_members.values())
            assert set(group.members) <= told, "a member that was not told of its generation"
        if group.state is GroupState.PREPARING_REBALANCE:
            assert ("join", GROUP) in self.virtual.deadlines, "a rebalance that nothing would ever end"

    @staticmethod
    def _counted(group: Any) -> dict[str, int]:
        counts: dict[str, int] = {}
        for member in group.members.values():
            for name, _ in member.protocols:
                counts[name] = counts.get(name, 0) + 1
        return counts

    @invariant()
    def log_says_what_the_living_state_says(self) -> None:
        virtual = getattr(self, "virtual", None)
        if virtual is None:
            return
        group = virtual.shard.groups.get(GROUP)
        if group is not None and group.state in (GroupState.STABLE, GroupState.EMPTY) and group.generation:
            key, value = group_record(group)
            stored = virtual.shard.stored[GROUP]
            assert (stored.generation, stored.protocol, stored.leader) == (
                value.generation,
                value.protocol,
                value.leader,
            )
            assert {m.member_id: m.assignment for m in stored.members} == {
                m.member_id: m.assignment for m in value.members
            }
            assert key.group == GROUP
        assert virtual.fetch()[0] == self.committed

    @invariant()
    def every_member_has_a_deadline_or_waits(self) -> None:
        virtual = getattr(self, "virtual", None)
        group = virtual and virtual.shard.groups.get(GROUP)
        for member_id in group.members if group else ():
            parked = member_id in group.awaiting_join or member_id in group.awaiting_sync
            assert parked or ("session", GROUP, member_id) in virtual.deadlines, "a member that would never expire"


GroupModel.TestCase.settings = settings(max_examples=100, stateful_step_count=60, deadline=None)
TestGroupModel = GroupModel.TestCase


# Seeded defects.


def _without_last(original: Any) -> Any:
    """Assignments lose the last member's."""
    return lambda self, assignments: original(self, dict(list(assignments.items())[:-1]))


def _leader_stays(original: Any) -> Any:
    def remove(self: Any, member_id: str) -> None:
        leader = self.leader
        original(self, member_id)
        if self.members:
            self.leader = leader

    return remove


def _counted_back(original: Any) -> Any:
    def begin(self: Any, wall_ms: int) -> None:
        original(self, wall_ms)
        if self.generation > 2:
            self.generation -= 2

    return begin


def _no_members(original: Any) -> Any:
    def record(group: Any) -> Any:
        key, value = original(group)
        value.members = value.members[:1]
        return key, value

    return record


def _without_session(original: Any) -> Any:
    def prolong(self: Any, member: Any, after_ms: float | None = None) -> None:
        if after_ms is not None:
            original(self, member, after_ms)

    return prolong


def _without_end(original: Any) -> Any:
    def set_deadline(self: Any, key: Any, after_ms: float | None) -> None:
        original(self, key, None if key[0] == JOIN else after_ms)

    return set_deadline


MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "a stale generation commits": (
        classic,
        "admit_commit",
        lambda _original: lambda _group, _request, _now: Admission(),
    ),
    "an assignment is truncated": (Group, "set_assignments", _without_last),
    "who has gone still leads": (Group, "remove", _leader_stays),
    "generations go back": (Group, "begin_generation", _counted_back),
    "members are not stored": (draft, "group_record", _no_members),
    "a session has no end": (draft.Draft, "prolong_session", _without_session),
    "a rebalance has no end": (draft.Draft, "set_deadline", _without_end),
}


@pytest.mark.parametrize("defect", MUTANTS)
def test_the_model_catches(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, mutant = MUTANTS[defect]
    monkeypatch.setattr(where, name, mutant(getattr(where, name)))
    thorough = settings(
        max_examples=400,
        stateful_step_count=60,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    with pytest.raises(Exception):  # noqa: B017, PT011 - whichever invariant it breaks
        run_state_machine_as_test(GroupModel, settings=thorough)
