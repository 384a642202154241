"""The loops that `consumer.py` measures, each in a process of its own: `python consumer_clients.py NAME ADDRESS TOPIC COUNT`.

CPU is what the loop itself used: `caller` is the thread's that reads, `process` that of all threads of the process. Topics
are filled before, and read from their beginning by partitions that are assigned, CRC checked.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from workloads import MEASURED

PATIENCE = 60.0
# What confluent-kafka's users are told to set when it stalls: no back-off between fetches, larger queues.
CONFLUENT_TUNED = {"fetch.queue.backoff.ms": 1, "queued.min.messages": 1_000_000, "queued.max.messages.kbytes": 262_144}
BARNABAS_TUNED = {
    "max_partition_fetch_bytes": 4 << 20,
    "fetch_max_bytes": 64 << 20,
    "barnabas_fetch_buffer_bytes": 256 << 20,
}


def came(found: int, count: int, got: int, since: float) -> None:
    if not got and time.monotonic() - since > PATIENCE:
        raise TimeoutError(f"{found} of {count} records came")


def barnabas_loop(address: str, topic: str, count: int, take: Callable[[Any], int], **options: Any) -> MEASURED:
    from workloads import Clock

    from barnabas import Consumer, TopicPartition

    with Consumer(bootstrap_servers=address, auto_offset_reset="earliest", **options) as consumer:
        consumer.assign([TopicPartition(topic, info.partition) for info in consumer.partitions_for(topic)])
        clock, found, since = Clock(), 0, time.monotonic()
        while found < count:
            got = take(consumer.poll(timeout=5))
            came(found, count, got, since)
            found += got
        return clock.per_record(found)


def objects(records: Any) -> int:
    found = 0
    for record in records:
        record.value  # noqa: B018 (reading the attribute is the work)
        found += 1
    return found


def values(records: Any) -> int:
    return len(records.values())


def arrow(records: Any) -> int:
    return records.to_arrow().num_rows if len(records) else 0


def barnabas_arrow(address: str, topic: str, count: int) -> MEASURED:
    from barnabas.columns import Records, batches

    # pyarrow is loaded before the clock starts.
    (batch,) = batches([b"warm-up"])
    arrow(Records.from_bytes("warm-up", 0, bytes(batch)))
    return barnabas_loop(address, topic, count, arrow)


def barnabas_asyncio(address: str, topic: str, count: int, *, by_record: bool) -> MEASURED:
    from workloads import Clock

    from barnabas import AsyncConsumer, TopicPartition

    async def main() -> MEASURED:
        async with AsyncConsumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer:
            partitions = await consumer.partitions_for(topic)
            consumer.assign([TopicPartition(topic, info.partition) for info in partitions])
            clock, found, since = Clock(), 0, time.monotonic()
            if by_record:
                async for record in consumer:
                    record.value  # noqa: B018
                    found += 1
                    if found == count:
                        break
                return clock.per_record(found)
            while found < count:
                got = objects(await consumer.poll(timeout=5))
                came(found, count, got, since)
                found += got
            return clock.per_record(found)

    return asyncio.run(main())


def confluent(address: str, topic: str, count: int, **options: Any) -> MEASURED:
    from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition
    from workloads import Clock

    consumer = Consumer({"bootstrap.servers": address, "group.id": "none", "check.crcs": True, **options})
    partitions = consumer.list_topics(topic, 30).topics[topic].partitions
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
    clock, found, since = Clock(), 0, time.monotonic()
    while found < count:
        messages = consumer.consume(1000, 5)
        for message in messages:
            message.value()
        came(found, count, len(messages), since)
        found += len(messages)
    measured = clock.per_record(found)
    consumer.close()
    return measured


def aiokafka_getmany(address: str, topic: str, count: int) -> MEASURED:
    import aiokafka
    from workloads import Clock

    async def main() -> MEASURED:
        consumer = aiokafka.AIOKafkaConsumer(bootstrap_servers=address, auto_offset_reset="earliest")
        await consumer.start()
        try:
            partitions: set[int] | None = None
            while not partitions:
                await consumer._client.force_metadata_update()  # noqa: SLF001 - waits for a new topic
                metadata = await consumer._client.fetch_all_metadata()  # noqa: SLF001 - the same
                partitions = metadata.partitions_for_topic(topic)
            consumer.assign([aiokafka.TopicPartition(topic, partition) for partition in partitions])
            clock, found, since = Clock(), 0, time.monotonic()
            while found < count:
                got = 0
                for records in (await consumer.getmany(timeout_ms=5000)).values():
                    for record in records:
                        record.value  # noqa: B018
                        got += 1
                came(found, count, got, since)
                found += got
            return clock.per_record(found)
        finally:
            await consumer.stop()

    return asyncio.run(main())


def kafka_python_poll(address: str, topic: str, count: int) -> MEASURED:
    import kafka
    from workloads import Clock

    consumer = kafka.KafkaConsumer(bootstrap_servers=address, auto_offset_reset="earliest")
    consumer.assign([kafka.TopicPartition(topic, partition) for partition in consumer.partitions_for_topic(topic)])
    clock, found, since = Clock(), 0, time.monotonic()
    while found < count:
        got = 0
        for records in consumer.poll(timeout_ms=5000).values():
            for record in records:
                record.value  # noqa: B018
                got += 1
        came(found, count, got, since)
        found += got
    measured = clock.per_record(found)
    consumer.close()
    return measured


# Latency from end to end: one record at a time, sent by another process.


def send_one_at_a_time(address: str, topic: str, count: int) -> MEASURED:
    """Each record carries the time at which it was handed to `send`; the next one follows a millisecond after its answer."""
    from barnabas import Producer

    with Producer(bootstrap_servers=address, linger_ms=0) as producer:
        for _ in range(count):
            producer.send(topic, time.monotonic_ns().to_bytes(8, "big")).result(30)
            time.sleep(0.001)
    return {"records": count}


def quantiles(samples: list[int]) -> MEASURED:
    samples.sort()
    at = lambda part: samples[min(len(samples) - 1, int(len(samples) * part))] / 1e3  # noqa: E731
    return {"records": len(samples), "p50_us": at(0.5), "p99_us": at(0.99), "max_us": samples[-1] / 1e3}


WARM_UP = 200


def end_to_end_barnabas(address: str, topic: str, count: int) -> MEASURED:
    from barnabas import Consumer, TopicPartition

    samples: list[int] = []
    with Consumer(bootstrap_servers=address, auto_offset_reset="latest") as consumer:
        consumer.assign([TopicPartition(topic, 0)])
        consumer.position(TopicPartition(topic, 0))
        consumer.poll(timeout=0.1)
        print("ready", flush=True)
        while len(samples) < count:
            samples += [
                time.monotonic_ns() - int.from_bytes(sent, "big") for sent in consumer.poll(timeout=30).values()
            ]
    return quantiles(samples[WARM_UP:])


def end_to_end_asyncio(address: str, topic: str, count: int) -> MEASURED:
    from barnabas import AsyncConsumer, TopicPartition

    async def main() -> MEASURED:
        samples: list[int] = []
        async with AsyncConsumer(bootstrap_servers=address, auto_offset_reset="latest") as consumer:
            consumer.assign([TopicPartition(topic, 0)])
            await consumer.position(TopicPartition(topic, 0))
            await consumer.poll(timeout=0.1)
            print("ready", flush=True)
            while len(samples) < count:
                records = await consumer.poll(timeout=30)
                samples += [time.monotonic_ns() - int.from_bytes(sent, "big") for sent in records.values()]
        return quantiles(samples[WARM_UP:])

    return asyncio.run(main())


def end_to_end_confluent(address: str, topic: str, count: int) -> MEASURED:
    from confluent_kafka import OFFSET_END, Consumer, TopicPartition

    consumer = Consumer({"bootstrap.servers": address, "group.id": "none", "fetch.wait.max.ms": 100})
    consumer.assign([TopicPartition(topic, 0, OFFSET_END)])
    consumer.poll(1.0)
    print("ready", flush=True)
    samples: list[int] = []
    while len(samples) < count:
        message = consumer.poll(30)
        if message is not None and message.error() is None:
            samples.append(time.monotonic_ns() - int.from_bytes(message.value(), "big"))
    consumer.close()
    return quantiles(samples[WARM_UP:])


# Others


def first_record(_address: str, _topic: str, count: int) -> MEASURED:
    """From the making of a consumer in a group of one to its first record, on a broker in the same process."""
    from barnabas import Broker, Consumer, Producer

    samples: list[int] = []
    with Broker() as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send("first", b"x").result(30)
        for number in range(count):
            begin = time.monotonic_ns()
            with Consumer(
                "first",
                bootstrap_servers=broker.bootstrap_servers,
                group_id=f"group-{number}",
                auto_offset_reset="earliest",
            ) as consumer:
                while not consumer.poll(timeout=10):
                    pass
                samples.append(time.monotonic_ns() - begin)
    samples.sort()
    milliseconds = [sample / 1e6 for sample in samples]
    return {
        "runs": count,
        "median_ms": milliseconds[count // 2],
        "first_ms": milliseconds[0],
        "max_ms": milliseconds[-1],
    }


def memory(address: str, topic: str, count: int) -> MEASURED:
    """What a consumer holds whose lag is the whole topic, while nobody polls, and while what is polled is dropped."""
    from barnabas import Consumer, TopicPartition

    def resident() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

    with Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer:
        partitions = consumer.partitions_for(topic)
        before = resident()
        consumer.assign([TopicPartition(topic, info.partition) for info in partitions])
        consumer.poll(timeout=5, max_records=1)
        # Nobody polls: what is fetched meanwhile is what the options allow.
        fetched, still = -1, 0
        while still < 20:
            time.sleep(0.05)
            now = consumer.metrics()["fetched_bytes"]
            still = still + 1 if now == fetched else 0
            fetched = now
        held, buffered = resident() - before, consumer.metrics()["fetch_buffered_bytes"] / 2**20
        found, most, since = 1, 0.0, time.monotonic()
        while found < count:
            got = len(consumer.poll(timeout=5))
            came(found, count, got, since)
            found += got
            most = max(most, resident() - before)
    return {"records": found, "waiting_mib": held, "buffered_mib": buffered, "reading_mib": most}


WORKLOADS: dict[str, Callable[[str, str, int], MEASURED]] = {
    "barnabas objects": lambda *a: barnabas_loop(*a, objects),
    "barnabas objects, tuned": lambda *a: barnabas_loop(*a, objects, **BARNABAS_TUNED),
    "barnabas values": lambda *a: barnabas_loop(*a, values),
    "barnabas Arrow": barnabas_arrow,
    "barnabas asyncio poll": lambda *a: barnabas_asyncio(*a, by_record=False),
    "barnabas async for": lambda *a: barnabas_asyncio(*a, by_record=True),
    "confluent-kafka defaults": confluent,
    "confluent-kafka tuned": lambda *a: confluent(*a, **CONFLUENT_TUNED),
    "aiokafka getmany": aiokafka_getmany,
    "kafka-python poll": kafka_python_poll,
    "send": send_one_at_a_time,
    "end to end barnabas": end_to_end_barnabas,
    "end to end barnabas asyncio": end_to_end_asyncio,
    "end to end confluent-kafka": end_to_end_confluent,
    "first record": first_record,
    "memory": memory,
}

if __name__ == "__main__":
    name, address, topic, count = sys.argv[1:]
    print(json.dumps(WORKLOADS[name](address, topic, int(count))))
