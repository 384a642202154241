"""Partitioners, serializers and interceptors of producers."""

import asyncio
import struct

import confluent_kafka
import numpy as np
import pyarrow as pa
import pytest
from reading import read

import barnabas
from barnabas import AsyncProducer, NewTopic, TopicPartition, errors
from barnabas.client import ProducerRecord, TraceContext, by_column

KEYS = [b"", b"a", b"kafka", b"giberish123456789", bytes(range(256)), *(b"key-%d" % number for number in range(200))]


@pytest.fixture
def wide(our_broker, unique):
    with barnabas.Admin(bootstrap_servers=our_broker) as admin:
        admin.create_topics([NewTopic(unique, num_partitions=17)])
    return unique


def partitions(our_broker, topic, keys, **options):
    with barnabas.Producer(bootstrap_servers=our_broker, **options) as producer:
        one_by_one = [producer.send(topic, b"", key=key) for key in keys]
        many = producer.send_many(topic, [b""] * len(keys), keys=keys)
        rows = producer.send_table(topic, pa.table({"key": pa.array(keys, pa.binary()), "value": [b""] * len(keys)}))
        return [[delivery.result(10).partition for delivery in batch] for batch in (one_by_one, many, rows)]


@pytest.mark.parametrize(
    ("name", "oracle"),
    [
        ("murmur2_random", confluent_kafka.murmur2),
        ("murmur2", confluent_kafka.murmur2),
        ("consistent", confluent_kafka.consistent),
        ("consistent_random", confluent_kafka.consistent),
        ("fnv1a_random", confluent_kafka.fnv1a),
    ],
)
def test_keys_go_where_librdkafka_puts_them(our_broker, wide, name, oracle):
    keys = [key for key in KEYS if key or name != "consistent_random"]
    expected = [oracle(key, 17) for key in keys]
    assert partitions(our_broker, wide, keys, partitioner=name) == [expected] * 3


def test_a_key_of_none_is_hashed_where_the_name_says_so(our_broker, wide):
    (one, many, rows) = partitions(our_broker, wide, [None] * 40, partitioner="consistent")
    assert set(one + many + rows) == {0}


def test_round_robin_takes_every_partition_in_turn(our_broker, wide):
    for found in partitions(our_broker, wide, [b"same"] * 34, partitioner_class="round_robin"):
        assert sorted(found) == sorted([*range(17), *range(17)])
        assert found[:17] == found[17:]


def test_a_callable_chooses_for_one_record_for_many_and_for_tables(our_broker, wide):
    asked = []

    def by_length(topic, key, count):
        asked.append((topic, count))
        return None if key is None else len(key) % count

    keys = [b"x" * length for length in range(40)]
    expected = [length % 17 for length in range(40)]
    assert partitions(our_broker, wide, keys, partitioner_class=by_length) == [expected] * 3
    assert set(asked) == {(wide, 17)}
    vectorised = by_column(lambda _, keys, count: np.array([len(key) for key in keys]) % count)
    assert partitions(our_broker, wide, keys, partitioner_class=vectorised) == [expected] * 3

    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker, partitioner_class=vectorised) as producer:
            found = await (await producer.send_many(wide, [b""] * 40, keys=keys))
            assert [metadata.partition for metadata in found] == expected
            assert (await (await producer.send(wide, b"", key=b"xyz"))).partition == 3
            named = await producer.send(wide, b"", key=b"xyz", partition=5)
            assert (await named).partition == 5

    asyncio.run(main())


@pytest.mark.parametrize("answer", [17, -1, "0", 1.0])
def test_a_callable_that_chooses_nonsense_is_refused(our_broker, wide, answer):
    with barnabas.Producer(bootstrap_servers=our_broker, partitioner_class=lambda *_: answer) as producer:
        with pytest.raises(ValueError, match="which has 17 partitions: return a number from 0 to 16"):
            producer.send(wide, b"")
        with pytest.raises(ValueError, match="return a number from 0 to 16"):
            producer.send_many(wide, [b""])


@pytest.mark.parametrize(
    ("name", "value", "made"),
    [
        ("str", "ä", "ä".encode()),
        ("int", -2, struct.pack(">i", -2)),
        ("long", 1 << 40, struct.pack(">q", 1 << 40)),
        ("double", 0.5, struct.pack(">d", 0.5)),
        ("json", {"a": [1, "ä"]}, '{"a":[1,"ä"]}'.encode()),
        ("bytes", b"x", b"x"),
        ("org.apache.kafka.common.serialization.LongSerializer", 7, struct.pack(">q", 7)),
    ],
)
def test_serializers_by_name(our_broker, unique, consumer, name, value, made):
    options = {"value_serializer": name, "key_serializer": name}
    with barnabas.Producer(bootstrap_servers=our_broker, **options) as producer:
        producer.send(unique, value, key=value, partition=0).result(10)
        producer.send_many(unique, [value, None], partition=0)
    with barnabas.Consumer(bootstrap_servers=our_broker, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(unique, 0)])
        assert [(record.key, record.value) for record in read(reader, 3)] == [(made, made), (None, made), (None, None)]


@pytest.mark.parametrize(("name", "value"), [("str", 7), ("int", 1 << 31), ("long", "1"), ("json", object())])
def test_a_value_that_a_named_serializer_refuses(our_broker, unique, name, value):
    refused = pytest.raises(errors.SerializationError, match="does not fit its serializer")
    with barnabas.Producer(bootstrap_servers=our_broker, value_serializer=name) as producer, refused:
        producer.send(unique, value)


class Recording:
    def __init__(self, name, calls):
        self.name, self.calls = name, calls

    def on_send(self, record):
        self.calls.append((self.name, "send", record.value))
        return record._replace(value=record.value + self.name, headers=[*(record.headers or ()), (self.name, b"1")])

    def on_acknowledgement(self, metadata, error):
        self.calls.append((self.name, type(error).__name__, metadata.offset))

    def on_send_table(self, topic, table):
        return table.append_column("headers", pa.array([[{"key": self.name, "value": b"t"}]] * table.num_rows))

    def close(self):
        self.calls.append((self.name, "close", None))


class Broken:
    def on_send(self, record):
        raise ZeroDivisionError("on_send on purpose")

    def on_acknowledgement(self, metadata, error):
        raise ZeroDivisionError("on_acknowledgement on purpose")

    def close(self):
        raise ZeroDivisionError("close on purpose")


def test_interceptors_are_a_chain_before_the_serializers(our_broker, unique, caplog):
    calls = []
    chain = [Recording("a", calls), Broken(), Recording("b", calls)]
    options = {"interceptor_classes": chain, "value_serializer": "str", "max_request_size": 10_000}
    with barnabas.Producer(bootstrap_servers=our_broker, **options) as producer:
        producer.send(unique, "1", partition=0).result(10)
        producer.send_many(unique, ["2", "3"], partition=0).result(10)
        with pytest.raises(errors.RecordTooLargeError):
            producer.send(unique, "x" * 20_000, partition=0)
    assert [call for call in calls if call[1] == "send"][:2] == [("a", "send", "1"), ("b", "send", "1a")]
    acknowledged = [call for call in calls if call[0] == "b" and call[1] == "NoneType"]
    assert acknowledged == [("b", "NoneType", offset) for offset in range(3)]
    assert [call for call in calls if call[1] == "RecordTooLargeError"] == [
        ("a", "RecordTooLargeError", -1),
        ("b", "RecordTooLargeError", -1),
    ]
    assert calls[-2:] == [("a", "close", None), ("b", "close", None)]
    for what in ("on_send", "on_acknowledgement", "close"):
        assert f"{what} on purpose" in caplog.text
    with barnabas.Consumer(bootstrap_servers=our_broker, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(unique, 0)])
        found = read(reader, 3)
    assert [record.value for record in found] == [b"1ab", b"2ab", b"3ab"]
    assert found[0].headers == [("a", b"1"), ("b", b"1")]


def test_interceptors_of_the_asynchronous_producer(our_broker, unique):
    calls = []

    async def main():
        async with AsyncProducer(
            bootstrap_servers=our_broker, interceptor_classes=[Recording("a", calls)], value_serializer="str"
        ) as producer:
            await (await producer.send(unique, "1", partition=0))
            await (await producer.send_many(unique, ["2"], partition=0))
            await (await producer.send_table(unique, pa.table({"value": ["3"]}), partition=0))
        return [call for call in calls if call[1] == "NoneType"]

    assert asyncio.run(main()) == [("a", "NoneType", 0), ("a", "NoneType", 1)]
    with barnabas.Consumer(bootstrap_servers=our_broker, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(unique, 0)])
        assert [record.headers for record in read(reader, 3)] == [[("a", b"1")], [("a", b"1")], [("a", b"t")]]


def test_trace_context_gives_headers_that_w3c_defines(our_broker, unique):
    given = iter(["00-" + "1" * 32 + "-" + "2" * 16 + "-01", ("00-" + "3" * 32 + "-" + "4" * 16 + "-00", "a=b"), None])
    with barnabas.Producer(
        bootstrap_servers=our_broker, interceptor_classes=[TraceContext(lambda: next(given))]
    ) as producer:
        producer.send_many(unique, [b"1", b"2", b"3"], partition=0)
        producer.send(unique, b"4", partition=0, headers=[("traceparent", b"mine")])
    with barnabas.Consumer(bootstrap_servers=our_broker, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(unique, 0)])
        headers = [record.headers for record in read(reader, 4)]
    assert headers == [
        [("traceparent", b"00-" + b"1" * 32 + b"-" + b"2" * 16 + b"-01")],
        [("traceparent", b"00-" + b"3" * 32 + b"-" + b"4" * 16 + b"-00"), ("tracestate", b"a=b")],
        [],
        [("traceparent", b"mine")],
    ]
    own = [dict(TraceContext().on_send(ProducerRecord("t", b""))[5])["traceparent"] for _ in range(2)]
    assert own[0] != own[1]
    assert [len(one) for one in own] == [55, 55]


@pytest.mark.parametrize("interceptor", [object(), "com.example.Interceptor"])
def test_what_is_no_interceptor_is_refused(interceptor):
    with pytest.raises(errors.ConfigError, match="is no interceptor"):
        barnabas.Producer(bootstrap_servers="x:1", interceptor_classes=[interceptor])
