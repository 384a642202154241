"""What a streaming query has read and what waits: lag per partition, for people, for Prometheus, for lag tools."""

from __future__ import annotations

import json
import logging
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql.streaming.listener import StreamingQueryListener

from barnabas.client import Consumer
from barnabas.errors import KafkaError
from barnabas.spark.offsets import BEGINNING, Offsets, from_json
from barnabas.spark.sizes import OffsetSizes
from barnabas.types import OffsetAndMetadata, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql.streaming.listener import (
        QueryIdleEvent,
        QueryProgressEvent,
        QueryStartedEvent,
        QueryTerminatedEvent,
    )

__all__ = ["OffsetReporter", "QueryLag"]

_LOG: Final = logging.getLogger("barnabas.spark")
_METRICS: Final = (
    ("barnabas_spark_lag_records", "gauge", "Records that waited when the last batch was planned.", "lag"),
    ("barnabas_spark_offset", "gauge", "Offset that is read up to.", "offsets"),
    ("barnabas_spark_lag_bytes", "gauge", "About as many bytes waited when the last batch was planned.", "lag_bytes"),
    ("barnabas_spark_rows_total", "counter", "Rows read.", "rows"),
    ("barnabas_spark_bytes_total", "counter", "About as many bytes were read.", "bytes"),
    ("barnabas_spark_rows_per_second", "gauge", "Rows per second of the last batch.", "rows_per_second"),
    ("barnabas_spark_batch", "gauge", "The last batch that is done.", "batch_id"),
)
"""Name, kind, text, and the attribute of `QueryLag`."""


@dataclass
class QueryLag:
    """Where a streaming query stands.

    Attributes:
        name: The query's name, or its id.
        batch_id: The last micro-batch that is done.
        offsets: The offsets that it has read up to, by partition.
        lag: Records that waited when the batch was planned, by partition.
        lag_bytes: About how many bytes of the leader's log they are, by partition; empty if the reporter has no
            `config`.
        rows: Rows read since the reporter was added.
        bytes: About how many bytes of the leaders' logs were read since the reporter was added; 0 if it has no
            `config`.
        rows_per_second: Rows per second of the last batch.
    """

    name: str
    batch_id: int = -1
    offsets: Offsets = field(default_factory=dict)
    lag: dict[TopicPartition, int] = field(default_factory=dict)
    lag_bytes: dict[TopicPartition, int] = field(default_factory=dict)
    rows: int = 0
    bytes: int = 0
    rows_per_second: float = 0.0


class OffsetReporter(StreamingQueryListener):
    """Follows the streaming queries of a session: `spark.streams.addListener(OffsetReporter())`.

    Spark keeps offsets in the query's checkpoint, where tools for consumer groups do not see them. With `group_id` they
    are also committed to a group, after every batch and including the last. Nothing reads them back.

    Args:
        group_id: The group to commit to; none if None. Every query needs one of its own.
        config: The client's options by Kafka's names, at least `bootstrap.servers`: for `group_id`, and for bytes,
            which are averages of the brokers' logs and take the permission to describe the cluster.
        query: Only the query with this name; all of them if None.

    Example:
        >>> reporter = OffsetReporter(group_id="spark-flights", config={"bootstrap.servers": "localhost:9092"})
        >>> spark.streams.addListener(reporter)
        >>> {str(partition): lag for partition, lag in reporter.queries["flights"].lag.items()}
        {'flights-0': 0, 'flights-1': 12}
    """

    def __init__(
        self, *, group_id: str | None = None, config: Mapping[str, Any] | None = None, query: str | None = None
    ) -> None:
        self.queries: dict[str, QueryLag] = {}
        """By name, as far as batches of theirs were seen."""
        self._query = query
        self._lock = threading.Lock()
        self._commits = group_id is not None
        self._consumer: Consumer | None = None
        self._sizes: OffsetSizes | None = None
        if group_id is not None:
            self._consumer = Consumer(config={**(config or {}), "group.id": group_id})
        elif config is not None:
            self._consumer = Consumer(config=dict(config))
        if config is not None:
            self._sizes = OffsetSizes(config)

    def close(self) -> None:
        """Closes the connections; take the listener away before."""
        if self._sizes is not None:
            self._sizes.close()
        if self._consumer is not None:
            self._consumer.close()

    def onQueryStarted(self, event: QueryStartedEvent) -> None:  # noqa: N802 - Spark's name
        """Nothing.

        Args:
            event: What Spark tells.
        """

    def onQueryIdle(self, event: QueryIdleEvent) -> None:  # noqa: N802 - Spark's name
        """Nothing.

        Args:
            event: What Spark tells.
        """

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:  # noqa: N802 - Spark's name
        """Nothing: what was read stays known.

        Args:
            event: What Spark tells.
        """

    def onQueryProgress(self, event: QueryProgressEvent) -> None:  # noqa: N802 - Spark's name
        """Notes a finished batch, and commits its offsets.

        Args:
            event: What Spark tells.
        """
        progress = event.progress
        name = progress.name or str(progress.id)
        if self._query is not None and name != self._query:
            return
        offsets: Offsets = {}
        latest: Offsets = {}
        begin: Offsets = {}
        for source in progress.sources:
            offsets |= _offsets(source.endOffset)
            latest |= _offsets(source.latestOffset)
            begin |= _offsets(source.startOffset) or _beginning(source.endOffset)
        if not offsets:
            return
        sizes = self._bytes_per_offset(offsets)
        with self._lock:
            query = self.queries.setdefault(name, QueryLag(name))
            query.batch_id = progress.batchId
            read = {one: max(0, end - begin.get(one, end)) for one, end in offsets.items()}
            query.bytes += round(sum(count * sizes.get(one, 0.0) for one, count in read.items()))
            query.offsets = offsets
            query.lag = {partition: max(0, latest.get(partition, end) - end) for partition, end in offsets.items()}
            query.lag_bytes = {one: round(query.lag[one] * size) for one, size in sizes.items() if one in query.lag}
            query.rows += sum(source.numInputRows for source in progress.sources)
            query.rows_per_second = progress.processedRowsPerSecond
        self._commit(offsets)

    def prometheus(self) -> str:
        """The same as Prometheus' text format: lag and offset per partition, rows and rates per query."""
        with self._lock:
            queries = sorted(self.queries.values(), key=lambda query: query.name)
            lines = []
            for metric, kind, text, attribute in _METRICS:
                lines += [f"# HELP {metric} {text}", f"# TYPE {metric} {kind}"]
                for query in queries:
                    label = f'query="{_quoted(query.name)}"'
                    figures = getattr(query, attribute)
                    if not isinstance(figures, dict):
                        lines.append(f"{metric}{{{label}}} {figures}")
                        continue
                    lines += [
                        f'{metric}{{{label},topic="{one.topic}",partition="{one.partition}"}} {value}'
                        for one, value in sorted(figures.items())
                    ]
            return "\n".join([*lines, ""])

    def _bytes_per_offset(self, offsets: Offsets) -> dict[TopicPartition, float]:
        if self._sizes is None or self._consumer is None:
            return {}
        try:
            return self._sizes.of(offsets, self._consumer)
        except KafkaError as error:
            # The query must not suffer for what only watches it.
            _LOG.warning("the sizes of what a streaming query reads could not be had: %s", error)
            return {}

    def _commit(self, offsets: Offsets) -> None:
        if self._consumer is None or not self._commits:
            return
        try:
            self._consumer.commit({partition: OffsetAndMetadata(offset) for partition, offset in offsets.items()})
        except KafkaError as error:
            # As above.
            _LOG.warning("the offsets of a streaming query could not be committed: %s", error)


def _offsets(text: str | None) -> Offsets:
    """A source's offsets, if they are those of topics."""
    try:
        tree = json.loads(text or "null")
        return from_json(tree) if isinstance(tree, dict) else {}
    except (AttributeError, TypeError, ValueError):
        return {}


def _beginning(end: str) -> Offsets:
    """Where a query's first batch began: its end carries it."""
    try:
        tree = json.loads(end)
        return from_json(tree.get(BEGINNING, {})) if isinstance(tree, dict) else {}
    except (AttributeError, TypeError, ValueError):
        return {}


def _quoted(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
