"""What a coordinator does when members of a KIP-848 group heartbeat, leave or fall silent.

The coordinator divides the partitions itself. A heartbeat says who the member is, what it subscribes to and what it
owns; the answer says its epoch and, when that changed, what it may own. `consumer_group.py` has the table of states.

Source: KIP-848 and Kafka 4.3's `GroupMetadataManager`, whose error codes and texts these are.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from barnabas.assignors.target import TargetAssignor, TargetMember
from barnabas.assignors.target_range import TargetRangeAssignor
from barnabas.assignors.uniform import UniformAssignor
from barnabas.coordinator import consumer_records as records
from barnabas.coordinator.consumer_group import ConsumerGroup, ResolvedRegex
from barnabas.coordinator.consumer_member import (
    JOINING_EPOCH,
    LEAVING_EPOCH,
    STATIC_LEAVING_EPOCH,
    ConsumerMember,
    MemberState,
    numbers,
)
from barnabas.coordinator.reconcile import Step, reconcile
from barnabas.coordinator.topics import Topics, metadata_hash
from barnabas.errors import (
    FencedInstanceIdError,
    FencedMemberEpochError,
    GroupIdNotFoundError,
    GroupMaxSizeReachedError,
    InvalidRequestError,
    KafkaError,
    UnknownMemberIdError,
    UnreleasedInstanceIdError,
    UnsupportedAssignorError,
)
from barnabas.machine import Caller, Deadline, Moment, Reply, Result
from barnabas.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from barnabas.assignors.target import Partitions
    from barnabas.coordinator.settings import ConsumerSettings

__all__ = [
    "REVOCATION",
    "SESSION",
    "Surroundings",
    "TopicsSeen",
    "expire_revocation",
    "expire_session",
    "heartbeat",
    "loaded",
]

SESSION = "consumer-session"
REVOCATION = "consumer-revocation"
_ASSIGNORS: Mapping[str, TargetAssignor] = {
    assignor.name: assignor for assignor in (UniformAssignor(), TargetRangeAssignor())
}


class TopicsSeen(NamedTuple):
    """Soft change: the group has been compared with this version of the topics."""

    group_id: str
    version: int


class Surroundings(NamedTuple):
    """What a decision depends on besides the group and the request."""

    settings: ConsumerSettings
    topics: Topics
    now: Moment


class _Change:
    """A group under decision: what shall be written, and what the group will be then. The group itself stays."""

    def __init__(self, group: ConsumerGroup, around: Surroundings) -> None:
        self.group = group
        self.settings, self.topics, self.now = around
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
        at_ms = None if after_ms is None else self.now.stamp_ms + after_ms
        self.result.deadlines.append(Deadline((kind, self.group.group_id, member_id), at_ms))

    def remove(self, member_id: str) -> None:
        """Takes a member out, with its deadlines."""
        self.gone.add(member_id)
        self.result.records += records.member_tombstones(self.group.group_id, member_id)
        self.deadline(SESSION, member_id, None)
        self.deadline(REVOCATION, member_id, None)

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
        return _stay(_Change(group, around), request, caller)
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


def _stay(change: _Change, request: ConsumerGroupHeartbeatRequest, caller: Caller) -> Result:
    """A member joins, comes back, or is still there."""
    group = change.group
    member_id = request.member_id or caller.fresh_id
    if member_id not in group.members and len(group.members) >= change.settings.group_size_max:
        raise GroupMaxSizeReachedError(
            f"The consumer group has reached its maximum capacity of {change.settings.group_size_max} members."
        )
    owned = _owned(request)
    before = _member(change, request, member_id, owned)
    member = _updated(before, request, caller)
    is_new = member_id not in group.members and member_id not in change.gone
    if is_new or member != before:
        change.result.records.append(records.member_record(group.group_id, member))
    changed = (member.topic_names, member.topic_regex) != (before.topic_names, before.topic_regex)
    known = None if is_new else before
    resolved = change.resolve(known, member)
    if changed or resolved or group.topics_seen != change.topics.version:
        change.bump(member, always=changed or resolved)
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
    # An answer that only confirms what the member was told already need not wait for anything.
    waits = bool(change.result.records) or response.assignment is not None
    change.result.replies.append(Reply(caller.token, response, waits=waits))
    return change.result


def _member(
    change: _Change, request: ConsumerGroupHeartbeatRequest, member_id: str, owned: Partitions | None
) -> ConsumerMember:
    """Returns the member that heartbeats; a new one, or one that takes over a static member's place, if it joins."""
    group = change.group
    instance_id = request.instance_id
    joins = request.member_epoch == JOINING_EPOCH
    if instance_id is None:
        member = group.members.get(member_id)
        if member is None and not joins:
            raise UnknownMemberIdError(f"Member {member_id} is not a member of group {group.group_id}.")
        if member is None:
            return ConsumerMember(member_id)
        _check_epoch(member, request.member_epoch, owned)
        return member
    existing = group.static_member(instance_id)
    if joins:
        return ConsumerMember(member_id) if existing is None else _take_over(change, existing, member_id)
    if existing is None:
        raise UnknownMemberIdError(f"Instance id {instance_id} is unknown.")
    _check_instance(existing, member_id, instance_id)
    _check_epoch(existing, request.member_epoch, owned)
    return existing


def _take_over(change: _Change, existing: ConsumerMember, member_id: str) -> ConsumerMember:
    """Gives the place of a static member that went away to its next incarnation."""
    group_id = change.group.group_id
    if existing.classic is None and existing.epoch != STATIC_LEAVING_EPOCH:
        raise UnreleasedInstanceIdError(
            f"Static member {member_id} with instance id {existing.instance_id} cannot join the group because the "
            f"instance id is owned by {existing.member_id} member."
        )
    member = replace(existing, member_id=member_id, epoch=JOINING_EPOCH, previous_epoch=JOINING_EPOCH)
    target = change.group.target.get(existing.member_id, {})
    change.remove(existing.member_id)
    change.result.records += [
        records.member_record(group_id, member),
        records.target_record(group_id, member_id, target),
        records.assignment_record(group_id, member),
    ]
    return member


def _check_instance(existing: ConsumerMember, member_id: str, instance_id: str) -> None:
    if existing.member_id != member_id:
        raise FencedInstanceIdError(
            f"Static member {member_id} with instance id {instance_id} was fenced by member {existing.member_id}."
        )


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
    member_id, instance_id = request.member_id, request.instance_id
    member = group.members.get(member_id) if instance_id is None else group.static_member(instance_id)
    if member is None:
        raise UnknownMemberIdError(
            f"Member {member_id} is not a member of group {group.group_id}."
            if instance_id is None
            else f"Instance id {instance_id} is unknown."
        )
    if instance_id is not None:
        _check_instance(member, member_id, instance_id)
    change = _Change(group, around)
    if request.member_epoch == STATIC_LEAVING_EPOCH:
        away = replace(member, epoch=STATIC_LEAVING_EPOCH, pending_revocation={})
        change.result.records.append(records.assignment_record(group.group_id, away))
    else:
        _remove(change, member)
    response = ConsumerGroupHeartbeatResponse(member_id=member.member_id, member_epoch=request.member_epoch)
    change.result.replies.append(Reply(caller.token, response))
    return change.result


def _remove(change: _Change, member: ConsumerMember) -> None:
    change.remove(member.member_id)
    change.resolve(member, None)
    change.bump(None, always=True)


def expire_session(group: ConsumerGroup | None, member_id: str, around: Surroundings) -> Result:
    """A member has not been heard of within its session timeout."""
    member = None if group is None else group.members.get(member_id)
    if group is None or member is None:
        return Result()
    change = _Change(group, around)
    _remove(change, member)
    return change.result


def expire_revocation(group: ConsumerGroup | None, member_id: str, around: Surroundings) -> Result:
    """A member has not given up partitions within its rebalance timeout."""
    member = None if group is None else group.members.get(member_id)
    if member is None or member.state is not MemberState.UNREVOKED_PARTITIONS:
        return Result()
    return expire_session(group, member_id, around)


def loaded(group: ConsumerGroup, around: Surroundings) -> Result:
    """Every member of a group that was loaded from the log has a whole session to be heard of."""
    change = _Change(group, around)
    for member in group.members.values():
        session_ms = around.settings.session_timeout_ms
        if member.classic is not None:
            session_ms = member.classic.session_timeout_ms
        change.deadline(SESSION, member.member_id, session_ms)
        if member.state is MemberState.UNREVOKED_PARTITIONS and member.classic is None:
            change.deadline(REVOCATION, member.member_id, member.rebalance_timeout_ms)
    return change.result
