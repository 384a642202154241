"""Streaming writes, at least once: a micro-batch that is repeated writes its rows again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceStreamArrowWriter

from barnabas.spark.sink import Sink, TaskReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.datasource import WriterCommitMessage
    from pyspark.sql.types import StructType

    from barnabas.spark.options import WriteOptions

__all__ = ["StreamWriter"]


class StreamWriter(DataSourceStreamArrowWriter):
    """Writes the rows of a streaming query to topics.

    Args:
        schema: The rows' schema.
        options: The write's options.

    Raises:
        ConfigError: A column has a wrong type, or nothing names the topic or makes the value.
    """

    def __init__(self, schema: StructType, options: WriteOptions) -> None:
        self._sink = Sink(schema, options)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskReport:
        """Sends a task's rows and waits until all are acknowledged.

        Args:
            iterator: The rows.

        Returns:
            What was written.

        Raises:
            KafkaError: A record could not be written.
        """
        return self._sink.write(iterator)

    def commit(self, messages: list[WriterCommitMessage | None], batchId: int) -> None:  # noqa: N803 - Spark's name
        """Nothing: every record is acknowledged. What decides whether a batch counts would be decided here.

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
