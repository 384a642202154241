"""A KIP-848 group under decision: what an event writes, and what the group will be then.

Every handler of the group starts with a `Change`, asks it for steps and ends with its `result`. The group itself stays
as it is until the records are replayed. The steps that several requests share live here; which request takes which is
in `consumer.py` (members that heartbeat) and `consumer_classic.py` (members that still speak the classic protocol).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from barnabas.assignors.target import TargetAssignor, TargetMember
from barnabas.assignors.target_range import TargetRangeAssignor
from barnabas.assignors.uniform import UniformAssignor
from barnabas.coordinator import consumer_records as records
from barnabas.coordinator import migration
from barnabas.coordinator.consumer_group import ConsumerGroup, ResolvedRegex
from barnabas.coordinator.consumer_member import JOINING_EPOCH, ConsumerMember, MemberState
from barnabas.coordinator.migration import Migration
from barnabas.coordinator.reconcile import Step, reconcile
from barnabas.coordinator.topics import Topics, metadata_hash
from barnabas.errors import FencedInstanceIdError, GroupMaxSizeReachedError, UnknownMemberIdError
from barnabas.machine import Deadline, Moment, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from barnabas.assignors.target import Partitions
    from barnabas.coordinator.settings import ConsumerSettings, GroupSettings

__all__ = ["JOIN", "REVOCATION", "SESSION", "SYNC", "Change", "Rejoining", "Surroundings", "TopicsSeen"]

SESSION = "consumer-session"
"""Deadline (SESSION, group, member): the member has not been heard of."""
REVOCATION = "consumer-revocation"
"""Deadline (REVOCATION, group, member): the member has not given up what it must."""
JOIN = "consumer-join"
"""Deadline (JOIN, group, member): a member of the classic protocol was told to rejoin and has not."""
SYNC = "consumer-sync"
"""Deadline (SYNC, group, member): a member of the classic protocol has joined and not asked for its assignment."""
_ASSIGNORS: Mapping[str, TargetAssignor] = {
    assignor.name: assignor for assignor in (UniformAssignor(), TargetRangeAssignor())
}


class TopicsSeen(NamedTuple):
    """Soft change: the group has been compared with this version of the topics."""

    group_id: str
    version: int


class Rejoining(NamedTuple):
    """Soft change: whether a member of the classic protocol has been told to rejoin, and has not yet."""

    group_id: str
    member_id: str
    waits: bool


class Surroundings(NamedTuple):
    """What a decision depends on besides the group and the request."""

    settings: ConsumerSettings
    topics: Topics
    now: Moment
    classic_settings: GroupSettings


class Change:
    """A group under decision: what shall be written, and what the group will be then. The group itself stays."""

    def __init__(self, group: ConsumerGroup, around: Surroundings) -> None:
        self.group = group
        self.settings, self.topics, self.now, self._classic_settings = around
        self.result = Result()
        self.epoch = group.epoch
        self.regexes = group.regexes
        self.gone: set[str] = set()

    def members(self, updated: ConsumerMember | None = None) -> dict[str, ConsumerMember]:
        """Returns the members as they will be."""
        members = {key: member for key, member in self.group.members.items() if key not in self.gone}
        if updated is not None:
            members[updated.member_id] = updated
        return members

    def deadline(self, kind: str, member_id: str, after_ms: float | None) -> None:
        """Sets a member's deadline `after_ms` from now, or cancels it."""
        at_ms = None if after_ms is None else self.now.stamp_ms + after_ms
        self.result.deadlines.append(Deadline((kind, self.group.group_id, member_id), at_ms))

    def check_room(self, member_id: str) -> None:
        """Refuses a new member of a full group.

        Raises:
            GroupMaxSizeReachedError: The group has `group.consumer.max.size` members.
        """
        size_max = self.settings.group_size_max
        if member_id not in self.group.members and len(self.group.members) >= size_max:
            raise GroupMaxSizeReachedError(
                f"The consumer group has reached its maximum capacity of {size_max} members."
            )

    def take_out(self, member_id: str) -> None:
        """Takes a member out, with its deadlines."""
        self.gone.add(member_id)
        self.result.records += records.member_tombstones(self.group.group_id, member_id)
        self.forget_deadlines(member_id)

    def forget_deadlines(self, member_id: str) -> None:
        """Cancels every deadline of a member."""
        for kind in (SESSION, REVOCATION, JOIN, SYNC):
            self.deadline(kind, member_id, None)

    def take_over(self, existing: ConsumerMember, member_id: str) -> ConsumerMember:
        """Gives the place of a static member to its next incarnation."""
        group_id = self.group.group_id
        member = replace(existing, member_id=member_id, epoch=JOINING_EPOCH, previous_epoch=JOINING_EPOCH)
        target = self.group.target.get(existing.member_id, {})
        self.take_out(existing.member_id)
        self.result.records += [
            records.member_record(group_id, member),
            records.target_record(group_id, member_id, target),
            records.assignment_record(group_id, member),
        ]
        return member

    def remove(self, members: Iterable[ConsumerMember]) -> None:
        """Members leave or are fenced; a group that then speaks the classic protocol alone becomes a classic one."""
        leaving = {member.member_id for member in members}
        if self.downgrade(leaving):
            return
        regexes = {self.group.members[member_id].topic_regex for member_id in leaving}
        for member_id in leaving:
            self.take_out(member_id)
        self._drop_regexes(regexes)
        self.bump(None, always=True)

    def downgrade(self, leaving: set[str], joining: ConsumerMember | None = None) -> bool:
        """Makes the group a classic one, if only members of the classic protocol are left; whether it did."""
        if not migration.may_downgrade(self.group, leaving, self.settings, self._classic_settings, joining):
            return False
        for member_id in self.group.members:
            self.forget_deadlines(member_id)
        self.result.soft = [change for change in self.result.soft if not isinstance(change, TopicsSeen)]
        draft = migration.downgrade(
            Migration(self.group, leaving, joining), self.topics, self._classic_settings, self.now
        )
        self.result.records += draft.records
        self.result.replies += draft.replies
        self.result.deadlines += draft.deadlines
        self.result.soft += draft.soft
        return True

    def _drop_regexes(self, regexes: Iterable[str | None]) -> None:
        still = {member.topic_regex for member in self.members().values()}
        for regex in sorted({regex for regex in regexes if regex and regex not in still}):
            if regex in self.regexes:
                self.regexes = {key: found for key, found in self.regexes.items() if key != regex}
                self.result.records.append(records.regex_tombstone(self.group.group_id, regex))

    def member_of(self, member_id: str, instance_id: str | None) -> ConsumerMember:
        """Returns the member that a request speaks for.

        Raises:
            UnknownMemberIdError: There is none.
            FencedInstanceIdError: Another member has taken its place.
        """
        group = self.group
        if instance_id is None:
            member = group.members.get(member_id)
            if member is None:
                raise UnknownMemberIdError(f"Member {member_id} is not a member of group {group.group_id}.")
            return member
        member = group.static_member(instance_id)
        if member is None:
            raise UnknownMemberIdError(f"Instance id {instance_id} is unknown.")
        if member.member_id != member_id:
            raise FencedInstanceIdError(
                f"Static member {member_id} with instance id {instance_id} was fenced by member {member.member_id}."
            )
        return member

    def write(self, before: ConsumerMember, member: ConsumerMember) -> bool:
        """Writes what a member says about itself, if it is new; whether another subscription follows from it."""
        group = self.group
        is_new = member.member_id not in group.members and member.member_id not in self.gone
        if is_new or member != before:
            self.result.records.append(records.member_record(group.group_id, member))
        changed = (member.topic_names, member.topic_regex) != (before.topic_names, before.topic_regex)
        resolved = self.resolve(None if is_new else before, member)
        if changed or resolved or group.topics_seen != self.topics.version:
            self.bump(member, always=changed or resolved)
        return changed

    def bump(self, updated: ConsumerMember | None, *, always: bool) -> None:
        """Counts the group's epoch up, if the subscribed topics are not what they were or if it must be."""
        found = metadata_hash(self._subscribed(updated), self.topics)
        if always or found != self.group.metadata_hash:
            self.epoch += 1
            self.result.records.append(records.epoch_record(self.group.group_id, self.epoch, found))
        if self.group.topics_seen != self.topics.version:
            self.result.soft.append(TopicsSeen(self.group.group_id, self.topics.version))

    def _subscribed(self, updated: ConsumerMember | None) -> set[str]:
        names = {name for member in self.members(updated).values() for name in member.topic_names}
        return names.union(*(resolved.topics for resolved in self.regexes.values()))

    def resolve(self, before: ConsumerMember | None, updated: ConsumerMember | None) -> bool:
        """Brings the regular expressions up to date; whether another set of topics follows from them."""
        old = before.topic_regex if before is not None else None
        new = updated.topic_regex if updated is not None else None
        regexes = dict(self.group.regexes)
        group_id = self.group.group_id
        if old and old != new and self.group.regex_members(old) <= 1:
            self.result.records.append(records.regex_tombstone(group_id, old))
            regexes.pop(old, None)
        stale = set(regexes) if self.group.topics_seen != self.topics.version else set()
        if new and new not in regexes:
            stale.add(new)
        changed = False
        for regex in sorted(stale):
            found = ResolvedRegex(self.topics.matching(regex), self.topics.version, self.now.wall_ms)
            known = regexes.get(regex)
            if known is None or known.topics != found.topics:
                regexes[regex] = found
                self.result.records.append(records.regex_record(group_id, regex, found))
                changed = True
        self.regexes = regexes
        return changed

    def assign(self, updated: ConsumerMember) -> tuple[int, Partitions]:
        """Returns the target's epoch and the member's share, computed anew if it is due."""
        group = self.group
        is_due = (
            group.target_timestamp_ms == 0
            or self.now.wall_ms >= group.target_timestamp_ms + self.settings.assignment_interval_ms
        )
        if self.epoch <= group.target_epoch or not is_due:
            return group.target_epoch, group.target_of(updated.member_id, updated.instance_id)
        members = self.members(updated)
        name = group.preferred_assignor(members.values()) or self.settings.assignors[0]
        target = _ASSIGNORS[name].assign(*self._to_divide(members))
        for member_id in members:
            share = target.get(member_id, {})
            if group.target.get(member_id) != share or member_id in self.gone:
                self.result.records.append(records.target_record(group.group_id, member_id, share))
        self.result.records.append(records.target_epoch_record(group.group_id, self.epoch, self.now.wall_ms))
        return self.epoch, target.get(updated.member_id, {})

    def _to_divide(self, members: Mapping[str, ConsumerMember]) -> tuple[dict[str, TargetMember], dict[bytes, int]]:
        counts: dict[bytes, int] = {}
        ids: dict[tuple[str, ...], list[bytes]] = {}
        divided: dict[str, TargetMember] = {}
        for member_id, member in members.items():
            names = self.group.topics_of(member, self.regexes)
            if names not in ids:
                infos = [info for name in names if (info := self.topics.get(name)) is not None]
                counts.update((info.topic_id, info.partition_count) for info in infos)
                ids[names] = [info.topic_id for info in infos]
            present = self.group.target_of(member_id, member.instance_id)
            divided[member_id] = TargetMember(ids[names], present, member.instance_id)
        return divided, counts

    def reconcile(
        self, member: ConsumerMember, target_epoch: int, target: Partitions, owned: Partitions | None, *, changed: bool
    ) -> ConsumerMember:
        """Moves the member towards its target and writes where it stands then."""
        if not changed and member.is_reconciled_to(target_epoch):
            return member
        infos = (self.topics.get(name) for name in self.group.topics_of(member, self.regexes))
        step = Step(
            target_epoch=target_epoch,
            target=target,
            owned=owned,
            subscribed={info.topic_id for info in infos if info is not None},
            subscription_changed=changed,
            is_held=self.group.is_held,
        )
        moved = reconcile(member, step)
        if moved != member:
            self.result.records.append(records.assignment_record(self.group.group_id, moved))
            if moved.classic is None:
                revokes = moved.state is MemberState.UNREVOKED_PARTITIONS
                self.deadline(REVOCATION, moved.member_id, moved.rebalance_timeout_ms if revokes else None)
        return moved
