"""Batch writes: the rows of a DataFrame become records, at least once."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceArrowWriter

from barnabas.errors import ConfigError
from barnabas.spark.sink import Sink, TaskReport

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql.datasource import WriterCommitMessage
    from pyspark.sql.types import StructType

    from barnabas.spark.options import WriteOptions

__all__ = ["BatchWriter"]


class BatchWriter(DataSourceArrowWriter):
    """Writes the rows of a batch query to topics.

    Args:
        schema: The rows' schema.
        options: The write's options.
        overwrite: Whether what is there is to be replaced, which topics cannot do.

    Raises:
        ConfigError: A column has a wrong type, nothing names the topic or makes the value, or the mode is overwrite.
    """

    def __init__(self, schema: StructType, options: WriteOptions, *, overwrite: bool) -> None:
        if overwrite:
            raise ConfigError('mode overwrite: records cannot be replaced in a topic; write with mode("append")')
        self._sink = Sink(schema, options)
        self._write_id = str(uuid.uuid4())

    def write(self, iterator: Iterator[pa.RecordBatch]) -> TaskReport:
        """Sends a task's rows and waits until all are acknowledged.

        Args:
            iterator: The rows.

        Returns:
            What was written.

        Raises:
            KafkaError: A record could not be written.
        """
        return self._sink.write(iterator, self._write_id)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Nothing: every record is acknowledged.

        Args:
            messages: The tasks' reports.
        """

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Nothing: what is written stays.

        Args:
            messages: The tasks' reports, None for tasks that failed.
        """
