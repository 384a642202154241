"""Batch reading, and what a task does in the executor: ranges in, Arrow batches out."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSourceReader

from barnabas.client.options import CONSUMER
from barnabas.columns import Scan, ScanClient
from barnabas.errors import ConfigError
from barnabas.spark.clients import Clients
from barnabas.spark.filters import bind, earliest_time, narrow, pushed
from barnabas.spark.offsets import Cluster, RangePartition, TablePartition, check_ranges
from barnabas.spark.planning import plan
from barnabas.spark.resolvers import resolver
from barnabas.types import TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pyspark.sql.datasource import Filter, InputPartition

    from barnabas.spark.offsets import OffsetRange
    from barnabas.spark.options import ReadOptions
    from barnabas.spark.schemas import Decoding

__all__ = ["BatchReader", "PushingReader", "read_columns", "read_ranges"]

_JOINED_ROWS: Final = 4_096
_JOINED_BYTES: Final = 1 << 20
"""Batches with fewer rows and bytes are joined with those of the task's next ranges."""


def _client(config: Mapping[str, str]) -> ScanClient:
    return ScanClient(CONSUMER.parse(config, {}).plain())


# A scan's client ends when nobody has it any more.
_clients: Final = Clients(CONSUMER, _client, lambda _: None, most=4)


def read_ranges(ranges: Sequence[OffsetRange], options: ReadOptions, decoding: Decoding) -> Iterator[pa.RecordBatch]:
    """The records of offset ranges as Arrow batches of the decoding's schema.

    Args:
        ranges: What to read.
        options: The read's options.
        decoding: How records become rows.

    Raises:
        KafkaError: A range cannot be read.
    """
    with _clients.lent(options.client) as client:
        scans = (_scan(client, wanted, options, decoding) for wanted in ranges)
        yield from _joined(itertools.chain.from_iterable(map(_batches, _begun_early(scans))))


def read_latest(partition: TablePartition, options: ReadOptions, decoding: Decoding) -> Iterator[pa.RecordBatch]:
    """The latest records of all keys as Arrow batches of the decoding's schema.

    Args:
        partition: What to read.
        options: The read's options.
        decoding: How records become rows.

    Raises:
        ConfigError: A record has no key.
        KafkaError: A range cannot be read.
    """
    from barnabas.spark.latest import (  # noqa: PLC0415 - loads all functions of pyarrow
        KEYS,
        latest_offsets,
        leaves_out_null_keys,
    )

    with _clients.lent(options.client) as client:
        for wanted, end in zip(partition.ranges, partition.ends, strict=True):
            records = read_columns(replace(wanted, end=end), options.client, KEYS, options.idle_timeout_ms)
            offsets = latest_offsets(
                records,
                TopicPartition(wanted.topic, wanted.partition),
                keep_tombstones=options.keep_tombstones,
                skip_null_keys=leaves_out_null_keys(decoding),
            )
            yield from _batches(_scan(client, wanted, options, decoding, offsets))


def read_columns(
    wanted: OffsetRange, config: Mapping[str, str], schema: pa.Schema, idle_timeout_ms: int
) -> Iterator[pa.RecordBatch]:
    """Some of Kafka's own columns of a range, whatever the read's columns and conditions.

    Args:
        wanted: The range.
        config: The client's options by Kafka's names.
        schema: Some of Kafka's columns as spark-sql-kafka has them.
        idle_timeout_ms: How long to wait for records that should be there.

    Raises:
        KafkaError: The range cannot be read.
    """
    place = (wanted.topic, wanted.partition, wanted.start, wanted.end)
    with _clients.lent(config) as client:
        yield from _batches(Scan(client, *place, schema, idle_timeout_ms=idle_timeout_ms))


def _scan(
    client: ScanClient,
    wanted: OffsetRange,
    options: ReadOptions,
    decoding: Decoding,
    offsets: pa.Int64Array | None = None,
) -> Scan:
    """Begins to read the rows of a range, of which `offsets` names the records that are wanted."""
    schema = decoding.arrow_schema()
    return Scan(
        client,
        wanted.topic,
        wanted.partition,
        wanted.start,
        wanted.end,
        schema,
        raw_columns=decoding.raw_columns,
        format=decoding.record_format,
        options=decoding.format_options,
        resolver=None if decoding.resolver is None else resolver(decoding.resolver),
        conditions=bind(decoding.conditions, schema),
        offsets=offsets,
        idle_timeout_ms=options.idle_timeout_ms,
    )


def _batches(scan: Scan) -> Iterator[pa.RecordBatch]:
    return map(pa.record_batch, scan)


def _begun_early(scans: Iterable[Scan]) -> Iterator[Scan]:
    """Scans, each of which reads while the one before it is taken: short ranges are as long as their request takes."""
    before: Scan | None = None
    for scan in scans:
        if before is not None:
            yield before
        before = scan
    if before is not None:
        yield before


def _joined(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows in batches that are not smaller than they need be: each costs Spark about as much as 100 rows."""
    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        size += batch.nbytes
        if rows >= _JOINED_ROWS or size >= _JOINED_BYTES:
            yield from _one(waiting)
            rows = size = 0
    yield from _one(waiting)


def _one(waiting: list[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The batches as one; there are none after it."""
    if len(waiting) > 1:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()
    else:
        yield from waiting
    waiting.clear()


class BatchReader(DataSourceReader):
    """Reads topics from a fixed start to a fixed end.

    Args:
        options: The read's options.
        decoding: How records become rows.
    """

    def __init__(self, options: ReadOptions, decoding: Decoding) -> None:
        self._options = options
        self._decoding = decoding

    def partitions(self) -> list[InputPartition]:
        """The offset ranges to read, resolved once."""
        with Cluster(self._options) as cluster:
            start = cluster.starting()
            end = cluster.ending(start)
            earliest = cluster.earliest(start)
            whole = check_ranges(start, end, earliest, fail_on_data_loss=self._options.fail_on_data_loss)
            ranges = narrow(whole, self._decoding)
            if (since := earliest_time(self._decoding)) is not None:
                ranges = cluster.since(ranges, since)
            tasks = plan(ranges, self._options, cluster)
        if not self._options.latest_per_key:
            return [*tasks]
        # A condition may end a range early, but which record is a key's latest depends on all that come after it.
        ends = {(one.topic, one.partition): one.end for one in whole}
        return [
            TablePartition(task.ranges, tuple(ends[one.topic, one.partition] for one in task.ranges)) for task in tasks
        ]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of one task; nothing for the task that Spark makes when there is nothing to read."""
        if isinstance(partition, TablePartition):
            yield from read_latest(partition, self._options, self._decoding)
        elif isinstance(partition, RangePartition):
            yield from read_ranges(partition.ranges, self._options, self._decoding)


class PushingReader(BatchReader):
    """A batch reader that checks filters of the query in the executors.

    Spark fails every query over a reader with this method while its setting
    `spark.sql.python.filterPushdown.enabled` is off, as it is by default.
    """

    def pushFilters(self, filters: list[Filter]) -> Iterator[Filter]:  # noqa: N802 - Spark's name
        """Takes the filters that can be checked here, and gives back those that Spark has to check.

        Args:
            filters: Filters, all of which rows must meet.
        """
        for one in filters:
            condition = pushed(one)
            try:
                if condition is not None:
                    self._decoding = self._decoding.filtered(condition)
                    continue
            except ConfigError:
                # A type that has no order here, or a value that is compared after a cast: Spark knows how.
                pass
            yield one
