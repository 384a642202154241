"""A streaming query from a topic to a topic, in small micro-batches. test_replay.py runs it as a program, and kills it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pyspark.sql import SparkSession

if TYPE_CHECKING:
    from pyspark.sql.streaming import DataStreamWriter

BATCH = 40
"""Rows of a micro-batch, which are several tasks."""
RESTARTED = "the query failed and starts again: "


def query(spark: SparkSession, servers: str, source: str, target: str, checkpoint: str) -> DataStreamWriter:
    """Takes the broker's address, the two topics, and the checkpoint's directory."""
    always = {"kafka.bootstrap.servers": servers}
    reader = spark.readStream.format("barnabas").options(**always, subscribe=source, startingOffsets="earliest")
    rows = reader.options(maxOffsetsPerTrigger=str(BATCH), maxRecordsPerPartition="15").load().select("key", "value")
    writer = rows.writeStream.format("barnabas").options(**always, topic=target, dedupHeaders="true")
    return writer.option("checkpointLocation", checkpoint)


def main(*places: str) -> None:
    """Runs the query until the process is killed; a query that loses a Python process of its driver is begun again."""
    spark = (
        SparkSession.builder.master("local[2,4]")  # a task whose worker is killed is tried again
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        # It lives for seconds.
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    writer = None
    while True:
        try:
            # A session that could not look for data sources once says that there is none.
            writer = writer or query(spark.newSession(), *places).trigger(processingTime="0 seconds")
            writer.start().awaitTermination()
        except Exception as error:  # noqa: BLE001 (of what Spark makes a lost process, also before the query runs)
            print(RESTARTED, str(error).splitlines()[:3], flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
