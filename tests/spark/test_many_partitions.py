"""A topic of 500 partitions: few tasks, all records, few requests."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

PARTITIONS = 500


@pytest.fixture
def wide(admin, producer, unique):
    """The name of a topic of 500 partitions with three records in every other one, named by partition and offset."""
    from barnabas import NewTopic  # noqa: PLC0415

    name = f"{unique}-wide"
    admin.create_topics([NewTopic(name, num_partitions=PARTITIONS)])
    for partition in range(0, PARTITIONS, 2):
        producer.send_many(name, [b'{"p": %d, "n": %d}' % (partition, n) for n in range(3)], partition=partition)
    producer.flush()
    return name


def test_a_topic_of_500_partitions_is_one_task(read, wide):
    frame = read(subscribe=wide).schema("p int, n int, partition int, offset bigint").load()
    assert frame.rdd.getNumPartitions() == 1
    found = sorted(map(tuple, frame.collect()))
    assert found == [(p, n, p, n) for p in range(0, PARTITIONS, 2) for n in range(3)]
    spread = read(subscribe=wide, targetRowsPerTask="100").load()
    assert spread.rdd.getNumPartitions() == 8
    assert spread.count() == 750
    narrowed = read(subscribe=wide, filter="partition IN (4, 5, 499) AND offset >= 1").load()
    assert sorted((row.partition, row.offset) for row in narrowed.collect()) == [(4, 1), (4, 2)]


def test_a_stream_of_500_partitions(read_stream, producer, wide, tmp_path):
    seen = []
    stream = read_stream(subscribe=wide, maxOffsetsPerTrigger="300").schema("partition int, offset bigint").load()

    def run():
        query = stream.writeStream.foreachBatch(lambda rows, _: seen.append(sorted(map(tuple, rows.collect()))))
        query.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start().awaitTermination()

    run()
    assert [len(rows) for rows in seen] == [300, 300, 150]
    assert sorted(row for rows in seen for row in rows) == [(p, n) for p in range(0, PARTITIONS, 2) for n in range(3)]
    producer.send_many(wide, [b"{}"] * 2, partition=499).result(10)
    run()
    assert seen[3:] == [[(499, 0), (499, 1)]]


def test_a_table_and_a_sample_of_500_partitions(read, wide):
    assert read(subscribe=wide, inferSchema="true", samplingRecords="500").load().columns == ["n", "p"]
    table = read(subscribe=wide, latestPerKey="true", filter="key IS NOT NULL").load()
    assert table.count() == 0
