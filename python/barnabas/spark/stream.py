"""Streaming reads: offsets are planned on the driver, kept by Spark's checkpoint, read by the executors.

Spark asks for the initial offset twice, does not keep the answer before the first batch is done, and reads what lies
between. So it is resolved once per reader, and a range that would end before it begins is an error: that happens when a
query stops before its first batch is done, and `latest` or a time stands for another offset at the next start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, SupportsTriggerAvailableNow

from barnabas.errors import OffsetOutOfRangeError
from barnabas.spark.offsets import Cluster, RangePartition, check_ranges, from_json, plan, to_json
from barnabas.spark.reader import read_ranges

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.streaming.datasource import ReadLimit

    from barnabas.spark.offsets import Offsets
    from barnabas.spark.options import ReadOptions
    from barnabas.spark.schemas import Decoding

__all__ = ["StreamReader"]


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
        self._initial: dict[str, dict[str, int]] | None = None
        self._end_of_run: Offsets | None = None
        self._reported: Offsets = {}

    def initialOffset(self) -> dict[str, dict[str, int]]:  # noqa: N802 - Spark's name
        """Where a new query starts: the same answer however often Spark asks."""
        if self._initial is None:
            self._initial = to_json(self._connected().starting())
        return self._initial

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802 - Spark's name
        """Fixes the end of the run at what is there now."""
        # First the start: resolved after the end, `latest` could lie beyond it. A start by time may be an error that a
        # query which goes on from its checkpoint must not see.
        if self._options.latest_without_match or not self._options.starts_by_time:
            self.initialOffset()
        self._end_of_run = self._ends()

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802 - Spark's name
        """Option maxOffsetsPerTrigger."""
        limit = self._options.offsets_per_trigger
        return ReadAllAvailable() if limit is None else ReadMaxRows(limit)

    def latestOffset(self, start: dict[str, dict[str, int]], limit: ReadLimit) -> dict[str, dict[str, int]]:  # noqa: N802 - Spark's name
        """Where the next batch ends: at the end of the topics, or as far as the limit goes.

        Args:
            start: Where it starts.
            limit: Most rows.

        Raises:
            OffsetOutOfRangeError: A partition ends before `start`, under failOnDataLoss.
        """
        begin = from_json(start)
        ends = self._ends() if self._end_of_run is None else dict(self._end_of_run)
        for partition in begin:
            # A partition that vanished stays where it was; check_ranges says so when it matters.
            ends.setdefault(partition, begin[partition])
        self._reported = ends
        begin = self._with_new_partitions(begin, ends)
        if isinstance(limit, ReadMaxRows):
            ends = _limited(begin, ends, limit.max_rows)
        return to_json(ends)

    def reportLatestOffset(self) -> dict[str, dict[str, int]] | None:  # noqa: N802 - Spark's name
        """The ends of the topics as they were last seen."""
        return to_json(self._reported) if self._reported else None

    def partitions(self, start: dict[str, dict[str, int]], end: dict[str, dict[str, int]]) -> list[InputPartition]:
        """The tasks of a batch.

        Args:
            start: First offsets.
            end: Offsets after the last ones.

        Raises:
            OffsetOutOfRangeError: Records of the batch are gone, or it ends before it begins.
        """
        ends = from_json(end)
        begin = self._with_new_partitions(from_json(start), ends)
        if start == self._initial and any(begin[partition] > ends[partition] for partition in ends):
            raise OffsetOutOfRangeError(
                "the first batch was planned to end before the start as it is resolved now, so the query was stopped "
                "before that batch was done and its start is not known any more; begin with a new checkpoint, and with "
                "startingOffsets as JSON if no record may be missed"
            )
        earliest = self._connected().earliest(begin)
        ranges = check_ranges(begin, ends, earliest, fail_on_data_loss=self._options.fail_on_data_loss)
        return [*plan(ranges, self._options)]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        """The rows of one task."""
        if isinstance(partition, RangePartition):
            yield from read_ranges(partition.ranges, self._options, self._decoding)

    def commit(self, end: dict[str, dict[str, int]]) -> None:
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

    def _ends(self) -> Offsets:
        cluster = self._connected()
        return cluster.latest(cluster.partitions())

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
