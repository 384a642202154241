"""A model of many KIP-848 members against one shard: lost, late and repeated requests, silence, reloads, at any point.

Invariants: a partition is used by one member at a time; a stale member or epoch never commits; no living member is told
that it is unknown or fenced; what the log says is what the living state says; when everybody behaves, the group settles
and every partition is read. `MUTANTS` are seeded defects, one at least for each invariant, that the model must catch.
"""

from __future__ import annotations

import copy
import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
from test_consumer_group import REBALANCE_MS
from virtual_shard import GROUP, VirtualShard

from barnabas import errors
from barnabas.coordinator import consumer, consumer_change, consumer_queries, consumer_records, reconcile
from barnabas.coordinator.consumer_group import ConsumerGroup
from barnabas.coordinator.offsets import Admission
from barnabas.machine import Deadline
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest

if TYPE_CHECKING:
    from barnabas.coordinator.consumer_member import ConsumerMember

SESSION_MS = 45_000
CLIENTS = st.integers(0, 4)
TOPICS = st.sampled_from([("orders",), ("orders", "payments"), ("payments",)])
GONE = {errors.UnknownMemberIdError.code, errors.FencedMemberEpochError.code, errors.FencedInstanceIdError.code}


COUNTS: Counter[str] = Counter()
"""How often each fault fired and each invariant was at stake."""


class Member:
    """What one client believes. It uses what it owns until it gives it up, or until its session is over."""

    def __init__(self, number: int, instance: str | None) -> None:
        self.number = number
        self.instance = instance
        self.incarnation = 0
        self.restart()

    def restart(self) -> None:
        self.incarnation += 1
        self.member_id = f"m{self.number}.{self.incarnation}"
        self.epoch = 0
        self.owned: set[tuple[bytes, int]] = set()
        self.topics: tuple[str, ...] = ("orders",)
        self.heard_ms: float | None = None
        self.revoking_since: float | None = None
        self.lost = 0


class ConsumerGroupModel(RuleBasedStateMachine):
    @initialize(static=st.booleans(), interval=st.sampled_from([0, 1_000]))
    def start(self, *, static: bool, interval: int) -> None:
        self.virtual = VirtualShard(consumer_assignment_interval_ms=interval)
        self.members = [Member(number, f"i{number}" if static and number < 2 else None) for number in range(5)]
        self.late: list[tuple[Member, int, ConsumerGroupHeartbeatRequest]] = []
        self.committed: dict[int, tuple[str, int]] = {}
        self.offset = 0

    # What members do.

    def request(self, member: Member) -> ConsumerGroupHeartbeatRequest:
        by_topic: dict[bytes, list[int]] = {}
        for topic, partition in sorted(member.owned):
            by_topic.setdefault(topic, []).append(partition)
        return ConsumerGroupHeartbeatRequest(
            group_id=GROUP,
            member_id=member.member_id,
            member_epoch=member.epoch,
            instance_id=member.instance,
            rebalance_timeout_ms=REBALANCE_MS,
            subscribed_topic_names=list(member.topics),
            topic_partitions=[
                ConsumerGroupHeartbeatRequest.TopicPartitions(topic_id=topic, partitions=partitions)
                for topic, partitions in by_topic.items()
            ],
        )

    def alive(self, member: Member) -> bool:
        """Whether the coordinator must still know the member."""
        now = self.virtual.now_ms
        return (
            member.heard_ms is not None
            and now < member.heard_ms + SESSION_MS
            and (member.revoking_since is None or now < member.revoking_since + REBALANCE_MS)
        )

    def heard(self, member: Member, request: ConsumerGroupHeartbeatRequest, response: Any, *, delivered: bool) -> None:
        alive = self.alive(member)
        COUNTS["heartbeats"] += 1
        if response.error_code in GONE:
            COUNTS["fenced or unknown"] += 1
            current = (request.member_id, request.member_epoch) == (member.member_id, member.epoch)
            # One lost answer is made good; after two the member may be two epochs behind, and joins anew.
            behind = member.lost > 1
            assert not (alive and current) or behind, f"a living member was told {response.error_code}"
            if current and delivered:
                member.restart()
            return
        if response.error_code:
            assert response.error_code == errors.UnreleasedInstanceIdError.code, response
            return
        if request.member_id != member.member_id:
            return
        member.heard_ms = self.virtual.now_ms
        member.lost = 0 if delivered else member.lost + 1
        if not delivered:
            return
        member.epoch = response.member_epoch
        if response.assignment is not None:
            given = {
                (bytes(topic.topic_id), partition)
                for topic in response.assignment.topic_partitions
                for partition in topic.partitions
            }
            # It stops using what it loses before it says so with its next heartbeat.
            member.owned = given

    @rule(index=CLIENTS)
    def heartbeat(self, index: int) -> None:
        member = self.members[index]
        request = self.request(member)
        self.heard(member, request, self.virtual.ask(request, 1), delivered=True)

    @rule(index=CLIENTS)
    def answer_is_lost(self, index: int) -> None:
        COUNTS["lost answers"] += 1
        member = self.members[index]
        request = self.request(member)
        self.heard(member, request, self.virtual.ask(request, 1), delivered=False)

    @rule(index=CLIENTS)
    def request_is_late(self, index: int) -> None:
        member = self.members[index]
        self.late.append((member, member.incarnation, self.request(member)))

    @precondition(lambda self: getattr(self, "late", None))
    @rule(pick=st.integers(0, 9))
    def late_request_arrives(self, pick: int) -> None:
        member, incarnation, request = self.late.pop(pick % len(self.late))
        group = self.virtual.shard.consumer_groups.get(GROUP)
        known = None if group is None else group.members.get(request.member_id)
        is_old = request.member_epoch > 0 and (known is None or request.member_epoch < known.previous_epoch)
        if not is_old and request != self.request(member):
            # The protocol has no defence against an old join, nor against a request of the present or the last epoch
            # that says less is owned than is: connections keep the order. What can arrive is the same once more, or a
            # truly old one.
            return
        COUNTS["late requests"] += 1
        response = self.virtual.ask(request, 1)
        if incarnation == member.incarnation:
            self.heard(member, request, response, delivered=False)

    @rule(chosen=st.sets(CLIENTS, min_size=1), rounds=st.integers(1, 4))
    def go_on(self, chosen: set[int], rounds: int) -> None:
        for _ in range(rounds):
            for index in sorted(chosen):
                self.heartbeat(index)

    @rule(index=CLIENTS, topics=TOPICS)
    def subscribe(self, index: int, topics: tuple[str, ...]) -> None:
        COUNTS["changed subscriptions"] += 1
        self.members[index].topics = topics

    @rule(index=CLIENTS, epoch=st.sampled_from([-1, -2]))
    def leave(self, index: int, epoch: int) -> None:
        member = self.members[index]
        if member.epoch == 0 or (epoch == -2 and member.instance is None):
            return
        request = self.request(member)
        request.member_epoch = epoch
        self.virtual.ask(request, 1)
        COUNTS["leaves"] += 1
        member.restart()

    @rule(index=CLIENTS)
    def crash(self, index: int) -> None:
        """The client is gone; what it used it uses no more."""
        COUNTS["crashes"] += 1
        member = self.members[index]
        if member.instance is None:
            member.restart()

    @rule(milliseconds=st.sampled_from([200, 1_000, 10_000, 30_000]))
    def time_passes(self, milliseconds: int) -> None:
        self.virtual.advance(milliseconds)
        for member in self.members:
            # A client that was not heard for so long has been told by its own clock to use nothing any more.
            if member.epoch and not self.alive(member):
                member.owned = set()

    @rule(more=st.integers(1, 2))
    def topic_grows(self, more: int) -> None:
        COUNTS["grown topics"] += 1
        info = self.virtual.topics.get("orders")
        assert info is not None
        self.virtual.topics.put("orders", min(info.partition_count + more, 9))

    @rule()
    def reload(self) -> None:
        COUNTS["reloads"] += 1
        before = state(self.virtual.shard.consumer_groups.get(GROUP))
        self.virtual.reload()
        assert state(self.virtual.shard.consumer_groups.get(GROUP)) == before, "the log says something else"

    @rule(index=CLIENTS)
    def append_fails(self, index: int) -> None:
        """The decision is lost with the shard's soft state; nobody is answered."""
        COUNTS["failed appends"] += 1
        log = list(self.virtual.log)
        self.virtual.send(self.request(self.members[index]), 1)
        self.virtual.answers.clear()
        self.virtual.log = log
        self.virtual.reload()

    # Commits.

    @rule(index=CLIENTS, age=st.integers(0, 2), partition=st.integers(0, 3))
    def commit(self, index: int, age: int, partition: int) -> None:
        member = self.members[index]
        topic_id = self.virtual.topics.id("orders")
        group = self.virtual.shard.consumer_groups.get(GROUP)
        known = None if group is None else group.members.get(member.member_id)
        if group is None or not group.members or member.epoch - age <= 0:
            return
        self.offset += 1
        wanted = OffsetCommitRequest.OffsetCommitRequestPartition(
            partition_index=partition, committed_offset=self.offset
        )
        topic = OffsetCommitRequest.OffsetCommitRequestTopic(name="orders", topic_id=topic_id, partitions=[wanted])
        request = OffsetCommitRequest(
            group_id=GROUP,
            member_id=member.member_id,
            generation_id_or_member_epoch=member.epoch - age,
            topics=[topic],
        )
        code = self.virtual.ask(request, 10).topics[0].partitions[0].error_code
        if known is None:
            assert code == errors.UnknownMemberIdError.code
        elif member.epoch - age != known.epoch:
            held = {**known.assigned.get(topic_id, {}), **known.pending_revocation.get(topic_id, {})}
            since = held.get(partition)
            fresh = since is not None and since <= member.epoch - age < known.epoch
            COUNTS["commits in an older epoch"] += 1
            assert (code == 0) == fresh, "a stale epoch committed"
        else:
            assert code == 0

    # What must always hold.

    @invariant()
    def partitions_have_one_user(self) -> None:
        used: dict[tuple[bytes, int], str] = {}
        for member in getattr(self, "members", ()):
            if member.epoch == 0 or not self.alive(member):
                continue
            for partition in member.owned:
                COUNTS["partitions in use, looked at"] += 1
                assert partition not in used, f"{partition} is used by {member.member_id} and {used[partition]}"
                used[partition] = member.member_id

    @invariant()
    def every_member_has_a_session(self) -> None:
        virtual = getattr(self, "virtual", None)
        group = virtual and virtual.shard.consumer_groups.get(GROUP)
        for member_id in group.members if group else ():
            assert (consumer_change.SESSION, GROUP, member_id) in virtual.deadlines, "a member that would never expire"
            member = next((m for m in self.members if m.member_id == member_id), None)
            revoking = (consumer_change.REVOCATION, GROUP, member_id) in virtual.deadlines
            if member is not None:
                since = member.revoking_since
                member.revoking_since = (virtual.now_ms if since is None else since) if revoking else None

    def teardown(self) -> None:
        """When everybody behaves, the group settles and every partition is read."""
        if not getattr(self, "members", None):
            return
        self.late.clear()
        for _ in range(2):
            self.virtual.advance(100_000)
            for member in self.members:
                member.restart()
        self.settle()
        info = self.virtual.topics.get("orders")
        assert info is not None
        self.virtual.topics.put("orders", info.partition_count + 1)
        self.settle()

    def settle(self) -> None:
        for _ in range(30):
            self.virtual.advance(1_000)
            for index in range(len(self.members)):
                self.heartbeat(index)
            self.partitions_have_one_user()
            self.every_member_has_a_session()
        wanted = {
            (info.topic_id, number)
            for info in self.virtual.topics.all()
            for number in range(info.partition_count)
            if any(info.name in member.topics for member in self.members)
        }
        read = {partition for member in self.members for partition in member.owned}
        assert read == wanted, "a partition that nobody reads"
        COUNTS["settled"] += 1


def state(group: ConsumerGroup | None) -> Any:
    if group is None:
        return None
    kept = {name: copy.deepcopy(value) for name, value in vars(group).items()}
    for soft in ("topics_seen", "rejoining"):
        del kept[soft]
    return kept


EXAMPLES = int(os.environ.get("SEEDS", "60"))


@pytest.fixture(scope="module", autouse=True)
def summary():
    """`SEEDS=` examples are run; with `RESULTS=` the counts are kept in that file."""
    yield
    if results := os.environ.get("RESULTS"):
        command = (
            f"SEEDS={EXAMPLES} pytest tests/unit/coordinator/test_consumer_group_model.py -k TestConsumerGroupModel"
        )
        summary = {"command": command, "examples": EXAMPLES, **dict(sorted(COUNTS.items()))}
        Path(results).write_text(json.dumps(summary, indent=1) + "\n")


ConsumerGroupModel.TestCase.settings = settings(max_examples=EXAMPLES, stateful_step_count=50, deadline=None)
TestConsumerGroupModel = ConsumerGroupModel.TestCase


# Seeded defects.


def _no_record(kind: str) -> Any:
    """Replay forgets what one kind of record says about partitions."""
    original = consumer_records._replay_assignment

    def forgetful(group: ConsumerGroup, key: Any, value: Any) -> None:
        original(group, key, value)
        member = group.members.get(key.member_id)
        if member is not None and value is not None:
            group.put_member(replace(member, **{kind: {}}))

    return {**consumer_records._REPLAY, consumer_records.AssignmentKey: forgetful}


def _keeps_no_session(self: Any, kind: str, member_id: str, after_ms: float | None) -> None:
    at_ms = None if after_ms is None or kind == consumer_change.SESSION else self.now.stamp_ms + after_ms
    self.result.deadlines.append(Deadline((kind, self.group.group_id, member_id), at_ms))


def _fences_everybody(member: ConsumerMember, epoch: int, owned: Any) -> None:
    del owned
    if epoch not in (0, member.epoch) or member.epoch % 3 == 0:
        raise errors.FencedMemberEpochError


def _epoch_not_written(group_id: str, epoch: int, metadata_hash: int) -> Any:
    return consumer_records.GroupKey(group_id=group_id), consumer_records.GroupValue(
        epoch=max(1, epoch - 1), metadata_hash=metadata_hash
    )


def _half_a_target(members: Any, partition_counts: Any) -> Any:
    target = consumer_change._ASSIGNORS["range"].assign(members, partition_counts)
    return {
        member_id: {topic: frozenset(n for n in numbers if n) for topic, numbers in share.items() if numbers - {0}}
        for member_id, share in target.items()
    }


MUTANTS: dict[str, tuple[Any, str, Any]] = {
    "a held partition is given away": (ConsumerGroup, "is_held", lambda _self, _topic, _partition: False),
    "giving up is not waited for": (reconcile, "_still_owns", lambda _owned, _revoked: False),
    "what is to be given up is not stored": (consumer_records, "_REPLAY", _no_record("pending_revocation")),
    "what was given is not stored": (consumer_records, "_REPLAY", _no_record("assigned")),
    "a stale epoch commits": (consumer_queries, "admit_commit", lambda _group, _request, _version: Admission()),
    "a session has no end": (consumer_change.Change, "deadline", _keeps_no_session),
    "living members are fenced": (consumer, "_check_epoch", _fences_everybody),
    "the group's epoch lags": (consumer_records, "epoch_record", _epoch_not_written),
    "a partition is forgotten": (consumer_change.UniformAssignor, "assign", lambda _self, m, c: _half_a_target(m, c)),
    "topics are never looked at again": (consumer_change, "metadata_hash", lambda _names, _topics: 7),
}


@pytest.mark.parametrize("defect", MUTANTS)
def test_the_model_catches(defect, monkeypatch):
    where, name, mutant = MUTANTS[defect]
    monkeypatch.setattr(where, name, mutant)
    thorough = settings(
        max_examples=400,
        stateful_step_count=50,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    with pytest.raises(Exception):  # noqa: B017, PT011 - whichever invariant it breaks
        run_state_machine_as_test(ConsumerGroupModel, settings=thorough)
