"""Deserializers, their failure policies and interceptors, with a broker."""

import asyncio
import json
import pickle

import pytest
from reading import read

import barnabas
from barnabas import TopicPartition, errors
from barnabas.client import by_column

VALUES = [b'{"n": 0}', b'{"n": 1}', b"broken", b'{"n": 3}', b"also broken", b'{"n": 5}']


@pytest.fixture
def filled(bootstrap_servers, unique):
    with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
        for number, value in enumerate(VALUES):
            producer.send(unique, value, key=b"k%d" % number, headers=[("h", b"1")], partition=0).result(10)
    return unique


def make(stack, bootstrap_servers, topic, **options):
    options = {"group_id": topic, "auto_offset_reset": "earliest", "enable_auto_commit": False} | options
    consumer = stack.enter_context(barnabas.Consumer(bootstrap_servers=bootstrap_servers, **options))
    consumer.assign([TopicPartition(topic, 0)])
    return consumer


@pytest.mark.parametrize("loads", [json.loads, by_column(lambda values: [json.loads(value) for value in values])])
def test_what_is_refused_is_raised_at_every_poll_until_a_seek(stack, bootstrap_servers, filled, loads):
    consumer = make(stack, bootstrap_servers, filled, value_deserializer=loads)
    here = TopicPartition(filled, 0)
    assert [record.value["n"] for record in read(consumer, 2)] == [0, 1]
    for _ in range(3):
        with pytest.raises(errors.DeserializationError) as caught:
            read(consumer, 1)
        assert (caught.value.record.offset, caught.value.record.value, caught.value.part) == (2, b"broken", "value")
        assert ["barnabas_deserialization_failure" in note for note in caught.value.__notes__] == [True]
        assert consumer.position(here) == 2
    consumer.seek(here, 3)
    assert [record.value for record in read(consumer, 1)] == [{"n": 3}]
    consumer.commit()
    assert consumer.committed()[here].offset == 4


def test_decoded_records_have_what_records_have(stack, bootstrap_servers, filled):
    options = {"value_deserializer": json.loads, "barnabas_deserialization_failure": "skip"}
    consumer = make(stack, bootstrap_servers, filled, barnabas_on_refused=lambda _: None, **options)
    found = consumer.poll(timeout=30)
    kept = [value for value in VALUES if b"broken" not in value][: len(found)]
    assert found.to_pandas()["value"].tolist() == found.to_polars()["value"].to_list() == kept
    detached = found.detach()
    assert [(each.offset, each.value) for each in detached] == [(each.offset, each.value) for each in found]
    assert pickle.loads(pickle.dumps(found)).offsets() == found.offsets()  # noqa: S301 - our own
    pairs = zip(pickle.loads(pickle.dumps(found)), found, strict=True)  # noqa: S301 - as above
    assert all((one.raw, one.value) == (other.raw, other.value) for one, other in pairs)


@pytest.mark.parametrize(
    ("name", "java", "objects"),
    [
        ("str", "String", ["", "\u00fc"]),
        ("int", "Integer", [-(2**31), 7]),
        ("long", "Long", [-(2**63), 7]),
        ("double", "Double", [-0.5, 1e300]),
        ("json", None, [{"a": [1, None]}, "text", 1.5]),
        ("bytes", "ByteArray", [b"", b"x"]),
    ],
)
def test_names_of_deserializers_reverse_those_of_serializers(stack, bootstrap_servers, topic, name, java, objects):
    names = [name] + ([f"org.apache.kafka.common.serialization.{java}Deserializer"] if java else [])
    servers = {"bootstrap_servers": bootstrap_servers}
    with barnabas.Producer(**servers, key_serializer=name, value_serializer=name) as sender:
        sender.send_many(topic, [*objects, None], keys=[None, *objects], partition=0)
    for given in names:
        options = servers | {"auto_offset_reset": "earliest", "key_deserializer": given, "value_deserializer": given}
        reader = stack.enter_context(barnabas.Consumer(**options))
        reader.assign([(topic, 0)])
        found = read(reader, len(objects) + 1)
        assert [record.value for record in found] == [*objects, None]
        assert [record.key for record in found] == [None, *objects]


def test_a_value_of_the_wrong_length_is_refused(stack, bootstrap_servers, producer, topic):
    producer.send(topic, b"seven b", partition=0).result(10)
    reader = stack.enter_context(
        barnabas.Consumer(bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest", value_deserializer="long")
    )
    reader.assign([(topic, 0)])
    with pytest.raises(errors.DeserializationError, match="8 bytes"):
        reader.poll(10)


def test_what_is_refused_is_skipped_and_told(stack, bootstrap_servers, filled):
    told = []
    options = {"barnabas_deserialization_failure": "skip", "barnabas_on_refused": told.append}
    consumer = make(stack, bootstrap_servers, filled, value_deserializer=json.loads, **options)
    assert [record.value["n"] for record in read(consumer, 4)] == [0, 1, 3, 5]
    assert [error.record.offset for error in told] == [2, 4]
    assert consumer.position(TopicPartition(filled, 0)) == 6


def check_dead_letters(bootstrap_servers, topic):
    with barnabas.Consumer(bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(f"{topic}-dead", 0)])
        letters = read(reader, 2)
    assert [letter.value for letter in letters] == [b"broken", b"also broken"]
    assert [letter.key for letter in letters] == [b"k2", b"k4"]
    headers = dict(letters[0].headers)
    assert headers["h"] == b"1"
    assert (headers["__dlq.errors.topic"], headers["__dlq.errors.offset"]) == (topic.encode(), b"2")


def test_what_is_refused_goes_to_the_dead_letter_topic_before_it_can_be_committed(stack, bootstrap_servers, filled):
    options = {"barnabas_deserialization_failure": "dead_letter", "barnabas_dead_letter_topic": f"{filled}-dead"}
    consumer = make(stack, bootstrap_servers, filled, value_deserializer=json.loads, **options)
    assert [record.value["n"] for record in read(consumer, 4)] == [0, 1, 3, 5]
    check_dead_letters(bootstrap_servers, filled)


def test_dead_letters_of_the_consumer_of_asyncio(bootstrap_servers, filled):
    async def main():
        options = {"barnabas_deserialization_failure": "dead_letter", "barnabas_dead_letter_topic": f"{filled}-dead"}
        async with barnabas.AsyncConsumer(
            bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest", value_deserializer=json.loads, **options
        ) as consumer:
            consumer.assign([(filled, 0)])
            found = []
            while len(found) < 4:
                found += await consumer.poll(timeout=10)
            return [record.value["n"] for record in found]

    assert asyncio.run(asyncio.wait_for(main(), 60)) == [0, 1, 3, 5]
    check_dead_letters(bootstrap_servers, filled)


def test_a_dead_letter_that_cannot_be_written_loses_nothing(stack, bootstrap_servers, filled):
    with barnabas.Broker() as broker:
        servers = {"bootstrap_servers": broker.bootstrap_servers}
        with barnabas.Producer(**servers) as producer:
            producer.send_many(filled, VALUES, partition=0).result(10)
        options = {"barnabas_deserialization_failure": "dead_letter", "barnabas_dead_letter_topic": "dead"}
        consumer = make(stack, broker.bootstrap_servers, filled, value_deserializer=json.loads, **options)
        with broker.faults.inject("Produce", error="TOPIC_AUTHORIZATION_FAILED", times=1):
            with pytest.raises(errors.TopicAuthorizationFailedError):
                read(consumer, 1)
            assert consumer.position(TopicPartition(filled, 0)) == 0
        assert [record.value["n"] for record in read(consumer, 4)] == [0, 1, 3, 5]
        consumer.close()


def test_iteration_counts_what_was_given_out_and_raises_in_its_place(stack, bootstrap_servers, filled):
    consumer = make(stack, bootstrap_servers, filled, value_deserializer=json.loads)
    given = []

    def iterate():
        for record in consumer:
            given.append(record.value["n"])
            assert consumer.position(TopicPartition(filled, 0)) == record.offset + 1

    with pytest.raises(errors.DeserializationError):
        iterate()
    assert given == [0, 1]


def test_interceptors_see_polls_and_commits(stack, bootstrap_servers, filled):
    class Interceptor:
        def __init__(self):
            self.consumed, self.committed, self.closed = 0, [], False

        def on_consume(self, records):
            self.consumed += len(records)
            return records

        def on_commit(self, offsets):
            self.committed.append({partition: offset.offset for partition, offset in offsets.items()})

        def close(self):
            self.closed = True

    interceptor = Interceptor()
    consumer = make(stack, bootstrap_servers, filled, interceptor_classes=[interceptor])
    read(consumer, 6)
    consumer.commit()
    consumer.commit_async({TopicPartition(filled, 0): 3})
    consumer.close()
    assert interceptor.consumed == 6
    assert interceptor.committed == [{TopicPartition(filled, 0): 6}, {TopicPartition(filled, 0): 3}]
    assert interceptor.closed
