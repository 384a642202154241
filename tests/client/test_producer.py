"""The producer against our broker and against the reference Kafka."""

import asyncio
import re
import socket
import time
from typing import NamedTuple

import pytest
from reading import read, values

import barnabas
from barnabas import RecordMetadata, TopicPartition, errors


def test_a_delivery_says_where_the_record_is(producer, topic):
    before = int(time.time() * 1000)
    first = producer.send(topic, b"a", partition=1)
    second = producer.send(topic, b"b", partition=1)
    found = second.result(timeout=10)
    assert isinstance(found, RecordMetadata)
    assert found[:3] == (topic, 1, 1)
    assert before <= found.timestamp <= int(time.time() * 1000)
    assert first.done()
    assert first.result().offset == 0


def test_everything_of_a_record_arrives(producer, topic, consumer):
    headers = [("trace", b"1"), ("empty", b""), ("null", None), ("trace", b"2")]
    producer.send(topic, b"value", key=b"key", partition=2, timestamp=1_700_000_000_123, headers=headers)
    producer.send(topic, None, key=b"tombstone", partition=2)
    producer.send(topic, b"", partition=2)
    producer.send(topic, bytearray(b"array"), key=memoryview(b"view"), partition=2)
    producer.flush(10)
    reader = consumer()
    reader.assign([TopicPartition(topic, 2)])
    first, tombstone, empty, buffers = read(reader, 4)
    assert (first.topic, first.partition, first.offset) == (topic, 2, 0)
    assert (first.key, first.value, first.timestamp, first.timestamp_type) == (b"key", b"value", 1_700_000_000_123, 0)
    assert first.headers == headers
    assert (tombstone.key, tombstone.value, tombstone.headers) == (b"tombstone", None, [])
    assert (empty.key, empty.value) == (None, b"")
    assert (buffers.key, buffers.value) == (b"view", b"array")


def test_keys_values_and_headers_of_every_short_length_arrive(producer, topic, consumer):
    every = [bytes(range(length)) for length in range(71)]
    for key, value in zip(every, reversed(every), strict=True):
        headers = [("n" * len(key), value[::2]), ("none", None)]
        producer.send(topic, value, key=key, partition=0, headers=headers)
    producer.flush(30)
    reader = consumer()
    reader.assign([TopicPartition(topic, 0)])
    found = [(record.key, record.value, record.headers) for record in read(reader, 71)]
    expected = [
        (key, value, [("n" * len(key), value[::2]), ("none", None)])
        for key, value in zip(every, reversed(every), strict=True)
    ]
    assert found == expected


def test_headers_of_any_shape_arrive(producer, topic, consumer):
    class Name(str):
        __slots__ = ()

    class Pair(NamedTuple):
        name: str
        value: object

    odd = [
        Pair("tuple", b"1"),
        (Name("sub"), bytearray(b"2")),
        ("view", memoryview(b"3")),
        ("null", None),
        ("\u00fc", b""),
    ]
    producer.send(topic, b"one", partition=0, headers=iter(odd))
    producer.send(topic, b"two", partition=0, headers=tuple(odd[:1]))
    producer.send_many(topic, [b"three", b"four"], headers=[odd, None], partition=0)
    producer.flush(30)
    reader = consumer()
    reader.assign([TopicPartition(topic, 0)])
    plain = [("tuple", b"1"), ("sub", b"2"), ("view", b"3"), ("null", None), ("\u00fc", b"")]
    assert [record.headers for record in read(reader, 4)] == [plain, plain[:1], plain, []]


@pytest.mark.parametrize(
    "headers", [["pair"], [("one",)], [(b"name", b"value")], [("name", 1)], [("name", "text")], [("\ud800", b"")], 7]
)
def test_what_is_no_header_is_refused_and_nothing_is_sent(producer, topic, headers):
    with pytest.raises((TypeError, ValueError)):
        producer.send(topic, b"value", headers=headers)
    with pytest.raises((TypeError, ValueError)):
        producer.send_many(topic, [b"value"], headers=[headers])
    assert producer.metrics()["batches_incomplete"] == 0


def test_records_of_a_key_go_to_the_partition_that_kafka_would_choose(producer, topic):
    expected = {b"a": 2, b"key-1": 1, b"\xff\x00": 0}
    found = {key: producer.send(topic, b"", key=key).result(10).partition for key in expected}
    again = {key: producer.send(topic, b"", key=key).result(10).partition for key in expected}
    assert found == again


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_every_codec(bootstrap_servers, topic, consumer, codec):
    sent = [b"%d " % number * 50 for number in range(500)]
    with barnabas.Producer(bootstrap_servers=bootstrap_servers, compression_type=codec) as producer:
        producer.send_many(topic, sent, partition=0)
    reader = consumer()
    reader.assign([TopicPartition(topic, 0)])
    assert values(read(reader, 500)) == sent


@pytest.mark.parametrize("acks", ["0", "1", "all"])
def test_every_acknowledgement(bootstrap_servers, producer, topic, consumer, acks):
    producer.send(topic, b"ready", partition=0).result(timeout=10)
    with barnabas.Producer(bootstrap_servers=bootstrap_servers, acks=acks) as sender:
        found = sender.send(topic, b"x", partition=0).result(timeout=10)
        assert found.offset == (-1 if acks == "0" else 1)
    reader = consumer()
    reader.assign([TopicPartition(topic, 0)])
    assert values(read(reader, 2)) == [b"ready", b"x"]


def test_send_many_keeps_order_keys_headers_and_timestamps(producer, topic, consumer):
    count = 2_000
    batch = producer.send_many(
        topic,
        [b"%d" % number for number in range(count)],
        keys=[b"k%d" % (number % 3) if number % 4 else None for number in range(count)],
        headers=[[("n", b"%d" % number)] if number % 2 else None for number in range(count)],
        timestamps=[1_000_000 + number for number in range(count)],
        partition=0,
    )
    found = batch.result(timeout=10)
    assert [metadata.offset for metadata in found] == list(range(count))
    reader = consumer()
    reader.assign([TopicPartition(topic, 0)])
    for number, record in enumerate(read(reader, count)):
        assert record.value == b"%d" % number
        assert record.key == (b"k%d" % (number % 3) if number % 4 else None)
        assert record.headers == ([("n", b"%d" % number)] if number % 2 else [])
        assert record.timestamp == 1_000_000 + number


def test_a_large_volume_arrives_once_and_in_order(producer, topic, consumer):
    count = 50_000
    for number in range(count):
        producer.send(topic, b"%d" % number, partition=number % 3)
    producer.flush(30)
    reader = consumer()
    reader.assign([TopicPartition(topic, partition) for partition in range(3)])
    found = read(reader, count, extra=0.2)
    assert len(found) == count
    for partition in range(3):
        mine = [int(record.value) for record in found if record.partition == partition]
        assert mine == list(range(partition, count, 3))


def test_serializers_make_bytes_and_leave_none_alone(bootstrap_servers, topic, consumer):
    options = {"key_serializer": str.encode, "value_serializer": lambda value: repr(value).encode()}
    with barnabas.Producer(bootstrap_servers=bootstrap_servers, **options) as producer:
        producer.send(topic, {"a": 1}, key="ä", partition=0)
        producer.send(topic, None, key=None, partition=0)
        producer.send_many(topic, [1, None], keys=["x", None], partition=0)
    reader = consumer()
    reader.assign([TopicPartition(topic, 0)])
    found = [(record.key, record.value) for record in read(reader, 4)]
    assert found == [("ä".encode(), b"{'a': 1}"), (None, None), (b"x", b"1"), (None, None)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"value": "text"}, r"value must be bytes or None, got str: encode it, or pass value_serializer=str\.encode"),
        ({"value": 7}, r"value must be bytes or None, got int: encode it, or pass value_serializer="),
        ({"value": b"", "key": "text"}, r"key must be bytes or None, got str: .*key_serializer=str\.encode"),
    ],
)
def test_what_is_not_bytes_raises_what_to_do(producer, topic, arguments, message):
    with pytest.raises(TypeError, match=message):
        producer.send(topic, **arguments)
    many = {f"{name}s": [given] for name, given in arguments.items()}
    with pytest.raises(TypeError, match=message):
        producer.send_many(topic, **many)


def test_a_serializer_must_return_bytes(bootstrap_servers, topic, stack):
    producer = stack.enter_context(barnabas.Producer(bootstrap_servers=bootstrap_servers, value_serializer=str))
    with pytest.raises(TypeError, match="value_serializer must return bytes or None, got str"):
        producer.send(topic, 7)


def test_sequences_of_different_lengths_are_refused(producer, topic):
    with pytest.raises(ValueError, match="2 values but 1 keys"):
        producer.send_many(topic, [b"a", b"b"], keys=[b"k"])


def test_a_record_that_is_too_large_is_refused_at_once(bootstrap_servers, topic, stack):
    producer = stack.enter_context(barnabas.Producer(bootstrap_servers=bootstrap_servers, max_request_size=10_000))
    with pytest.raises(errors.RecordTooLargeError):
        producer.send(topic, b"x" * 10_001)
    producer.send(topic, b"x").result(10)


def test_a_record_that_only_the_broker_finds_too_large_fails(bootstrap_servers, topic, stack):
    producer = stack.enter_context(barnabas.Producer(bootstrap_servers=bootstrap_servers, max_request_size=5_000_000))
    with pytest.raises(errors.MessageTooLargeError):
        producer.send(topic, b"x" * 2_000_000).result(timeout=20)
    assert producer.send(topic, b"x").result(timeout=20).offset == 0


def test_a_partition_that_does_not_exist_is_refused(producer, topic):
    with pytest.raises((ValueError, errors.KafkaError)):
        producer.send(topic, b"x", partition=3).result(timeout=10)


def test_a_topic_that_does_not_exist_is_made_by_the_broker(producer, unique):
    assert producer.send(unique, b"x").result(timeout=20).offset == 0


def test_partitions_for_lists_leaders(producer, topic):
    # Kafka answers that a topic is made a moment before its brokers tell of it.
    while not (found := producer.partitions_for(topic)):
        pass
    assert [info.partition for info in found] == [0, 1, 2]
    assert all(info.leader is not None for info in found)
    assert producer.partitions_for(topic + "-missing") == []


def test_close_sends_what_waits(bootstrap_servers, topic, consumer):
    producer = barnabas.Producer(bootstrap_servers=bootstrap_servers, linger_ms=60_000, delivery_timeout_ms=120_000)
    delivery = producer.send(topic, b"x", partition=0)
    producer.close(timeout=20)
    assert delivery.result(0).offset == 0
    producer.close()


def test_close_without_time_fails_what_waits(bootstrap_servers, topic):
    producer = barnabas.Producer(bootstrap_servers=bootstrap_servers, linger_ms=60_000, delivery_timeout_ms=120_000)
    producer.partitions_for(topic)
    delivery = producer.send(topic, b"x", partition=0)
    started = time.monotonic()
    producer.close(timeout=0)
    assert time.monotonic() - started < 2
    with pytest.raises((errors.KafkaError, errors.IllegalStateError)):
        delivery.result(1)


def test_close_takes_no_negative_timeout(bootstrap_servers, topic):
    with barnabas.Producer(bootstrap_servers=bootstrap_servers, linger_ms=60_000, request_timeout_ms=10_000) as sender:
        delivery = sender.send(topic, b"waits")
        for wrong in (-1, float("nan")):
            with pytest.raises(ValueError, match=r"timeout must be at least 0 seconds, got (-1|nan)"):
                sender.close(wrong)
    assert delivery.result(timeout=0).offset == 0


def test_the_error_of_a_delivery_without_raising_it(bootstrap_servers, producer, topic):
    assert producer.send(topic, b"fits").exception(timeout=10) is None
    sender = barnabas.Producer(bootstrap_servers=bootstrap_servers, linger_ms=60_000)
    waiting, other = (sender.send(topic, b"waits", partition=partition) for partition in (0, 1))
    sender.close(0)
    assert isinstance(waiting.exception(), errors.IllegalStateError)
    assert "closed before the record was acknowledged" in str(other.exception(timeout=0))


def test_of_many_records_the_first_error_is_told_without_the_others_places(bootstrap_servers, topic):
    producer = barnabas.Producer(bootstrap_servers=bootstrap_servers)
    written = producer.send_many(topic, [b"x"] * 1000, partition=0)
    assert written.exception(timeout=10) is None
    assert [one.offset for one in written.result(0)] == list(range(1000))
    producer.close()
    waiting = barnabas.Producer(bootstrap_servers=bootstrap_servers, linger_ms=60_000, delivery_timeout_ms=120_000)
    failed = waiting.send_many(topic, [b"x"] * 10, partition=0)
    waiting.close(timeout=0)
    error = failed.exception(timeout=10)
    assert isinstance(error, errors.IllegalStateError)
    with pytest.raises(errors.IllegalStateError, match=re.escape(str(error))):
        failed.result(0)


def test_who_waits_for_a_broker_that_is_not_there_is_told_why(stack):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        options = {"bootstrap_servers": f"127.0.0.1:{nobody.getsockname()[1]}"}
        why = r"within max.block.ms: cannot connect to 127\.0\.0\.1:\d+: .*refused"
        sender = stack.enter_context(barnabas.Producer(max_block_ms=300, **options))
        with pytest.raises(errors.KafkaTimeoutError, match=why):
            sender.send("orders", b"x")
        reader = stack.enter_context(barnabas.Consumer(**options))
        with pytest.raises(
            errors.KafkaTimeoutError, match=r"its timeout: no broker of bootstrap.servers has answered: cannot"
        ):
            reader.list_topics(timeout=0.3)


UNKNOWN = r"within max\.block\.ms: the cluster last answered UNKNOWN_TOPIC_OR_PARTITION \(3\): .*create it first"


def test_who_sends_to_a_topic_that_does_not_exist_is_told_how_to_get_it(unique):
    async def natively(**options):
        async with barnabas.AsyncProducer(**options) as native:
            await native.send(unique, b"x")

    with barnabas.Broker(config={"auto.create.topics.enable": False}) as broker:
        options = {"bootstrap_servers": broker.bootstrap_servers, "max_block_ms": 300}
        with barnabas.Producer(**options) as sender:
            for call in (sender.send, lambda topic, value: sender.send_many(topic, [value])):
                with pytest.raises(errors.KafkaTimeoutError, match=UNKNOWN):
                    call(unique, b"x")
        with pytest.raises(errors.KafkaTimeoutError, match=UNKNOWN):
            asyncio.run(natively(**options))


@pytest.mark.parametrize("wrong", [{"trace": b"1"}, [("trace", b"1", 2)], [["trace", 1, 2]], [(None, b"1")]])
def test_what_is_no_header_is_told_how_to_write_one(producer, topic, wrong):
    with pytest.raises(TypeError, match=r"headers are tuples of a name and bytes or None, such as \[\("):
        producer.send(topic, b"x", headers=wrong)


def test_a_closed_producer_says_so(bootstrap_servers, topic):
    producer = barnabas.Producer(bootstrap_servers=bootstrap_servers)
    producer.close()
    calls = [
        lambda: producer.send(topic, b"x"),
        lambda: producer.send_many(topic, [b"x"]),
        producer.flush,
        producer.metrics,
        lambda: producer.partitions_for(topic),
    ]
    for call in calls:
        with pytest.raises(errors.IllegalStateError, match="this Producer is closed"):
            call()


def test_waiting_for_a_record_does_not_wait_for_the_linger(bootstrap_servers, topic, stack):
    producer = stack.enter_context(
        barnabas.Producer(bootstrap_servers=bootstrap_servers, linger_ms=20_000, delivery_timeout_ms=60_000)
    )
    producer.send(topic, b"warm").result(timeout=10)
    started = time.monotonic()
    producer.send(topic, b"x").result(timeout=10)
    assert time.monotonic() - started < 5


def test_what_is_not_there_yet_says_so(producer):
    with pytest.raises(AttributeError, match="transactions are not supported; the idempotent producer"):
        producer.begin_transaction()
    assert not hasattr(producer, "init_transactions")
    with pytest.raises(AttributeError, match="no attribute 'sned'"):
        _ = producer.sned
    with pytest.raises(AttributeError, match=r"use Admin in a thread, .*asyncio\.to_thread"):
        _ = barnabas.AsyncAdmin
    with pytest.raises(AttributeError, match=r"barnabas\.KafkaProducer is called Producer"):
        _ = barnabas.KafkaProducer


def test_metrics_count(producer, topic):
    producer.send(topic, b"x").result(10)
    assert all(isinstance(value, int | float) for value in producer.metrics().values())
    assert producer.metrics()
