"""Option `filter` and filters that Spark pushes down: the same rows as without them, and less to read and to ship."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal

import pytest
from pyspark.sql.datasource import EqualNullSafe, EqualTo, GreaterThan, In, IsNotNull, IsNull, Not, StringContains
from pyspark.sql.types import _parse_datatype_string

from barnabas.errors import ConfigError
from barnabas.spark.filters import Condition, earliest_time, narrow, parse, pushed
from barnabas.spark.offsets import OffsetRange
from barnabas.spark.options import ReadOptions
from barnabas.spark.schemas import Decoding

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]
pytestmark += [pytest.mark.usefixtures("spark")]

T0 = 1_700_000_000_000
PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
SCHEMA = (
    "origin string, delay double, late boolean, day date, seats int, partition int, offset bigint, timestamp timestamp"
)


def decoding(schema=SCHEMA, **options):
    options = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t"} | options
    struct = _parse_datatype_string(schema)
    return Decoding.choose(struct, ReadOptions.parse(options, streaming=False))


def test_comparisons_joined_by_and():
    text = "a = 1 AND `odd ``name` in ('x', 'it''s') and c IS NOT NULL AND d is null AND e<>-1.5e3 and f >= TIMESTAMP '2026'"
    assert parse(text) == (
        Condition("a", "in", (1,)),
        Condition("odd `name", "in", ("x", "it's")),
        Condition("c", "is not null"),
        Condition("d", "is null"),
        Condition("e", "!=", (Decimal("-1.5e3"),)),
        Condition("f", ">=", ("2026",)),
    )
    assert parse("late = TRUE AND a == +2 AND b != false") == (
        Condition("late", "in", (True,)),
        Condition("a", "in", (2,)),
        Condition("b", "!=", (False,)),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a = 1 OR b = 2", "'OR' stands where AND is expected"),
        ("a", "it ends where a comparison is expected"),
        ("a = ", "it ends where a constant is expected"),
        ("a = b", "'b' is no constant"),
        ("1 = a", "'1' stands where a column's name is expected"),
        ("a in (1 2)", "a list ends with )"),
        ("a in 1", "'1' stands where ( is expected"),
        ("a like 'x'", "'like' is no comparison"),
        ("a is 1", "'1' stands where NULL is expected"),
        ("a = 'x", '"\'x" is not understood'),
        (" ", "it ends where a column is expected"),
    ],
)
def test_what_is_no_such_list_is_refused_with_the_place(text, reason):
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert reason in str(caught.value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("nothing = 1", "column nothing, which the read does not have"),
        ("seats = 'x'", "filter on column seats: 'x' is no int32"),
        ("seats = 1.5", "a whole number is needed"),
        ("seats = TRUE", "a boolean column is compared with TRUE or FALSE"),
        ("late = 1", "a boolean column is compared with TRUE or FALSE"),
        ("seats > 3000000000", "is no int32"),
        ("day > '2026-13-01'", "is no date32"),
        ("timestamp > '2026-01-01 00:00:00'", "a time needs its offset from UTC"),
        ("odd = 1", "filter on column odd: 1 is no list"),
    ],
)
def test_a_condition_that_does_not_fit_its_column_is_refused(text, reason):
    with pytest.raises(ConfigError) as caught:
        decoding(f"{SCHEMA}, odd array<int>", filter=text)
    assert reason in str(caught.value)


def test_only_what_can_meet_the_conditions_is_planned():
    ranges = [OffsetRange("t", 0, 0, 100), OffsetRange("t", 1, 50, 60), OffsetRange("t", 2, 5, 6)]
    for text, expected in [
        ("partition = 1", [ranges[1]]),
        ("partition IN (0, 2) AND partition != 0", [ranges[2]]),
        ("partition >= 1 AND partition < 2", [ranges[1]]),
        ("partition IS NULL", []),
        ("offset >= 55", [OffsetRange("t", 0, 55, 100), OffsetRange("t", 1, 55, 60)]),
        ("offset > 5 AND offset <= 50", [OffsetRange("t", 0, 6, 51), OffsetRange("t", 1, 50, 51)]),
        ("offset IN (7, 58)", [OffsetRange("t", 0, 7, 59), OffsetRange("t", 1, 50, 59)]),
        ("offset = 5 AND seats > 0", [OffsetRange("t", 0, 5, 6), ranges[2]]),
        ("seats > 0", ranges),
    ]:
        assert narrow(ranges, decoding(filter=text)) == expected, text
    # Fields of the value that are called so are no positions.
    assert narrow(ranges, decoding("partition int, offset bigint", kafkaColumns="", filter="partition = 1")) == ranges


def test_times_of_records_say_where_to_begin():
    moment = "timestamp >= '2026-01-01T00:00:00.5Z'"
    assert earliest_time(decoding(filter=moment)) == 1767225600499
    assert earliest_time(decoding(filter=f"{moment} AND timestamp > '2026-01-02 00:00:00+00:00'")) == 1767311999999
    assert earliest_time(decoding(filter="timestamp < '2026-01-01T00:00:00Z'")) is None


def test_filters_of_spark_as_conditions():
    column = ("a",)
    assert pushed(EqualTo(column, 1)) == Condition("a", "in", (1,))
    assert pushed(EqualNullSafe(column, None)) == pushed(IsNull(column)) == Condition("a", "is null")
    assert pushed(IsNotNull(column)) == Condition("a", "is not null")
    assert pushed(GreaterThan(column, "x")) == Condition("a", ">", ("x",))
    assert pushed(In(column, (1, None, 2))) == Condition("a", "in", (1, 2))
    left = [Not(EqualTo(column, 1)), StringContains(column, "x"), EqualTo(("a", "b"), 1)]
    assert [pushed(one) for one in left] == [None] * len(left)


@pytest.fixture
def flights(producer, topic):
    """200 flights in two partitions, one of them with a value that is no JSON and one with nulls."""
    for index in range(200):
        value = {
            "origin": ("JFK", "LGA", "EWR", "ä")[index % 4],
            "delay": (index - 100) / 4,
            "late": index % 3 == 0,
            "day": f"2026-01-{index % 28 + 1:02}",
            "seats": index,
        }
        producer.send(topic, json.dumps(value).encode(), None, index % 2, T0 + index * 1000)
    producer.send(topic, b"{", None, 0, T0 + 300_000)
    producer.send(topic, b"{}", None, 1, T0 + 301_000)
    producer.flush()
    return topic


CONDITIONS = [
    "origin = 'JFK'",
    "origin > 'LGA' AND delay <= 12.5",
    "origin IN ('JFK', 'ä') AND late = TRUE",
    "day >= DATE '2026-01-20' AND seats != 76",
    "delay IS NULL",
    "delay IS NOT NULL AND partition = 1 AND offset >= 20 AND offset < 70",
    f"timestamp >= TIMESTAMP '{dt.datetime.fromtimestamp(T0 / 1000 + 150, tz=dt.UTC).isoformat()}'",
]


@pytest.mark.parametrize("text", CONDITIONS)
def test_rows_are_those_that_spark_itself_finds(read, flights, text):
    everything = read().schema(SCHEMA).load()
    expected = sorted(everything.where(text).collect(), key=str)
    assert 0 < len(expected) < 202
    assert sorted(read(filter=text).schema(SCHEMA).load().collect(), key=str) == expected


def test_spark_pushes_its_filters_where_that_is_on(spark, read, flights):
    frame = read(pushFilters="true").schema(SCHEMA).load()
    plain = read().schema(SCHEMA).load()
    wanted = "seats >= 150 AND origin LIKE '%F%' AND partition = 0 AND (late OR delay < 20)"
    spark.conf.set(PUSHDOWN, "true")
    try:
        found = frame.where(wanted)
        assert sorted(found.collect(), key=str) == sorted(plain.where(wanted).collect(), key=str)
        assert found.count() > 0
        # One task: the other partition is not even planned.
        assert found.rdd.getNumPartitions() == 1
        # What is left for Spark to check is what could not be checked before.
        plan = found._jdf.queryExecution().executedPlan().toString()
        assert "seats" not in plan.split("Filter", 1)[1].split("\n", 1)[0]
    finally:
        spark.conf.unset(PUSHDOWN)
    with pytest.raises(Exception, match="DATA_SOURCE_PUSHDOWN_DISABLED"):
        read(pushFilters="true").schema(SCHEMA).load().where("seats = 1").collect()


def test_a_stream_ships_only_what_meets_the_filter(read_stream, spark, flights, unique):
    query = (
        read_stream(filter="origin = 'EWR' AND partition = 0")
        .schema("origin string, seats int, partition int")
        .load()
        .writeStream.format("memory")
        .queryName(f"filtered_{unique.replace('-', '_')}")
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(120)
    rows = spark.table(query.name).orderBy("seats").select("seats").collect()
    assert [row.seats for row in rows] == list(range(2, 200, 4))
    assert query.lastProgress.numInputRows == 50


def test_filters_are_not_pushed_to_streams():
    options = {"kafka.bootstrap.servers": "localhost:9092", "subscribe": "t", "pushFilters": "true"}
    with pytest.raises(ConfigError, match="pushFilters is for batch queries"):
        ReadOptions.parse(options, streaming=True)
