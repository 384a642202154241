"""Batch reads: rows equal what was produced, typed rows equal Spark's own `from_json`."""

from __future__ import annotations

import datetime as dt
import json

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as f

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

RAW = "key binary, value binary, topic string, partition int, offset bigint, timestamp timestamp, timestampType int"
T0 = 1_700_000_000_000


def test_raw_rows_are_the_records(read, producer, topic):
    records = [
        (0, b"k", b"v", [("h", b"1"), ("h", None)]),
        (0, None, b"", None),
        (0, b"", None, [("é", b"\xff")]),
        (1, b"\x00\xff", b"x" * 10_000, None),
    ]
    for index, (partition, key, value, headers) in enumerate(records):
        producer.send(topic, value, key, partition, T0 + index, headers)
    producer.flush()
    frame = read(includeHeaders="true").load()
    assert frame.schema.simpleString() == (
        "struct<key:binary,value:binary,topic:string,partition:int,offset:bigint,timestamp:timestamp,timestampType:int,"
        "headers:array<struct<key:string,value:binary>>>"
    )
    rows = frame.orderBy("partition", "offset").collect()
    utc = dt.datetime.fromtimestamp
    assert [
        (
            r.partition,
            r.offset,
            r.key,
            r.value,
            r.topic,
            r.timestampType,
            r.timestamp,
            r.headers and list(map(tuple, r.headers)),
        )
        for r in rows
    ] == [
        (partition, offset, key, value, topic, 0, utc((T0 + index) / 1000), headers)
        for (index, (partition, key, value, headers)), offset in zip(enumerate(records), [0, 1, 2, 0], strict=True)
    ]
    assert read().load().columns == [field.split()[0] for field in RAW.split(", ")]


def test_a_schema_projects_raw_columns(read, producer, topic):
    producer.send_many(topic, [b"a", b"b"], partition=1).result(10)
    rows = read().schema("offset bigint, value binary").load().orderBy("offset").collect()
    assert [tuple(row) for row in rows] == [(0, b"a"), (1, b"b")]


def test_a_topic_without_records_has_no_rows(read):
    assert read().load().count() == 0
    assert read().schema("a int").load().collect() == []


def test_ranges_by_offset_and_by_time(read, producer, topic):
    producer.send_many(topic, [b"%d" % n for n in range(10)], timestamps=[T0 + n for n in range(10)], partition=0)
    producer.send_many(topic, [b"%d" % n for n in range(5)], timestamps=[T0 + n for n in range(5)], partition=1)
    producer.flush()

    def values(**options):
        rows = read(**options).schema("partition int, offset bigint").load().collect()
        return sorted(map(tuple, rows))

    def of(first, second):
        return [(0, n) for n in first] + [(1, n) for n in second]

    by_offset = {
        "startingOffsets": json.dumps({topic: {"0": 3, "1": -2}}),
        "endingOffsets": json.dumps({topic: {"0": 7, "1": -1}}),
    }
    assert values(**by_offset) == of(range(3, 7), range(5))
    assert values(startingTimestamp=str(T0 + 2), endingTimestamp=str(T0 + 4)) == of(range(2, 4), range(2, 4))
    assert values(assign=json.dumps({topic: [1]}), subscribe=None) == of([], range(5))
    assert values(minPartitions="5", maxRecordsPerPartition="2") == of(range(10), range(5))
    beyond = {"startingTimestamp": str(T0 + 7), "startingOffsetsByTimestampStrategy": "latest"}
    assert values(**beyond) == of(range(7, 10), [])
    with pytest.raises(PySparkException, match="no record at or after the starting time"):
        values(startingTimestamp=str(T0 + 7))


SCHEMA = """
    s string, b boolean, i8 tinyint, i16 smallint, i int, l bigint, f float, d double, n decimal(10,2),
    day date, at timestamp, at_local timestamp_ntz, bytes binary, o struct<x: int, y: string>, a array<int>,
    m map<string, double>
"""

FIELDS = {
    "s": ['"plain"', '""', r'"q\" b\\ s\/ n\n t\t u\u00e9\ud83d\ude00"', '"é漢😀"', r'"\ud800"', "12", "true", '{"k":[1,2]}',
          "[1,2]", "null"],
    "b": ["true", "false", '"true"', "1", "null"],
    "i8": ["-128", "127", "128", "255", "256", "1.0"],
    "i16": ["-32768", "32767", "32768", '"1"'],
    "i": ["0", "-0", "-2147483648", "2147483647", "2147483648", "1e3", "1.5", '"7"', "true", "[]"],
    "l": ["9223372036854775807", "-9223372036854775808", "9223372036854775808", "12345678901234567890123"],
    "f": ["0.1", "16777217", "3.4e38", "-1", '"NaN"', '"x"', "NaN"],
    "d": ["0.1", "1e-7", "1.7976931348623157e308", "123456789012345678", '"Infinity"', "-Infinity", '"1.5"', "2.5E+3",
          "0.30000000000000004", "9007199254740993"],
    "n": ["1", "1.005", "-1.005", "99999999.99", "100000000", '"12.3"', "1e2", '"x"'],
    "day": ['"2013-01-31"', '"2013-1-3"', '"2013-02-30"', '"2013-01-31T05:00:00Z"', '"2013"', '"x"', "1"],
    "at": ['"2013-01-01T05:00:00Z"', '"2013-01-01 05:00:00"', '"2013-01-01T05:00:00.123456789+02:30"', '"2013-01-01"',
           '"2013-01-01T05:00"', "1357016400", '"2013-13-01T00:00:00"', '"x"', "1.5"],
    "at_local": ['"2013-01-01T05:00:00"', '"2013-01-01 05:00:00.5"', '"x"'],
    "bytes": ['"AQID"', '""', '"AQI="'],
    "o": ['{"x": 1, "y": "z"}', "{}", '{"y": null, "x": 2, "z": 3}', "null", "[]", "1"],
    "a": ["[1, 2, 3]", "[]", "[null, 1]", "null", "{}", '"x"'],
    "m": ['{"k": 1.5, "l": null}', "{}", "null", "[]"],
}  # fmt: skip

WHOLE = [
    "{}", " { } ", "", "  ", "null", "1", '"s"', "{", '{"i": 1', '{"i": 1,}', '{"i" 1}', "{i: 1}", "{'i': 1}",
    '{"i": 01}', '{"i": 1} trailing', '{"i": 1, "i": 2}', '{"i": 1, "unknown": {"deep": [1, {"x": "y"}]}, "l": 2}',
    '{"l": 2, "i": 1, "s": "order"}', '{"s": "\u0001"}', '{"s": "tab\\x"}', '{"i": 1}{"i": 2}', '{"i": +1}', '{"i": .5}',
    '{"i": 1.}', '{"s": "open', '{"\\u0069": 3}',
]  # fmt: skip


def test_typed_rows_are_those_of_from_json(read, producer, topic):
    """One difference is by design: a string column gets numbers, lists and objects as they are written, spaces too."""
    documents = [
        f'{{"before": 1, "{name}": {text}, "s2": "after"}}' for name, texts in FIELDS.items() for text in texts
    ]
    documents += WHOLE
    values = [None, *(document.encode() for document in documents)]
    producer.send_many(topic, values, partition=0).result(30)
    typed = read().schema(SCHEMA + ", offset bigint").load().orderBy("offset").collect()
    parsed = (
        read()
        .load()
        .orderBy("offset")
        .select(f.from_json(f.col("value").cast("string"), SCHEMA, {"mode": "PERMISSIVE"}).alias("row"))
        .collect()
    )
    assert len(typed) == len(parsed) == len(values)
    differences = []
    for document, row, expected in zip([None, *documents], typed, parsed, strict=True):
        found = {name: value for name, value in row.asDict(recursive=True).items() if name != "offset"}
        wanted = dict.fromkeys(found) if expected.row is None else expected.row.asDict(recursive=True)
        if repr(found) != repr(wanted):  # not-a-number equals nothing, but has one repr
            differences.append(
                (document, {k: (found[k], wanted[k]) for k in found if repr(found[k]) != repr(wanted[k])})
            )
    assert differences == []


def test_kafka_columns_beside_typed_ones(read, producer, topic):
    producer.send(topic, b'{"offset": "mine", "partition": 9, "a": 1}', b"k", 1, T0).result(10)

    def row(schema, **options):
        return tuple(read(**options).schema(schema).load().first())

    # By name and type a field is Kafka's own; with another type it is a field of the value.
    assert row("a int, offset bigint, partition int, key binary") == (1, 0, 1, b"k")
    assert row("a int, offset string") == (1, "mine")
    assert row("a int, offset bigint, partition int", kafkaColumns="offset") == (1, 0, 9)
    assert row("a int, partition int", kafkaColumns="") == (1, 9)
    assert row("partition int", kafkaColumns="") == (9,)
    assert row("partition int", format="json") == (1,)


def test_fail_fast_names_the_record(read, producer, topic):
    producer.send_many(topic, [b'{"a": 1}', b'{"a": "x"}'], partition=1).result(10)
    assert [row.a for row in read().schema("a int, offset bigint").load().orderBy("offset").collect()] == [1, None]
    with pytest.raises(PySparkException, match=f"{topic}-1 at offset 1: field .*a.* does not fit"):
        read(mode="FAILFAST").schema("a int").load().collect()


def test_the_value_that_does_not_fit_is_kept_on_request(read, producer, topic):
    producer.send_many(topic, [b'{"a": 1}', b"{broken"], partition=0).result(10)
    rows = read().schema("a int, _corrupt_record string, offset bigint").load().orderBy("offset").collect()
    assert [(row.a, row["_corrupt_record"]) for row in rows] == [(1, None), (None, "{broken")]


def test_mistakes_are_explained(read, spark):
    for options, schema, message in [
        ({"subscribe": None, "subscribePattern": "[t&&x]"}, None, "intersection of classes"),
        ({"startingOffset": "earliest"}, None, "did you mean startingOffsets"),
        ({"startingOffsets": "latest"}, None, "nothing to read"),
        ({"kafka.bootstrap.servers": None}, None, "kafka.bootstrap.servers is missing"),
        ({"subscribe": "no-such-topic"}, None, "there is no topic"),
        ({"format": "raw"}, "a int", "format=raw"),
        ({}, "a interval year to month", "YearMonthInterval"),
    ]:
        reader = read(**options)
        with pytest.raises(PySparkException, match=message):
            (reader.schema(schema) if schema else reader).load().collect()
    with pytest.raises(PySparkException, match=r"kafka\.bootstrap\.servers is missing"):
        spark.range(1).selectExpr("'x' as value").write.format("barnabas").mode("append").save()


def test_a_view_in_sql(spark, bootstrap_servers, producer, topic):
    producer.send_many(topic, [b"1", b"2"]).result(10)
    spark.sql(
        f"CREATE OR REPLACE TEMPORARY VIEW records USING barnabas "
        f"OPTIONS (`kafka.bootstrap.servers` '{bootstrap_servers}', subscribe '{topic}')"
    )
    assert spark.sql("SELECT sum(int(string(value))) AS total FROM records").first().total == 3
