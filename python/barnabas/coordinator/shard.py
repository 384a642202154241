"""One partition of `__consumer_offsets` as a replicated state machine: its groups and their offsets.

`stored` and `offsets` are exactly what the partition's records say, and change by `replay` alone. `groups` is the
living side: members that join, parked requests. It starts from `stored` when loading ends and is lost with the shard.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from barnabas.coordinator import classic, offsets
from barnabas.coordinator.draft import JOIN, SESSION, SYNC, Draft
from barnabas.coordinator.group import Group, GroupState
from barnabas.coordinator.offsets import Offsets
from barnabas.coordinator.records import CommittedOffset, Record, group_from_record, group_tombstone
from barnabas.errors import GroupIdNotFoundError, GroupSubscribedToTopicError, NonEmptyGroupError
from barnabas.machine import Caller, Moment, Reply, Result
from barnabas.protocol.messages.group_metadata_key import GroupMetadataKey
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_commit_key import OffsetCommitKey
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from barnabas.coordinator.settings import GroupSettings

__all__ = ["DeleteGroup", "DescribeGroup", "GroupGone", "GroupShard", "ListShard"]


@dataclass(frozen=True, slots=True)
class GroupGone:
    """Soft change: the group is deleted."""

    group_id: str


@dataclass(frozen=True, slots=True)
class DescribeGroup:
    """One group of a DescribeGroups request; answered with a `Group` or None."""

    group_id: str


@dataclass(frozen=True, slots=True)
class ListShard:
    """A shard's share of a ListGroups request; answered with a list of `Group`."""


@dataclass(frozen=True, slots=True)
class DeleteGroup:
    """One group of a DeleteGroups request; answered with an error code."""

    group_id: str


class GroupShard:
    """The groups of one partition of `__consumer_offsets`. Implements `barnabas.machine.Machine`."""

    def __init__(self, settings: GroupSettings) -> None:
        self.settings = settings
        self.stored: dict[str, Any] = {}
        self.offsets = Offsets()
        self.groups: dict[str, Group] = {}
        self._classic: dict[type, Callable[[Group | None, Any, Caller, GroupSettings, Moment], Result]] = {
            JoinGroupRequest: classic.join,
            SyncGroupRequest: classic.sync,
            HeartbeatRequest: classic.heartbeat,
            LeaveGroupRequest: classic.leave,
            OffsetCommitRequest: offsets.commit,
        }

    def group(self, group_id: str) -> Group | None:
        """Returns the living group; one that has only offsets is an Empty one without a protocol."""
        group = self.groups.get(group_id)
        if group is None and group_id in self.offsets.groups:
            group = Group(group_id=group_id)
        return group

    def handle(self, caller: Caller, request: Any, now: Moment) -> Result:
        """Decides about a request; see `barnabas.machine.Machine`."""
        if isinstance(request, ListShard):
            return Result(replies=[Reply(caller.token, list(self._all_groups()))])
        group = self.group(request.group_id)
        handler = self._classic.get(type(request))
        if handler is not None:
            return handler(group, request, caller, self.settings, now)
        if isinstance(request, OffsetFetchRequest.OffsetFetchRequestGroup):
            return Result(replies=[Reply(caller.token, offsets.fetch(self.offsets, request))])
        if isinstance(request, DescribeGroup):
            return Result(replies=[Reply(caller.token, group)])
        if isinstance(request, DeleteGroup):
            return self._delete_group(group, request, caller)
        return self._delete_offsets(group, request, caller)

    def expire(self, key: tuple[Any, ...], now: Moment) -> Result:
        """Decides what follows from a deadline; see `barnabas.machine.Machine`."""
        kind, group_id = key[0], key[1]
        group = self.groups.get(group_id)
        if kind == SESSION:
            return classic.expire_session(group, key[2], self.settings, now)
        if kind == JOIN:
            return classic.expire_join(group, self.settings, now)
        if kind == SYNC:
            return classic.expire_sync(group, self.settings, now)
        raise RuntimeError(f"no deadline is called {key!r}")

    def apply(self, change: Group | GroupGone) -> None:
        """Installs a group as a handler left it, or takes it out."""
        if isinstance(change, GroupGone):
            self.groups.pop(change.group_id, None)
        else:
            self.groups[change.group_id] = change

    def replay(self, record: Record, offset: int) -> None:
        """Applies one record; unknown kinds (other group types) are kept in the log and skipped here."""
        del offset
        key, value = record
        if isinstance(key, OffsetCommitKey):
            if value is None:
                self.offsets.remove(key.group, key.topic, key.partition)
                return
            committed = CommittedOffset(
                offset=value.offset,
                leader_epoch=value.leader_epoch,
                metadata=value.metadata,
                commit_timestamp_ms=value.commit_timestamp,
                expire_timestamp_ms=value.expire_timestamp,
                topic_id=bytes(value.topic_id),
            )
            self.offsets.put(key.group, key.topic, key.partition, committed)
        elif isinstance(key, GroupMetadataKey):
            if value is None:
                self.stored.pop(key.group, None)
            else:
                self.stored[key.group] = value

    def loaded(self, now: Moment) -> Result:
        """Brings the stored groups to life; every member has a whole session timeout to be heard of."""
        result = Result()
        for group_id, value in self.stored.items():
            draft = Draft(group_from_record(group_id, value), self.settings, now)
            for member in draft.group.members.values():
                draft.prolong_session(member)
            if len(draft.group.members) > self.settings.group_size_max:
                draft.prepare_rebalance()
            result.records += draft.result.records
            result.deadlines += draft.result.deadlines
            result.soft += draft.result.soft
        return result

    def _all_groups(self) -> Iterable[Group]:
        for group_id in self.groups.keys() | self.offsets.groups.keys():
            group = self.group(group_id)
            if group is not None:
                yield group

    def _delete_group(self, group: Group | None, request: DeleteGroup, caller: Caller) -> Result:
        if group is None:
            return Result(replies=[Reply(caller.token, GroupIdNotFoundError.code)])
        if group.state is not GroupState.EMPTY:
            return Result(replies=[Reply(caller.token, NonEmptyGroupError.code)])
        records = offsets.delete_all(self.offsets, request.group_id)
        records.append(group_tombstone(request.group_id))
        return Result(records=records, replies=[Reply(caller.token, 0)], soft=[GroupGone(request.group_id)])

    def _delete_offsets(self, group: Group | None, request: Any, caller: Caller) -> Result:
        from barnabas.protocol.messages import offset_delete as message  # noqa: PLC0415 - rare, and loaded on first use

        error_code, records, refused = offsets.delete(group, self.offsets, request)
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
