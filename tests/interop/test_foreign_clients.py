"""Who produced, who consumed, with which codec, through which broker: every value is compared."""

import pytest
from foreign_clients import CODECS, CONSUME, PRODUCE, UNREADABLE, Record

import barnabas

COUNT = 500
TOPIC_PARTITIONS = 3


def records_for(label: str) -> list[Record]:
    """Distinct records of several sizes; every seventh key repeats, and some are long enough to compress."""
    return [
        (f"key-{index % 7}".encode(), f"{label} {index} ".encode() + b"x" * (index % 300)) for index in range(COUNT)
    ]


def create_topic(address: str, topic: str) -> None:
    with barnabas.Admin(bootstrap_servers=address) as admin:
        admin.create_topics([barnabas.NewTopic(topic, num_partitions=TOPIC_PARTITIONS)])


def cells() -> list[object]:
    """Every producer and codec, read by every consumer but Java's; Java's consumer has a test of its own."""
    found = []
    for producer, codecs in CODECS.items():
        for codec in codecs:
            marks = [pytest.mark.interop] if producer == "java" else []
            found.append(pytest.param(producer, codec, marks=marks, id=f"{producer}-{codec}"))
    return found


@pytest.mark.parametrize(("producer", "codec"), cells())
def test_every_client_reads_what_any_client_wrote_to_our_broker(
    our_broker: str, unique: str, producer: str, codec: str
):
    create_topic(our_broker, unique)
    expected = records_for(f"{producer} {codec}")
    PRODUCE[producer](our_broker, unique, expected, codec)
    for consumer in ("barnabas", "confluent-kafka", "aiokafka", "kafka-python"):
        if codec in UNREADABLE.get(consumer, ()):
            continue
        found = CONSUME[consumer](our_broker, unique, f"{unique}-{consumer}", COUNT)
        assert sorted(found) == sorted(expected), consumer


@pytest.mark.interop
@pytest.mark.parametrize("producer", ["barnabas", "barnabas-table", "confluent-kafka"])
def test_the_java_console_consumer_reads_our_broker(our_broker: str, unique: str, producer: str):
    create_topic(our_broker, unique)
    expected = records_for(producer)
    PRODUCE[producer](our_broker, unique, expected, "zstd")
    found = CONSUME["java"](our_broker, unique, f"{unique}-java", COUNT)
    assert sorted(found) == sorted(expected)


@pytest.mark.interop
@pytest.mark.parametrize("codec", CODECS["barnabas"])
def test_our_client_and_a_foreign_one_read_each_other_through_the_reference(kafka: str, unique: str, codec: str):
    create_topic(kafka, unique)
    ours, theirs = records_for("ours"), records_for("theirs")
    PRODUCE["barnabas"](kafka, unique, ours, codec)
    PRODUCE["confluent-kafka"](kafka, unique, theirs, codec)
    for consumer in ("barnabas", "confluent-kafka"):
        found = CONSUME[consumer](kafka, unique, f"{unique}-{consumer}", 2 * COUNT)
        assert sorted(found) == sorted(ours + theirs), consumer


@pytest.mark.interop
def test_java_reads_what_our_client_wrote_to_the_reference(kafka: str, unique: str):
    create_topic(kafka, unique)
    expected = records_for("ours")
    PRODUCE["barnabas"](kafka, unique, expected, "lz4")
    assert sorted(CONSUME["java"](kafka, unique, f"{unique}-java", COUNT)) == sorted(expected)
