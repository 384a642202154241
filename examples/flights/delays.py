"""The Spark part: a streaming aggregate from topic to topic, and a batch read of its result."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def session(directory: Path) -> SparkSession:
    """A local Spark on two cores, whose log is a file."""
    # Executors run this interpreter, in which barnabas is installed.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with _stderr_to(directory / "spark.log"):
        return (
            SparkSession.builder.master("local[2]")
            .appName("flights")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.sql.session.timeZone", "UTC")
            .getOrCreate()
        )


@contextmanager
def _stderr_to(path: Path) -> Iterator[None]:
    """Sends to a file what processes started meanwhile write to standard error: here Spark's Java process."""
    terminal = os.dup(2)
    with path.open("w") as log:
        os.dup2(log.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(terminal, 2)
        os.close(terminal)


def aggregate(spark: SparkSession, bootstrap_servers: str, checkpoint: Path, rows_per_batch: int) -> int:
    """Departures and mean delay per origin and hour, written to `delays`; returns how many flights were read."""
    flights = (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", bootstrap_servers)
        .option("subscribe", "flights")
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", rows_per_batch)
        .schema("origin string, hour int, dep_delay double")  # decoded from JSON by Rust, in the executors
        .load()
    )
    delays = flights.groupBy("origin", "hour").agg(
        f.count("*").alias("departures"), f.avg("dep_delay").alias("mean_delay")
    )
    query = (
        delays.select(
            f.concat_ws("-", "origin", f.lpad(f.col("hour").cast("string"), 2, "0")).alias("key"),
            f.to_json(f.struct("origin", "hour", "departures", "mean_delay")).alias("value"),
        )
        .writeStream.format("barnabas")
        .option("kafka.bootstrap.servers", bootstrap_servers)
        .option("topic", "delays")
        .option("checkpointLocation", str(checkpoint))
        .outputMode("complete")
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return sum(progress["numInputRows"] for progress in query.recentProgress)


def latest(spark: SparkSession, bootstrap_servers: str) -> list[tuple[str, int, int, float | None]]:
    """The last row of each key in `delays`: origin, hour, departures, mean delay."""
    rows = (
        spark.read.format("barnabas")
        .option("kafka.bootstrap.servers", bootstrap_servers)
        .option("subscribe", "delays")
        # `offset` is the record's own; the other fields come from its value.
        .schema("origin string, hour int, departures long, mean_delay double, offset long")
        .load()
        .groupBy("origin", "hour")  # one key lies in one partition, so its offsets are in order
        .agg(f.max_by(f.struct("departures", "mean_delay"), "offset").alias("last"))
        .select("origin", "hour", "last.departures", "last.mean_delay")
        .orderBy("origin", "hour")
        .collect()
    )
    return [(row.origin, row.hour, row.departures, row.mean_delay) for row in rows]
