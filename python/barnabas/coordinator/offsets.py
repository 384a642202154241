"""Committed offsets of a shard: OffsetCommit, OffsetFetch, OffsetDelete. No clock, no other shard, no topics.

Only the `replay…` of `Offsets` and the ends of transactions and groups change it. Requests come in their newest
shape with topic names filled in: whether a topic exists, and which id it has, is known to the handler above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from barnabas.coordinator.committed import CommittedOffset, OffsetKey, decode_value
from barnabas.coordinator.group import CONSUMER_PROTOCOL_TYPE, Group, GroupState
from barnabas.coordinator.pending import PendingOffsets, Transactional
from barnabas.coordinator.records import Record, offset_record, offset_tombstone
from barnabas.errors import (
    GroupIdNotFoundError,
    NonEmptyGroupError,
    OffsetMetadataTooLargeError,
)
from barnabas.machine import Caller, Deadline, Moment, Reply, Result
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from barnabas.protocol.messages.offset_fetch import OffsetFetchResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from barnabas.coordinator.settings import GroupSettings

__all__ = ["Admission", "Offsets", "commit", "delete", "delete_all", "delete_except", "fetch"]

NO_OFFSET = -1


class Offsets:
    """The committed offsets of every group of a shard.

    Attributes:
        groups: Group -> topic -> partition -> value. A group that has committed is in it until its own tombstone, even
            if no offset of it is left: so long it exists.
        pending: What open transactions have written.
    """

    def __init__(self) -> None:
        self.groups: dict[str, dict[str, dict[int, bytes]]] = {}
        self.pending = PendingOffsets()

    def get(self, group_id: str, topic: str, partition: int) -> CommittedOffset | None:
        """Returns the committed offset of one partition."""
        value = self.groups.get(group_id, {}).get(topic, {}).get(partition)
        return None if value is None else decode_value(value)

    def replay(self, key: OffsetKey, value: bytes | None, log_offset: int) -> None:
        """Applies one record that no transaction wrote."""
        if value is None:
            self._remove(*key)
            self.pending.forget(key)
            return
        if self.pending:
            self.pending.overtake(key, log_offset)
        group_id, topic, partition = key
        try:
            self.groups[group_id][topic][partition] = value
        except KeyError:
            self._put(key, value)

    def replay_transactional(self, written: Transactional, value: bytes | None, log_offset: int) -> None:
        """Applies one record that a transaction wrote; a tombstone does not wait for its end."""
        if value is None:
            self.replay(written.key, None, log_offset)
            return
        self.pending.put(written, value, log_offset)
        self.groups.setdefault(written.key.group, {})

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """What the producer wrote counts from here on, or never did."""
        for key, value in self.pending.end(producer_id, is_commit=is_commit):
            self._put(key, value)

    def end_group(self, group_id: str) -> None:
        """Applies a group's tombstone."""
        if not self.groups.get(group_id, True):
            del self.groups[group_id]

    def _put(self, key: OffsetKey, value: bytes) -> None:
        self.groups.setdefault(key.group, {}).setdefault(key.topic, {})[key.partition] = value

    def _remove(self, group_id: str, topic: str, partition: int) -> None:
        topics = self.groups.get(group_id, {})
        partitions = topics.get(topic, {})
        partitions.pop(partition, None)
        if not partitions:
            topics.pop(topic, None)


class Admission(NamedTuple):
    """Whether a group lets somebody commit.

    Attributes:
        error_code: 0, or why nothing may be committed.
        refuse: Asked for each partition (topic id, partition) when it depends on the partition; its answer is an error
            code.
        deadlines: What follows for the member's session.
    """

    error_code: int = 0
    refuse: Callable[[bytes, int], int] | None = None
    deadlines: tuple[Deadline, ...] = ()


def commit(
    admission: Admission, request: OffsetCommitRequest, caller: Caller, settings: GroupSettings, now: Moment
) -> Result:
    """Handles OffsetCommit: fenced by the group's admission, one record per accepted partition."""
    result = Result(deadlines=list(admission.deadlines))
    expire_ms = -1 if request.retention_time_ms == -1 else now.wall_ms + request.retention_time_ms
    topics = []
    for topic in request.topics:
        answers = []
        for partition in topic.partitions:
            code = _check_partition(admission, topic, partition, settings)
            answers.append(
                OffsetCommitResponse.OffsetCommitResponsePartition(
                    partition_index=partition.partition_index, error_code=code
                )
            )
            if code == 0:
                committed = CommittedOffset(
                    offset=partition.committed_offset,
                    leader_epoch=partition.committed_leader_epoch,
                    metadata=partition.committed_metadata or "",
                    commit_timestamp_ms=now.wall_ms,
                    expire_timestamp_ms=expire_ms,
                    topic_id=bytes(topic.topic_id),
                )
                result.records.append(offset_record(request.group_id, topic.name, partition.partition_index, committed))
        topics.append(
            OffsetCommitResponse.OffsetCommitResponseTopic(name=topic.name, topic_id=topic.topic_id, partitions=answers)
        )
    result.replies.append(Reply(caller.token, OffsetCommitResponse(topics=topics)))
    return result


def _check_partition(admission: Admission, topic: Any, partition: Any, settings: GroupSettings) -> int:
    if admission.error_code:
        return admission.error_code
    if _utf16_length(partition.committed_metadata or "") > settings.offset_metadata_max_size:
        return OffsetMetadataTooLargeError.code
    if admission.refuse is not None:
        return admission.refuse(bytes(topic.topic_id), partition.partition_index)
    return 0


def _utf16_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def fetch(offsets: Offsets, request: Any) -> OffsetFetchResponse.OffsetFetchResponseGroup:
    """Answers one group of an OffsetFetch: the named partitions, or with topics None all that the group committed."""
    known = offsets.groups.get(request.group_id, {})
    if request.topics is None:
        wanted = [(topic, bytes(16), list(partitions)) for topic, partitions in known.items()]
    else:
        wanted = [(topic.name, topic.topic_id, topic.partition_indexes) for topic in request.topics]
    topics = []
    for name, topic_id, indexes in wanted:
        partitions = known.get(name, {})
        answers = []
        for index in indexes:
            value = partitions.get(index)
            committed = None if value is None else decode_value(value)
            answers.append(
                OffsetFetchResponse.OffsetFetchResponsePartitions(
                    partition_index=index,
                    committed_offset=NO_OFFSET if committed is None else committed.offset,
                    committed_leader_epoch=-1 if committed is None else committed.leader_epoch,
                    metadata="" if committed is None else committed.metadata,
                ),
            )
        topics.append(OffsetFetchResponse.OffsetFetchResponseTopics(name=name, topic_id=topic_id, partitions=answers))
    return OffsetFetchResponse.OffsetFetchResponseGroup(group_id=request.group_id, topics=topics)


def delete(
    group: Group | None, subscribed: Collection[str] | None, offsets: Offsets, request: Any
) -> tuple[int, list[Record], set[str]]:
    """Decides about OffsetDelete: (error code, tombstones, topics refused because the group may read them).

    `subscribed` are the topics that the group's members read; None if that is not known.
    """
    if group is None:
        return GroupIdNotFoundError.code, [], set()
    has_members = group.state is not GroupState.EMPTY
    if has_members and group.protocol_type != CONSUMER_PROTOCOL_TYPE:
        return NonEmptyGroupError.code, [], set()
    # Where it cannot be known what members subscribe to, every topic counts as subscribed, as in Kafka.
    everything = {topic.name for topic in request.topics}
    return delete_except(everything if subscribed is None and has_members else subscribed or (), offsets, request)


def delete_except(subscribed: Collection[str], offsets: Offsets, request: Any) -> tuple[int, list[Record], set[str]]:
    """Decides about OffsetDelete of a group that reads these topics: (0, tombstones, topics refused)."""
    refused = {topic.name for topic in request.topics if topic.name in subscribed}
    records = [
        offset_tombstone(request.group_id, topic.name, partition.partition_index)
        for topic in request.topics
        if topic.name not in refused
        for partition in topic.partitions
        if offsets.get(request.group_id, topic.name, partition.partition_index) is not None
        or offsets.pending.holds(OffsetKey(request.group_id, topic.name, partition.partition_index))
    ]
    return 0, records, refused


def delete_all(offsets: Offsets, group_id: str, topics: Collection[str] | None = None) -> list[Record]:
    """Returns tombstones for all that the group has committed or open transactions have written for it.

    Of `topics` only, if some are given.
    """
    committed = offsets.groups.get(group_id, {})
    named = committed if topics is None else [topic for topic in committed if topic in topics]
    keys = {OffsetKey(group_id, topic, partition): None for topic in named for partition in committed[topic]}
    pending = offsets.pending.of_group(group_id)
    keys.update(dict.fromkeys(key for key in pending if topics is None or key.topic in topics))
    return [offset_tombstone(*key) for key in keys]
