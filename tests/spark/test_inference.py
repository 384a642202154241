"""Columns that nobody names: a sample's are those of `spark.read.json`, an Avro schema's those of `from_avro`.

`SEEDS=200 pytest tests/spark/test_inference.py` compares more sets of documents; `RESULTS=<file>` keeps the counts.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException
from pyspark.sql.pandas.types import from_arrow_schema

from barnabas.columns import infer_schema
from barnabas.spark.inference import fair_shares, gather, parts_of
from barnabas.spark.offsets import OffsetRange

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(7200)]

SETS_PER_SEED = 25


@pytest.mark.parametrize(
    ("left", "wanted", "shares"),
    [
        ([], 5, []),
        ([3, 4], 0, [0, 0]),
        ([100, 100], 10, [5, 5]),
        ([100, 1], 2, [1, 1]),
        ([100, 1, 0], 10, [9, 1, 0]),
        ([1, 100, 2], 50, [1, 47, 2]),
        ([5, 5, 5], 4, [2, 1, 1]),
        ([5, 5, 5], 2, [1, 1, 0]),
        ([1, 2, 3], 100, [1, 2, 3]),
    ],
)
def test_everyone_gives_the_same_as_far_as_they_have_it(left, wanted, shares):
    assert fair_shares(left, wanted) == shares


def test_a_small_sample_looks_at_every_partition_first():
    big, small = OffsetRange("t", 0, 100, 1100), OffsetRange("t", 1, 7, 8)
    assert parts_of([big, small]) == [
        OffsetRange("t", 0, 100, 350),
        small,
        OffsetRange("t", 0, 350, 600),
        OffsetRange("t", 0, 600, 850),
        OffsetRange("t", 0, 850, 1100),
    ]
    assert gather(parts_of([big, small]), 2, reading({0: range(2000), 1: range(2000)})) == [
        (b"100", "t-0 at offset 100"),
        (b"7", "t-1 at offset 7"),
    ]
    many = [OffsetRange("t", number, 0, 1000) for number in range(100)]
    assert parts_of(many) == many


def reading(offsets):
    """Reads values from partitions that have records at these offsets only."""

    def read(wanted):
        has = offsets[wanted.partition]
        return ((b"%d" % offset, offset) for offset in range(wanted.start, wanted.end) if offset in has)

    return read


@pytest.mark.parametrize("seed", range(50))
def test_all_that_is_wanted_comes_together_if_it_is_there(seed):
    chance = random.Random(seed)  # noqa: S311 (seeded on purpose)
    ranges, has = [], {}
    for number in range(chance.randint(1, 6)):
        end = chance.choice([1, 5, 100, 1000])
        ranges.append(OffsetRange("t", number, 0, end))
        has[number] = {offset for offset in range(end) if chance.random() < chance.choice([0.01, 0.5, 1.0])}
    there = sum(map(len, has.values()))
    wanted = chance.choice([1, 2, 10, 200, 5000])
    found = [place for _, place in gather(parts_of(ranges), wanted, reading(has))]
    assert len(found) == len(set(found)) == min(wanted, there)


NAMES = ["a", "b", "B2", "é", "\uff5e", "😀", "with space", "a.b", "o", "l", ""]
SCALARS = [
    "1", "-1", "0", "9223372036854775807", "9223372036854775808", "-9223372036854775809", "1" * 38, "1" * 39, "1" * 1001,
    "0.5", "1e3", "1.5", "-0.0", "1E400", "NaN", "-INF", "Infinity", "true", "false", "null", '""', "''", '"x"', "'x'",
    '"2020-01-01"', '"2020-01-01T00:00:00Z"', '"1"', '"\\u00e9"', '"\\""', "[]", "{}", "[[]]", "[null]", '[""]', "[{}]",
]  # fmt: skip
BROKEN = [
    "tru",
    "+1",
    ".5",
    "1.",
    "01",
    '"open',
    "{",
    "[1,]",
    '{"a":1,}',
    "'a\"",
    '"\t"',
    "INF",
    "{a:1}",
    "/*c*/1",
    "1 2",
]
ROOTS = [
    "",
    " ",
    "null",
    "7",
    '"s"',
    "[]",
    "[1]",
    "true",
    "}",
    '{"a":1} rest',
    '{"a":1}}',
    "\ufeff{}",
    "{}",
    '[{"a":1},2]',
]


def value(chance, depth):
    kind = chance.random()
    if depth and kind < 0.2:
        return "[" + ",".join(value(chance, depth - 1) for _ in range(chance.randint(0, 3))) + "]"
    if depth and kind < 0.45:
        return document(chance, depth - 1)
    return chance.choice(SCALARS[: chance.choice([1, 5, 12, len(SCALARS)])])


def document(chance, depth, names=NAMES):
    fields = chance.sample(names, chance.randint(0, 4))
    space = chance.choice(["", " ", "\n"])
    inside = [
        f"{json.dumps(name, ensure_ascii=chance.random() < 0.5)}:{space}{value(chance, depth)}" for name in fields
    ]
    return "{" + f",{space}".join(inside) + "}"


def documents(chance):
    found = [document(chance, 3) for _ in range(chance.choice([1, 2, 5, 20]))]
    if chance.random() < 0.3:
        found.insert(chance.randrange(len(found) + 1), chance.choice(ROOTS))
    if chance.random() < 0.2:
        broken = f'{{"a": {chance.choice(BROKEN)}, "b": 1}}'
        found.insert(chance.randrange(len(found) + 1), broken)
    return found


def seeds():
    return range(int(os.environ.get("SEEDS", "2")))


@pytest.fixture(scope="module")
def count():
    """What was compared, written to the file that RESULTS names."""
    found = Counter()
    yield found
    if path := os.environ.get("RESULTS"):
        command = f"SEEDS={os.environ.get('SEEDS')} pytest tests/spark/test_inference.py"
        Path(path).write_text(json.dumps({"command": command, "counts": dict(sorted(found.items()))}, indent=1) + "\n")


def ours(texts, **options):
    return from_arrow_schema(pa.schema(infer_schema([text.encode() for text in texts], options=options))).simpleString()


def theirs(spark, texts, **options):
    return spark.read.options(**options).json(spark.sparkContext.parallelize(texts, 1)).schema.simpleString()


@pytest.mark.parametrize("seed", seeds())
def test_columns_are_those_of_read_json(spark, count, seed):
    chance = random.Random(seed)  # noqa: S311 (seeded on purpose)
    for _ in range(SETS_PER_SEED):
        texts = documents(chance)
        options = chance.choice([{}, {}, {"mode": "DROPMALFORMED"}, {"allowComments": "true"}, {"allowSingleQuotes": "false"}])  # fmt: skip
        found = ours(texts, **options)
        assert found == theirs(spark, texts, **options), (texts, options)
        count["sets of documents"] += 1
        count["documents"] += len(texts)
        count["columns"] += found.count(":")
        count["sets with a corrupt record"] += "_corrupt_record" in found


@pytest.mark.parametrize(
    "texts",
    [
        ['{"a": 1}', '{"A": 2}'],
        ['{"a": {"x": 1}}', '{"a": {"X": 2}}'],
        ['{"l": 1, "x": 99999999999999999999}', '{"l": 99999999999999999999, "x": 1}'],
        ['{"n": 99999999999999999999}', '{"n": 1.5}', '{"n": 1}'],
        ['[{"a": 1}, {"b": "x"}]', '{"c": null}'],
        ['{"a": []}', '{"a": [1, "x"]}', '{"a": {"b": 1}}'],
        [],
    ],
)
def test_columns_of_single_cases(spark, texts):
    assert ours(texts) == theirs(spark, texts)


def test_a_read_finds_its_columns(spark, read, producer, topic):
    values = [b'{"id": 1, "at": {"city": "Bonn"}}', b'{"id": 2.5, "tags": ["x"]}', None, b'{"id": null}']
    producer.send_many(topic, values, [b"k"] * 4, partition=0).result(10)
    found = read(inferSchema="true").load()
    assert found.schema.simpleString() == "struct<at:struct<city:string>,id:double,tags:array<string>>"
    assert sorted(row.id for row in found.collect() if row.id is not None) == [1.0, 2.5]
    mixed = read(inferSchema="true", kafkaColumns="offset,key").load()
    assert mixed.columns == ["offset", "key", "at", "id", "tags"]
    assert [(row.offset, bytes(row.key), row.id) for row in mixed.orderBy("offset").collect()][1] == (1, b"k", 2.5)
    assert read(inferSchema="true").schema("id int").load().columns == ["id"]


def test_a_sample_of_two_looks_at_both_partitions(read, producer, topic):
    producer.send_many(topic, [b'{"a": 1}'] * 500, partition=0).result(10)
    producer.send_many(topic, [b'{"b": 1}'], partition=1).result(10)
    assert read(inferSchema="true", samplingRecords="2").load().columns == ["a", "b"]
    assert read(inferSchema="true", samplingRecords="1").load().columns == ["a"]
    assert read(inferSchema="true", startingOffsets=json.dumps({topic: {"0": 500, "1": 0}})).load().columns == ["b"]


def test_a_stream_finds_its_columns(spark, read_stream, producer, topic, tmp_path):
    producer.send_many(topic, [b'{"n": %d}' % n for n in range(5)]).result(10)
    for start in ("earliest", "latest"):
        rows = read_stream(inferSchema="true", startingOffsets=start).load()
        assert rows.schema.simpleString() == "struct<n:bigint>"
        name = f"inferred_{start}"
        query = rows.writeStream.format("memory").queryName(name).trigger(availableNow=True)
        query.option("checkpointLocation", str(tmp_path / start)).start().awaitTermination()
        assert spark.table(name).count() == (5 if start == "earliest" else 0)


def test_fields_of_the_value_are_not_taken_for_kafkas(read, producer, topic):
    producer.send(topic, b'{"offset": 77, "topic": "mine", "partition": 1}', partition=0).result(10)
    (row,) = read(inferSchema="true").load().collect()
    assert (row.offset, row.topic, row.partition) == (77, "mine", 1)
    (row,) = read(inferSchema="true", kafkaColumns="offset").load().collect()
    assert (row.offset, row.topic) == (0, "mine")


AVRO = json.dumps(
    {
        "type": "record",
        "name": "order",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "offset", "type": "long"},
            {
                "name": "total",
                "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}],
            },
            {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
            {"name": "local", "type": {"type": "long", "logicalType": "local-timestamp-micros"}},
            {"name": "kinds", "type": {"type": "array", "items": {"type": "enum", "name": "k", "symbols": ["A", "B"]}}},
        ],
    }
)


def test_columns_of_an_avro_schema(spark, read, producer, bootstrap_servers, topic):
    rows = spark.sql(
        "SELECT 7L AS id, 5L AS offset, decimal(9.50) AS total, timestamp_millis(1700000000000) AS at, "
        "timestamp_ntz'2026-01-31 12:00:00' AS local, array('A', 'B') AS kinds"
    ).selectExpr("id", "offset", "cast(total AS decimal(9,2)) AS total", "at", "local", "kinds")
    writer = rows.write.format("barnabas").option("kafka.bootstrap.servers", bootstrap_servers)
    writer.options(topic=topic, format="avro", avroSchema=AVRO).mode("append").save()
    found = read(format="avro", avroSchema=AVRO).load()
    assert found.schema.simpleString() == (
        "struct<id:bigint,offset:bigint,total:decimal(9,2),at:timestamp,local:timestamp_ntz,kinds:array<string>>"
    )
    assert [tuple(row) for row in found.collect()] == [tuple(row) for row in rows.collect()]
    (row,) = read(format="avro", avroSchema=AVRO, kafkaColumns="offset").load().collect()
    assert (row.id, row.offset) == (7, 0)
    # A value that does not fit is null, though the schema says that none is.
    producer.send(topic, b"\xff", partition=0).result(10)
    assert read(format="avro", avroSchema=AVRO).load().where("id IS NULL").count() == 1


def test_what_no_columns_come_of(read, producer, topic):
    producer.send(topic, None, b"k").result(10)
    for options, message in [
        ({"inferSchema": "true"}, "found no values to look at"),
        ({"inferSchema": "true", "format": "csv"}, "for JSON values, not for format=csv"),
        ({"inferSchema": "true", "format": "avro"}, "or option avroSchema"),
        ({"inferSchema": "true", "samplingRecords": "0"}, "samplingRecords is a whole number of at least 1"),
        ({"inferSchema": "perhaps"}, "inferSchema is true or false"),
        ({"inferSchema": "true", "kafkaColumns": "offsets"}, "none of Kafka's columns"),
        ({"format": "avro", "avroSchema": "{}"}, "option avroSchema"),
        ({"inferSchema": "true", "startingOffset": "earliest"}, "did you mean startingOffsets"),
    ]:
        with pytest.raises(PySparkException, match=message):
            read(**options).load()
    producer.send(topic, b"{}", partition=1).result(10)
    with pytest.raises(PySparkException, match="none of 1 values has a field"):
        read(inferSchema="true").load()
    producer.send(topic, b"{broken", partition=1).result(10)
    with pytest.raises(PySparkException, match=f"{topic}-1 at offset 1: no JSON"):
        read(inferSchema="true", mode="FAILFAST").load()
    assert read(inferSchema="true").load().columns == ["_corrupt_record"]
