"""Deserializers, what becomes of records that they refuse, and interceptors."""

import pickle

import pytest

from barnabas import client, errors
from barnabas.client.dead_letters import letter
from barnabas.client.decoding import Decoder, Interceptors, by_column
from barnabas.client.options import CONSUMER
from barnabas.columns import Records, batches
from barnabas.types import TopicPartition


def records(*values, keys=None, topic="orders", partition=3, first=0):
    table = list(values)
    (batch,) = batches(table)
    return Records.from_bytes(topic, partition, bytes(batch))[first:]


def decoder(**options):
    return Decoder(CONSUMER.parse(None, {"bootstrap_servers": "h:1"} | options))


def test_without_deserializers_records_stay_what_they_are():
    raw = records(b"1", b"2")
    decoded = decoder().decode(raw)
    assert decoded.records is raw
    assert not decoder().is_needed


def test_values_become_objects_and_everything_else_stays():
    decoded = decoder(value_deserializer=int).decode(records(b"1", None, b"3")).records
    assert decoded.values() == [1, None, 3]
    assert decoded.keys() == [None, None, None]
    assert decoded.offsets() == [0, 1, 2]
    record = decoded[2]
    assert (record.topic, record.partition, record.offset, record.value, record.raw.value) == ("orders", 3, 2, 3, b"3")
    assert record.timestamp == record.raw.timestamp
    assert [record.value for record in decoded[1:]] == [None, 3]
    assert [record.offset for record in decoded] == [0, 1, 2]
    assert "value=3" in repr(record)


@pytest.mark.parametrize("function", [int, by_column(lambda values: [value and int(value) for value in values])])
def test_a_refused_record_ends_what_is_handed_out_and_is_raised_next(function):
    decoded = decoder(value_deserializer=function).decode(records(b"1", b"2", b"x", b"4", b"y"))
    assert decoded.records.values() == [1, 2]
    assert decoded.rest.values() == [b"x", b"4", b"y"]
    assert decoded.error.record.value == b"x"
    assert decoded.error.part == "value"
    assert "orders-3 at offset 2" in str(decoded.error)
    assert isinstance(decoded.error.__cause__, ValueError)
    assert isinstance(decoded.error, errors.SerializationError)
    with pytest.raises(TypeError):
        pickle.dumps(decoded.error)


@pytest.mark.parametrize("function", [int, by_column(lambda values: [value and int(value) for value in values])])
@pytest.mark.parametrize("policy", ["skip", "dead_letter"])
def test_refused_records_are_left_out(function, policy):
    topic = {"barnabas_dead_letter_topic": "dead"} if policy == "dead_letter" else {}
    decode = decoder(value_deserializer=function, barnabas_deserialization_failure=policy, **topic).decode
    decoded = decode(records(b"x", b"1", b"y", None))
    assert decoded.records.values() == [1, None]
    assert decoded.records.offsets() == [1, 3]
    assert [error.record.offset for error in decoded.refused] == [0, 2]
    assert not decoded.rest
    assert decoded.error is None
    parts = decoded.records.by_partition()
    assert {partition: part.values() for partition, part in parts.items()} == {TopicPartition("orders", 3): [1, None]}
    assert decoded.records.to_arrow(["offset"]).to_pydict() == {"offset": [1, 3]}


def test_a_column_is_deserialized_in_one_call_while_all_goes_well():
    calls = []

    def function(values):
        calls.append(len(values))
        return [value.decode() for value in values]

    assert decoder(value_deserializer=by_column(function)).decode(records(b"a", b"b")).records.values() == ["a", "b"]
    assert calls == [2]


def test_a_column_of_another_length_is_not_believed():
    function = by_column(lambda _: ["only one"])
    decoded = decoder(value_deserializer=function).decode(records(b"a", b"b"))
    assert decoded.records.values() == ["only one", "only one"]


def test_a_topic_for_dead_letters_and_its_policy_come_together():
    with pytest.raises(errors.ConfigError, match=r"needs a barnabas\.dead\.letter\.topic"):
        decoder(barnabas_deserialization_failure="dead_letter")
    with pytest.raises(errors.ConfigError, match="has no effect without"):
        decoder(barnabas_dead_letter_topic="dead")


def test_a_dead_letter_says_where_it_comes_from():
    (error,) = decoder(value_deserializer=int, barnabas_deserialization_failure="skip").decode(records(b"x")).refused
    made = letter(error, "billing")
    headers = dict(made["headers"])
    assert made["value"] == b"x"
    assert headers["__dlq.errors.topic"] == b"orders"
    assert headers["__dlq.errors.partition"] == b"3"
    assert headers["__dlq.errors.offset"] == b"0"
    assert headers["__dlq.errors.group"] == b"billing"
    assert b"could not be deserialized" in headers["__dlq.errors.message"]
    assert "__dlq.errors.group" not in dict(letter(error, None)["headers"])


class Broken:
    def on_consume(self, records):
        raise RuntimeError("broken")

    def on_commit(self, offsets):
        raise RuntimeError("broken")

    def close(self):
        raise RuntimeError("broken")


class Half:
    def on_consume(self, records):
        return records[::2]


def test_interceptors_see_what_those_before_them_made_and_their_failures_change_nothing(caplog):
    chain = Interceptors([Half(), Broken(), Half()])
    assert chain.on_consume([1, 2, 3, 4, 5]) == [1, 5]
    chain.on_commit({})
    chain.close()
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 3


@pytest.mark.parametrize("given", [[Half], [None], 5, b"x"])
def test_interceptors_are_objects(given):
    with pytest.raises(errors.ConfigError, match=r"interceptor\.classes"):
        CONSUMER.parse(None, {"bootstrap_servers": "h:1", "interceptor_classes": given})
    assert client.by_column is by_column
