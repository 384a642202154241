"""Tables of Arrow, polars and pandas as records."""

import asyncio

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from reading import read

import barnabas
from barnabas import AsyncProducer, NewTopic, TopicPartition, errors


def table_of(count, **columns):
    return pa.table({"value": [b"%d" % number for number in range(count)]} | columns)


def by_partition(reader, topic, count, partitions=3):
    reader.assign([TopicPartition(topic, number) for number in range(partitions)])
    found = read(reader, count)
    return {number: [record for record in found if record.partition == number] for number in range(partitions)}


def test_every_column_of_a_row_arrives_where_the_row_says(producer, topic, consumer):
    headers = [[{"key": "a", "value": b"1"}, {"key": "b", "value": None}], None, []]
    table = pa.table(
        {
            "value": pa.array(["ä", None, "c"], pa.string()),
            "key": pa.array([b"k", b"l", None], pa.binary()),
            "headers": headers,
            "partition": pa.array([2, 0, 2], pa.int32()),
            "timestamp": pa.array([7, None, 9], pa.timestamp("ms")),
        }
    )
    batch = producer.send_table(topic, table)
    found = batch.result(timeout=10)
    assert [metadata[:3] for metadata in found] == [(topic, 2, 0), (topic, 0, 0), (topic, 2, 1)]
    assert (found[0].timestamp, found[2].timestamp) == (7, 9)
    assert found[1].timestamp > 1_700_000_000_000
    assert [batch[index].result() for index in (0, 1, -1)] == found
    rows = by_partition(consumer(), topic, 3)
    assert [(row.key, row.value, row.headers) for row in rows[2]] == [
        (b"k", "ä".encode(), [("a", b"1"), ("b", None)]),
        (None, b"c", []),
    ]
    assert [(row.key, row.value, row.timestamp == 7) for row in rows[0]] == [(b"l", None, False)]


def test_keys_go_where_send_puts_them_and_partitions_keep_the_rows_order(our_broker, unique):
    count = 20_000
    keys = [b"key-%d" % (number * 7919 % 1000) if number % 5 else None for number in range(count)]
    with barnabas.Admin(bootstrap_servers=our_broker) as admin:
        admin.create_topics([NewTopic(unique, num_partitions=7)])
    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        batch = producer.send_table(unique, table_of(count, key=keys))
        found = batch.result(timeout=30)
        placed = {key: producer.send(unique, b"", key=key).result(10).partition for key in set(keys[:50]) - {None}}
    assert len(batch) == count
    assert all(found[row].partition == placed[keys[row]] for row in range(count) if keys[row] in placed)
    with barnabas.Consumer(bootstrap_servers=our_broker, auto_offset_reset="earliest") as reader:
        rows = by_partition(reader, unique, count + len(placed), 7)
    for partition, records in rows.items():
        sent = [int(record.value) for record in records if record.value]
        keyed = [row for row in sent if keys[row] is not None]
        assert keyed == sorted(keyed)
        for record in records:
            if record.value:
                row = int(record.value)
                assert (found[row].partition, found[row].offset, record.key) == (partition, record.offset, keys[row])


@pytest.mark.parametrize("make", [pa.table, pl.DataFrame, pd.DataFrame, lambda given: pa.table(given).to_reader()])
def test_any_library_and_a_stream(producer, topic, consumer, make):
    data = {"key": ["a", "b", "a"], "value": ["1", "2", None]}
    producer.send_table(topic, make(data), partition=1).result(timeout=10)
    reader = consumer()
    reader.assign([TopicPartition(topic, 1)])
    assert [(row.key, row.value) for row in read(reader, 3)] == [(b"a", b"1"), (b"b", b"2"), (b"a", None)]


def test_a_data_frame_with_an_index_of_its_own(producer, topic):
    frame = pd.DataFrame({"value": ["1", "2", "3"]}).iloc[[2, 0]]
    assert len(producer.send_table(topic, frame).result(timeout=10)) == 2


def test_rows_may_name_their_topics(our_broker, unique):
    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        topics = pa.array([f"{unique}-a", f"{unique}-b", None]).dictionary_encode()
        found = producer.send_table(f"{unique}-c", table_of(3, topic=topics)).result(timeout=30)
        assert [metadata.topic for metadata in found] == [f"{unique}-{letter}" for letter in "abc"]
        with pytest.raises(ValueError, match="row 2 has no topic"):
            producer.send_table(None, table_of(3, topic=topics))
        with pytest.raises(ValueError, match="no column topic"):
            producer.send_table(None, table_of(3))


def test_a_row_that_cannot_be_sent_stops_its_batch_before_it_is_sent(our_broker, unique):
    with barnabas.Producer(bootstrap_servers=our_broker, max_request_size=10_000) as producer:
        producer.send(unique, b"first").result(10)
        with pytest.raises(ValueError, match="there is no partition 9"):
            producer.send_table(unique, table_of(3, partition=pa.array([0, 0, 9])))
        with pytest.raises(ValueError, match="partition"):
            producer.send_table(unique, table_of(3, partition=pa.array([0, -1, 0])))
        with pytest.raises(errors.RecordTooLargeError):
            producer.send_table(unique, pa.table({"value": [b"x", b"x" * 20_000]}))
        with pytest.raises(ValueError, match="other"):
            producer.send_table(unique, table_of(2, other=[1, 2]))
        with pytest.raises(TypeError, match="not a table"):
            producer.send_table(unique, [b"x"])
        with pytest.raises(TypeError, match="value"):
            producer.send_table(unique, pa.table({"value": [1, 2]}))
        assert len(producer.send_table(unique, table_of(0))) == 0
        assert producer.send(unique, b"second").result(10).offset == 1


def test_a_stream_that_breaks_off_says_so(producer, topic):
    def batches():
        yield table_of(2).to_batches()[0]
        raise ZeroDivisionError("on purpose")

    reader = pa.RecordBatchReader.from_batches(table_of(2).schema, batches())
    with pytest.raises(ValueError, match=r"broke off.*on purpose"):
        producer.send_table(topic, reader)


def test_a_table_larger_than_the_memory_waits_for_room(our_broker, unique):
    options = {"buffer_memory": 1 << 20, "batch_size": 1 << 16}
    table = pa.table({"key": [b"%d" % (number % 10) for number in range(100_000)], "value": [b"x" * 100] * 100_000})
    with barnabas.Producer(bootstrap_servers=our_broker, **options) as producer:
        batch = producer.send_table(unique, table)
        assert len(batch) == 100_000
        producer.flush(30)
        assert batch.done()
        assert producer.metrics()["records_acknowledged"] == 100_000

    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker, **options) as producer:
            batch = await producer.send_table(unique, table)
            found = await batch
            assert len(batch) == len(found) == 100_000
            assert len({metadata.offset for metadata in found}) == 100_000

    asyncio.run(main())
