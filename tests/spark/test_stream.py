"""Streams: every offset exactly once over restarts, and what is written comes back."""

from __future__ import annotations

import json

import pytest
from pyspark.errors import PySparkException

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


class Sink:
    """Collects batches in this process; fails when it is told to."""

    def __init__(self):
        self.batches: dict[int, list[tuple]] = {}
        self.fail_at: int | None = None

    def __call__(self, frame, batch_id):
        rows = sorted(map(tuple, frame.collect()))
        if batch_id == self.fail_at:
            raise RuntimeError("told to fail")
        self.batches[batch_id] = rows

    @property
    def rows(self):
        return [row for batch_id in sorted(self.batches) for row in self.batches[batch_id]]


def run(frame, sink, checkpoint):
    query = frame.writeStream.foreachBatch(sink).option("checkpointLocation", str(checkpoint))
    query = query.trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def test_every_offset_once_over_restarts_and_failures(read_stream, producer, topic, tmp_path):
    stream = read_stream(maxOffsetsPerTrigger="40").schema("partition int, offset bigint, n int").load()

    def produce(numbers):
        for number in numbers:
            producer.send(topic, json.dumps({"n": number}).encode(), partition=number % 2)
        producer.flush()

    sink = Sink()
    produce(range(100))
    query = run(stream, sink, tmp_path)
    assert [len(rows) for rows in sink.batches.values()] == [40, 40, 20]
    assert json.loads(query.lastProgress["sources"][0]["endOffset"]) == {topic: {"0": 50, "1": 50}}
    # Nothing new: nothing is read.
    run(stream, sink, tmp_path)
    produce(range(100, 150))
    sink.fail_at = max(sink.batches) + 2
    with pytest.raises(PySparkException):
        run(stream, sink, tmp_path)
    produce(range(150, 160))
    sink.fail_at = None
    run(stream, sink, tmp_path)
    assert sorted(sink.rows) == sorted((number % 2, number // 2, number) for number in range(160))
    assert all(len(rows) <= 40 for rows in sink.batches.values())


@pytest.mark.parametrize(
    ("wrong", "message"),
    [({"endingOffsets": "latest"}, "endingOffsets is for batch queries"), ({"mode": "LAX"}, "option mode is one of")],
)
def test_a_wrong_option_is_what_the_query_says(read_stream, tmp_path, wrong, message):
    with pytest.raises(PySparkException, match=message) as caught:
        run(read_stream(**wrong).load(), [], tmp_path)
    assert "UnboundLocalError" not in str(caught.value)


def test_latest_is_pinned_when_batch_0_begins(read_stream, producer, topic, tmp_path):
    producer.send_many(topic, [b"old"] * 10, partition=0).result(10)
    stream = read_stream(startingOffsets="latest").schema("offset bigint").load()
    sink = Sink()
    query = (
        stream.writeStream.foreachBatch(sink)
        .option("checkpointLocation", str(tmp_path))
        .trigger(processingTime="0 seconds")
        .start()
    )
    try:
        query.processAllAvailable()
        producer.send_many(topic, [b"new"] * 5, partition=0).result(10)
        query.processAllAvailable()
    finally:
        query.stop()
    assert [offset for (offset,) in sink.rows] == [10, 11, 12, 13, 14]


def test_latest_is_the_same_after_a_failed_first_batch(read_stream, producer, topic, tmp_path):
    producer.send_many(topic, [b"old"] * 10, partition=0).result(10)
    stream = read_stream(startingOffsets="latest").schema("offset bigint").load()
    sink = Sink()
    sink.fail_at = 0
    with pytest.raises(PySparkException):
        run(stream, sink, tmp_path)
    producer.send_many(topic, [b"new"] * 5, partition=0).result(10)
    with pytest.raises(PySparkException):
        run(stream, sink, tmp_path)
    producer.send_many(topic, [b"newer"] * 5, partition=0).result(10)
    sink.fail_at = None
    run(stream, sink, tmp_path)
    assert [offset for (offset,) in sink.rows] == list(range(10, 20))


def write(frame, bootstrap_servers, checkpoint, **options):
    writer = (
        frame.writeStream.format("barnabas").option("kafka.bootstrap.servers", bootstrap_servers).options(**options)
    )
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def test_what_is_written_comes_back(read_stream, read, admin, producer, bootstrap_servers, topic, tmp_path):
    from barnabas import NewTopic  # noqa: PLC0415

    target = topic + "-out"
    admin.create_topics([NewTopic(target, num_partitions=3)])
    producer.send_many(topic, [b"v%d" % n for n in range(20)], [b"k%d" % n for n in range(20)]).result(10)
    producer.send(topic, None, b"tombstone").result(10)
    rows = read_stream(includeHeaders="true").load()

    keyed = rows.selectExpr("key", "string(value) AS value", "array(struct('h' AS key, key AS value)) AS headers")
    write(keyed, bootstrap_servers, tmp_path / "a", topic=target)
    found = read(subscribe=target, includeHeaders="true").load().collect()
    expected = sorted([(b"k%d" % n, b"v%d" % n) for n in range(20)] + [(b"tombstone", None)])
    assert sorted((row.key, row.value) for row in found) == expected
    assert all([tuple(header) for header in row.headers] == [("h", bytes(row.key))] for row in found)

    placed = rows.selectExpr(f"'{target}' AS topic", "2 AS partition", "value", "'ignored' AS other")
    write(placed, bootstrap_servers, tmp_path / "b")
    starts = json.dumps({target: {str(p): sum(row.partition == p for row in found) for p in range(3)}})
    again = read(subscribe=target, startingOffsets=starts).load().collect()
    assert len(again) == 21
    assert {(row.partition, row.key) for row in again} == {(2, None)}


def test_rows_that_cannot_be_written_fail_the_query(read_stream, bootstrap_servers, producer, topic, tmp_path):
    producer.send(topic, b"x").result(10)
    rows = read_stream().load()
    for number, (frame, options, message) in enumerate([
        (rows.selectExpr("key"), {"topic": "t"}, "no column value"),
        (rows.selectExpr("offset AS value"), {"topic": "t"}, "column value is string or binary"),
        (rows.selectExpr("value"), {}, "nothing names the topic"),
        (rows.selectExpr("value", "string(null) AS topic"), {}, "a row has no topic"),
        (rows.selectExpr("value"), {"topic": "t", "startingOffsets": "earliest"}, "has no meaning here"),
        (rows.selectExpr("value"), {"topic": topic, "kafka.acks": "some"}, "acks"),
        (rows.selectExpr("value", "99 AS partition"), {"topic": topic}, "99"),
    ]):  # fmt: skip
        with pytest.raises(PySparkException, match=message):
            write(frame, bootstrap_servers, tmp_path / str(number), **options)
