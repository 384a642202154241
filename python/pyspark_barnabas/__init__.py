"""Lets Spark find format("barnabas") without registration: it looks for `DefaultSource` in packages `pyspark_*`."""

from __future__ import annotations

from barnabas.spark.source import BarnabasDataSource as DefaultSource

__all__ = ["DefaultSource"]
