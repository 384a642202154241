"""A streaming query from a topic to a topic, in small micro-batches. Not a test: test_replay.py runs and kills it."""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession


def main(servers: str, source: str, target: str, checkpoint: str) -> None:
    """Takes the broker's address, the two topics, and the checkpoint's directory."""
    spark = (
        SparkSession.builder.master("local[2,4]")  # a task whose worker is killed is tried again
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    always = {"kafka.bootstrap.servers": servers}
    reader = spark.readStream.format("barnabas").options(**always, subscribe=source, startingOffsets="earliest")
    rows = reader.options(maxOffsetsPerTrigger="40", maxRecordsPerPartition="15").load().select("key", "value")
    writer = rows.writeStream.format("barnabas").options(**always, topic=target, dedupHeaders="true")
    writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
