"""Streaming writes, at least once: a task's rows are acknowledged before it reports success.

The columns are those of spark-sql-kafka: `value` and `key` (strings or bytes), `topic` unless an option names it,
`partition`, `headers`; others are left out of account. A task that fails and runs again writes its rows again.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceStreamArrowWriter, WriterCommitMessage

from barnabas.client import Producer
from barnabas.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql.types import StructType

    from barnabas.client import DeliveryBatch
    from barnabas.spark.options import WriteOptions

__all__ = ["StreamWriter", "TaskReport"]

_TYPES: Final = {
    "value": ("string", "binary"),
    "key": ("string", "binary"),
    "topic": ("string",),
    "partition": ("int",),
    "headers": ("array<struct<key:string,value:binary>>",),
}
_UNDER_WAY: Final = 16
"""Chunks of rows whose acknowledgement is not waited for yet; their bytes are bounded by the producer's memory."""
_PRODUCERS_KEPT: Final = 2
_producers: OrderedDict[tuple[tuple[str, str], ...], Producer] = OrderedDict()
_producers_lock: Final = threading.Lock()


@dataclass
class TaskReport(WriterCommitMessage):
    """What one task wrote, and as which attempt of which batch: enough to decide later whether it counts.

    Attributes:
        query_id: The streaming query.
        batch_id: The micro-batch.
        partition: The Spark partition.
        attempt: The task's attempt number.
        task_attempt_id: The attempt's id, unique in the application.
        records: Records written, by topic.
    """

    query_id: str | None
    batch_id: int | None
    partition: int
    attempt: int
    task_attempt_id: int
    records: dict[str, int] = field(default_factory=dict)


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes the rows of a streaming query to topics.

    Args:
        schema: The rows' schema.
        options: The write's options.

    Raises:
        ConfigError: The schema has no `value`, a column has a wrong type, or nothing names the topic.
    """

    def __init__(self, schema: StructType, options: WriteOptions) -> None:
        self._options = options
        fields = {field.name: field.dataType.simpleString() for field in schema.fields}
        if "value" not in fields:
            raise ConfigError("the rows have no column value (string or binary); make one, for example with to_json")
        if "topic" not in fields and options.topic is None:
            raise ConfigError("nothing names the topic: set option topic, or give the rows a column topic")
        for name, types in _TYPES.items():
            if name in fields and fields[name] not in types:
                raise ConfigError(f"column {name} is {' or '.join(types)}, got {fields[name]}")

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskReport:
        """Sends a task's rows and waits until all are acknowledged.

        Args:
            iterator: The rows.

        Returns:
            What was written.

        Raises:
            KafkaError: A record could not be written.
        """
        report = _report()
        producer = _producer(self._options.client)
        under_way: deque[DeliveryBatch] = deque()
        try:
            for batch in iterator:
                for topic, rows in _rows_by_target(batch, self._options.topic):
                    under_way.append(
                        producer.send_many(topic, rows.values, rows.keys, rows.headers, None, rows.partition)
                    )
                    report.records[topic] = report.records.get(topic, 0) + len(rows.values)
                    while len(under_way) > _UNDER_WAY:
                        under_way.popleft().result()
            producer.flush()
            while under_way:
                under_way.popleft().result()
        except BaseException:
            _discard(self._options.client, producer)
            raise
        return report

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        """Nothing: every record is acknowledged.

        Args:
            messages: The tasks' reports.
            batchId: The micro-batch.
        """

    def abort(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        """Nothing: what is written stays, and is written again with the batch.

        Args:
            messages: The tasks' reports, None for tasks that failed.
            batchId: The micro-batch.
        """


@dataclass
class _Rows:
    """Rows for one topic, and for one partition if the rows name it."""

    values: list[bytes | None]
    keys: list[bytes | None] | None
    headers: list[list[tuple[str, bytes | None]] | None] | None
    partition: int | None


def _rows_by_target(batch: pa.RecordBatch, topic: str | None) -> Iterator[tuple[str, _Rows]]:
    values = _bytes(batch, "value")
    keys = _bytes(batch, "key") if "key" in batch.schema.names else None
    headers = _headers(batch) if "headers" in batch.schema.names else None
    topics = [topic] * len(values) if topic is not None else batch.column("topic").to_pylist()
    partitions = batch.column("partition").to_pylist() if "partition" in batch.schema.names else None
    if topic is not None and partitions is None:
        yield topic, _Rows(values, keys, headers, None)
        return
    indexes: dict[tuple[str, int | None], list[int]] = {}
    for index, name in enumerate(topics):
        if name is None:
            raise ConfigError("a row has no topic: column topic is null and option topic is not set")
        indexes.setdefault((name, None if partitions is None else partitions[index]), []).append(index)
    for (name, partition), rows in indexes.items():
        yield (
            name,
            _Rows(
                [values[index] for index in rows],
                None if keys is None else [keys[index] for index in rows],
                None if headers is None else [headers[index] for index in rows],
                partition,
            ),
        )


def _bytes(batch: pa.RecordBatch, name: str) -> list[bytes | None]:
    found: list[bytes | None] = batch.column(name).cast(pa.binary()).to_pylist()
    return found


def _headers(batch: pa.RecordBatch) -> list[list[tuple[str, bytes | None]] | None]:
    return [
        None if row is None else [(header["key"], header["value"]) for header in row]
        for row in batch.column("headers").to_pylist()
    ]


def _report() -> TaskReport:
    task: Any = TaskContext.get()
    if task is None:
        return TaskReport(None, None, 0, 0, 0)
    batch_id = task.getLocalProperty("streaming.sql.batchId")
    return TaskReport(
        query_id=task.getLocalProperty("sql.streaming.queryId"),
        batch_id=None if batch_id is None else int(batch_id),
        partition=task.partitionId(),
        attempt=task.attemptNumber(),
        task_attempt_id=task.taskAttemptId(),
    )


def _producer(config: Mapping[str, str]) -> Producer:
    """The worker process's producer for these options: Spark reuses worker processes, so connections live on."""
    key = tuple(sorted(config.items()))
    with _producers_lock:
        producer = _producers.pop(key, None) or Producer(config=dict(config))
        _producers[key] = producer
        while len(_producers) > _PRODUCERS_KEPT:
            _producers.popitem(last=False)[1].close(0.0)
        return producer


def _discard(config: Mapping[str, str], producer: Producer) -> None:
    """Forgets a producer with records under way that nobody waits for any more."""
    with _producers_lock:
        _producers.pop(tuple(sorted(config.items())), None)
    producer.close(0.0)
