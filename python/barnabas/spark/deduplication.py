"""Readers' side of option dedupHeaders: rows that a repeated micro-batch wrote again are dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pyspark.sql import functions as f

from barnabas.errors import ConfigError
from barnabas.spark.sink import ROW_HEADER

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["deduplicated"]

_ROW: Final = "__barnabas_row"


def deduplicated(rows: DataFrame, *, within: str | None = None) -> DataFrame:
    """The rows of a topic, each once, though a writer with `dedupHeaders=true` repeated a micro-batch.

    Rows without the header stay as they are. The first of several is kept in a batch query; a streaming query keeps the
    one that came first, and remembers what it saw.

    Args:
        rows: Rows of `format("barnabas")` or `format("kafka")` with `includeHeaders=true` and the columns `topic`,
            `partition` and `offset`.
        within: For streaming queries: how far apart repeated rows may lie in time of the column `timestamp`, for
            example "1 hour". Without it everything that was seen is remembered for ever.

    Raises:
        ConfigError: A column is missing.

    Example:
        >>> deduplicated(spark.read.format("barnabas").options(**options, includeHeaders="true").load()).count()
        336776
    """
    missing = {"headers", "topic", "partition", "offset", *(["timestamp"] if within else [])} - set(rows.columns)
    if missing:
        raise ConfigError(
            f"deduplicated() needs the column {min(missing)}: read with includeHeaders=true and keep Kafka's columns"
        )
    header = f.filter("headers", lambda one: one["key"] == ROW_HEADER)
    place = f.concat_ws("/", f.lit("at"), "topic", f.col("partition").cast("string"), f.col("offset").cast("string"))
    named = rows.withColumn(_ROW, f.coalesce(f.element_at(header, 1)["value"].cast("string"), place))
    if within is None:
        return named.dropDuplicates([_ROW]).drop(_ROW)
    return named.withWatermark("timestamp", within).dropDuplicatesWithinWatermark([_ROW]).drop(_ROW)
