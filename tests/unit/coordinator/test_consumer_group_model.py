"""Runs the model of KIP-848 groups (`consumer_group_model.py`) and shows what it catches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import virtual_shard
import volume
from consumer_group_model import COUNTS, GROUP, ConsumerGroupModel
from hypothesis.stateful import invariant

from barnabas import errors
from barnabas.broker import group_records
from barnabas.coordinator import (
    consumer,
    consumer_change,
    consumer_queries,
    consumer_records,
    offsets,
    reconcile,
    shard,
)
from barnabas.coordinator.consumer_group import ConsumerGroup
from barnabas.coordinator.offsets import Admission
from barnabas.machine import Deadline

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.coordinator.consumer_member import ConsumerMember


class SoundConsumerGroupModel(ConsumerGroupModel):
    """The same, and the broker's state is looked into."""

    @invariant()
    def every_member_has_a_session(self) -> None:
        virtual = getattr(self, "virtual", None)
        group = virtual and virtual.shard.consumer_groups.get(GROUP)
        for member_id in group.members if group else ():
            assert (consumer_change.SESSION, GROUP, member_id) in virtual.deadlines, "a member that would never expire"


STEPS = 50


@pytest.fixture(scope="module", autouse=True)
def summary():
    yield
    volume.keep_counts("test_consumer_group_model.py -k TestConsumerGroupModel", COUNTS)


SoundConsumerGroupModel.TestCase.settings = volume.shared(STEPS)
TestConsumerGroupModel = SoundConsumerGroupModel.TestCase


# Seeded defects: what is replaced, by what, and the word of the invariant that must notice.


def _no_record(kind: str) -> Any:
    """Replay forgets what one kind of record says about partitions."""
    original = consumer_records._replay_assignment

    def forgetful(group: ConsumerGroup, key: Any, value: Any) -> None:
        original(group, key, value)
        member = group.members.get(key.member_id)
        if member is not None and value is not None:
            group.put_member(replace(member, **{kind: {}}))

    return {**consumer_records._REPLAY, consumer_records.AssignmentKey: forgetful}


def _deadlines(change: Callable[[str, float], float]) -> Any:
    """Deadlines are others."""

    def deadline(self: Any, kind: str, member_id: str, after_ms: float | None) -> None:
        at_ms = None if after_ms is None else self.now.stamp_ms + change(kind, after_ms)
        self.result.deadlines.append(Deadline((kind, self.group.group_id, member_id), at_ms))

    return deadline


def _at_once(original: Any) -> Any:
    """Answers do not wait for what they tell of."""

    def decide(*given: Any) -> Any:
        result = original(*given)
        result.replies = [reply._replace(waits=False) for reply in result.replies]
        return result

    return decide


def _epochs_at_once(original: Any) -> Any:
    """Answers without an assignment do not wait, whatever epoch they tell of."""

    def decide(*given: Any) -> Any:
        result = original(*given)
        told = [not reply.message.error_code and reply.message.assignment is None for reply in result.replies]
        result.replies = [reply._replace(waits=not early) for reply, early in zip(result.replies, told, strict=True)]
        return result

    return decide


def _without(field: str) -> Any:
    """A field of records, or of what they list, is not written."""

    def encode(record: Any) -> Any:
        _, value = record
        holders = [one for one in (value, *getattr(value, "assigned_partitions", ())) if hasattr(one, field)]
        kept = [getattr(one, field) for one in holders]
        for one, was in zip(holders, kept, strict=True):
            setattr(one, field, type(was)())
        encoded = group_records.encode(record)
        for one, was in zip(holders, kept, strict=True):
            setattr(one, field, was)
        return encoded

    return encode


def _fences_everybody(member: ConsumerMember, epoch: int, owned: Any) -> None:
    del owned
    if epoch not in (0, member.epoch) or member.epoch % 3 == 0:
        raise errors.FencedMemberEpochError


def _anybody_commits(original: Any) -> Any:
    """Whoever is no member (any more) is taken for one."""

    def admit_commit(group: ConsumerGroup, request: Any, version: int) -> Admission:
        admission = original(group, request, version)
        return Admission() if admission.error_code == errors.UnknownMemberIdError.code else admission

    return admit_commit


def _by_instance(original: Any) -> Any:
    """A static member's earlier incarnations speak for it, too."""

    def member_of(self: Any, member_id: str, instance_id: str | None) -> Any:
        member = None if instance_id is None else self.group.static_member(instance_id)
        return member if member is not None else original(self, member_id, instance_id)

    return member_of


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


MUTANTS: dict[str, tuple[Any, str, Any, str]] = {
    "a held partition is given away": (ConsumerGroup, "is_held", lambda _self, _topic, _partition: False, "owner"),
    "giving up is not waited for": (reconcile, "_still_owns", lambda _owned, _revoked: False, "owner|unknown"),
    "what is to be given up is not stored": (consumer_records, "_REPLAY", _no_record("pending_revocation"), "owner"),
    "what was given is not stored": (consumer_records, "_REPLAY", _no_record("assigned"), "owner|unknown"),
    "a stale epoch commits": (consumer_queries, "admit_commit", lambda _group, _request, _version: Admission(), "stale"),
    "who has left commits": (
        consumer_queries, "admit_commit", _anybody_commits(consumer_queries.admit_commit), "stale",
    ),
    "who was replaced stays": (
        consumer_change.Change, "member_of", _by_instance(consumer_change.Change.member_of), "stale|unknown|owner",
    ),
    "a stale epoch stays": (consumer, "_check_epoch", lambda _member, _epoch, _owned: None, "stale|owner"),
    "living members are fenced": (consumer, "_check_epoch", _fences_everybody, "unknown"),
    "a living member expires early": (
        consumer_change.Change, "deadline",
        _deadlines(lambda kind, ms: ms / 2 if kind == consumer_change.SESSION else ms), "unknown|owner",
    ),
    "giving up is hurried": (
        consumer_change.Change, "deadline",
        _deadlines(lambda kind, ms: ms / 50 if kind == consumer_change.REVOCATION else ms), "unknown|owner|uncommitted",
    ),
    "answers do not wait": (consumer, "heartbeat", _at_once(consumer.heartbeat), "uncommitted"),
    "an epoch is told at once": (consumer, "heartbeat", _epochs_at_once(consumer.heartbeat), "uncommitted"),
    "a commit is acknowledged at once": (offsets, "commit", _at_once(offsets.commit), "uncommitted"),
    "offsets are read at once": (shard.GroupShard, "_fetch", _at_once(shard.GroupShard._fetch), "uncommitted"),
    "a session has no end": (
        consumer_change.Change, "deadline",
        _deadlines(lambda kind, ms: 1e12 if kind == consumer_change.SESSION else ms), "progress",
    ),
    "the group's epoch lags": (consumer_records, "epoch_record", _epoch_not_written, "progress|owner"),
    "a partition is forgotten": (
        consumer_change.UniformAssignor, "assign", lambda _self, members, counts: _half_a_target(members, counts), "progress",
    ),
    "topics are never looked at again": (consumer_change, "metadata_hash", lambda _names, _topics: 7, "progress"),
    "epochs of assignments are not written": (virtual_shard, "encode", _without("assignment_epochs"), "replay"),
    "racks and instances are not written": (virtual_shard, "encode", _without("instance_id"), "replay|uncommitted"),
    "what is given up is not written": (virtual_shard, "encode", _without("partitions_pending_revocation"), "replay"),
}  # fmt: skip


@pytest.mark.parametrize("defect", MUTANTS)
def test_the_model_catches(defect, monkeypatch):
    where, name, mutant, word = MUTANTS[defect]
    monkeypatch.setattr(where, name, mutant)
    volume.must_catch(ConsumerGroupModel, word, STEPS)
