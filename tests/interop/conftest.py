"""One Spark for the interop tests of a process."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reference_kafka import spark_avro_jars, spark_connector_jars

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Spark with our connector, its own, and its functions for Avro: what begins with a process's first session is on its class path."""
    import pyspark  # noqa: PLC0415 (the suite is collected without it)
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    home = Path(pyspark.__file__).parent
    jars = ",".join(map(str, [*spark_connector_jars(home), *spark_avro_jars(home)]))
    builder = SparkSession.builder.master("local[2]").config("spark.jars", jars).config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
