"""What cannot be meant by an argument of a producer is refused by its name, with what can be passed instead."""

import asyncio

import pyarrow as pa
import pytest

import barnabas
from barnabas import errors

TOPIC = r'a topic is a string that is not empty, such as "orders", got '
PARTITION = r"a partition is a number from 0 on, got {}: without one the key decides, or the load"
TIMESTAMP = r"a timestamp is a whole number of milliseconds since 1970, .*, got {}: int\(time.time\(\) \* 1000\) is now"
HEADERS = r"headers are tuples of a name and bytes or None, such as \[\(\"trace\", b\"7f3a\"\)\], got "
RECORDS = [
    ((None, b"x"), TypeError, TOPIC + "None"),
    ((b"t", b"x"), TypeError, TOPIC + "b't'"),
    ((b"t" * 1000, b"x"), TypeError, TOPIC + r"b't{78}\.\.\."),
    (("", b"x"), ValueError, TOPIC + "''"),
    (("\ud800", b"x"), ValueError, TOPIC + r"'\\ud800'"),
    (("a b", b"x"), errors.InvalidTopicError, "topic a b: .* it has 1 to 249 of the characters a-z, A-Z"),
    (("t", "x"), TypeError, "a value must be bytes or None, got str: encode it, or pass value_serializer=str.encode"),
    (("t", b"x", 7), TypeError, "a key must be bytes or None, got int: encode it, or pass key_serializer"),
    (("t", b"x" * 2_000_000), errors.RecordTooLargeError, "larger than max.request.size of 1048576 bytes"),
    (("t", None, b"x" * 2_000_000), errors.RecordTooLargeError, "larger than max.request.size of 1048576 bytes"),
    (("t", b"x", None, -1), ValueError, PARTITION.format(-1)),
    (("t", b"x", None, 2**31), ValueError, PARTITION.format(2**31)),
    (("t", b"x", None, "0"), TypeError, PARTITION.format("'0'")),
    (("t", b"x", None, 0.0), TypeError, PARTITION.format("0.0")),
    (("t", b"x", None, True), TypeError, PARTITION.format("True")),
    (("t", b"x", None, 99), ValueError, "topic .* has 3 partitions, so there is no partition 99"),
    (("t", b"x", None, None, -1), ValueError, TIMESTAMP.format(-1)),
    (("t", b"x", None, None, 2**63), ValueError, TIMESTAMP.format(2**63)),
    (("t", b"x", None, None, 1.5), TypeError, TIMESTAMP.format(1.5)),
    (("t", b"x", None, None, False), TypeError, TIMESTAMP.format("False")),
    (("t", b"x", None, None, "1"), TypeError, TIMESTAMP.format("'1'")),
    (("t", b"x", None, None, None, 5), TypeError, HEADERS + "5"),
    (("t", b"x", None, None, None, b"ab"), TypeError, HEADERS + "b'ab'"),
    (("t", b"x", None, None, None, {"a": b"b"}), TypeError, HEADERS + r"{'a': b'b'}: pass list\(headers.items\(\)\)"),
    (("t", b"x", None, None, None, [("a", b"b", 1)]), TypeError, HEADERS + r"\('a', b'b', 1\)"),
    (("t", b"x", None, None, None, [(None, b"b")]), TypeError, HEADERS + r"\(None, b'b'\)"),
    (("t", b"x", None, None, None, [("a", "b")]), TypeError, "a header value must be bytes or None, got str"),
]
MANY = [
    ((None, [b"x"]), TypeError, TOPIC + "None"),
    (("", []), ValueError, TOPIC + "''"),
    (("t", None), TypeError, "values is a list with an entry for each record, got NoneType"),
    (("t", b"xyz"), TypeError, "values is a list with an entry for each record, got bytes"),
    (("t", [b"x"], "k"), TypeError, "keys is a list with an entry for each record, got str"),
    (("t", [b"x"], [b"a", b"b"]), ValueError, "1 values but 2 keys"),
    (("t", [b"x"], None, {"a": b"b"}), TypeError, "headers is a list with an entry for each record, got dict"),
    (("t", [b"x"], None, [5]), TypeError, HEADERS + "5"),
    (("t", [b"x"], None, None, 5), TypeError, "timestamps is a list with an entry for each record, got int"),
    (("t", [b"x"], None, None, [-1]), ValueError, TIMESTAMP.format(-1)),
    (("t", [b"x"], None, None, [None]), TypeError, TIMESTAMP.format("None")),
    (("t", [b"x"], None, None, None, "0"), TypeError, PARTITION.format("'0'")),
    (("t", [b"x"], None, None, None, -1), ValueError, PARTITION.format(-1)),
]
TABLES = [
    ((1, pa.table({"value": [b"x"]})), TypeError, TOPIC + "1"),
    (("", pa.table({"value": [b"x"]})), ValueError, TOPIC + "''"),
    ((None, pa.table({"value": [b"x"]})), ValueError, "the table has no column topic: name the topic"),
    (("t", pa.table({"value": [b"x"]}), -1), ValueError, PARTITION.format(-1)),
]
NAMES = [
    (None, TypeError, TOPIC),
    (b"t", TypeError, TOPIC),
    ("", ValueError, TOPIC),
    ("a b", errors.InvalidTopicError, "a b"),
]


def named(arguments, topic):
    """Arguments with the test's own topic in place of "t"."""
    first, *rest = arguments
    return (topic if first == "t" else first, *rest)


def test_a_producer_names_the_argument_that_cannot_be_meant_and_says_what_can(producer, topic):
    for method, cases in ((producer.send, RECORDS), (producer.send_many, MANY), (producer.send_table, TABLES)):
        for arguments, kind, words in cases:
            with pytest.raises(kind, match=words):
                method(*named(arguments, topic))
    for name, kind, words in NAMES:
        with pytest.raises(kind, match=words):
            producer.partitions_for(name)
    with pytest.raises(TypeError, match=r"timeout is a number of seconds, got '1'"):
        producer.close("1")
    assert producer.send(topic, b"x").result(30).offset == 0


def test_the_producer_of_asyncio_uses_the_same_words(bootstrap_servers, producer, topic):
    async def main():
        async with barnabas.AsyncProducer(bootstrap_servers=bootstrap_servers) as sender:
            for method, cases in ((sender.send, RECORDS), (sender.send_many, MANY), (sender.send_table, TABLES)):
                for arguments, kind, words in cases:
                    with pytest.raises(kind, match=words):
                        await method(*named(arguments, topic))
            for name, kind, words in NAMES:
                with pytest.raises(kind, match=words):
                    await sender.partitions_for(name)
            delivery = await sender.send(topic, b"x")
            with pytest.raises(TypeError, match="a callback is a function of the delivery, got None"):
                delivery.add_done_callback(None)
            return (await delivery).offset

    assert asyncio.run(main()) == 0


def test_headers_may_be_any_iterable_and_a_partition_any_index(producer, topic):
    class One:
        def __index__(self):
            return 0

    pairs = (pair for pair in [("a", b"b"), ("c", None)])
    assert producer.send(topic, b"x", partition=One(), headers=pairs).result(30).partition == 0


def test_a_timeout_below_zero_does_not_wait_for_a_record(topic):
    with barnabas.Broker() as broker, barnabas.Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        producer.send(topic, b"first").result(30)
        broker.faults.inject("Produce", drop=True, times=None)
        delivery, batch = producer.send(topic, b"x"), producer.send_many(topic, [b"y", b"z"])
        for seconds in (0, -1, float("-inf")):
            for wait in (delivery.result, batch.result):
                with pytest.raises(errors.KafkaTimeoutError, match=f"was not acknowledged within {seconds} s"):
                    wait(seconds)
        for wrong, kind in ((float("nan"), ValueError), ("1", TypeError)):
            for wait in (delivery.result, delivery.exception, batch.result):
                with pytest.raises(kind, match=r"timeout is a number of seconds, got (nan|'1'): None waits until"):
                    wait(wrong)
        with pytest.raises(TypeError, match="a callback is a function of the delivery, got 3"):
            delivery.add_done_callback(3)
        producer.close(0)
        assert isinstance(delivery.exception(-1), errors.IllegalStateError)
