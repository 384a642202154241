"""Streaming reads: offsets are planned on the driver, kept by Spark's checkpoint, read by the executors.

Spark asks for the initial offset twice, does not keep the answer before the first batch is done, and reads what lies
between. `latest` and times stand for other offsets a moment later, so the start is resolved once per reader, and the
end of the first batch, which Spark does keep, carries it: a query that stops before its first batch is done goes on
from the start that it was planned with.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any, Final, NoReturn

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, SupportsTriggerAvailableNow

from barnabas.errors import ConfigError, OffsetOutOfRangeError
from barnabas.spark.filters import narrow
from barnabas.spark.offsets import (
    BEGINNING,
    REMEDY,
    Cluster,
    OffsetRange,
    RangePartition,
    check_ranges,
    from_json,
    to_json,
)
from barnabas.spark.planning import plan
from barnabas.spark.reader import read_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.streaming.datasource import ReadLimit

    from barnabas.spark.offsets import Offsets
    from barnabas.spark.options import ReadOptions
    from barnabas.spark.schemas import Decoding

__all__ = ["RefusedStreamReader", "StreamReader"]

SparkOffsets = dict[str, dict[str, Any]]
"""Offsets by topic and partition as Spark keeps them, and perhaps `BEGINNING` with others."""
IDLE_LOOK_S: Final = 0.05
"""How often an idle stream asks the brokers whether there is something new; Spark asks the stream every 10 ms."""
BUSY_LOOK_S: Final = 0.01
"""How often it asks right after there was something. What it waits counts as part of the next batch's time."""
_IDLE_LOOKS: Final = 20
"""So many looks fit into the time since there was something, until it is asked every `IDLE_LOOK_S` only."""


class RefusedStreamReader(DataSourceStreamReader):
    """Stands for a stream that cannot be: Spark hides an error of the making of a reader behind one of its own.

    Args:
        error: What is wrong.
    """

    def __init__(self, error: ConfigError) -> None:
        self._error = error

    def _refuse(self, *_: object) -> NoReturn:
        raise self._error

    initialOffset = latestOffset = partitions = read = _refuse  # noqa: N815 - Spark's names


class StreamReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Reads topics from a start on, micro-batch by micro-batch.

    Args:
        options: The read's options.
        decoding: How records become rows.
    """

    def __init__(self, options: ReadOptions, decoding: Decoding) -> None:
        self._options = options
        self._decoding = decoding
        self._cluster: Cluster | None = None
        self._initial: SparkOffsets | None = None
        self._is_asked_for_start = False
        self._is_checked = False
        self._end_of_run: Offsets | None = None
        self._reported: Offsets = {}
        self._idle: tuple[float, SparkOffsets] | None = None
        self._found_at = -math.inf
        # As in spark-sql-kafka the first batch of a run is never held back.
        self._triggered_at = -math.inf

    def initialOffset(self) -> SparkOffsets:  # noqa: N802 - Spark's name
        """Where a new query starts: the same answer however often Spark asks."""
        self._is_asked_for_start = True
        return self._beginning()

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Fixes the end of the run at what is there now."""
        # First the start: resolved after the end, `latest` could lie beyond it. A start by time may be an error that a
        # query which goes on from its checkpoint must not see.
        if self._options.latest_without_match or not self._options.starts_by_time:
            self._beginning()
        self._end_of_run = self._ends()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """Option maxOffsetsPerTrigger."""
        limit = self._options.offsets_per_trigger
        return ReadAllAvailable() if limit is None else ReadMaxRows(limit)

    def latestOffset(self, start: SparkOffsets, limit: ReadLimit) -> SparkOffsets:  # noqa: N802 - Spark's name
        """Where the next batch ends: at the end of the topics, or as far as the limit goes.

        Args:
            start: Where it starts.
            limit: Most rows.

        Raises:
            OffsetOutOfRangeError: A partition ends before `start`, under failOnDataLoss.
            ConfigError: The options do not ask for a partition of `start`, under failOnDataLoss.
        """
        if self._end_of_run is None and self._idle is not None:
            looked_at, where = self._idle
            if where == start:
                # Waits and then looks, rather than answer from memory: processAllAvailable relies on what it is told.
                pause = min(IDLE_LOOK_S, max(BUSY_LOOK_S, (looked_at - self._found_at) / _IDLE_LOOKS))
                time.sleep(max(0.0, looked_at + pause - time.monotonic()))
        begin = from_json(start)
        ends = self._ends() if self._end_of_run is None else dict(self._end_of_run)
        if self._options.fail_on_data_loss:
            if not self._is_checked:
                self._check_wanted(begin)
                self._is_checked = True
            for partition in begin:
                # A partition that vanished stays where it was: that it did is told when a batch is planned.
                ends.setdefault(partition, begin[partition])
        self._reported = ends
        begin = self._with_new_partitions(begin, ends)
        is_first = self._is_asked_for_start and start == self._initial
        self._is_asked_for_start = is_first
        if ends == begin or self._is_held_back(begin, ends):
            if is_first:
                # Spark runs the first batch though it is empty, and keeps its end.
                return {**start, BEGINNING: start}
            # Word for word what Spark has: it compares text.
            self._idle = (time.monotonic(), start)
            return start
        self._triggered_at = self._found_at = time.monotonic()
        rows = self._rows_of_bytes(begin, ends)
        if isinstance(limit, ReadMaxRows):
            rows = min(rows, limit.max_rows)
        ends = _limited(begin, ends, rows)
        return {**to_json(ends), BEGINNING: start} if is_first else to_json(ends)

    def reportLatestOffset(self) -> SparkOffsets | None:  # noqa: N802 - Spark's name
        """The ends of the topics as they were last seen."""
        return to_json(self._reported) if self._reported else None

    def partitions(self, start: SparkOffsets, end: SparkOffsets) -> list[InputPartition]:
        """The tasks of a batch.

        Args:
            start: First offsets.
            end: Offsets after the last ones.

        Raises:
            OffsetOutOfRangeError: Records of the batch are gone, or it ends before it begins.
        """
        ends = from_json(end)
        # The start that the first batch was planned with counts, not the one that a restarted query finds today.
        begin = self._with_new_partitions(from_json(end.get(BEGINNING, start)), ends)
        gone = self._connected().missing(begin)
        if gone and self._options.fail_on_data_loss:
            message = "the partition is gone: its topic was created anew, with fewer of them, or deleted"
            raise OffsetOutOfRangeError(f"{message}; {REMEDY}", topic_partition=min(gone))
        ends = {partition: end for partition, end in ends.items() if partition not in gone}
        earliest = self._connected().earliest(partition for partition in begin if partition in ends)
        ranges = check_ranges(begin, ends, earliest, fail_on_data_loss=self._options.fail_on_data_loss)
        return [*plan(narrow(ranges, self._decoding), self._options, self._connected())]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of one task."""
        if isinstance(partition, RangePartition):
            yield from read_ranges(partition.ranges, self._options, self._decoding)

    def commit(self, end: SparkOffsets) -> None:
        """Nothing: the checkpoint keeps the offsets."""

    def stop(self) -> None:
        """Closes the driver's connections."""
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def __getstate__(self) -> dict[str, Any]:
        # Executors get a copy; it has no connections.
        return {**self.__dict__, "_cluster": None}

    def _connected(self) -> Cluster:
        if self._cluster is None:
            self._cluster = Cluster(self._options)
        return self._cluster

    def _beginning(self) -> SparkOffsets:
        if self._initial is None:
            self._initial = to_json(self._connected().starting())
        return self._initial

    def _check_wanted(self, begin: Offsets) -> None:
        """Refuses to go on from a checkpoint without the partitions that only it asks for; as spark-sql-kafka."""
        if left := self._connected().unwanted(begin):
            raise ConfigError(
                f"the checkpoint has offsets of {left[0].topic}-{left[0].partition}, which the options do not ask for: "
                "ask for it again, begin with a new checkpointLocation, or set failOnDataLoss=false to go on without it"
            )

    def _ends(self) -> Offsets:
        cluster = self._connected()
        return cluster.latest(cluster.partitions_lately())

    def _rows_of_bytes(self, begin: Offsets, ends: Offsets) -> int:
        """How many of the rows that wait maxBytesPerTrigger lets through: at least one, so that the stream goes on."""
        waiting = {one: max(0, ends[one] - begin.get(one, 0)) for one in ends}
        rows = sum(waiting.values())
        most = self._options.bytes_per_trigger
        if most is None:
            return rows
        ranges = [OffsetRange(*one, 0, count) for one, count in waiting.items() if count]
        sizes = self._connected().bytes_per_offset(ranges)
        size = sum(count * sizes[one] for one, count in waiting.items() if count)
        return rows if size <= most else max(1, int(rows * most / size))

    def _is_held_back(self, begin: Offsets, ends: Offsets) -> bool:
        """Whether minOffsetsPerTrigger and maxTriggerDelay have Spark wait; what is there already is not waited for."""
        least = self._options.offsets_per_trigger_min
        if least is None or self._end_of_run is not None:
            return False
        if time.monotonic() - self._triggered_at >= self._options.trigger_delay_ms / 1000:
            return False
        return sum(max(0, ends[partition] - begin.get(partition, 0)) for partition in ends) < least

    def _with_new_partitions(self, begin: Offsets, ends: Offsets) -> Offsets:
        """Partitions that appeared since the query started are read from their first offset."""
        new = [partition for partition in ends if partition not in begin]
        return {**begin, **self._connected().earliest(new)} if new else begin


def _limited(begin: Offsets, ends: Offsets, rows: int) -> Offsets:
    """Ends that are at most `rows` away in all, spread over the partitions in proportion to what waits there."""
    waiting = {partition: max(0, ends[partition] - begin.get(partition, 0)) for partition in ends}
    total = sum(waiting.values())
    if total <= rows:
        return ends
    shares = {partition: count * rows // total for partition, count in waiting.items()}
    rest = rows - sum(shares.values())
    for partition in sorted(waiting, key=lambda one: (shares[one] - waiting[one] * rows / total, one)):
        if rest == 0:
            break
        if shares[partition] < waiting[partition]:
            shares[partition] += 1
            rest -= 1
    return {partition: min(ends[partition], begin.get(partition, 0) + shares[partition]) for partition in ends}
