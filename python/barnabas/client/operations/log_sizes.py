"""How many bytes partitions have on their leaders' disks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.client.operations.api import Gather, Operation, Submit
from barnabas.client.operations.metadata import read_cluster
from barnabas.protocol.messages.describe_log_dirs import DescribeLogDirsRequest
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["partition_sizes"]


def partition_sizes(partitions: Iterable[TopicPartition]) -> Operation[dict[TopicPartition, int]]:
    """Bytes of partitions' logs, each on its leader; partitions without a leader are left out.

    Raises:
        KafkaError: A leader refused or could not be reached.
    """
    wanted = {TopicPartition(*partition) for partition in partitions}
    if not wanted:
        return {}
    cluster = yield from read_cluster({partition.topic for partition in wanted})
    by_leader: dict[int, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for partition in sorted(wanted):
        info = cluster.partition(*partition)
        if info is not None and info.leader is not None:
            by_leader[info.leader.id][partition.topic].append(partition.partition)
    submits = [Submit(("node", leader), _request(topics)) for leader, topics in by_leader.items()]
    sizes: dict[TopicPartition, int] = {}
    for reply in (yield Gather(submits)) if submits else ():
        if isinstance(reply, errors.KafkaError):
            raise reply
        for where, size in _sizes(reply):
            # A log that is being moved to another directory is listed twice; the whole one is the larger.
            sizes[where] = max(size, sizes.get(where, 0))
    return sizes


def _request(topics: dict[str, list[int]]) -> DescribeLogDirsRequest:
    return DescribeLogDirsRequest(
        topics=[
            DescribeLogDirsRequest.DescribableLogDirTopic(topic=topic, partitions=partitions)
            for topic, partitions in topics.items()
        ]
    )


def _sizes(response: Any) -> Iterable[tuple[TopicPartition, int]]:
    if response.error_code:
        raise errors.for_code(response.error_code)
    for directory in response.results:
        for topic in directory.topics:
            for partition in topic.partitions:
                yield TopicPartition(topic.name, partition.partition_index), partition.partition_size
