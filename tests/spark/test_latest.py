"""Option latestPerKey: a table equals what a plain walk over all records comes to."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

from barnabas.errors import ConfigError
from barnabas.spark import latest
from barnabas.spark.latest import latest_offsets
from barnabas.spark.options import ReadOptions
from barnabas.types import TopicPartition

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

PARTITION = TopicPartition("t", 3)


def batches_of(rows, size):
    """Batches of (key, value, offset)."""
    for start in range(0, len(rows), size):
        keys, values, offsets = zip(*rows[start : start + size], strict=True)
        yield pa.record_batch([pa.array(keys, pa.binary()), pa.array(values, pa.binary()), pa.array(offsets)], latest.KEYS.names)  # fmt: skip


@pytest.mark.parametrize("seed", range(30))
def test_the_latest_of_each_key_however_they_are_gathered(seed, monkeypatch):
    chance = random.Random(seed)  # noqa: S311 (seeded on purpose)
    monkeypatch.setattr(latest, "_ROWS_UNMERGED", chance.choice([1, 7, 100, 10_000]))
    offset, rows = 0, []
    for _ in range(chance.choice([0, 1, 50, 500])):
        offset += chance.choice([1, 1, 1, 1000])
        rows.append((b"%d" % chance.randrange(60), chance.choice([None, b"", b"v"]), offset))
    wanted = {key: (value, offset) for key, value, offset in rows}

    def found(keep_tombstones):
        batches = batches_of(rows, chance.choice([1, 13, 1000]))
        return latest_offsets(batches, PARTITION, keep_tombstones=keep_tombstones, skip_null_keys=False).to_pylist()

    assert found(True) == sorted(offset for _, offset in wanted.values())
    assert found(False) == sorted(offset for value, offset in wanted.values() if value is not None)


def test_records_without_a_key_are_refused_or_passed_over():
    rows = [(b"a", b"1", 5), (None, b"2", 6), (b"a", b"3", 7), (None, b"4", 8)]
    with pytest.raises(ConfigError, match=r"t-3 has a record without a key at offset 6.*key IS NOT NULL"):
        latest_offsets(batches_of(rows, 10), PARTITION, keep_tombstones=False, skip_null_keys=False)
    found = latest_offsets(batches_of(rows, 10), PARTITION, keep_tombstones=False, skip_null_keys=True)
    assert found.to_pylist() == [7]


@pytest.mark.parametrize(
    ("given", "streaming", "message"),
    [
        ({"latestPerKey": "true"}, True, "for batch queries"),
        ({"latestPerKey": "true", "minPartitions": "3"}, False, "minPartitions splits partitions"),
        ({"latestPerKey": "true", "maxRecordsPerPartition": "3"}, False, "maxRecordsPerPartition splits partitions"),
        ({"keepTombstones": "true"}, False, "for latestPerKey=true"),
    ],
)
def test_options_that_contradict_each_other(given, streaming, message):
    options = {"kafka.bootstrap.servers": "x:1", "subscribe": "t"} | given
    with pytest.raises(ConfigError, match=message):
        ReadOptions.parse(options, streaming=streaming)


@pytest.fixture
def changes(admin, producer, unique):
    """A topic of five partitions, one of them empty, and its records: (partition, offset, key, number or None)."""
    from barnabas import NewTopic  # noqa: PLC0415

    name = f"{unique}-table"
    # The records are older than topics of the reference keep them.
    admin.create_topics([NewTopic(name, num_partitions=5, configs={"retention.ms": "-1"})])
    chance, records, ends = random.Random(8), [], [0] * 4  # noqa: S311 (seeded on purpose)
    for _ in range(4000):
        partition, key = chance.randrange(4), b"k%d" % chance.randrange(300)
        number = chance.choice([None, chance.randrange(100), chance.randrange(100)])
        value = None if number is None else b'{"n": %d}' % number
        producer.send(name, value, key, partition, 1_700_000_000_000, [("of", b"%d" % ends[partition])])
        records.append((partition, ends[partition], key, number))
        ends[partition] += 1
    producer.flush()
    return name, records


def table_of(records, before=lambda _: True):
    """What a walk over the records comes to: the last of each partition and key."""
    return {(record[0], record[2]): record for record in records if before(record)}.values()


def test_a_table_is_what_a_plain_walk_comes_to(read, changes):
    topic, records = changes
    rows = read(subscribe=topic, latestPerKey="true", includeHeaders="true").load().collect()
    alive = sorted(record for record in table_of(records) if record[3] is not None)
    assert sorted((r.partition, r.offset, bytes(r.key), json.loads(r.value)["n"]) for r in rows) == alive
    assert all([tuple(header) for header in r.headers] == [("of", b"%d" % r.offset)] for r in rows)

    typed = read(subscribe=topic, latestPerKey="true", mode="FAILFAST")
    typed = typed.schema("partition int, offset bigint, key binary, n int")
    assert sorted((p, o, bytes(k), n) for p, o, k, n in typed.load().collect()) == alive

    every = (
        read(subscribe=topic, latestPerKey="true", keepTombstones="true").schema("partition int, value binary").load()
    )
    assert every.where("value IS NULL").count() == sum(record[3] is None for record in table_of(records))
    assert every.count() == len(table_of(records))


def test_conditions_are_on_the_table_and_never_on_what_was_overwritten(read, changes):
    topic, records = changes
    schema = "partition int, offset bigint, n int"

    def rows(condition, **options):
        found = read(subscribe=topic, latestPerKey="true", filter=condition, **options).schema(schema).load()
        return sorted(map(tuple, found.collect()))

    def walked(keep):
        alive = [(p, o, n) for p, o, _, n in table_of(records) if n is not None]
        return sorted(record for record in alive if keep(*record))

    assert rows("n >= 50 AND partition = 2") == walked(lambda p, _, n: n >= 50 and p == 2)
    # An early end would make records the latest that are not.
    assert rows("offset < 700") == walked(lambda _p, o, _n: o < 700)
    assert rows("offset >= 600 AND offset < 900") == walked(lambda _p, o, _n: 600 <= o < 900)
    # What ends a read does end the table.
    ending = json.dumps({topic: dict.fromkeys("01234", 500) | {"4": 0}})
    walk = sorted((p, o, n) for p, o, _, n in table_of(records, lambda record: record[1] < 500) if n is not None)
    assert rows("n >= 0", endingOffsets=ending) == walk


def test_what_was_overwritten_is_not_decoded(read, producer, topic):
    for key, value in ((b"a", b"broken"), (b"a", b'{"n": 1}'), (b"b", b'{"n": 2}'), (b"c", b"broken"), (b"c", None)):
        producer.send(topic, value, key, 0).result(10)
    table = read(latestPerKey="true", mode="FAILFAST").schema("key binary, n int").load()
    assert sorted((bytes(row.key), row.n) for row in table.collect()) == [(b"a", 1), (b"b", 2)]


def test_a_record_without_a_key_ends_the_read_unless_it_is_filtered_out(read, producer, topic):
    for key, value in ((b"a", b"1"), (None, b"2"), (b"a", b"3")):
        producer.send(topic, value, key, 1).result(10)
    with pytest.raises(PySparkException, match=f"{topic}-1 has a record without a key at offset 1"):
        read(latestPerKey="true").load().collect()
    rows = read(latestPerKey="true", filter="key IS NOT NULL").load().collect()
    assert [(bytes(row.key), bytes(row.value)) for row in rows] == [(b"a", b"3")]


def test_a_topic_without_records_is_an_empty_table(read):
    assert read(latestPerKey="true").load().collect() == []
