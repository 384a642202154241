"""Offsets: committed ones of a group, and those that a log has."""

from __future__ import annotations

from collections import defaultdict
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from barnabas import errors
from barnabas.client.codes import Code
from barnabas.client.operations.api import (
    RETRY_WITH_NEW_COORDINATOR,
    RETRY_WITH_NEW_METADATA,
    Backoff,
    ForgetCoordinator,
    Gather,
    Operation,
    Submit,
    coordinator,
)
from barnabas.client.operations.metadata import check_topics, read_cluster
from barnabas.protocol.messages.list_offsets import ListOffsetsRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.types import OffsetAndMetadata, OffsetAndTimestamp, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from barnabas.client.cluster import Cluster
    from barnabas.client.effects import Generation

    Leaderships = list[tuple[TopicPartition, int]]

__all__ = [
    "EARLIEST",
    "LATEST",
    "MAX_TIMESTAMP",
    "by_leader",
    "commit",
    "fetch_committed",
    "list_offsets",
    "list_offsets_of_leader",
]

LATEST: Final = -1
"""Asks `list_offsets` for the offset of the next record to be written."""
EARLIEST: Final = -2
"""Asks `list_offsets` for the first offset that the log has."""
MAX_TIMESTAMP: Final = -3
"""Asks `list_offsets` for the record with the greatest timestamp."""

"""Answers about a topic that somebody has to change something for."""

_NAMED: Final = 3
"""So many partitions are named in a message."""
_BY_NAME_COMMIT: Final = (2, 9)
_BY_NAME_FETCH: Final = (1, 9)
"""Later versions name topics by id, which a committed offset of a deleted topic has no longer."""


def commit(
    group_id: str,
    generation: Generation,
    offsets: Mapping[TopicPartition, OffsetAndMetadata],
    backoff: Backoff,
    *,
    retry: bool = True,
) -> Operation[None]:
    """Commits offsets.

    Raises:
        KafkaError: The coordinator refused, or could not be reached and `retry` is off.
    """
    if not offsets:
        return
    request = _commit_request(group_id, generation, offsets)
    while True:
        response = yield Submit(coordinator(group_id), request, versions=_BY_NAME_COMMIT, retry=retry)
        error = _commit_error(response)
        if error is None:
            return
        if error.code in RETRY_WITH_NEW_COORDINATOR or error.code == Code.REQUEST_TIMED_OUT:
            yield ForgetCoordinator(group_id)
        elif error.code not in {Code.COORDINATOR_LOAD_IN_PROGRESS, Code.UNKNOWN_TOPIC_OR_PARTITION}:
            raise error
        if not retry:
            raise error
        yield backoff.wait(error)


def _commit_request(
    group_id: str, generation: Generation, offsets: Mapping[TopicPartition, OffsetAndMetadata]
) -> OffsetCommitRequest:
    topics: dict[str, list[OffsetCommitRequest.OffsetCommitRequestPartition]] = defaultdict(list)
    for (topic, partition), offset in offsets.items():
        topics[topic].append(
            OffsetCommitRequest.OffsetCommitRequestPartition(
                partition_index=partition,
                committed_offset=offset.offset,
                committed_leader_epoch=-1 if offset.leader_epoch is None else offset.leader_epoch,
                committed_metadata=offset.metadata,
            )
        )
    return OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=generation.generation_id,
        member_id=generation.member_id,
        group_instance_id=generation.group_instance_id,
        topics=[
            OffsetCommitRequest.OffsetCommitRequestTopic(name=name, partitions=partitions)
            for name, partitions in topics.items()
        ],
    )


def _commit_error(response: Any) -> errors.KafkaError | None:
    """The error of the first partition that has one, a final error before one that may pass."""
    found: errors.KafkaError | None = None
    for topic in response.topics:
        for partition in topic.partitions:
            if partition.error_code:
                where = TopicPartition(topic.name, partition.partition_index)
                error = errors.for_code(partition.error_code, topic_partition=where)
                if found is None or (found.retriable and not error.retriable):
                    found = error
    return found


def fetch_committed(
    group_id: str, partitions: Iterable[TopicPartition] | None, backoff: Backoff
) -> Operation[dict[TopicPartition, OffsetAndMetadata | None]]:
    """Reads what a group has committed: for given partitions (None where nothing is), or everything it has.

    Raises:
        KafkaError: The coordinator refused.
    """
    topics: dict[str, list[int]] | None = None
    committed: dict[TopicPartition, OffsetAndMetadata | None] = {}
    if partitions is not None:
        committed = {TopicPartition(*partition): None for partition in partitions}
        if not committed:
            return {}
        topics = defaultdict(list)
        for topic, partition in committed:
            topics[topic].append(partition)
    group = OffsetFetchRequest.OffsetFetchRequestGroup(
        group_id=group_id,
        topics=None
        if topics is None
        else [
            OffsetFetchRequest.OffsetFetchRequestTopics(name=name, partition_indexes=indexes)
            for name, indexes in topics.items()
        ],
    )
    request = OffsetFetchRequest(groups=[group], require_stable=True)
    while True:
        response = yield Submit(coordinator(group_id), request, versions=_BY_NAME_FETCH)
        error = _collect_committed(response, committed)
        if error is None:
            return committed
        if error.code in RETRY_WITH_NEW_COORDINATOR:
            yield ForgetCoordinator(group_id)
        elif error.code not in {Code.COORDINATOR_LOAD_IN_PROGRESS, Code.UNSTABLE_OFFSET_COMMIT}:
            raise error
        yield backoff.wait(error)


def _collect_committed(
    response: Any, committed: dict[TopicPartition, OffsetAndMetadata | None]
) -> errors.KafkaError | None:
    for group in response.groups:
        if group.error_code:
            return errors.for_code(group.error_code)
        for topic in group.topics:
            for partition in topic.partitions:
                where = TopicPartition(topic.name, partition.partition_index)
                if partition.error_code:
                    return errors.for_code(partition.error_code, topic_partition=where)
                if partition.committed_offset >= 0:
                    epoch = partition.committed_leader_epoch
                    committed[where] = OffsetAndMetadata(
                        partition.committed_offset, partition.metadata or "", epoch if epoch >= 0 else None
                    )
    return None


def list_offsets(
    wanted: Mapping[TopicPartition, int], backoff: Backoff, *, read_committed: bool = False
) -> Operation[dict[TopicPartition, OffsetAndTimestamp | None]]:
    """Looks up offsets by timestamp, or `EARLIEST`, `LATEST`, `MAX_TIMESTAMP`; None where no record is that late.

    Leaders that moved and topics that are not there yet are waited for.

    Raises:
        KafkaError: A leader refused, or a topic's name is not valid.
    """
    found: dict[TopicPartition, OffsetAndTimestamp | None] = {}
    remaining = {TopicPartition(*partition): timestamp for partition, timestamp in wanted.items()}
    while remaining:
        cluster = yield from read_cluster({partition.topic for partition in remaining})
        check_topics(cluster, {partition.topic for partition in remaining})
        submits = [
            _ask_leader(leader, partitions, remaining, read_committed=read_committed)
            for leader, partitions in by_leader(cluster, remaining).items()
        ]
        for reply in (yield Gather(submits)) if submits else ():
            if isinstance(reply, errors.KafkaError):
                if reply.code == Code.UNSUPPORTED_VERSION:
                    raise reply
                continue
            for partition, offset in _listed(reply):
                if isinstance(offset, errors.KafkaError):
                    raise offset
                found[partition] = offset
                remaining.pop(partition, None)
        if remaining:
            yield backoff.wait(f"no leader has answered for {_named(remaining)}")
    return found


def list_offsets_of_leader(
    leader: int, partitions: Leaderships, wanted: Mapping[TopicPartition, int], *, read_committed: bool = False
) -> Operation[dict[TopicPartition, OffsetAndTimestamp | errors.KafkaError | None]]:
    """Asks one leader once, as `list_offsets` does; what is to be asked again is left out, a refusal stands for itself.

    Raises:
        KafkaError: There was no answer.
    """
    response = yield _ask_leader(leader, partitions, wanted, read_committed=read_committed)
    return dict(_listed(response))


def by_leader(cluster: Cluster, partitions: Iterable[TopicPartition]) -> dict[int, Leaderships]:
    """Partitions with their leaders' epochs, by leader; those without a leader are left out."""
    found: dict[int, Leaderships] = defaultdict(list)
    for partition in partitions:
        info = cluster.partition(*partition)
        if info is not None and info.leader is not None:
            found[info.leader.id].append((partition, -1 if info.leader_epoch is None else info.leader_epoch))
    return found


def _ask_leader(
    leader: int, partitions: Leaderships, wanted: Mapping[TopicPartition, int], *, read_committed: bool
) -> Submit:
    request = _list_offsets_request(wanted, partitions, read_committed=read_committed)
    return Submit(("node", leader), request, versions=(1, 32_767), retry=False)


def _list_offsets_request(
    wanted: Mapping[TopicPartition, int], partitions: Iterable[tuple[TopicPartition, int]], *, read_committed: bool
) -> ListOffsetsRequest:
    topics: dict[str, list[ListOffsetsRequest.ListOffsetsPartition]] = defaultdict(list)
    for partition, leader_epoch in partitions:
        topics[partition.topic].append(
            ListOffsetsRequest.ListOffsetsPartition(
                partition_index=partition.partition,
                current_leader_epoch=leader_epoch,
                timestamp=wanted[partition],
            )
        )
    return ListOffsetsRequest(
        replica_id=-1,
        isolation_level=int(read_committed),
        topics=[ListOffsetsRequest.ListOffsetsTopic(name=name, partitions=asked) for name, asked in topics.items()],
    )


def _listed(response: Any) -> Iterable[tuple[TopicPartition, OffsetAndTimestamp | errors.KafkaError | None]]:
    """The partitions that were answered for good; those to ask again are left out."""
    for topic in response.topics:
        for partition in topic.partitions:
            where = TopicPartition(topic.name, partition.partition_index)
            if partition.error_code == Code.NONE:
                epoch = partition.leader_epoch if partition.leader_epoch >= 0 else None
                missing = partition.offset < 0
                yield where, None if missing else OffsetAndTimestamp(partition.offset, partition.timestamp, epoch)
            elif partition.error_code not in RETRY_WITH_NEW_METADATA:
                yield where, errors.for_code(partition.error_code, topic_partition=where)


def _named(partitions: Iterable[TopicPartition]) -> str:
    first = [f"{topic}-{number}" for topic, number in islice(partitions, _NAMED + 1)]
    return ", ".join([*first[:_NAMED], "…"] if len(first) > _NAMED else first)
