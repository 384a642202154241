"""The Spark that the tests run on."""

from __future__ import annotations

from importlib.metadata import version

SPARK = tuple(int(part) for part in version("pyspark").split(".")[:2])
FILTERS_SINCE = (4, 1)
STREAMS_SINCE = (4, 2)
"""From this version on Spark has all that the connector needs; `make spark-matrix` runs what older ones have."""
