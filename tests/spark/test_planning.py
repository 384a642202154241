"""What the driver decides, without a Spark session: options, schemas, offsets, tasks."""

from __future__ import annotations

import itertools
import json
import pickle

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows
from pyspark.sql.types import BinaryType, IntegerType, LongType, StringType, StructField, StructType, TimestampType

from barnabas.errors import ConfigError, OffsetOutOfRangeError, UnknownTopicOrPartitionError
from barnabas.spark.offsets import BEGINNING, OffsetRange, check_ranges, from_json, to_json
from barnabas.spark.options import ROWS_PER_TASK, ReadOptions, WriteOptions
from barnabas.spark.planning import split_and_packed
from barnabas.spark.schemas import Decoding, schema_without_fields
from barnabas.spark.stream import BUSY_LOOK_S, IDLE_LOOK_S, StreamReader, _limited
from barnabas.types import TopicPartition

SERVERS = {"kafka.bootstrap.servers": "localhost:9092"}
A, B, C = (TopicPartition("t", partition) for partition in (0, 1, 10))


def copied(thing):
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - as Spark does


def options(*, streaming=False, **given):
    return ReadOptions.parse(SERVERS | {"subscribe": "t"} | given, streaming=streaming)


def test_defaults_are_those_of_spark_sql_kafka():
    batch, stream = options(), options(streaming=True)
    assert (batch.starting, batch.ending, stream.starting) == ("earliest", "latest", "latest")
    assert batch.fail_on_data_loss
    assert not batch.include_headers
    assert batch.idle_timeout_ms == 120_000
    assert batch.client == {"bootstrap.servers": "localhost:9092"}


def test_names_and_words_in_any_case():
    found = options(STARTINGOFFSETS="Earliest", failondataloss="FALSE", mode="failfast", FORMAT="JSON")
    assert (found.starting, found.fail_on_data_loss, found.mode, found.record_format) == (
        "earliest",
        False,
        "FAILFAST",
        "json",
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"subscribe": "a", "assign": "{}"}, "exactly one"),
        ({"subscribe": " , "}, "names no topic"),
        ({"subscribePattern": "a"}, "exactly one"),
        ({"subscribe": "", "subscribePattern": "a("}, "exactly one"),
        ({"minOffsetsPerTrigger": "2", "maxOffsetsPerTrigger": "1"}, "above maxOffsetsPerTrigger"),
        ({"maxTriggerDelay": "soon"}, "a time such as"),
        ({"sep": ";"}, "no meaning with format=json; it is one of format=csv"),
        ({"startingOffets": "earliest"}, "did you mean startingOffsets"),
        ({"frobnicate": "1"}, "unknown option frobnicate"),
        ({"topic": "t"}, r"option topic has no meaning here; did you mean subscribe\?"),
        ({"startingOffsets": "first"}, r"is earliest, latest or \{.*got 'first'"),
        ({"startingOffsets": "{"}, "no JSON"),
        ({"startingOffsets": '{"t": 1}'}, "looks like"),
        ({"startingOffsets": '{"t": {"0": -3}}'}, "looks like"),
        ({"startingOffsets": '{"t": {"0": true}}'}, "looks like"),
        ({"startingOffsets": '{"t": {"0": -1}}'}, "cannot be latest"),
        ({"startingOffsets": "latest"}, "nothing to read"),
        ({"endingOffsets": "earliest"}, "cannot be earliest"),
        ({"failOnDataLoss": "yes"}, "true or false"),
        ({"maxOffsetsPerTrigger": "0"}, "at least 1"),
        ({"maxOffsetsPerTrigger": "many"}, "whole number"),
        ({"mode": "IGNORE"}, "PERMISSIVE, FAILFAST, DROPMALFORMED"),
        ({"format": "protobuf"}, "raw, text, json, csv, avro"),
        ({"kafka.auto.offset.reset": "earliest"}, "use startingOffsets"),
        ({"kafka.bootstrap.server": "x"}, "bootstrap.servers"),
        ({"kafka.fetch.min.bytes": "few"}, "fetch.min.bytes"),
    ],
)
def test_wrong_options_are_refused(given, message):
    with pytest.raises(ConfigError, match=message):
        options(**given)


def test_options_that_spark_keeps_to_itself_are_told():
    with pytest.raises(ConfigError, match=r"subscribe are missing; in SQL use CREATE TEMPORARY VIEW"):
        ReadOptions.parse({"path": "/warehouse/records"}, streaming=False)


def test_a_stream_has_no_end():
    with pytest.raises(ConfigError, match="no end"):
        options(streaming=True, endingOffsets="latest")


def test_assigned_partitions():
    found = ReadOptions.parse(SERVERS | {"assign": '{"t": [1, 0, 1]}'}, streaming=False)
    assert (found.topics, found.partitions) == ((), (A, B))
    for wrong in ("[]", '{"t": 1}', '{"t": [-1]}', "{}", '{"t": [true]}'):
        with pytest.raises(ConfigError, match="assign"):
            ReadOptions.parse(SERVERS | {"assign": wrong}, streaming=False)


def test_options_travel():
    assert copied(options(kafkaColumns="offset")) == options(kafkaColumns=" offset,")
    assert WriteOptions.parse(SERVERS | {"topic": "t", "checkpointlocation": "/x"}).topic == "t"


def test_options_of_a_format_go_to_its_decoder():
    found = options(format="CSV", SEP=";", timestampformat="yyyy", mode="DropMalformed")
    assert found.format_options == {"sep": ";", "timestampFormat": "yyyy"}
    assert Decoding.choose(struct("a int"), found).format_options["mode"] == "DROPMALFORMED"
    with pytest.raises(ConfigError, match="sep"):
        Decoding.choose(struct("a int"), options(format="csv", sep=""))


def test_no_group_is_joined():
    assert options(**{"kafka.group.id": "g", "groupIdPrefix": "p"}).client == {"bootstrap.servers": "localhost:9092"}


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("90", 90),
        ("90ms", 90),
        ("2s", 2_000),
        ("15m", 900_000),
        ("3 min", 180_000),
        ("1h", 3_600_000),
        ("1d", 86_400_000),
    ],
)
def test_times_are_written_as_in_spark(text, milliseconds):
    assert options(streaming=True, maxTriggerDelay=text).trigger_delay_ms == milliseconds


def test_options_of_writes():
    found = WriteOptions.parse(SERVERS | {"format": "avro", "schemaid": "7", "dedupHeaders": "true"})
    assert (found.record_format, found.schema_id, found.dedup_headers) == ("avro", 7, True)
    for wrong, message in (
        ({"schemaId": "7"}, "for format=avro"),
        ({"subscribe": "t"}, r"no meaning here; did you mean topic\?"),
        ({"failOnDataLoss": "true"}, "no meaning here$"),
        ({"format": "csv"}, "raw, json, avro"),
        ({"ignoreNullFields": "true"}, "no meaning with format=raw; it is one of format=json"),
    ):
        with pytest.raises(ConfigError, match=message):
            WriteOptions.parse(SERVERS | wrong)


def test_offsets_are_written_in_a_fixed_order():
    assert json.dumps(to_json({C: 3, B: 2, A: 1, TopicPartition("s", 5): 0})) == (
        '{"s": {"5": 0}, "t": {"0": 1, "1": 2, "10": 3}}'
    )
    assert from_json('{"t": {"10": 3, "0": 1}}') == {A: 1, C: 3}


TYPES = {
    "binary": BinaryType(),
    "bigint": LongType(),
    "int": IntegerType(),
    "string": StringType(),
    "timestamp": TimestampType(),
}


def struct(schema):
    """The schema that a list of names and types stands for; Spark's own parser needs Java."""
    return StructType([StructField(name, TYPES[kind]) for name, kind in (one.split() for one in schema.split(","))])


def choose(schema, **given):
    found = Decoding.choose(struct(schema), options(**given))
    return found.raw_columns


def test_what_a_schema_means():
    assert choose("value binary, key binary, timestamp timestamp") is None
    assert choose("a int") == ()
    assert choose("a int, offset bigint, timestamp timestamp") == ("offset", "timestamp")
    assert choose("a int, offset int, timestamp string") == ()
    assert choose("a int, offset bigint, partition int", kafkaColumns="partition") == ("partition",)
    assert choose("offset bigint, partition int", kafkaColumns="partition") == ("partition",)
    assert choose("offset bigint", format="json") == ("offset",)
    with pytest.raises(ConfigError, match="none of Kafka's columns"):
        choose("a int", kafkaColumns="a")
    with pytest.raises(ConfigError, match=r"which the schema lacks: add `partition int`"):
        choose("a int, offset bigint", kafkaColumns="offset,partition")
    with pytest.raises(ConfigError, match="whose type is bigint"):
        choose("offset string", kafkaColumns="offset")
    with pytest.raises(ConfigError, match=r"column _corrupt_record .* as string or binary; the schema has it as int"):
        choose("a int, _corrupt_record int")
    assert choose("a int, _corrupt_record int", columnNameOfCorruptRecord="bad") == ()
    with pytest.raises(ConfigError, match=r"format=avro needs option avroSchema, .* or option schemaResolver"):
        choose("a int", format="avro")


def test_keys_and_values_as_text_are_not_taken_for_fields():
    for schema, name in (("value string", "value"), ("key string, value binary, offset bigint", "key")):
        with pytest.raises(ConfigError, match=rf"read it as binary and write string\({name}\).* or set format=json"):
            choose(schema)
    # Where there are other fields, or the user says so, they are fields of the values.
    assert choose("value string, a int") == ()
    assert choose("key string, offset bigint", format="json") == ("offset",)
    assert choose("value string", kafkaColumns="") == ()


def test_what_a_read_without_a_schema_has():
    def names(**given):
        return schema_without_fields(given).names

    all_but_headers = ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]
    assert names() == names(format="RAW") == all_but_headers
    assert names(includeHeaders="true") == [*all_but_headers, "headers"]
    assert names(kafkaColumns="offset, headers") == ["offset", "headers"]
    for given, message in (
        ({"format": "json"}, r"nothing says which: name them by \.schema\(\.\.\.\) or set inferSchema=true$"),
        ({"format": "avro"}, "or option avroSchema$"),
        ({"format": "text"}, r"name them by \.schema\(\.\.\.\)$"),
        ({"kafkaColumns": ","}, "names no column"),
        ({"kafkaColumns": "offsets"}, "none of Kafka's columns"),
    ):
        with pytest.raises(ConfigError, match=message):
            names(**given)


def test_small_ranges_share_a_task():
    ranges = [OffsetRange("t", number, 0, ROWS_PER_TASK // 4) for number in range(10)]
    tasks = split_and_packed([*ranges, OffsetRange("t", 10, 0, ROWS_PER_TASK * 3)], options(), {})
    assert [len(task.ranges) for task in tasks] == [4, 4, 2, 1]
    assert [piece for task in tasks for piece in task.ranges][:10] == ranges
    assert split_and_packed([], options(), {}) == []


def test_big_ranges_are_split_when_asked():
    ranges = [OffsetRange("t", 0, 5, 105), OffsetRange("t", 1, 0, 10)]
    for given in ({"maxRecordsPerPartition": "30"}, {"minPartitions": "7"}):
        tasks = split_and_packed(ranges, options(**given), {})
        pieces = [task.ranges[0] for task in tasks]
        assert len(tasks) >= 5
        for whole in ranges:
            parts = [piece for piece in pieces if piece.partition == whole.partition]
            assert (parts[0].start, parts[-1].end) == (whole.start, whole.end)
            assert all(one.end == other.start for one, other in itertools.pairwise(parts))
            assert all(len(part) > 0 for part in parts)
    tasks = split_and_packed(ranges, options(maxRecordsPerPartition="30"), {})
    assert all(len(piece) <= 30 for task in tasks for piece in task.ranges)


def test_ranges_are_split_and_packed_by_their_bytes():
    big, small, odd = OffsetRange("t", 0, 100, 1100), OffsetRange("t", 1, 0, 10), OffsetRange("t", 10, 0, 7)
    sizes = {A: 100.0, B: 100.0, C: 5000.0}

    def planned(target, **given):
        tasks = split_and_packed([big, small, odd], options(targetBytesPerTask=target, **given), sizes)
        return [[(piece.partition, piece.start, piece.end) for piece in task.ranges] for task in tasks]

    quarters = [[(0, start, start + 250)] for start in (100, 350, 600, 850)]
    assert planned("25000") == [*quarters, [(1, 0, 10), (10, 0, 3)], [(10, 3, 7)]]
    assert planned("1m") == [[(0, 100, 1100), (1, 0, 10), (10, 0, 7)]]
    assert planned("1m", targetRowsPerTask="20") == [[(0, 100, 1100)], [(1, 0, 10), (10, 0, 7)]]
    assert planned("25k", minPartitions="2")[:1] == [[(0, 100, 350)]]
    # One record is never split, however large; a table's partition is not either.
    assert planned("1")[-7:] == [[(10, n, n + 1)] for n in range(7)]
    assert planned("25000", latestPerKey="true") == [[(0, 100, 1100)], [(1, 0, 10)], [(10, 0, 7)]]
    # Of a partition whose size is not known only the rows count.
    (task,) = split_and_packed([big], options(targetBytesPerTask="1k"), {})
    assert task.ranges == (big,)


@pytest.mark.parametrize(
    ("text", "number"), [("90", 90), ("64k", 64 << 10), ("2MB", 2 << 20), (" 1 g ", 1 << 30), ("1t", 1 << 40)]
)
def test_bytes_are_written_as_in_spark(text, number):
    assert options(targetBytesPerTask=text).bytes_per_task == number
    for wrong in ("0", "-1", "1.5m", "much"):
        with pytest.raises(ConfigError, match="a number of bytes such as 64m"):
            options(targetBytesPerTask=wrong)


def test_lost_records_are_noticed():
    def check(*, lenient):
        return check_ranges({A: 5, B: 0}, {A: 10, B: 4}, {A: 7, B: 9}, fail_on_data_loss=not lenient)

    with pytest.raises(OffsetOutOfRangeError, match="offsets 5 to 7 are gone"):
        check(lenient=False)
    assert check(lenient=True) == [OffsetRange("t", 0, 7, 10)]
    with pytest.raises(OffsetOutOfRangeError, match="created anew"):
        check_ranges({A: 5}, {A: 3}, {A: 0}, fail_on_data_loss=True)
    assert check_ranges({A: 5}, {A: 3}, {A: 0}, fail_on_data_loss=False) == []
    assert check_ranges({A: 5}, {A: 5}, {A: 5}, fail_on_data_loss=True) == []


def test_a_limit_is_spread_by_what_waits():
    assert _limited({A: 0, B: 10}, {A: 100, B: 110}, 50) == {A: 25, B: 35}
    assert _limited({A: 0, B: 0}, {A: 90, B: 10}, 10) == {A: 9, B: 1}
    assert _limited({A: 0, B: 0}, {A: 3, B: 4}, 10) == {A: 3, B: 4}
    for rows in range(1, 20):
        found = _limited({A: 0, B: 0, C: 5}, {A: 7, B: 11, C: 8}, rows)
        assert sum(found.values()) - 5 == rows
        assert found[A] <= 7
        assert found[B] <= 11
        assert 5 <= found[C] <= 8


@pytest.fixture
def reader(bootstrap_servers, topic):
    """Makes stream readers of the test's topic, and stops them."""
    made = []

    def make(**given):
        asked = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": topic, **given}
        found = ReadOptions.parse({name: text for name, text in asked.items() if text is not None}, streaming=True)
        made.append(StreamReader(found, Decoding.choose(struct("offset bigint"), found)))
        return made[-1]

    yield make
    for one in made:
        one.stop()


def test_the_initial_offset_does_not_move(reader, producer, topic):
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    stream = reader()
    first = stream.initialOffset()
    assert first == {topic: {"0": 3, "1": 0}}
    producer.send_many(topic, [b"x"] * 4, partition=0).result(10)
    end = stream.latestOffset(first, ReadAllAvailable())
    producer.send_many(topic, [b"x"] * 4, partition=0).result(10)
    assert stream.initialOffset() == first
    [task] = stream.partitions(first, end)
    assert task.ranges == (OffsetRange(topic, 0, 3, 7),)
    assert [row for batch in stream.read(task) for row in batch.column(0).to_pylist()] == [3, 4, 5, 6]


def test_what_only_the_checkpoint_asks_for_is_refused_or_left_out(reader, producer, topic):
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    start = {"other": {"0": 5}, topic: {"0": 1, "1": 0}}
    for given, left in (
        ({}, "other-0"),
        ({"subscribe": None, "subscribePattern": topic}, "other-0"),
        ({"subscribe": None, "assign": json.dumps({topic: [0]})}, f"other-0|{topic}-1"),
    ):
        message = f"the checkpoint has offsets of ({left}), which the options do not ask for: .* failOnDataLoss=false"
        with pytest.raises(ConfigError, match=message):
            reader(**given).latestOffset(start, ReadAllAvailable())
    lenient = reader(failOnDataLoss="false")
    end = lenient.latestOffset(start, ReadAllAvailable())
    assert end == {topic: {"0": 3, "1": 0}}
    assert [task.ranges for task in lenient.partitions(start, end)] == [(OffsetRange(topic, 0, 1, 3),)]


def test_a_start_after_the_end_is_refused(reader, producer, topic):
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    stream = reader()
    with pytest.raises(OffsetOutOfRangeError):
        stream.partitions({topic: {"0": 3, "1": 0}}, {topic: {"0": 2, "1": 0}})


def test_the_start_is_pinned_before_the_first_batch_is_done(reader, producer, topic):
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    before = reader()
    start = before.initialOffset()
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    end = before.latestOffset(start, ReadAllAvailable())
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    # The query stops here. Its next run asks for the start again, and has the end from its checkpoint, as text.
    after = reader()
    assert after.initialOffset() == {topic: {"0": 9, "1": 0}}
    end = json.loads(json.dumps(end))
    assert [task.ranges for task in after.partitions(after.initialOffset(), end)] == [(OffsetRange(topic, 0, 3, 6),)]
    # The end of that batch is where the next one starts, word for word until there is more.
    following = after.latestOffset(end, ReadAllAvailable())
    assert following == {topic: {"0": 9, "1": 0}}
    assert [task.ranges for task in after.partitions(end, following)] == [(OffsetRange(topic, 0, 6, 9),)]
    assert after.latestOffset(following, ReadAllAvailable()) == following


def test_the_start_is_pinned_by_an_empty_first_batch(reader, producer, topic):
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    before = reader()
    end = before.latestOffset(before.initialOffset(), ReadAllAvailable())
    assert end == {topic: {"0": 3, "1": 0}, BEGINNING: {topic: {"0": 3, "1": 0}}}
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    after = reader()
    assert after.partitions(after.initialOffset(), end) == []
    assert after.latestOffset(end, ReadAllAvailable()) == {topic: {"0": 6, "1": 0}}


def test_what_is_read_by_a_pattern(bootstrap_servers, admin, producer, topic, reader):
    from barnabas import NewTopic  # noqa: PLC0415

    others = [f"{topic}-a1", f"{topic}-b22", f"{topic}-c"]
    admin.create_topics([NewTopic(name) for name in others])
    pattern = rf"\Q{topic}\E-\p{{Lower}}[0-9]++"
    stream = reader(subscribe=None, subscribePattern=pattern, startingOffsets="earliest")
    assert stream.initialOffset() == {others[0]: {"0": 0}, others[1]: {"0": 0}}


def test_few_records_are_held_back(reader, producer, topic, monkeypatch):
    now = 1000.0
    monkeypatch.setattr("barnabas.spark.stream.time.monotonic", lambda: now)
    monkeypatch.setattr("barnabas.spark.stream.time.sleep", lambda _: None)
    stream = reader(startingOffsets="earliest", minOffsetsPerTrigger="10", maxTriggerDelay="5m")
    start = stream.initialOffset()
    producer.send_many(topic, [b"x"] * 3, partition=0).result(10)
    first = stream.latestOffset(start, ReadAllAvailable())
    assert from_json(first) == {TopicPartition(topic, 0): 3, TopicPartition(topic, 1): 0}
    producer.send_many(topic, [b"x"] * 9, partition=0).result(10)
    assert stream.latestOffset(first, ReadAllAvailable()) == first
    now += 1
    producer.send_many(topic, [b"x"], partition=1).result(10)
    second = stream.latestOffset(first, ReadAllAvailable())
    assert second == {topic: {"0": 12, "1": 1}}
    producer.send_many(topic, [b"x"], partition=1).result(10)
    now += 299
    assert stream.latestOffset(second, ReadAllAvailable()) == second
    now += 1
    assert stream.latestOffset(second, ReadAllAvailable()) == {topic: {"0": 12, "1": 2}}


def test_an_idle_stream_asks_the_brokers_now_and_then(reader, producer, topic, monkeypatch):
    now = 1000.0
    monkeypatch.setattr("barnabas.spark.stream.time.monotonic", lambda: now)
    stream = reader()
    waited = []
    monkeypatch.setattr("barnabas.spark.stream.time.sleep", waited.append)
    monkeypatch.setattr(StreamReader, "_ends", lambda _: {TopicPartition(topic, 0): 0})
    start = {topic: {"0": 0}}
    assert stream.latestOffset(start, ReadAllAvailable()) is start
    now += 0.01
    assert stream.latestOffset(start, ReadAllAvailable()) is start
    now += 0.08
    assert stream.latestOffset(start, ReadAllAvailable()) is start
    assert waited == [pytest.approx(IDLE_LOOK_S - 0.01), 0.0]
    monkeypatch.setattr(StreamReader, "_ends", lambda _: {TopicPartition(topic, 0): 5})
    assert stream.latestOffset(start, ReadAllAvailable()) == {topic: {"0": 5}}


def test_a_stream_that_was_just_busy_asks_the_brokers_more_often(reader, topic, monkeypatch):
    now = 1000.0
    monkeypatch.setattr("barnabas.spark.stream.time.monotonic", lambda: now)
    stream = reader()
    waited = []
    monkeypatch.setattr("barnabas.spark.stream.time.sleep", waited.append)
    monkeypatch.setattr(StreamReader, "_ends", lambda _: {TopicPartition(topic, 0): 5})
    end = stream.latestOffset({topic: {"0": 0}}, ReadAllAvailable())
    for idle_s in (0.0, 0.4, 2.0, 2.0):
        now += idle_s
        assert stream.latestOffset(end, ReadAllAvailable()) is end
        assert stream.latestOffset(end, ReadAllAvailable()) is end
    # Each time twice: the first look comes late enough, the second one waits, the longer the longer nothing came.
    assert waited == [pytest.approx(pause) for pause in (BUSY_LOOK_S, 0.0, 0.02, 0.0, IDLE_LOOK_S, 0.0, IDLE_LOOK_S)]


def test_a_batch_is_limited_by_bytes(reader, producer, topic):
    producer.send_many(topic, [b"x" * 1000] * 100, partition=0).result(10)
    producer.send_many(topic, [b"x" * 1000] * 50, partition=1).result(10)
    stream = reader(startingOffsets="earliest", maxBytesPerTrigger="30k", targetBytesPerTask="7k")
    start = stream.initialOffset()
    end = stream.latestOffset(start, ReadAllAvailable())
    found = from_json(end)
    # A record takes a little more than its value.
    assert (found[TopicPartition(topic, 0)], found[TopicPartition(topic, 1)]) == (20, 10)
    assert [len(task.ranges) for task in stream.partitions(start, end)] == [1, 1, 1, 1, 1]
    assert from_json(stream.latestOffset(start, ReadMaxRows(3))) == {
        TopicPartition(topic, 0): 2,
        TopicPartition(topic, 1): 1,
    }
    slow = reader(startingOffsets="earliest", maxBytesPerTrigger="1")
    assert sum(from_json(slow.latestOffset(slow.initialOffset(), ReadAllAvailable())).values()) == 1


def test_available_now_ends_where_it_began(reader, producer, topic):
    producer.send_many(topic, [b"x"] * 3, partition=1).result(10)
    stream = reader(startingOffsets="earliest")
    stream.prepareForTriggerAvailableNow()
    producer.send_many(topic, [b"x"] * 3, partition=1).result(10)
    start = stream.initialOffset()
    assert stream.latestOffset(start, ReadMaxRows(2)) == {topic: {"0": 0, "1": 2}, BEGINNING: start}
    assert stream.latestOffset(start, ReadAllAvailable()) == {topic: {"0": 0, "1": 3}, BEGINNING: start}
    assert stream.reportLatestOffset() == {topic: {"0": 0, "1": 3}}


def test_a_new_topic_partition_is_read_from_its_start(reader, producer, topic):
    producer.send_many(topic, [b"x"] * 3, partition=1).result(10)
    stream = reader()
    start = {topic: {"0": 0}}  # as it was before partition 1 appeared
    end = stream.latestOffset(start, ReadAllAvailable())
    assert end == {topic: {"0": 0, "1": 3}}
    assert [task.ranges for task in stream.partitions(start, end)] == [(OffsetRange(topic, 1, 0, 3),)]


def test_a_topic_created_anew_is_noticed(bootstrap_servers, reader, admin, producer, topic):
    from barnabas import Consumer, NewTopic  # noqa: PLC0415

    producer.send_many(topic, [b"x"] * 5, partition=0).result(10)
    start = reader(startingOffsets="latest").initialOffset()
    admin.delete_topics([topic])
    admin.create_topics([NewTopic(topic, num_partitions=2)])
    # The reference answers before it knows the new topic. This one stays empty: nothing is sent to it meanwhile.
    with Consumer(bootstrap_servers=bootstrap_servers) as consumer:
        while len(consumer.partitions_for(topic)) < 2:
            pass
    strict = reader()
    with pytest.raises(OffsetOutOfRangeError, match="created anew"):
        strict.partitions(start, strict.latestOffset(start, ReadAllAvailable()))
    lenient = reader(failOnDataLoss="false")
    assert lenient.partitions(start, lenient.latestOffset(start, ReadAllAvailable())) == []


def test_a_topic_created_anew_with_fewer_partitions_is_noticed(reader, admin, producer, topic, bootstrap_servers):
    from barnabas import NewTopic, Producer  # noqa: PLC0415

    for partition in range(2):
        producer.send(topic, b"x", partition=partition).result(10)
    start = reader(startingOffsets="latest").initialOffset()
    admin.delete_topics([topic])
    admin.create_topics([NewTopic(topic, num_partitions=1)])
    with Producer(bootstrap_servers=bootstrap_servers) as anew:
        anew.send_many(topic, [b"x"] * 3, partition=0).result(10)
    # Whoever asked for the first offset of what is not there would wait for it a minute.
    soon = {"kafka.default.api.timeout.ms": "5000"}
    strict = reader(**soon)
    with pytest.raises(OffsetOutOfRangeError, match=r"the partition is gone.* failOnDataLoss=false") as caught:
        strict.partitions(start, strict.latestOffset(start, ReadAllAvailable()))
    assert caught.value.topic_partition == (topic, 1)
    lenient = reader(failOnDataLoss="false", **soon)
    end = lenient.latestOffset(start, ReadAllAvailable())
    assert end == {topic: {"0": 3}}
    for planned in (end, {topic: {"0": 3, "1": 1}}):
        assert [task.ranges for task in lenient.partitions(start, planned)] == [(OffsetRange(topic, 0, 1, 3),)]


def test_positions_must_name_the_partitions(reader, topic):
    for wrong in ({topic: {"0": 0}}, {topic: {"0": 0, "1": 0, "2": 0}}):
        with pytest.raises(UnknownTopicOrPartitionError, match="startingOffsets"):
            reader(startingOffsets=json.dumps(wrong)).initialOffset()


def test_a_reader_travels_without_its_connections(reader):
    stream = reader()
    stream.initialOffset()
    assert copied(stream).initialOffset() == stream.initialOffset()
