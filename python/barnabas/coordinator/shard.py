"""One partition of `__consumer_offsets` as a replicated state machine: its groups and their offsets.

A group's name belongs to one kind of group at a time. This module knows which, hands requests to the kind's own modules
(`classic.py`, `consumer.py`) and decides what one kind does to a name that another one has. A further kind of group is
a further module and a further entry here.

`stored`, `offsets` and `consumer_groups` are exactly what the partition's records say, and change by `replay` alone.
`groups` is the living side of the classic groups: members that join, parked requests. It starts from `stored` when
loading ends and is lost with the shard.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.coordinator import (
    classic,
    consumer,
    consumer_change,
    consumer_classic,
    consumer_queries,
    consumer_records,
    expiry,
    migration,
    offsets,
)
from barnabas.coordinator.committed import OffsetKey
from barnabas.coordinator.consumer_change import Change, Rejoining, Surroundings, TopicsSeen
from barnabas.coordinator.consumer_group import ConsumerGroup, ConsumerGroupState
from barnabas.coordinator.consumer_member import JOINING_EPOCH
from barnabas.coordinator.draft import JOIN, SESSION, SYNC, Draft
from barnabas.coordinator.group import CONSUMER_PROTOCOL_TYPE, Group, GroupState
from barnabas.coordinator.offsets import Offsets
from barnabas.coordinator.pending import Marker, Transactional
from barnabas.coordinator.records import Record, group_from_record, group_tombstone
from barnabas.errors import (
    GroupIdNotFoundError,
    GroupSubscribedToTopicError,
    NonEmptyGroupError,
    UnstableOffsetCommitError,
)
from barnabas.machine import Caller, Deadline, Moment, Reply, Result
from barnabas.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from barnabas.protocol.messages.consumer_group_metadata_key import ConsumerGroupMetadataKey
from barnabas.protocol.messages.group_metadata_key import GroupMetadataKey
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_delete import OffsetDeleteRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from barnabas.coordinator.settings import ConsumerSettings, GroupSettings
    from barnabas.coordinator.topics import Topics

__all__ = [
    "EXPIRY_SLICE",
    "DeleteGroup",
    "DescribeConsumerGroup",
    "DescribeGroup",
    "FetchStable",
    "ForgetTopics",
    "GroupGone",
    "GroupShard",
    "GroupSummary",
    "ListShard",
]


EXPIRY_SLICE = 2_000
"""Offsets that one step of expiry looks at, about; a group is looked at whole."""

_EXPIRY = ("offsets-expiry",)


@dataclass(frozen=True, slots=True)
class GroupGone:
    """Soft change: the classic group is deleted."""

    group_id: str


@dataclass(frozen=True, slots=True)
class DescribeGroup:
    """One group of a DescribeGroups request; answered with a classic `Group`, None, or why there is none."""

    group_id: str


@dataclass(frozen=True, slots=True)
class DescribeConsumerGroup:
    """One group of a ConsumerGroupDescribe request; answered with a described group, or why there is none."""

    group_id: str


@dataclass(frozen=True, slots=True)
class ListShard:
    """A shard's share of a ListGroups request; answered with a list of `GroupSummary`."""


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    """One group of a DeleteGroups request; answered with an error code."""

    group_id: str


@dataclass(frozen=True, slots=True)
class FetchStable:
    """One group of an OffsetFetch that wants no offset which an open transaction may replace."""

    group: OffsetFetchRequest.OffsetFetchRequestGroup


@dataclass(frozen=True, slots=True)
class ForgetTopics:
    """Topics were deleted: what groups have committed for them is forgotten."""

    names: frozenset[str]


class ExpiryLeft(NamedTuple):
    """Soft change: the groups that the present round of expiry has still to look at."""

    group_ids: tuple[str, ...]


class GroupSummary(NamedTuple):
    """A group in a list of groups; `kind` is Kafka's name for the type of group."""

    group_id: str
    protocol_type: str
    state: str
    kind: str


class GroupShard:
    """The groups of one partition of `__consumer_offsets`. Implements `barnabas.machine.Machine`.

    Args:
        settings: The broker's options for groups.
        topics: The cluster's topics, always as they are now.
        consumer_settings: The options of a KIP-848 group, by its id.
    """

    def __init__(
        self, settings: GroupSettings, topics: Topics, consumer_settings: Callable[[str], ConsumerSettings]
    ) -> None:
        self.settings = settings
        self.topics = topics
        self.stored: dict[str, Any] = {}
        self.offsets = Offsets()
        self.groups: dict[str, Group] = {}
        self.consumer_groups: dict[str, ConsumerGroup] = {}
        self._consumer_settings = consumer_settings
        self._expiry_left: tuple[str, ...] = ()
        self._handlers: dict[type, Callable[[Any, Caller, Moment], Result]] = {
            JoinGroupRequest: self._join,
            SyncGroupRequest: self._classic(classic.sync, consumer_classic.sync),
            HeartbeatRequest: self._classic(classic.heartbeat, consumer_classic.heartbeat),
            LeaveGroupRequest: self._classic(classic.leave, consumer_classic.leave),
            ConsumerGroupHeartbeatRequest: self._consumer_heartbeat,
            OffsetCommitRequest: self._commit,
            OffsetFetchRequest.OffsetFetchRequestGroup: self._fetch,
            FetchStable: self._fetch_stable,
            OffsetDeleteRequest: self._delete_offsets,
            DescribeGroup: self._describe,
            DescribeConsumerGroup: self._describe_consumer,
            DeleteGroup: self._delete_group,
            ForgetTopics: self._forget_topics,
            ListShard: self._list,
        }

    def group(self, group_id: str) -> Group | None:
        """Returns the living classic group; one that has only offsets is an Empty one without a protocol."""
        group = self.groups.get(group_id)
        if group is None and group_id in self.offsets.groups and group_id not in self.consumer_groups:
            group = Group(group_id=group_id)
        return group

    def handle(self, caller: Caller, request: Any, now: Moment) -> Result:
        """Decides about a request; see `barnabas.machine.Machine`."""
        return self._handlers[type(request)](request, caller, now)

    def expire(self, key: tuple[Any, ...], now: Moment) -> Result:
        """Decides what follows from a deadline; see `barnabas.machine.Machine`."""
        if key == _EXPIRY:
            return self._expire_offsets(now)
        kind, group_id = key[0], key[1]
        if kind in (consumer_change.SESSION, consumer_change.JOIN, consumer_change.SYNC):
            return consumer.expire_session(self.consumer_groups.get(group_id), key[2], self._around(group_id, now))
        if kind == consumer_change.REVOCATION:
            return consumer.expire_revocation(self.consumer_groups.get(group_id), key[2], self._around(group_id, now))
        group = self.groups.get(group_id)
        if kind == SESSION:
            return classic.expire_session(group, key[2], self.settings, now)
        if kind == JOIN:
            return classic.expire_join(group, self.settings, now)
        if kind == SYNC:
            return classic.expire_sync(group, self.settings, now)
        raise RuntimeError(f"no deadline is called {key!r}")

    def apply(self, change: Group | GroupGone | TopicsSeen | Rejoining | ExpiryLeft) -> None:
        """Installs a classic group as a handler left it, takes it out, or notes what a KIP-848 group has seen."""
        if isinstance(change, GroupGone):
            self.groups.pop(change.group_id, None)
        elif isinstance(change, TopicsSeen):
            group = self.consumer_groups.get(change.group_id)
            if group is not None:
                group.topics_seen = change.version
        elif isinstance(change, Rejoining):
            modern = self.consumer_groups.get(change.group_id)
            if modern is not None:
                (modern.rejoining.add if change.waits else modern.rejoining.discard)(change.member_id)
        elif isinstance(change, ExpiryLeft):
            self._expiry_left = change.group_ids
        else:
            self.groups[change.group_id] = change

    def replay(self, record: Record, offset: int) -> None:
        """Applies one record; unknown kinds (other group types) are kept in the log and skipped here."""
        key, value = record
        if type(key) is OffsetKey:
            self.offsets.replay(key, value, offset)
        elif isinstance(key, GroupMetadataKey):
            if value is None:
                self.stored.pop(key.group, None)
                self.offsets.end_group(key.group)
            else:
                self.stored[key.group] = value
        elif isinstance(key, consumer_records.KEYS):
            consumer_records.replay(self.consumer_groups, key, value)
            if value is None and type(key) is ConsumerGroupMetadataKey:
                self.offsets.end_group(key.group_id)
        elif isinstance(key, Transactional):
            self.offsets.replay_transactional(key, value, offset)
        elif isinstance(key, Marker):
            self.replay_marker(key.producer_id, key.producer_epoch, is_commit=value)

    def replay_marker(self, producer_id: int, producer_epoch: int, *, is_commit: bool) -> None:
        """Ends a producer's transaction: what it wrote counts from here on, or never did."""
        del producer_epoch
        self.offsets.end_transaction(producer_id, is_commit=is_commit)

    def loaded(self, now: Moment) -> Result:
        """Brings the stored groups to life; every member has a whole session timeout to be heard of."""
        result = Result()
        for group_id, value in self.stored.items():
            draft = Draft(group_from_record(group_id, value), self.settings, now)
            for member in draft.group.members.values():
                draft.prolong_session(member)
            if len(draft.group.members) > self.settings.group_size_max:
                draft.prepare_rebalance()
            _add(result, draft.result)
        for group_id, group in self.consumer_groups.items():
            _add(result, consumer.loaded(group, self._around(group_id, now)))
        result.deadlines.append(Deadline(_EXPIRY, now.stamp_ms + self.settings.offsets_check_interval_ms))
        return result

    def _around(self, group_id: str, now: Moment) -> Surroundings:
        return Surroundings(self._consumer_settings(group_id), self.topics, now, self.settings)

    # Members.

    def _classic(
        self,
        decide: Callable[[Group | None, Any, Caller, GroupSettings, Moment], Result],
        decide_modern: Callable[[Change, Any, Caller], Result],
    ) -> Callable[[Any, Caller, Moment], Result]:
        """A request of the classic protocol, of a member of a classic group or of a group that leaves it."""

        def handle(request: Any, caller: Caller, now: Moment) -> Result:
            modern = self.consumer_groups.get(request.group_id)
            if modern is not None:
                return decide_modern(Change(modern, self._around(request.group_id, now)), request, caller)
            return decide(self.group(request.group_id), request, caller, self.settings, now)

        return handle

    def _join(self, request: JoinGroupRequest, caller: Caller, now: Moment) -> Result:
        modern = self.consumer_groups.get(request.group_id)
        if modern is None:
            return classic.join(self.group(request.group_id), request, caller, self.settings, now)
        if modern.members:
            return consumer_classic.join(Change(modern, self._around(request.group_id, now)), request, caller)
        result = classic.join(None, request, caller, self.settings, now)
        if result.records or result.soft:
            result.records[:0] = consumer_records.group_tombstones(modern)
        return result

    def _consumer_heartbeat(self, request: ConsumerGroupHeartbeatRequest, caller: Caller, now: Moment) -> Result:
        around = self._around(request.group_id, now)
        group = self.consumer_groups.get(request.group_id)
        other = self.groups.get(request.group_id)
        taken = Result()
        joins = request.member_epoch == JOINING_EPOCH
        if other is not None and joins and not other.members:
            taken.records.append(group_tombstone(request.group_id))
        elif other is not None and joins:
            try:
                group = migration.upgrade(taken, other, around.settings, self.topics)
            except GroupIdNotFoundError as error:
                return _refuse_heartbeat(caller, str(error.args[0]))
            _add(taken, consumer.loaded(group, around))
        elif other is not None:
            return _refuse_heartbeat(caller, f"Group {request.group_id} is not a consumer group.")
        result = consumer.heartbeat(group, request, caller, around)
        if other is not None and result.records:
            result.records[:0] = taken.records
            result.deadlines[:0] = taken.deadlines
            result.replies[:0] = taken.replies
            result.soft.insert(0, GroupGone(request.group_id))
        return result

    # Offsets.

    def _commit(self, request: OffsetCommitRequest, caller: Caller, now: Moment) -> Result:
        group = self.consumer_groups.get(request.group_id)
        if group is None:
            admission = classic.admit_commit(self.group(request.group_id), request, now)
        else:
            admission = consumer_queries.admit_commit(group, request, caller.api_version)
        return offsets.commit(admission, request, caller, self.settings, now)

    def _fetch(self, request: OffsetFetchRequest.OffsetFetchRequestGroup, caller: Caller, now: Moment) -> Result:
        del now
        group = self.consumer_groups.get(request.group_id)
        code = 0 if group is None else consumer_queries.check_fetch(group, request.member_id, request.member_epoch)
        if code:
            refused = OffsetFetchResponse.OffsetFetchResponseGroup(group_id=request.group_id, error_code=code)
            return Result(replies=[Reply(caller.token, refused)])
        return Result(replies=[Reply(caller.token, offsets.fetch(self.offsets, request))])

    def _fetch_stable(self, request: FetchStable, caller: Caller, now: Moment) -> Result:
        result = self._fetch(request.group, caller, now)
        pending = self.offsets.pending
        if pending:
            group_id = request.group.group_id
            for topic in result.replies[0].message.topics:
                for partition in topic.partitions:
                    if pending.holds(OffsetKey(group_id, topic.name, partition.partition_index)):
                        partition.error_code = UnstableOffsetCommitError.code
                        partition.committed_offset, partition.committed_leader_epoch = -1, -1
                        partition.metadata = ""
        return result

    def _delete_offsets(self, request: OffsetDeleteRequest, caller: Caller, now: Moment) -> Result:
        from barnabas.protocol.messages import offset_delete as message  # noqa: PLC0415 - rare, and loaded on first use

        del now
        group = self.consumer_groups.get(request.group_id)
        if group is None:
            classic_group = self.group(request.group_id)
            known = None if classic_group is None else expiry.subscribed_topics(classic_group)
            found = offsets.delete(classic_group, known, self.offsets, request)
        else:
            subscribed = frozenset(group.subscribed_topics())
            found = offsets.delete_except(subscribed, self.offsets, request)
        error_code, records, refused = found
        topics = [
            message.OffsetDeleteResponse.OffsetDeleteResponseTopic(
                name=topic.name,
                partitions=[
                    message.OffsetDeleteResponse.OffsetDeleteResponsePartition(
                        partition_index=partition.partition_index,
                        error_code=GroupSubscribedToTopicError.code if topic.name in refused else 0,
                    )
                    for partition in topic.partitions
                ],
            )
            for topic in request.topics
        ]
        response = message.OffsetDeleteResponse(error_code=error_code, topics=[] if error_code else topics)
        return Result(records=records, replies=[Reply(caller.token, response)])

    def _forget_topics(self, request: ForgetTopics, caller: Caller, now: Moment) -> Result:
        del now
        records = [
            tombstone
            for group_id in self.offsets.groups
            for tombstone in offsets.delete_all(self.offsets, group_id, request.names)
        ]
        return Result(records=records, replies=[Reply(caller.token, None)], is_separable=True)

    def _expire_offsets(self, now: Moment) -> Result:
        """Forgets what has expired, a bounded number of offsets at a time; other requests go between."""
        result = Result(is_separable=True)
        left = list(self._expiry_left or self.offsets.groups.keys() | self.groups.keys() | self.consumer_groups.keys())
        seen = 0
        while left and seen < EXPIRY_SLICE:
            group_id = left.pop()
            seen += 1 + sum(len(partitions) for partitions in self.offsets.groups.get(group_id, {}).values())
            self._expire_group(group_id, now, result)
        result.soft.append(ExpiryLeft(tuple(left)))
        after_ms = 1 if left else self.settings.offsets_check_interval_ms
        result.deadlines.append(Deadline(_EXPIRY, now.stamp_ms + after_ms))
        return result

    def _expire_group(self, group_id: str, now: Moment, result: Result) -> None:
        modern, group = self.consumer_groups.get(group_id), self.group(group_id)
        rule = None
        if modern is not None:
            rule = expiry.of_consumer(modern)
        elif group is not None:
            rule = expiry.of_classic(group)
        tombstones, none_left = expiry.expired(
            self.offsets, group_id, rule, now.wall_ms, self.settings.offsets_retention_ms
        )
        result.records += tombstones
        if not none_left:
            return
        if modern is not None and modern.state is ConsumerGroupState.EMPTY:
            result.records += consumer_records.group_tombstones(modern)
        elif group is not None and group.state is GroupState.EMPTY and not group.pending_join:
            result.records.append(group_tombstone(group_id))
            result.soft.append(GroupGone(group_id))

    # Administration.

    def _describe(self, request: DescribeGroup, caller: Caller, now: Moment) -> Result:
        del now
        if request.group_id in self.consumer_groups:
            return Result(replies=[Reply(caller.token, f"Group {request.group_id} is not a classic group.")])
        return Result(replies=[Reply(caller.token, self.group(request.group_id))])

    def _describe_consumer(self, request: DescribeConsumerGroup, caller: Caller, now: Moment) -> Result:
        del now
        group_id = request.group_id
        group = self.consumer_groups.get(group_id)
        if group is None:
            is_classic = self.group(group_id) is not None
            reply: Any = f"Group {group_id} is not a consumer group." if is_classic else f"Group {group_id} not found."
        else:
            reply = consumer_queries.describe(group, self.topics, self._consumer_settings(group_id).assignors[0])
        return Result(replies=[Reply(caller.token, reply)])

    def _list(self, request: ListShard, caller: Caller, now: Moment) -> Result:
        del request, now
        return Result(replies=[Reply(caller.token, list(self._summaries()))])

    def _summaries(self) -> Iterable[GroupSummary]:
        for group in self.consumer_groups.values():
            yield GroupSummary(group.group_id, CONSUMER_PROTOCOL_TYPE, group.state.value, "consumer")
        for group_id in self.groups.keys() | self.offsets.groups.keys():
            classic_group = self.group(group_id)
            if classic_group is not None:
                state = classic_group.state.value
                yield GroupSummary(group_id, classic_group.protocol_type or "", state, "classic")

    def _delete_group(self, request: DeleteGroup, caller: Caller, now: Moment) -> Result:
        del now
        group_id = request.group_id
        consumer_group = self.consumer_groups.get(group_id)
        group = self.group(group_id)
        if group is None and consumer_group is None:
            return Result(replies=[Reply(caller.token, GroupIdNotFoundError.code)])
        records = offsets.delete_all(self.offsets, group_id)
        if consumer_group is not None:
            if consumer_group.state is not ConsumerGroupState.EMPTY:
                return Result(replies=[Reply(caller.token, NonEmptyGroupError.code)])
            records += consumer_records.group_tombstones(consumer_group)
            return Result(records=records, replies=[Reply(caller.token, 0)])
        if group is not None and group.state is not GroupState.EMPTY:
            return Result(replies=[Reply(caller.token, NonEmptyGroupError.code)])
        records.append(group_tombstone(group_id))
        return Result(records=records, replies=[Reply(caller.token, 0)], soft=[GroupGone(group_id)])


def _add(result: Result, more: Result) -> None:
    result.records += more.records
    result.deadlines += more.deadlines
    result.soft += more.soft


def _refuse_heartbeat(caller: Caller, message: str) -> Result:
    response = ConsumerGroupHeartbeatResponse(error_code=GroupIdNotFoundError.code, error_message=message)
    return Result(replies=[Reply(caller.token, response)])
