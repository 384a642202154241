"""What a task does with rows: columns become records, which are acknowledged before the task reports success.

The columns are those of spark-sql-kafka: `value` and `key` (strings or bytes), `topic` unless an option names it,
`partition`, `headers`, `timestamp`; others are left out of account. With option `format` there is no column `value`:
all columns that are not Kafka's become the value. A task that fails and runs again writes its rows again.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql.datasource import WriterCommitMessage

from barnabas.client import Producer
from barnabas.client.options import PRODUCER
from barnabas.columns import encode_avro, encode_json
from barnabas.errors import ConfigError
from barnabas.spark.clients import Clients
from barnabas.spark.schemas import has_variant

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql.types import StructType

    from barnabas.client import DeliveryBatch
    from barnabas.spark.options import WriteOptions

__all__ = ["ROW_HEADER", "Sink", "TaskReport"]

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
_HEADER: Final = pa.struct([("key", pa.string()), ("value", pa.binary())])
_UNDER_WAY: Final = 16
"""Tables of rows whose acknowledgement is not waited for yet; their bytes are bounded by the producer's memory."""


def _close(producer: Producer) -> None:
    # Nobody waits for what it has under way, if there is something.
    producer.close(0.0)


_producers: Final = Clients(PRODUCER, lambda config: Producer(config=config), _close, most=2)


@dataclass
class TaskReport(WriterCommitMessage):
    """What one task wrote, and as which attempt of which batch: enough to decide later whether it counts.

    Attributes:
        query_id: Option writeId; else the streaming query, or an id that the batch write was given.
        batch_id: Option batchId; else the micro-batch, 0 outside of streaming queries.
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
        for one in () if is_raw else schema.fields:
            if has_variant(one.dataType):
                raise ConfigError(f"column {one.name}: type VARIANT is not written; use to_json({one.name})")
        for name in [*self._kept, *(["value"] if is_raw else [])]:
            if fields[name] not in _TYPES[name]:
                raise ConfigError(f"column {name} is {' or '.join(_TYPES[name])}, got {fields[name]}")

    def write(self, batches: Iterable[pa.RecordBatch], write_id: str | None = None) -> TaskReport:
        """Sends a task's rows and waits until all are acknowledged.

        Args:
            batches: The rows.
            write_id: The batch write, unless option writeId names it; a streaming query is named by Spark.

        Returns:
            What was written.

        Raises:
            ConfigError: A row has no topic.
            KafkaError: A record could not be written.
        """
        options = self._options
        report = _report(options, write_id)
        rows_before = 0
        under_way: deque[DeliveryBatch] = deque()
        with _producers.lent(options.client) as producer:
            for batch in batches:
                rows = self._records(batch)
                _count(rows, options.topic, report)
                if options.dedup_headers:
                    rows = _numbered(rows, report, rows_before)
                    rows_before += rows.num_rows
                under_way.append(producer.send_table(options.topic, rows))
                while len(under_way) > _UNDER_WAY:
                    _check(under_way.popleft())
            producer.flush()
            while under_way:
                _check(under_way.popleft())
        return report

    def _records(self, batch: pa.RecordBatch) -> pa.Table:
        """The rows with the columns of records and no others."""
        options = self._options
        if options.record_format == "raw":
            rows = pa.Table.from_batches([batch]).select([*self._kept, "value"])
        elif options.record_format == "json":
            rows = pa.table(encode_json(batch, keep=self._kept, options=options.format_options))
        else:
            schema = options.format_options.get("avroSchema")
            rows = pa.table(encode_avro(batch, schema, schema_id=options.schema_id, keep=self._kept))
        # A row's topic counts before the one that is named for all, but the option is to count before the column.
        return rows.drop_columns("topic") if options.topic is not None and "topic" in self._kept else rows


def _check(deliveries: DeliveryBatch) -> None:
    """Waits until rows are acknowledged."""
    if (error := deliveries.exception()) is not None:
        raise error


def _count(rows: pa.Table, topic: str | None, report: TaskReport) -> None:
    """Adds rows to what a task reports, by topic."""
    if topic is not None:
        counts = {topic: rows.num_rows}
    elif rows.column("topic").null_count:
        raise ConfigError("a row has no topic: column topic is null and option topic is not set")
    else:
        counts = {one["values"]: one["counts"] for one in pc.value_counts(rows.column("topic")).to_pylist()}
    for name, count in counts.items():
        report.records[name] = report.records.get(name, 0) + count


def _numbered(rows: pa.Table, report: TaskReport, before: int) -> pa.Table:
    """The rows with a header more, which says which row of the task each is; `before` of them are sent."""
    count = rows.num_rows
    numbers = pa.array(range(before, before + count), pa.int64()).cast(pa.string())
    prefix = f"{report.query_id}/{report.batch_id}/{report.partition}"
    own = pa.StructArray.from_arrays(
        [pa.repeat(ROW_HEADER, count), pc.binary_join_element_wise(prefix, numbers, "/").cast(pa.binary())],
        fields=list(_HEADER),
    )
    places = pa.array(range(count), pa.int64())
    if "headers" not in rows.column_names:
        ends = pa.array(range(count + 1), pa.int32())
        return rows.append_column("headers", pa.ListArray.from_arrays(ends, own))
    given = rows.column("headers").combine_chunks().cast(pa.list_(_HEADER))
    # The sort keeps the order of equals, so a row's own header comes after those that it was given.
    order = pc.sort_indices(pa.concat_arrays([pc.list_parent_indices(given).cast(pa.int64()), places]))
    headers = pa.concat_arrays([pc.list_flatten(given), own]).take(order)
    lengths = pc.add(pc.fill_null(pc.list_value_length(given), 0), 1)
    ends = pa.concat_arrays([pa.array([0], pa.int32()), pc.cumulative_sum(lengths).cast(pa.int32())])
    column = rows.schema.get_field_index("headers")
    return rows.set_column(column, "headers", pa.ListArray.from_arrays(ends, headers))


def _report(options: WriteOptions, write_id: str | None) -> TaskReport:
    named = options.write_id or write_id
    task: Any = TaskContext.get()
    if task is None:
        return TaskReport(named or "", options.batch_id or 0, 0, 0, 0)
    micro_batch = task.getLocalProperty("streaming.sql.batchId") or 0
    return TaskReport(
        query_id=named or task.getLocalProperty("sql.streaming.queryId") or "",
        batch_id=int(micro_batch) if options.batch_id is None else options.batch_id,
        partition=task.partitionId(),
        attempt=task.attemptNumber(),
        task_attempt_id=task.taskAttemptId(),
    )
