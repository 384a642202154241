"""Our members of both protocols in one group, which changes from one protocol to the other and back as they come and go, in
virtual time: requests and answers are lost, members die, the coordinator is loaded again, all of it at random.

What breaks an invariant begins with its word: `owner`, two members read one partition; `stale`, somebody commits who is no
member any more; `unknown`, a living member is told that it is none; `progress`, when everybody behaves a partition has no reader;
`kind`, the group does not speak the protocol of its members. `SEEDS=` runs more lives.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import volume
from our_members import ClassicMember, Member, listings
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.coordinator import consumer_classic, consumer_queries, migration
from barnabas.coordinator.consumer_change import Change
from barnabas.coordinator.consumer_group import ConsumerGroup
from barnabas.coordinator.draft import Draft
from barnabas.coordinator.offsets import Admission
from barnabas.machine import Reply
from barnabas.protocol.messages.heartbeat import HeartbeatResponse
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterator

LIVES = max(volume.EXAMPLES, 100)
MUTANT_LIVES = 300
SETTLE_ROUNDS = 400
ROUND_MS = 500
"""All rounds together are longer than a session and a rebalance."""
MOVES_ON = {
    errors.RebalanceInProgressError.code,
    errors.IllegalGenerationError.code,
    errors.StaleMemberEpochError.code,
    errors.FencedMemberEpochError.code,
}
"""What a commit may be told while the group goes on."""
ASSIGNORS = (("range",), ("cooperative-sticky",))
COUNTS: Counter[str] = Counter()

AnyMember = Member | ClassicMember


class Life:
    """One life of a group; its classic members have one assignor, which gives up everything or only what moves."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311
        self.virtual = VirtualShard(session_timeout_ms_min=1_000)
        self.assignors = self.chance.choice(ASSIGNORS)
        self.members: list[AnyMember] = []
        self.gone: list[tuple[str, int]] = []
        self.dead: list[tuple[str, int]] = []
        """Who died without a word: known to be gone when its session is over."""
        self.joined = 0

    # What happens.

    def join(self) -> None:
        topics = self.chance.choice([["orders"], ["orders", "payments"]])
        self.joined += 1
        if self.chance.random() < 0.5:
            self.members.append(Member(self.virtual, f"m-{self.joined}", topics))
        else:
            self.members.append(ClassicMember(self.virtual, topics, self.assignors))

    def step(self) -> None:
        member = self.chance.choice(self.members)
        match self.chance.randrange(7):
            case 0 | 1:
                member.poll()
            case 2 | 3:
                member.deliver(lose_request=self.chance.random() < 0.05, lose_answer=self.chance.random() < 0.05)
            case 4:
                member.repeat(lose_answer=self.chance.random() < 0.1)
            case 5:
                self.virtual.advance(20)
            case 6:
                self.commit(member)
        self.check()

    def happen(self) -> None:
        match self.chance.randrange(8):
            case 0:
                self.reload()
            case 1:
                self.grow()
            case 2 | 3 if len(self.members) > 1:
                self.leave(self.chance.choice(self.members))
            case 4 if len(self.members) > 1:
                COUNTS["deaths"] += 1
                dead = self.members.pop(self.chance.randrange(len(self.members)))
                self.dead += filter(None, [self.generation(dead)])
            case 5 if len(self.members) > 2:
                COUNTS["one protocol left"] += 1
                kind = type(self.chance.choice(self.members))
                for member in [one for one in self.members if not isinstance(one, kind)]:
                    self.leave(member)

    def leave(self, member: AnyMember) -> None:
        COUNTS["leaves"] += 1
        self.members.remove(member)
        left = self.generation(member)
        member.machine.leave("closed")
        member.carry_out()
        if left is not None:
            self.gone.append(left)

    @staticmethod
    def generation(member: AnyMember) -> tuple[str, int] | None:
        generation = member.machine.stable_generation
        return None if generation is None else (generation.member_id, generation.generation_id)

    def reload(self) -> None:
        COUNTS["reloads"] += 1
        self.virtual.reload()
        # Who left a classic group while it rebalanced is a member again until its session is over.
        self.gone.clear()
        for member in self.members:
            if isinstance(member, ClassicMember):
                member.coordinator_is_lost()

    def grow(self) -> None:
        COUNTS["grown topics"] += 1
        info = self.virtual.topics.get("orders")
        assert info is not None
        self.virtual.topics.put("orders", info.partition_count + 1)
        for member in self.members:
            if isinstance(member, ClassicMember):
                member.look_at_topics()
                member.carry_out()

    def commit(self, member: AnyMember) -> None:
        if (who := self.generation(member)) is not None:
            code = self.virtual.commit(*who, version=9)
            COUNTS["commits"] += not code
            assert code in {0, *MOVES_ON}, f"unknown: a living member cannot commit: {code}"

    # What must hold.

    def check(self) -> None:
        owned = [partition for member in self.members for partition in member.reading]
        COUNTS["partitions read"] += len(owned)
        assert len(owned) == len(set(owned)), "owner: two members read one partition"
        for who in self.gone:
            COUNTS["commits of who has left"] += 1
            assert self.virtual.commit(*who, version=9), "stale: a member that has left has committed"
        assert not any(member.failures for member in self.members)

    def settle(self) -> None:
        losses = 0
        for number in range(SETTLE_ROUNDS):
            if number == SETTLE_ROUNDS // 2:
                losses = sum(member.losses for member in self.members)
            for member in self.members:
                member.repeat()
                for _ in range(2):
                    member.poll()
                    member.deliver()
                    member.poll()
                self.check()
            self.virtual.advance(ROUND_MS)
        self.gone += self.dead
        self.check()
        assert sum(member.losses for member in self.members) == losses, (
            "unknown: a member that behaves lost what it had"
        )
        subscribed = {topic for member in self.members for topic in member.machine.group_topics}
        everything = {
            TopicPartition(name, info.partition)
            for name, listing in listings(self.virtual).items()
            for info in listing.partitions
            if name in subscribed
        }
        read = frozenset().union(*(member.reading for member in self.members))
        assert read == everything, f"progress: {sorted(everything - read)} have no reader"
        is_modern = any(isinstance(member, Member) for member in self.members)
        COUNTS["settled, of KIP-848" if is_modern else "settled, classic"] += 1
        kinds = GROUP in self.virtual.shard.consumer_groups, GROUP in self.virtual.shard.groups
        assert kinds == (is_modern, not is_modern), f"kind: {kinds}"


def live(seed: int) -> None:
    """One life of a group."""
    life = Life(seed)
    try:
        for _ in range(life.chance.randrange(2, 7)):
            life.join()
            for _ in range(life.chance.randrange(120)):
                life.step()
            life.happen()
        life.settle()
    except AssertionError as error:
        raise AssertionError(f"{error} (seed {seed})") from error


@pytest.fixture(scope="module", autouse=True)
def summary() -> Iterator[None]:
    yield
    volume.keep_counts("test_members_of_both_protocols.py -k two_readers", COUNTS)


def live_all(seeds: range) -> None:
    """Many lives."""
    for seed in seeds:
        live(seed)


@pytest.mark.parametrize("block", range(4))
def test_no_partition_has_two_readers_and_all_have_one_in_the_end(block: int) -> None:
    live_all(range(block, LIVES, 4))


# Seeded defects: what is replaced, by what, and the word of the invariant that must notice.


def _forgets_what_is_assigned(*given: Any) -> Any:
    return replace(_FROM_CLASSIC(*given), assigned={})


def _all_is_well(change: Change, request: Any, caller: Any) -> Any:
    result = _HEARTBEAT(change, request, caller)
    if result.replies[-1].message.error_code == errors.RebalanceInProgressError.code:
        result.replies[-1] = Reply(caller.token, HeartbeatResponse())
    return result


def _anybody_commits(group: Any, request: Any, version: int) -> Admission:
    admission = _ADMIT_COMMIT(group, request, version)
    return Admission() if admission.error_code == errors.UnknownMemberIdError.code else admission


_FROM_CLASSIC = migration._from_classic
_HEARTBEAT = consumer_classic.heartbeat
_ADMIT_COMMIT = consumer_queries.admit_commit

MUTANTS: dict[str, tuple[Any, str, Any, str]] = {
    "a held partition is given away": (ConsumerGroup, "is_held", lambda *_: False, "owner"),
    "what was assigned is forgotten with the old protocol": (
        migration,
        "_from_classic",
        _forgets_what_is_assigned,
        "owner",
    ),
    "who has left commits": (consumer_queries, "admit_commit", _anybody_commits, "stale"),
    "nobody is told to join again": (consumer_classic, "heartbeat", _all_is_well, "progress|owner|kind|unknown"),
    "the old protocol does not come back": (Change, "downgrade", lambda *_: False, "kind"),
    "who stays is not told of the old protocol": (Draft, "prepare_rebalance", lambda _self: None, "progress|owner"),
}


@pytest.fixture
def no_counts() -> Iterator[None]:
    kept = COUNTS.copy()
    yield
    COUNTS.clear()
    COUNTS.update(kept)


@pytest.mark.usefixtures("no_counts")
@pytest.mark.parametrize("defect", MUTANTS)
def test_a_defect_is_noticed(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, mutant, word = MUTANTS[defect]
    monkeypatch.setattr(where, name, mutant)
    with pytest.raises(AssertionError, match=rf"^({word}):"):
        live_all(range(MUTANT_LIVES))
