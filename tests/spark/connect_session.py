"""Reads and writes over a local session of Spark Connect; prints what it found as JSON. Not a test: test_connect.py runs it."""

from __future__ import annotations

import json
import sys

from pyspark.sql import SparkSession

from barnabas.spark import deduplicated, writer


def main(servers: str, topic: str, checkpoints: str) -> None:
    """Takes the broker's address, a topic with two partitions, and a directory for checkpoints."""
    spark = (
        SparkSession.builder.remote("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    always = {"kafka.bootstrap.servers": servers}
    rows = spark.range(20).selectExpr("string(id % 5) AS key", "id AS n", "int(id % 2) AS partition")
    rows.write.format("barnabas").options(**always, topic=topic, format="json").mode("append").save()

    reader = spark.read.format("barnabas").options(**always, subscribe=topic)
    found = {
        "session": type(spark).__module__,
        "raw": reader.load().count(),
        "typed": reader.schema("n bigint, partition int").load().agg({"n": "sum"}).first()[0],
    }
    inferred = spark.read.format("barnabas").options(**always, subscribe=topic, inferSchema="true").load()
    found["inferred"] = inferred.columns
    table = spark.read.format("barnabas").options(**always, subscribe=topic, latestPerKey="true").load()
    found["table"] = table.count()

    stream = spark.readStream.format("barnabas").options(**always, subscribe=topic, startingOffsets="earliest")
    sink = stream.load().select("value").writeStream.format("barnabas").options(**always, topic=f"{topic}-sink")
    run(sink, f"{checkpoints}/sink")
    write = writer(topic=f"{topic}-each", dedupHeaders=True, writeId="each", **always)
    run(stream.load().select("value").writeStream.foreachBatch(Twice(write)), f"{checkpoints}/each")
    for name in ("sink", "each"):
        written = spark.read.format("barnabas").options(**always, subscribe=f"{topic}-{name}", includeHeaders="true")
        found[name] = [written.load().count(), deduplicated(written.load()).count()]
    print(json.dumps(found))
    spark.stop()


class Twice:
    """Writes each micro-batch twice, as one that is repeated."""

    def __init__(self, write) -> None:
        self.write = write

    def __call__(self, rows, batch_id) -> None:
        self.write(rows, batch_id)
        self.write(rows, batch_id)


def run(query, checkpoint: str) -> None:
    query.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
