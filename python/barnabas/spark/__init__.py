"""The PySpark data source: Kafka topics as batch and streaming DataFrames, without a jar.

`spark.read.format("barnabas")` and its three siblings find it without registration, because the package
`pyspark_barnabas` names it. Options have the names of spark-sql-kafka; see `barnabas.spark.options`.

Example:
    >>> reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", "localhost:9092")
    >>> flights = reader.option("subscribe", "flights").schema("origin string, dep_delay double").load()
    >>> flights.groupBy("origin").avg("dep_delay").show()
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.lazy import lazy_names
from barnabas.spark.source import BarnabasDataSource

if TYPE_CHECKING:
    from barnabas.spark.deduplication import deduplicated
    from barnabas.spark.foreach_batch import writer
    from barnabas.spark.reporter import OffsetReporter, QueryLag

__all__ = ["BarnabasDataSource", "OffsetReporter", "QueryLag", "deduplicated", "writer"]

if not TYPE_CHECKING:  # a type checker that saw it would let every name pass
    # Every task imports this package: what only drivers use comes when it is asked for.
    __getattr__, __dir__ = lazy_names(
        globals(),
        {"deduplication": "deduplicated", "foreach_batch": "writer", "reporter": "OffsetReporter QueryLag"},
    )
