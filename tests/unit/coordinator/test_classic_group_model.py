"""Runs the model of classic groups (`group_model.py`), also with soundness of the broker's state, and shows what it catches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import group_model
import pytest
import volume
from group_model import COUNTS, GroupModel
from hypothesis.stateful import invariant
from virtual_shard import GROUP

from barnabas.coordinator import classic, draft, offsets, shard
from barnabas.coordinator.draft import JOIN, SYNC, Draft
from barnabas.coordinator.group import Group, GroupState
from barnabas.coordinator.offsets import Admission
from barnabas.errors import FencedInstanceIdError, UnknownMemberIdError
from barnabas.machine import Reply
from barnabas.protocol.messages.heartbeat import HeartbeatResponse

if TYPE_CHECKING:
    from collections.abc import Callable


class SoundGroupModel(GroupModel):
    """The same, and the broker's state is looked into."""

    @invariant()
    def group_is_sound(self) -> None:
        group = getattr(self, "virtual", None) and self.virtual.shard.groups.get(GROUP)
        if not group:
            return
        assert (group.leader in group.members) if group.members else group.leader is None
        assert set(group.awaiting_join) <= set(group.members)
        assert set(group.awaiting_sync) <= set(group.members)
        assert group.pending_join.isdisjoint(group.members)
        assert set(group.static_members.values()) <= set(group.members)
        assert group.supporters == self._counted(group)
        assert not (group.awaiting_sync and group.state is not GroupState.COMPLETING_REBALANCE)
        assert not (group.awaiting_join and group.state is not GroupState.PREPARING_REBALANCE)

    @staticmethod
    def _counted(group: Any) -> dict[str, int]:
        counts: dict[str, int] = {}
        for member in group.members.values():
            for name, _ in member.protocols:
                counts[name] = counts.get(name, 0) + 1
        return counts

    @invariant()
    def every_member_has_a_deadline_or_waits(self) -> None:
        virtual = getattr(self, "virtual", None)
        group = virtual and virtual.shard.groups.get(GROUP)
        for member_id in group.members if group else ():
            parked = member_id in group.awaiting_join or member_id in group.awaiting_sync
            assert parked or ("session", GROUP, member_id) in virtual.deadlines, "a member that would never expire"


STEPS = 60


@pytest.fixture(scope="module", autouse=True)
def summary():
    yield
    volume.keep_counts("test_classic_group_model.py -k TestGroupModel", COUNTS)


SoundGroupModel.TestCase.settings = volume.shared(STEPS)
TestGroupModel = SoundGroupModel.TestCase


# Seeded defects: what is replaced, by what, and the word of the invariant that must notice.

Mutant = tuple[Any, str, "Callable[[Any], Any]", str]


def _everybody_leads(original: Any) -> Any:
    def joined(self: Any, member_id: str, *, skip_assignment: bool = False) -> Any:
        leader, self.group.leader = self.group.leader, member_id
        answer = original(self, member_id, skip_assignment=skip_assignment)
        self.group.leader = leader
        return answer

    return joined


def _same_for_all(original: Any) -> Any:
    def set_assignments(self: Any, assignments: dict[str, bytes]) -> None:
        first = next(iter(assignments.values()), b"")
        original(self, dict.fromkeys(self.members, first) if assignments else {})

    return set_assignments


def _without_last(original: Any) -> Any:
    return lambda self, assignments: original(self, dict(list(assignments.items())[:-1]))


def _forgiven(original: Any) -> Any:
    """Whoever is no member (any more) is taken for one."""

    def check(group: Any, request: Any) -> int:
        code = original(group, request)
        return 0 if code in (UnknownMemberIdError.code, FencedInstanceIdError.code) else code

    return check


def _heard_by_name(original: Any) -> Any:
    """A heartbeat is good whatever the member's id, its generation and its instance."""

    def heartbeat(group: Any, request: Any, caller: Any, *rest: Any) -> Any:
        result = original(group, request, caller, *rest)
        if result.replies[0].message.error_code in (UnknownMemberIdError.code, FencedInstanceIdError.code):
            result.replies = [Reply(caller.token, HeartbeatResponse())]
        return result

    return heartbeat


def _members_only(_original: Any) -> Any:
    return lambda group, request: classic.check_member(group, request.member_id, request.group_instance_id)


def _half_a_session(original: Any) -> Any:
    def prolong(self: Any, member: Any, after_ms: float | None = None) -> None:
        original(self, member, (member.session_timeout_ms if after_ms is None else after_ms) / 2)

    return prolong


def _parked_ones_too(original: Any) -> Any:
    def expire(group: Any, member_id: str, *rest: Any) -> Any:
        if group is not None:
            group = group.copy()
            group.new_members = set(group.members)
        return original(group, member_id, *rest)

    return expire


def _changed(kind: str, change: Callable[[float | None], float | None]) -> Any:
    """Deadlines of one kind are others."""

    def mutant(original: Any) -> Any:
        def set_deadline(self: Any, key: Any, after_ms: float | None) -> None:
            original(self, key, change(after_ms) if key[0] == kind else after_ms)

        return set_deadline

    return mutant


def _at_once(original: Any) -> Any:
    def decide(*given: Any) -> Any:
        result = original(*given)
        result.replies = [reply._replace(waits=False) for reply in result.replies]
        return result

    return decide


def _reply_at_once(_original: Any) -> Any:
    return lambda self, token, message: self.result.replies.append(Reply(token, message, waits=False))


def _one_member(original: Any) -> Any:
    def record(group: Any) -> Any:
        key, value = original(group)
        value.members = value.members[:1]
        return key, value

    return record


def _no_leader(original: Any) -> Any:
    def record(group: Any) -> Any:
        key, value = original(group)
        value.leader = None
        return key, value

    return record


def _no_sessions(original: Any) -> Any:
    def expire(self: Any, key: Any, now: Any) -> Any:
        return shard.Result() if key[0] == draft.SESSION else original(self, key, now)

    return expire


MUTANTS: dict[str, Mutant] = {
    "everybody leads": (Draft, "joined", _everybody_leads, "owner"),
    "all are given the same": (Group, "set_assignments", _same_for_all, "owner|truncated"),
    "a stale generation commits": (classic, "admit_commit", lambda _: lambda *_: Admission(), "stale"),
    "who was replaced commits": (
        classic,
        "_check_commit",
        lambda original: (
            lambda group, request: (
                0 if request.group_instance_id is not None and group is not None else original(group, request)
            )
        ),
        "stale",
    ),
    "who has left commits": (classic, "_check_commit", _forgiven, "stale"),
    "who has left or was replaced is heard": (classic, "heartbeat", _heard_by_name, "stale|progress"),
    "a stale generation is given an assignment": (classic, "_check_sync", _members_only, "stale"),
    "a living member expires early": (Draft, "prolong_session", _half_a_session, "unknown"),
    "who waits for the others expires": (classic, "expire_session", _parked_ones_too, "unknown"),
    "a rebalance does not wait": (Draft, "set_deadline", _changed(JOIN, lambda ms: ms and ms / 10), "unknown"),
    "an assignment is truncated": (Group, "set_assignments", _without_last, "truncated"),
    "a commit is acknowledged at once": (offsets, "commit", _at_once, "uncommitted"),
    "offsets are read at once": (shard.GroupShard, "_fetch", _at_once, "uncommitted"),
    "an assignment is given at once": (Draft, "reply", _reply_at_once, "uncommitted|owner|unknown"),
    "a rebalance has no end": (Draft, "set_deadline", _changed(JOIN, lambda _: None), "progress"),
    "a leader may take for ever": (Draft, "set_deadline", _changed(SYNC, lambda _: None), "progress"),
    "a session has no end": (shard.GroupShard, "expire", _no_sessions, "progress"),
    "members are not stored": (draft, "group_record", _one_member, "replay|unknown"),
    "the leader is not stored": (draft, "group_record", _no_leader, "replay|progress"),
}


@pytest.mark.parametrize("defect", MUTANTS)
def test_the_model_catches(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, mutant, word = MUTANTS[defect]
    monkeypatch.setattr(where, name, mutant(getattr(where, name)))
    volume.must_catch(group_model.GroupModel, word, STEPS)
