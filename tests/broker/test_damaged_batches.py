"""Batches whose checksum is right and whose compressed records are not."""

import gzip
import struct

import crc32c
import pytest
from raw_client import RawClient
from test_broker import create

from barnabas import Broker, Consumer, Producer, errors
from barnabas.protocol.messages.produce import ProduceRequest

TopicData = ProduceRequest.TopicProduceData
PartitionData = ProduceRequest.PartitionProduceData
GZIP = 1


def compressed_batch(payload: bytes, count: int) -> bytes:
    body = struct.pack(">hiqqqhii", GZIP, count - 1, 1, 1, -1, -1, -1, count) + gzip.compress(payload)
    return struct.pack(">qiibI", 0, 9 + len(body), -1, 2, crc32c.crc32c(body)) + body


def produced(client: RawClient, topic: str, records: bytes) -> int:
    data = [TopicData(name=topic, partition_data=[PartitionData(index=0, records=records)])]
    response = client.ask(ProduceRequest(acks=-1, timeout_ms=5000, topic_data=data), 9)
    return response.responses[0].partition_responses[0].error_code


@pytest.mark.parametrize("count", [1, 2, 1_000_000_000])
def test_full_validation_refuses_them(count: int):
    """A length of more bytes than a number can have is what Kafka stumbles over."""
    with Broker(barnabas_validation="full") as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, "topic")
        assert produced(client, "topic", compressed_batch(b"\xff" * 50, count)) == errors.UnknownServerError.code


def test_a_consumer_is_told_of_the_partition_and_loses_nothing_of_others():
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, "topic", partitions=2)
        assert produced(client, "topic", compressed_batch(b"\xff" * 50, 1)) == 0
        address = {"bootstrap_servers": broker.bootstrap_servers}
        with Producer(**address) as producer:
            for partition in (0, 1):
                producer.send("topic", b"good", partition=partition)
        with Consumer(**address, auto_offset_reset="earliest") as consumer:
            consumer.assign([("topic", 0), ("topic", 1)])
            found, told = [], []
            while not (found and told):
                try:
                    found += [(record.partition, record.offset, record.value) for record in consumer.poll(timeout=5)]
                except errors.CorruptMessageError as error:
                    told.append(error.topic_partition)
            # Each poll tells of it until somebody seeks; how many there were depends on when the other partition's came.
            assert (found, set(told)) == ([(1, 0, b"good")], {("topic", 0)})
            assert consumer.position(("topic", 0)) == 0
            consumer.seek(("topic", 0), 1)
            assert [(record.partition, record.offset) for record in consumer.poll(timeout=5)] == [(0, 1)]
