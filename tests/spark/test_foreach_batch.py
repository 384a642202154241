"""`barnabas.spark.writer`: what the sink does, from `foreachBatch`."""

from __future__ import annotations

import json
import pickle

import pytest
from pyspark.errors import PySparkException

from barnabas.errors import ConfigError
from barnabas.spark import deduplicated, writer

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


def test_options_are_checked_when_the_function_is_made():
    servers = {"kafka.bootstrap.servers": "x:1"}
    for options, message in (
        ({}, "kafka.bootstrap.servers is missing"),
        ({"topics": "t", **servers}, "did you mean topic"),
        ({"subscribe": "t", **servers}, "no meaning here"),
        ({"topic": "t", "dedupHeaders": True, "batchId": 3, **servers}, "batchId has no meaning here"),
        ({"topic": "t", "writeId": "daily", **servers}, "for dedupHeaders=true"),
        ({"topic": "t", "dedupHeaders": True, "writeId": "", **servers}, "writeId is empty"),
    ):
        with pytest.raises(ConfigError, match=message):
            writer(**options)
    write = writer(topic="t", dedupHeaders=True, **servers)
    assert pickle.loads(pickle.dumps(write)) == write  # noqa: S301 - as Spark Connect does


def run(frame, write, checkpoint, mode="append"):
    query = frame.writeStream.foreachBatch(write).outputMode(mode).option("checkpointLocation", str(checkpoint))
    query.trigger(availableNow=True).start().awaitTermination()


def test_changed_rows_are_written_in_update_mode(read_stream, read, bootstrap_servers, producer, topic, tmp_path):
    servers = {"kafka.bootstrap.servers": bootstrap_servers}
    counts = read_stream(maxOffsetsPerTrigger="4").load().groupBy("key").count()
    counts = counts.selectExpr("key", "string(key) AS name", "count")
    sink = counts.writeStream.format("barnabas").options(topic=f"{topic}-out", **servers).outputMode("update")
    query = sink.option("checkpointLocation", str(tmp_path / "refused")).start()
    with pytest.raises(PySparkException, match="does not support Update"):
        query.awaitTermination()

    write = writer(topic=f"{topic}-out", format="json", **servers)
    producer.send_many(topic, [b"v"] * 6, [b"a", b"b", b"a", b"c", b"a", b"a"], partition=0).result(10)
    run(counts, write, tmp_path / "written", "update")
    found = [json.loads(row.value) for row in read(subscribe=f"{topic}-out").load().collect()]
    # Four records in the first batch, two in the second, which changed one count.
    wanted = [("a", 2), ("a", 4), ("b", 1), ("c", 1)]
    assert sorted((row["name"], row["count"]) for row in found) == wanted


def test_what_a_repeated_batch_wrote_again_is_dropped(read_stream, read, bootstrap_servers, producer, topic, tmp_path):
    producer.send_many(topic, [b"%d" % n for n in range(20)]).result(10)
    rows = read_stream(maxOffsetsPerTrigger="10").load().select("value")
    write = writer(topic=f"{topic}-out", dedupHeaders=True, **{"kafka.bootstrap.servers": bootstrap_servers})

    def twice(batch, batch_id):
        write(batch, batch_id)
        write(batch, batch_id)

    run(rows, twice, tmp_path)
    written = read(subscribe=f"{topic}-out", includeHeaders="true").load()
    assert written.count() == 40
    assert sorted(bytes(row.value) for row in deduplicated(written).collect()) == sorted(b"%d" % n for n in range(20))
    headers = {bytes(header.value).decode() for row in written.collect() for header in row.headers}
    assert {name.split("/")[1] for name in headers} == {"0", "1"}


def test_outside_of_a_query_rows_need_a_write_id(spark, read, bootstrap_servers, topic):
    servers = {"kafka.bootstrap.servers": bootstrap_servers}
    rows = spark.sql("SELECT 'v' AS value")
    with pytest.raises(ConfigError, match="needs the option writeId"):
        writer(topic=topic, dedupHeaders=True, **servers)(rows, 0)
    writer(topic=topic, dedupHeaders=True, writeId="daily", **servers)(rows, 7)
    (row,) = read(includeHeaders="true").load().collect()
    assert [tuple(header) for header in row.headers] == [("barnabas.row", b"daily/7/0/0")]
