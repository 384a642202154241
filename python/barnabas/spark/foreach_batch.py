"""Writes from `foreachBatch`, for what Spark does not hand to Python sinks: output mode `update`, or several topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from barnabas.errors import ConfigError
from barnabas.spark.options import WriteOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["BatchWrite", "writer"]


def writer(**options: str | float | bool) -> BatchWrite:
    """A function for `DataStreamWriter.foreachBatch` that writes each micro-batch as the sink would.

    Spark refuses output mode `update` for every Python sink ("barnabas does not support Update mode"); with this
    function the rows of each micro-batch, which are those that changed, are written all the same. Writes are at least
    once: a micro-batch that is repeated is written again, and told by its headers with `dedupHeaders`.

    Args:
        **options: The options of `writeStream.format("barnabas")`, such as `topic`, `format` and, in a dictionary that
            is unpacked, `kafka.bootstrap.servers`. True and False stand for `true` and `false`. With `dedupHeaders` on
            Spark Connect, and where a function writes a micro-batch more than once to a topic, each write needs a
            `writeId`.

    Raises:
        ConfigError: An option is unknown, missing or wrong.

    Example:
        >>> write = writer(topic="totals", format="json", **{"kafka.bootstrap.servers": "127.0.0.1:9092"})
        >>> totals.writeStream.outputMode("update").foreachBatch(write).start()
    """
    given = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
    parsed = WriteOptions.parse(given)
    if parsed.batch_id is not None:
        raise ConfigError("option batchId has no meaning here: each micro-batch has its number from Spark")
    return BatchWrite(tuple(given.items()), is_numbered=parsed.dedup_headers, write_id=parsed.write_id)


@dataclass(frozen=True)
class BatchWrite:
    """Writes micro-batches; what `writer` gives. Can be pickled, as Spark Connect asks.

    Attributes:
        options: The options of each write.
        is_numbered: Whether the records say which row of which micro-batch they are.
        write_id: The write's name in these headers; None for Spark's id of the streaming query.
    """

    options: tuple[tuple[str, str], ...]
    is_numbered: bool
    write_id: str | None

    def __call__(self, rows: DataFrame, batch_id: int) -> None:
        """Writes the rows of a micro-batch, and returns when all are acknowledged.

        Args:
            rows: The rows.
            batch_id: The micro-batch.

        Raises:
            ConfigError: The headers need an option `writeId`.
        """
        options = dict(self.options)
        if self.is_numbered:
            options |= {"writeId": self.write_id or _query_id(rows), "batchId": str(batch_id)}
        rows.write.format("barnabas").options(**options).mode("append").save()


def _query_id(rows: DataFrame) -> str:
    """Spark's id of the streaming query whose micro-batch is being handled, the same after restarts."""
    context = getattr(rows.sparkSession, "_sc", None)
    found = None if context is None else context.getLocalProperty("sql.streaming.queryId")
    if not found:
        raise ConfigError(
            "dedupHeaders needs the option writeId here: Spark does not say which query this micro-batch is of "
            "(Spark Connect, or no streaming query); name the write, and keep the name when it is repeated"
        )
    return str(found)
