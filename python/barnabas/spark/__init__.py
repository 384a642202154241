"""The PySpark data source: Kafka topics as batch and streaming DataFrames, without a jar.

`spark.read.format("barnabas")` and its three siblings find it without registration, because the package
`pyspark_barnabas` names it. Options have the names of spark-sql-kafka; see `barnabas.spark.options`.

Example:
    >>> reader = spark.read.format("barnabas").option("kafka.bootstrap.servers", "localhost:9092")
    >>> flights = reader.option("subscribe", "flights").schema("origin string, dep_delay double").load()
    >>> flights.groupBy("origin").avg("dep_delay").show()
"""

from __future__ import annotations

from barnabas.spark.source import BarnabasDataSource

__all__ = ["BarnabasDataSource"]
