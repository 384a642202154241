"""Writes: rows become records, raw or encoded, and repeated micro-batches can be told."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from pyspark.errors import PySparkException

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]


@pytest.fixture
def write(bootstrap_servers, topic):
    """Writes a DataFrame to the test's topic as a batch; keywords are options."""

    def writer(frame, **options):
        always = {"kafka.bootstrap.servers": bootstrap_servers, "topic": topic}
        frame.write.format("barnabas").options(**always | options).mode("append").save()

    return writer


def test_a_batch_comes_back(spark, read, write):
    rows = spark.range(1000).selectExpr(
        "string(id) AS key",
        "repeat('x', int(id % 50)) AS value",
        "array(struct('h' AS key, binary(string(id)) AS value)) AS headers",
        "int(id % 2) AS partition",
        "timestamp_millis(1700000000000 + id) AS timestamp",
        "'left out' AS other",
    )
    write(rows)
    found = read(includeHeaders="true").load().collect()
    assert sorted((int(row.key), len(row.value), row.partition, row.timestamp) for row in found) == [
        (n, n % 50, n % 2, dt.datetime.fromtimestamp(1_700_000_000 + n / 1000, dt.UTC).replace(tzinfo=None))
        for n in range(1000)
    ]
    assert all([tuple(header) for header in row.headers] == [("h", bytes(row.key))] for row in found)


def test_nulls_are_tombstones_and_no_rows_are_no_records(spark, read, write):
    write(spark.sql("SELECT 'k' AS key, string(null) AS value, timestamp(null) AS timestamp"))
    write(spark.sql("SELECT 'k' AS key, 'v' AS value WHERE false"))
    (found,) = read().load().collect()
    assert (bytes(found.key), found.value) == (b"k", None)
    assert found.timestamp.year >= 2024


def test_columns_become_json(spark, read, write):
    write(spark.sql("SELECT 'c7' AS key, 7 AS id, named_struct('city', 'Bonn', 'zip', null) AS address"), format="json")
    (found,) = read().load().collect()
    assert (bytes(found.key), json.loads(found.value)) == (b"c7", {"id": 7, "address": {"city": "Bonn"}})
    write(spark.sql("SELECT 8 AS id, string(null) AS note"), format="json", ignoreNullFields="false")
    typed = read().schema("id int, note string").load()
    assert sorted(row.id for row in typed.collect()) == [7, 8]
    assert b'{"id":8,"note":null}' in [bytes(row.value) for row in read().load().collect()]


def test_columns_become_avro_and_come_back(spark, read, write):
    schema = json.dumps(
        {
            "type": "record",
            "name": "order",
            "fields": [{"name": "id", "type": "long"}, {"name": "total", "type": ["null", "double"]}],
        }
    )
    write(
        spark.sql("SELECT 7L AS id, double(9.5) AS total UNION ALL SELECT 8L, null"), format="avro", avroSchema=schema
    )
    typed = read(format="avro", avroSchema=schema).schema("id bigint, total double, offset bigint").load()
    assert sorted((row.id, row.total) for row in typed.collect()) == [(7, 9.5), (8, None)]
    assert typed.select("offset").distinct().count() >= 1


def test_csv_and_bad_records(spark, read, write):
    write(spark.createDataFrame([("1;a",), ("x;b",), ("3;c",)], "value string"))
    lines = read(format="csv", sep=";", columns="n,word")
    rows = lines.schema("n int, word string, _corrupt_record string").load().collect()
    assert sorted((row.word, row.n, row._corrupt_record) for row in rows) == [
        ("a", 1, None),
        ("b", None, "x;b"),
        ("c", 3, None),
    ]
    strict = read(format="csv", sep=";", columns="n,word", mode="DROPMALFORMED").schema("n int").load()
    assert sorted(row.n for row in strict.collect()) == [1, 3]
    failing = read(format="csv", sep=";", columns="n,word", mode="FAILFAST").schema("n int").load()
    with pytest.raises(PySparkException, match="at offset"):
        failing.collect()


def test_what_cannot_be_written(spark, write):
    for frame, options, message in [
        (spark.sql("SELECT 1 AS id"), {}, "no column value"),
        (spark.sql("SELECT 'k' AS key"), {"format": "json"}, "no column is left"),
        (spark.sql("SELECT 'v' AS value, 1 AS key"), {}, "column key is string or binary, got int"),
        (spark.sql("SELECT 'v' AS value"), {"subscribe": "t"}, "no meaning here"),
        (spark.sql("SELECT 'v' AS value, 77 AS partition"), {}, "77"),
    ]:
        with pytest.raises(PySparkException, match=message):
            write(frame, **options)
    frame = spark.sql("SELECT 'v' AS value").write.format("barnabas").option("kafka.bootstrap.servers", "x:1")
    with pytest.raises(PySparkException, match="cannot be replaced in a topic"):
        frame.option("topic", "t").mode("overwrite").save()


def test_rows_go_where_they_say(spark, bootstrap_servers, read, write, topic):
    rows = "SELECT * FROM VALUES ('{0}', 0, 'a'), ('{0}', 1, 'b'), ('{1}', null, 'c'), ('{0}', 1, 'd')"
    frame = spark.sql(rows.format(topic, f"{topic}-b")).toDF("topic", "partition", "value").coalesce(1)
    frame.write.format("barnabas").option("kafka.bootstrap.servers", bootstrap_servers).mode("append").save()
    found = read(subscribe=f"{topic},{topic}-b").load().orderBy("topic", "partition", "offset").collect()
    assert [(row.topic, row.partition, bytes(row.value)) for row in found] == [
        (topic, 0, b"a"),
        (topic, 1, b"b"),
        (topic, 1, b"d"),
        (f"{topic}-b", 0, b"c"),
    ]
    # The option goes before the column, also where that is null.
    write(spark.sql("SELECT string(null) AS topic, 'e' AS value, 1 AS partition UNION ALL SELECT 'x', 'f', 0"))
    again = read().load().where("offset >= 1").collect()
    assert sorted((row.partition, bytes(row.value)) for row in again) == [(0, b"f"), (1, b"d"), (1, b"e")]


def test_a_write_that_is_repeated_by_its_name_can_be_told(spark, read, write):
    given = "array(struct('h' AS key, binary(string(id)) AS value))"
    rows = spark.range(0, 30, 1, 3).selectExpr("string(id) AS value", f"if(id % 3 = 0, null, {given}) AS headers")
    for _ in range(2):
        write(rows, dedupHeaders="true", writeId="2026-01-31", batchId="4")
    found = read(includeHeaders="true").load()
    by_value = {}
    for row in found.collect():
        by_value.setdefault(int(row.value), []).append([(header.key, bytes(header.value)) for header in row.headers])
    assert by_value == {
        n: [[*([] if n % 3 == 0 else [("h", b"%d" % n)]), ("barnabas.row", b"2026-01-31/4/%d/%d" % divmod(n, 10))]] * 2
        for n in range(30)
    }
    from barnabas.spark import deduplicated  # noqa: PLC0415

    assert deduplicated(found).count() == 30
    write(rows.limit(1), dedupHeaders="true")
    write(rows.limit(1), dedupHeaders="true")
    assert deduplicated(read(includeHeaders="true").load()).count() == 32


def test_a_repeated_batch_is_told_by_its_headers(
    spark, bootstrap_servers, read_stream, read, admin, producer, topic, tmp_path
):
    from barnabas import NewTopic  # noqa: PLC0415
    from barnabas.spark import deduplicated  # noqa: PLC0415

    target = f"{topic}-out"
    admin.create_topics([NewTopic(target, num_partitions=2)])
    producer.send_many(topic, [b"%d" % n for n in range(50)]).result(10)
    rows = read_stream().load().select("value")

    def run():
        writer = rows.writeStream.format("barnabas").option("kafka.bootstrap.servers", bootstrap_servers)
        writer = writer.options(topic=target, dedupHeaders="true", checkpointLocation=str(tmp_path))
        writer.trigger(availableNow=True).start().awaitTermination()

    run()
    # As if the driver had died after the batch was written and before Spark noted it.
    (tmp_path / "commits" / "0").unlink()
    (tmp_path / "commits" / ".0.crc").unlink()
    run()
    producer.send_many(target, [b"without"] * 2).result(10)
    written = read(subscribe=target, includeHeaders="true").load()
    assert written.count() == 102
    once = [bytes(row.value) for row in deduplicated(written).collect()]
    assert sorted(once) == sorted([b"%d" % n for n in range(50)] + [b"without"] * 2)


def test_a_reporter_knows_lag_and_commits_offsets(spark, bootstrap_servers, read_stream, producer, topic, tmp_path):
    from barnabas import Admin, Consumer, TopicPartition  # noqa: PLC0415
    from barnabas.spark import OffsetReporter  # noqa: PLC0415

    producer.send_many(topic, [b"x"] * 10, partition=0).result(10)
    group = f"{topic}-lag"
    reporter = OffsetReporter(group_id=group, config={"bootstrap.servers": bootstrap_servers}, query="reported")
    spark.streams.addListener(reporter)
    try:
        writer = read_stream(maxOffsetsPerTrigger="4").load().writeStream.format("noop").queryName("reported")
        writer = writer.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True)
        writer.start().awaitTermination()
        spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
        query = reporter.queries["reported"]
        first = TopicPartition(topic, 0)
        assert (query.offsets[first], query.lag[first], query.rows, query.batch_id) == (10, 0, 10, 2)
        with Admin(bootstrap_servers=bootstrap_servers) as admin:
            size = admin.partition_sizes([first])[first]
        # Each of three batches is rounded.
        assert (query.lag_bytes[first], query.bytes) == (0, pytest.approx(size, abs=3))
        assert (
            f'barnabas_spark_lag_records{{query="reported",topic="{topic}",partition="0"}} 0' in reporter.prometheus()
        )
        with Consumer(bootstrap_servers=bootstrap_servers, group_id=group) as consumer:
            assert consumer.committed([first])[first].offset == 10
    finally:
        spark.streams.removeListener(reporter)
        reporter.close()
