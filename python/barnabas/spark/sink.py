"""What a task does with rows: columns become records, which are acknowledged before the task reports success.

The columns are those of spark-sql-kafka: `value` and `key` (strings or bytes), `topic` unless an option names it,
`partition`, `headers`, `timestamp`; others are left out of account. With option `format` there is no column `value`:
all columns that are not Kafka's become the value. A task that fails and runs again writes its rows again.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql.datasource import WriterCommitMessage

from barnabas.client import Producer
from barnabas.columns import encode_avro, encode_json
from barnabas.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql.types import StructType

    from barnabas.client import DeliveryBatch
    from barnabas.spark.options import WriteOptions

__all__ = ["ROW_HEADER", "Sink", "TaskReport"]

Headers = list[tuple[str, bytes | None]]

ROW_HEADER: Final = "barnabas.row"
"""The header that says which row a record is, under option dedupHeaders: query/batch/partition/sequence."""
_TYPES: Final = {
    "value": ("string", "binary"),
    "key": ("string", "binary"),
    "topic": ("string",),
    "partition": ("int",),
    "headers": ("array<struct<key:string,value:binary>>",),
    "timestamp": ("timestamp",),
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
        query_id: The streaming query, or the batch write.
        batch_id: The micro-batch, 0 for a batch write.
        partition: The Spark partition.
        attempt: The task's attempt number.
        task_attempt_id: The attempt's id, unique in the application.
        records: Records written, by topic.
    """

    query_id: str
    batch_id: int
    partition: int
    attempt: int
    task_attempt_id: int
    records: dict[str, int] = field(default_factory=dict)


class Sink:
    """Writes rows of one schema to topics.

    Args:
        schema: The rows' schema.
        options: The write's options.

    Raises:
        ConfigError: Nothing makes the value, a column has a wrong type, or nothing names the topic.
    """

    def __init__(self, schema: StructType, options: WriteOptions) -> None:
        self._options = options
        is_raw = options.record_format == "raw"
        fields = {field.name: field.dataType.simpleString() for field in schema.fields}
        self._kept = [name for name in _TYPES if name in fields and name != "value"]
        if is_raw and "value" not in fields:
            raise ConfigError(
                "the rows have no column value (string or binary): make one, for example with to_json, or set option "
                "format=json or avro, so that the columns which are not Kafka's become the value"
            )
        if not is_raw and not set(fields) - set(self._kept):
            raise ConfigError(f"format={options.record_format}: no column is left for the value")
        if "topic" not in fields and options.topic is None:
            raise ConfigError("nothing names the topic: set option topic, or give the rows a column topic")
        for name in [*self._kept, *(["value"] if is_raw else [])]:
            if fields[name] not in _TYPES[name]:
                raise ConfigError(f"column {name} is {' or '.join(_TYPES[name])}, got {fields[name]}")

    def write(self, batches: Iterable[pa.RecordBatch], write_id: str | None = None) -> TaskReport:
        """Sends a task's rows and waits until all are acknowledged.

        Args:
            batches: The rows.
            write_id: The batch write; a streaming query is named by Spark.

        Returns:
            What was written.

        Raises:
            KafkaError: A record could not be written.
        """
        report = _report(write_id)
        sequence = itertools.count()
        producer = _producer(self._options.client)
        under_way: deque[DeliveryBatch] = deque()
        try:
            for batch in batches:
                for topic, rows in _rows_by_target(self._encoded(batch), self._options.topic):
                    if self._options.dedup_headers:
                        rows.headers = _numbered(rows, report, sequence)
                    under_way.append(
                        producer.send_many(topic, rows.values, rows.keys, rows.headers, rows.timestamps, rows.partition)
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

    def _encoded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The rows with a column `value`."""
        options = self._options
        if options.record_format == "raw":
            return batch
        if options.record_format == "json":
            table = pa.table(encode_json(batch, keep=self._kept, options=options.format_options))
        else:
            schema = options.format_options.get("avroSchema")
            table = pa.table(encode_avro(batch, schema, schema_id=options.schema_id, keep=self._kept))
        (encoded,) = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
        return encoded


@dataclass
class _Rows:
    """Rows for one topic, and for one partition if the rows name it."""

    values: list[bytes | None]
    keys: list[bytes | None] | None
    headers: list[Headers | None] | None
    timestamps: list[int] | None
    partition: int | None


def _rows_by_target(batch: pa.RecordBatch, topic: str | None) -> Iterator[tuple[str, _Rows]]:
    names = batch.schema.names
    rows = _Rows(
        values=_bytes(batch, "value"),
        keys=_bytes(batch, "key") if "key" in names else None,
        headers=_headers(batch) if "headers" in names else None,
        timestamps=_timestamps(batch) if "timestamp" in names else None,
        partition=None,
    )
    topics = [topic] * len(rows.values) if topic is not None else batch.column("topic").to_pylist()
    partitions = batch.column("partition").to_pylist() if "partition" in names else None
    if topic is not None and partitions is None:
        yield topic, rows
        return
    indexes: dict[tuple[str, int | None], list[int]] = {}
    for index, name in enumerate(topics):
        if name is None:
            raise ConfigError("a row has no topic: column topic is null and option topic is not set")
        indexes.setdefault((name, None if partitions is None else partitions[index]), []).append(index)
    for (name, partition), chosen in indexes.items():
        yield (
            name,
            _Rows(
                [rows.values[index] for index in chosen],
                None if rows.keys is None else [rows.keys[index] for index in chosen],
                None if rows.headers is None else [rows.headers[index] for index in chosen],
                None if rows.timestamps is None else [rows.timestamps[index] for index in chosen],
                partition,
            ),
        )


def _bytes(batch: pa.RecordBatch, name: str) -> list[bytes | None]:
    found: list[bytes | None] = batch.column(name).cast(pa.binary()).to_pylist()
    return found


def _headers(batch: pa.RecordBatch) -> list[Headers | None]:
    return [
        None if row is None else [(header["key"], header["value"]) for header in row]
        for row in batch.column("headers").to_pylist()
    ]


def _timestamps(batch: pa.RecordBatch) -> list[int]:
    """Milliseconds since the epoch, those of now for rows without a time."""
    now = pa.scalar(time.time_ns() // 1_000_000, pa.int64())
    milliseconds = pc.cast(batch.column("timestamp"), pa.timestamp("ms", "UTC"), safe=False).cast(pa.int64())
    found: list[int] = pc.fill_null(milliseconds, now).to_pylist()
    return found


def _numbered(rows: _Rows, report: TaskReport, sequence: Iterator[int]) -> list[Headers | None]:
    """Headers that say which row each record is, beside those that it has."""
    row = f"{report.query_id}/{report.batch_id}/{report.partition}/"
    given = rows.headers or [None] * len(rows.values)
    return [[*(headers or []), (ROW_HEADER, f"{row}{next(sequence)}".encode())] for headers in given]


def _report(write_id: str | None) -> TaskReport:
    task: Any = TaskContext.get()
    if task is None:
        return TaskReport(write_id or "", 0, 0, 0, 0)
    return TaskReport(
        query_id=write_id or task.getLocalProperty("sql.streaming.queryId") or "",
        batch_id=int(task.getLocalProperty("streaming.sql.batchId") or 0),
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
