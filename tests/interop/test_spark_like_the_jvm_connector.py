"""Our Spark connector and Spark's own read the same topics alike, from our broker and from the reference Kafka."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient
from ledger import COMPACTED, LEDGER, OPEN_AT, ledgers

from barnabas import Admin, NewTopic, Producer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]

START_MS = 1_700_000_000_000
PER_PARTITION = 120


@pytest.fixture
def topic(bootstrap_servers: str) -> str:
    """A topic with gaps: three codecs, headers, nulls, times that run on, and a beginning that is deleted."""
    name = f"compared-{uuid.uuid4().hex[:8]}"
    with Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.create_topics([NewTopic(name, num_partitions=2, configs={"retention.ms": "-1"})])
        for codec in ("none", "lz4", "zstd"):
            with Producer(bootstrap_servers=bootstrap_servers, compression_type=codec) as producer:
                for number in range(PER_PARTITION // 3):
                    at = START_MS + {"none": 0, "lz4": 1000, "zstd": 2000}[codec] + number
                    headers = [("n", b"%d" % number), ("n", None)] if number % 5 == 0 else None
                    for partition in (0, 1):
                        producer.send(
                            name,
                            None if number % 7 == 0 else b'{"n": %d, "word": "w%d"}' % (number, partition),
                            key=None if number % 3 == 0 else b"k%d" % number,
                            partition=partition,
                            headers=headers,
                            timestamp=at,
                        )
    delete_until(bootstrap_servers, name, 10)
    return name


def delete_until(servers: str, topic: str, offset: int) -> None:
    """Deletes the first records of partition 1."""
    deleting = AdminClient({"bootstrap.servers": servers})
    for future in deleting.delete_records([TopicPartition(topic, 1, offset)]).values():
        future.result(30)


@pytest.fixture
def both(spark: SparkSession, bootstrap_servers: str, topic: str) -> Callable[..., tuple[DataFrame, DataFrame]]:
    """The same read with both connectors; keywords are options."""

    def read(**options: str) -> tuple[DataFrame, DataFrame]:
        given = {"kafka.bootstrap.servers": bootstrap_servers, **options}
        if not {"subscribe", "subscribePattern", "assign"} & set(given):
            given["subscribe"] = topic
        ours, theirs = (spark.read.format(name).options(**given).load() for name in ("barnabas", "kafka"))
        return ours, theirs

    return read


def rows(frame: DataFrame) -> list[tuple]:
    return sorted((tuple(row) for row in frame.collect()), key=lambda row: (row[2], row[3], row[4]))


def test_batches(both, topic):
    starts = json.dumps({topic: {"0": 17, "1": -2}})
    ends = json.dumps({topic: {"0": -1, "1": 77}})
    times = json.dumps({topic: {"0": START_MS + 1005, "1": START_MS}})
    later = json.dumps({topic: {"0": START_MS + 2005, "1": START_MS + 9_000_000}})
    for options in (
        {},
        {"includeHeaders": "true"},
        {"startingOffsets": starts, "endingOffsets": ends},
        {"assign": json.dumps({topic: [1]}), "startingOffsets": json.dumps({topic: {"1": 20}})},
        {"subscribePattern": topic[:-1] + "[0-9a-f]"},
        {"startingOffsetsByTimestamp": times, "endingOffsetsByTimestamp": later},
        {"startingTimestamp": str(START_MS + 1000), "endingTimestamp": str(START_MS + 2000)},
        {"minPartitions": "7"},
        {"maxRecordsPerPartition": "13"},
        {"startingOffsets": json.dumps({topic: {"0": 0, "1": 3}}), "failOnDataLoss": "false"},
    ):
        ours, theirs = both(**options)
        assert ours.schema == theirs.schema, options
        expected = rows(theirs)
        assert expected, options
        assert rows(ours) == expected, options


def test_what_is_refused_is_refused_by_both(both, topic):
    for options in (
        {"startingOffsets": "latest"},
        {"endingOffsets": "earliest"},
        {"subscribe": f"{topic}-not-there"},
        {"startingOffsets": json.dumps({topic: {"0": 1}})},
        {"startingOffsets": json.dumps({topic: {"0": 0, "1": 3}})},
        {"startingTimestamp": str(START_MS + 10_000_000)},
        {"kafka.auto.offset.reset": "earliest"},
        {"kafka.enable.auto.commit": "true"},
        {"minPartitions": "0"},
    ):
        for frame in both_or_error(both, options):
            with pytest.raises(Exception):  # noqa: B017, PT011 (each has its own words and classes)
                frame()


def both_or_error(both, options):
    """Two ways to run the read, whose making may fail already."""
    return [lambda index=index: both(**options)[index].collect() for index in (0, 1)]


def test_streams_plan_the_same_offsets(spark, bootstrap_servers, topic, tmp_path):
    planned = {}
    for name in ("barnabas", "kafka"):
        reader = (
            spark.readStream.format(name)
            .option("kafka.bootstrap.servers", bootstrap_servers)
            .option("subscribe", topic)
        )
        reader = reader.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", "50")
        writer = reader.load().writeStream.format("noop").option("checkpointLocation", str(tmp_path / name))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        ends = [json.loads(progress["sources"][0]["endOffset"])[topic] for progress in query.recentProgress]
        read = [progress["numInputRows"] for progress in query.recentProgress]
        planned[name] = (ends, read)
    assert planned["barnabas"][0][-1] == planned["kafka"][0][-1] == {"0": PER_PARTITION, "1": PER_PARTITION}
    assert sum(planned["barnabas"][1]) == sum(planned["kafka"][1]) == 2 * PER_PARTITION - 10
    # The JVM connector rounds a partition's share down; ours uses the limit up.
    for ends, read in planned.values():
        assert all(rows <= 50 for rows in read)
        assert len(ends) == 5


def streamed(spark: SparkSession, source: str, checkpoint: Path, **options: str) -> tuple[list[tuple], list[dict]]:
    """The rows of a run of a stream, and the progress of its batches."""
    found: list[tuple] = []
    reader = spark.readStream.format(source).options(startingOffsets="earliest", **options)
    writer = reader.load().writeStream.foreachBatch(lambda frame, _: found.extend(map(tuple, frame.collect())))
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    query.awaitTermination()
    return sorted(found, key=lambda row: (row[2], row[3], row[4])), query.recentProgress


def ends(progress: list[dict[str, Any]]) -> list[dict[str, dict[str, int]]]:
    """Where batches ended; ours has the start beside the first end."""
    found = [json.loads(one["sources"][0]["endOffset"]) for one in progress]
    return [{topic: offsets for topic, offsets in one.items() if not topic.startswith("$")} for one in found]


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Kafka's address, and that of our broker, which has the data that Kafka wrote."""
    with ledgers(tmp_path_factory.mktemp("ledgers")) as found:
        yield found


@pytest.mark.parametrize("server", ["kafka", "barnabas"])
@pytest.mark.parametrize("isolation", ["read_uncommitted", "read_committed"])
def test_transactions_and_compaction(spark, addresses, tmp_path, server, isolation):
    always = {"kafka.bootstrap.servers": addresses[server], "kafka.isolation.level": isolation}
    values = {}
    for number, options in enumerate(
        (
            {"subscribe": LEDGER},
            {"subscribe": COMPACTED},
            {"subscribe": f"{LEDGER},{COMPACTED}", "minPartitions": "20"},
            {"subscribe": LEDGER, "maxRecordsPerPartition": "3"},
            # Between them are control records, and records of transactions that were aborted.
            {"assign": json.dumps({LEDGER: [1]}), "startingOffsets": json.dumps({LEDGER: {"1": 5}}), "endingOffsets": json.dumps({LEDGER: {"1": 29}})},
        )
    ):  # fmt: skip
        ours, theirs = (spark.read.format(name).options(**always, **options).load() for name in ("barnabas", "kafka"))
        expected = rows(theirs)
        assert rows(ours) == expected, options
        values[number] = {bytes(row[1]).split()[0] for row in expected}
    is_committed = isolation == "read_committed"
    assert values[0] == {b"committed", b"plain"} | (set() if is_committed else {b"aborted", b"open", b"behind"})
    assert values[1] >= {b"committed", b"plain"}

    for topic in (LEDGER, COMPACTED):
        found = {}
        for name in ("barnabas", "kafka"):
            options = {"subscribe": topic, "maxOffsetsPerTrigger": "1000"}
            read, progress = streamed(spark, name, tmp_path / f"{name}-{topic}", **always, **options)
            found[name] = (read, ends(progress), [one["numInputRows"] for one in progress])
        assert found["barnabas"] == found["kafka"]
        assert found["kafka"][0]


@pytest.mark.parametrize("server", ["kafka", "barnabas"])
def test_what_is_not_stable_is_waited_for_in_vain_by_both(spark, addresses, server):
    options = {"kafka.bootstrap.servers": addresses[server], "kafka.isolation.level": "read_committed"}
    beyond = {"assign": json.dumps({LEDGER: [0]}), "endingOffsets": json.dumps({LEDGER: {"0": OPEN_AT + 2}})}
    for name in ("barnabas", "kafka"):
        frame = spark.read.format(name).options(**options, **beyond, **{"kafkaConsumer.pollTimeoutMs": "1000"}).load()
        with pytest.raises(Exception, match=r"(?i)time|1000|wait"):
            frame.collect()


def test_streams_notice_alike_that_records_are_gone(spark, bootstrap_servers, topic, tmp_path):
    from pyspark.errors import StreamingQueryException  # noqa: PLC0415

    always = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": topic, "maxOffsetsPerTrigger": "60"}
    with Admin(bootstrap_servers=bootstrap_servers) as admin, Producer(bootstrap_servers=bootstrap_servers) as producer:
        for name in ("barnabas", "kafka"):
            for strict in ("true", "false"):
                streamed(spark, name, tmp_path / f"{name}-{strict}", **always)
        producer.send_many(topic, [b"more"] * 40, partition=1).result(30)
        delete_until(bootstrap_servers, topic, PER_PARTITION + 25)
        again = {}
        for name in ("barnabas", "kafka"):
            with pytest.raises(StreamingQueryException):
                streamed(spark, name, tmp_path / f"{name}-true", **always)
            read, progress = streamed(spark, name, tmp_path / f"{name}-false", **always, failOnDataLoss="false")
            again[name] = (read, ends(progress)[-1])
        assert again["barnabas"] == again["kafka"]
        assert [row[4] for row in again["kafka"][0]] == [*range(PER_PARTITION + 25, PER_PARTITION + 40)]

        # The topic is another one now, which ends before where the streams are.
        admin.delete_topics([topic])
        admin.create_topics([NewTopic(topic, num_partitions=2)])
        producer.send_many(topic, [b"new"] * 5, partition=0).result(30)
        for name in ("barnabas", "kafka"):
            with pytest.raises(StreamingQueryException):
                streamed(spark, name, tmp_path / f"{name}-false", **always)


def test_streams_refuse_alike_to_forget_a_topic(spark, bootstrap_servers, topic, tmp_path):
    from pyspark.errors import StreamingQueryException  # noqa: PLC0415

    first, second, third = topics = [f"{topic}-{which}" for which in ("first", "second", "third")]
    with Admin(bootstrap_servers=bootstrap_servers) as admin, Producer(bootstrap_servers=bootstrap_servers) as producer:
        admin.create_topics([NewTopic(name, 1) for name in topics])
        for name in topics:
            producer.send_many(name, [b"x"] * 3).result(30)
    always = {"kafka.bootstrap.servers": bootstrap_servers}
    for name in ("barnabas", "kafka"):
        streamed(spark, name, tmp_path / name, subscribe=f"{first},{second}", **always)
        more, _ = streamed(spark, name, tmp_path / name, subscribe=",".join(topics), **always)
        assert {row[2] for row in more} == {third}
        # Spark's own has planned the batch by then, and goes on with nothing but failOnDataLoss=false.
        with pytest.raises(StreamingQueryException):
            streamed(spark, name, tmp_path / name, subscribe=first, **always)
        forgotten, _ = streamed(spark, name, tmp_path / name, subscribe=first, failOnDataLoss="false", **always)
        assert forgotten == []


def test_what_one_writes_the_other_reads(spark, bootstrap_servers, topic):
    made = spark.range(200).selectExpr(
        "string(id) AS key",
        "if(id % 9 = 0, null, concat('v', id)) AS value",
        "array(struct('h' AS key, binary('x') AS value)) AS headers",
    )
    stored = {}
    for name in ("barnabas", "kafka"):
        with Admin(bootstrap_servers=bootstrap_servers) as admin:
            admin.create_topics([NewTopic(f"{topic}-{name}", num_partitions=3)])
        writer = (
            made.write.format(name)
            .option("kafka.bootstrap.servers", bootstrap_servers)
            .option("topic", f"{topic}-{name}")
        )
        writer.option("includeHeaders", "true").mode("append").save()
        other = {"barnabas": "kafka", "kafka": "barnabas"}[name]
        reader = (
            spark.read.format(other)
            .option("kafka.bootstrap.servers", bootstrap_servers)
            .option("includeHeaders", "true")
        )
        frame = reader.option("subscribe", f"{topic}-{name}").load().select("key", "value", "partition", "headers")
        stored[name] = sorted(map(tuple, frame.collect()), key=lambda row: bytes(row[0]))
    # Keys go to the same partitions, too.
    assert stored["barnabas"] == stored["kafka"]
    assert len(stored["kafka"]) == 200
