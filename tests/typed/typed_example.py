"""A program as a user's type checker sees it: `make lint` has mypy check it."""

import asyncio
from collections.abc import Awaitable  # noqa: TC003 - as a user would

from barnabas import AsyncConsumer, AsyncProducer, Consumer, Producer, RecordMetadata, TopicPartition
from barnabas.client import Delivery, DeliveryBatch, ProducerRecord, TraceContext


class Audit:
    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        return record._replace(headers=[*(record.headers or ()), ("audit", None)])

    def on_acknowledgement(self, metadata: RecordMetadata, error: BaseException | None) -> None:
        print(metadata.offset, error)


def called(delivery: Delivery) -> None:
    print(delivery.result().offset)


def send(address: str) -> list[RecordMetadata]:
    interceptors = [Audit(), TraceContext()]
    with Producer(bootstrap_servers=address, interceptor_classes=interceptors) as producer:
        delivery = producer.send("orders", b"1", key=b"k", headers=[("a", b"1"), ("b", None)])
        delivery.add_done_callback(called)
        batch: DeliveryBatch = producer.send_many("orders", [b"2", None], keys=[None, b"k"])
        single: RecordMetadata = batch[0].result(timeout=1.0)
        print(single.topic, single.partition)
        return batch.result()


def read(address: str) -> dict[TopicPartition, int]:
    ends: dict[TopicPartition, int] = {}
    with Consumer("orders", bootstrap_servers=address, group_id="billing") as consumer:
        for partition, records in consumer.poll(timeout=1.0).by_partition().items():
            value: bytes | None = records[-1].value
            print(value)
            ends[partition] = records[-1].offset + 1
        consumer.commit()
    return ends


async def both(address: str) -> list[RecordMetadata]:
    async with AsyncProducer(bootstrap_servers=address) as producer:
        deliveries = [await producer.send("orders", b"x") for _ in range(3)]
        one: Awaitable[RecordMetadata] = deliveries[0]
        print((await one).timestamp)
        many: list[RecordMetadata] = await (await producer.send_many("orders", [b"y"]))
    async with AsyncConsumer("orders", bootstrap_servers=address, group_id="billing") as consumer:
        async for record in consumer:
            print(record.value)
            break
    return many


if __name__ == "__main__":
    print(send("localhost:9092"), read("localhost:9092"), asyncio.run(both("localhost:9092")))
