"""The measured loops. Each runs in a process of its own: `python workloads.py NAME ADDRESS TOPIC COUNT` prints one JSON line.

CPU is what the loop itself used: `caller` is the Python thread's, `process` that of all threads of the process.
"""

import json
import sys
import time
from collections.abc import Callable

VALUE = b"v" * 100
BATCH = 10_000
MEASURED = dict[str, float]


class Clock:
    """Wall time and CPU since its making."""

    def __init__(self) -> None:
        self.wall, self.caller, self.process = time.perf_counter(), time.thread_time(), time.process_time()

    def per_record(self, count: int) -> MEASURED:
        wall = time.perf_counter() - self.wall
        caller, process = time.thread_time() - self.caller, time.process_time() - self.process
        return {
            "records": count,
            "records_per_s": count / wall,
            "caller_ns": caller / count * 1e9,
            "process_ns": process / count * 1e9,
        }


def barnabas_producer(address: str, **options: object):
    from barnabas import Producer

    producer = Producer(bootstrap_servers=address, **options)
    return producer


def produce_barnabas_send(address: str, topic: str, count: int) -> MEASURED:
    with barnabas_producer(address) as producer:
        producer.send(topic, VALUE).result(30)
        clock = Clock()
        send = producer.send
        for _ in range(count):
            send(topic, VALUE)
        producer.flush()
        return clock.per_record(count)


def produce_barnabas_send_handle(address: str, topic: str, count: int) -> MEASURED:
    with barnabas_producer(address) as producer:
        producer.send(topic, VALUE).result(30)
        clock = Clock()
        for start in range(0, count, BATCH):
            handles = [producer.send(topic, VALUE) for _ in range(min(BATCH, count - start))]
            for handle in handles:
                handle.result(30)
        return clock.per_record(count)


def produce_barnabas_send_many(address: str, topic: str, count: int) -> MEASURED:
    values = [VALUE] * BATCH
    with barnabas_producer(address) as producer:
        producer.send(topic, VALUE).result(30)
        clock = Clock()
        for _ in range(count // BATCH):
            producer.send_many(topic, values)
        producer.flush()
        return clock.per_record(count)


def confluent_producer(address: str):
    from confluent_kafka import Producer

    # the same work: idempotent, acks=all, 5 ms linger, batches of up to 256 KiB; its queue is raised so that it never fills
    options = {
        "bootstrap.servers": address,
        "enable.idempotence": True,
        "linger.ms": 5,
        "batch.size": 262144,
        "batch.num.messages": 100000,
        "queue.buffering.max.messages": 10_000_000,
        "queue.buffering.max.kbytes": 2_000_000,
    }
    producer = Producer(options)
    producer.produce("warm-up", b"x")
    producer.flush(30)
    return producer


def produce_confluent(address: str, topic: str, count: int) -> MEASURED:
    producer = confluent_producer(address)
    clock = Clock()
    produce = producer.produce
    for _ in range(count):
        produce(topic, VALUE)
    producer.flush(60)
    return clock.per_record(count)


def produce_confluent_callback(address: str, topic: str, count: int) -> MEASURED:
    producer = confluent_producer(address)
    delivered = [0]

    def on_delivery(_error: object, _message: object) -> None:
        delivered[0] += 1

    clock = Clock()
    for _ in range(count // 1000):
        for _ in range(1000):
            producer.produce(topic, VALUE, on_delivery=on_delivery)
        producer.poll(0)
    producer.flush(60)
    measured = clock.per_record(count)
    assert delivered[0] == count, delivered
    return measured


def produce_confluent_batch(address: str, topic: str, count: int) -> MEASURED:
    producer = confluent_producer(address)
    messages = [{"value": VALUE} for _ in range(BATCH)]
    clock = Clock()
    for _ in range(count // BATCH):
        producer.produce_batch(topic, messages)
    producer.flush(60)
    return clock.per_record(count)


def consume_barnabas(address: str, topic: str, count: int, take: Callable[[object], int]) -> MEASURED:
    from barnabas import Consumer, TopicPartition

    with Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition(topic, info.partition) for info in consumer.partitions_for(topic)])
        clock, found = Clock(), 0
        while found < count:
            records = consumer.poll(timeout=5)
            if not len(records):
                raise TimeoutError(f"{found} of {count} records came")
            found += take(records)
        return clock.per_record(found)


def take_values(records) -> int:
    return len(records.values())


def take_objects(records) -> int:
    found = 0
    for record in records:
        record.value  # noqa: B018 (reading the attribute is the work)
        found += 1
    return found


def take_arrow(records) -> int:
    return records.to_arrow().num_rows


def consume_arrow(address: str, topic: str, count: int) -> MEASURED:
    import pyarrow as pa  # noqa: F401 (imported before the clock starts)

    return consume_barnabas(address, topic, count, take_arrow)


def consume_confluent(address: str, topic: str, count: int, **options: object) -> MEASURED:
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": address, "group.id": "none", "check.crcs": True, **options})
    partitions = consumer.list_topics(topic, 10).topics[topic].partitions
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
    clock, found = Clock(), 0
    while found < count:
        messages = consumer.consume(1000, 5)
        if not messages:
            raise TimeoutError(f"{found} of {count} records came")
        for message in messages:
            message.value()
        found += len(messages)
    measured = clock.per_record(found)
    consumer.close()
    return measured


def quantiles(samples: list[float]) -> MEASURED:
    samples.sort()
    return {
        "records": len(samples),
        "p50_us": samples[len(samples) // 2] * 1e6,
        "p99_us": samples[len(samples) * 99 // 100] * 1e6,
        "max_us": samples[-1] * 1e6,
    }


def latency_barnabas(address: str, topic: str, count: int) -> MEASURED:
    with barnabas_producer(address, linger_ms=0) as producer:
        for _ in range(200):
            producer.send(topic, VALUE).result(10)
        samples = []
        for _ in range(count):
            start = time.perf_counter()
            producer.send(topic, VALUE).result(10)
            samples.append(time.perf_counter() - start)
    return quantiles(samples)


def latency_confluent(address: str, topic: str, count: int) -> MEASURED:
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": address, "linger.ms": 0, "enable.idempotence": True})
    samples = []
    for index in range(count + 200):
        start = time.perf_counter()
        producer.produce(topic, VALUE)
        if producer.flush(10):
            raise TimeoutError("not delivered in 10 s")
        if index >= 200:
            samples.append(time.perf_counter() - start)
    return quantiles(samples)


WORKLOADS: dict[str, Callable[[str, str, int], MEASURED]] = {
    "produce/barnabas send": produce_barnabas_send,
    "produce/confluent-kafka produce": produce_confluent,
    "produce with result/barnabas send, handle read": produce_barnabas_send_handle,
    "produce with result/confluent-kafka callback": produce_confluent_callback,
    "produce lists/barnabas send_many": produce_barnabas_send_many,
    "produce lists/confluent-kafka produce_batch": produce_confluent_batch,
    "consume objects/barnabas poll, record.value": lambda *a: consume_barnabas(*a, take_objects),
    "consume values/barnabas poll, values()": lambda *a: consume_barnabas(*a, take_values),
    "consume Arrow/barnabas poll, to_arrow()": consume_arrow,
    "consume/confluent-kafka consume(1000), back-off 1 ms": lambda *a: consume_confluent(
        *a, **{"fetch.queue.backoff.ms": 1}
    ),
    "consume/confluent-kafka consume(1000), defaults": consume_confluent,
    "latency/barnabas": latency_barnabas,
    "latency/confluent-kafka": latency_confluent,
}

if __name__ == "__main__":
    name, address, topic, count = sys.argv[1:]
    print(json.dumps(WORKLOADS[name](address, topic, int(count))))
