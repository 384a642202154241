"""Cuts what is to be read into Spark partitions, each of which is a task.

A task costs Spark about as much as reading 20,000 records, so short ranges share one. Long ranges are split where the
options say so: by records (`maxRecordsPerPartition`, `minPartitions`, as in spark-sql-kafka) or by bytes
(`targetBytesPerTask`).
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING

from barnabas.spark.offsets import RangePartition
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from barnabas.spark.offsets import Cluster, OffsetRange
    from barnabas.spark.options import ReadOptions

__all__ = ["plan", "split_and_packed"]


def plan(ranges: Sequence[OffsetRange], options: ReadOptions, cluster: Cluster) -> list[RangePartition]:
    """Spark partitions of some ranges.

    Args:
        ranges: What is to be read.
        options: The read's options.
        cluster: Where it is to be read from; asked for sizes if the options say how many bytes a task should have.

    Raises:
        KafkaError: The sizes could not be had.
    """
    sizes = cluster.bytes_per_offset(ranges) if options.bytes_per_task is not None else {}
    return split_and_packed(ranges, options, sizes)


def split_and_packed(
    ranges: Sequence[OffsetRange], options: ReadOptions, sizes: Mapping[TopicPartition, float]
) -> list[RangePartition]:
    """Spark partitions of some ranges: long ones are split as the options say, short ones share a task.

    Args:
        ranges: What is to be read.
        options: The read's options.
        sizes: Bytes per offset of partitions, as far as they are known.
    """
    total = sum(map(len, ranges))
    pieces = [piece for one in ranges for piece in _split(one, _count(one, total, options, sizes))]
    if options.partitions_min is not None or options.records_per_partition is not None:
        return [RangePartition((piece,)) for piece in pieces]
    packed: list[list[OffsetRange]] = []
    rows_left, bytes_left = 0, 0.0
    for piece in pieces:
        weight = len(piece) * sizes.get(TopicPartition(piece.topic, piece.partition), 0.0)
        if not packed or len(piece) > rows_left or weight > bytes_left:
            packed.append([])
            rows_left = max(options.rows_per_task, len(piece))
            bytes_left = max(options.bytes_per_task or 0, weight)
        packed[-1].append(piece)
        rows_left -= len(piece)
        bytes_left -= weight
    return [RangePartition(tuple(group)) for group in packed]


def _count(one: OffsetRange, total: int, options: ReadOptions, sizes: Mapping[TopicPartition, float]) -> int:
    """How many pieces a range is split into; of `total` offsets all ranges have."""
    count = 1
    if options.records_per_partition is not None:
        count = -(-len(one) // options.records_per_partition)
    if options.partitions_min is not None:
        count = max(count, -(-len(one) * options.partitions_min // total))
    # A table's partition is looked at as a whole, to find each key's latest record.
    if options.bytes_per_task is not None and not options.latest_per_key:
        weight = len(one) * sizes.get(TopicPartition(one.topic, one.partition), 0.0)
        count = max(count, -int(-weight // options.bytes_per_task))
    return min(count, len(one))


def _split(one: OffsetRange, count: int) -> list[OffsetRange]:
    edges = [one.start + len(one) * index // count for index in range(count + 1)]
    return [replace(one, start=start, end=end) for start, end in itertools.pairwise(edges)]
