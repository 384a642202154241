"""Foreign clients behind one face: each produces values and consumes a topic in a group."""

import asyncio
from collections.abc import Callable

import aiokafka
import kafka
import pyarrow as pa
from confluent_kafka import Consumer as ConfluentConsumer
from confluent_kafka import KafkaException
from confluent_kafka import Producer as ConfluentProducer
from reference_kafka import java

import barnabas

DEADLINE = 45.0
Record = tuple[bytes | None, bytes | None]
"""Key and value."""


def produce_barnabas(address: str, topic: str, records: list[Record], codec: str) -> None:
    with barnabas.Producer(bootstrap_servers=address, compression_type=codec) as producer:
        deliveries = [producer.send(topic, value, key=key) for key, value in records]
        producer.flush()
        for delivery in deliveries:
            delivery.result(timeout=DEADLINE)


def produce_barnabas_table(address: str, topic: str, records: list[Record], codec: str) -> None:
    columns = {"key": [key for key, _ in records], "value": [value for _, value in records]}
    with barnabas.Producer(bootstrap_servers=address, compression_type=codec) as producer:
        producer.send_table(topic, pa.table(columns)).result(timeout=DEADLINE)


def produce_barnabas_asyncio(address: str, topic: str, records: list[Record], codec: str) -> None:
    async def run() -> None:
        async with barnabas.AsyncProducer(bootstrap_servers=address, compression_type=codec) as producer:
            deliveries = [await producer.send(topic, value, key=key) for key, value in records]
            await asyncio.wait_for(asyncio.gather(*deliveries), DEADLINE)

    asyncio.run(run())


def consume_barnabas(address: str, topic: str, group: str, count: int) -> list[Record]:
    found: list[Record] = []
    options = {"bootstrap_servers": address, "group_id": group, "auto_offset_reset": "earliest"}
    with barnabas.Consumer(topic, **options) as consumer:
        for _ in range(int(DEADLINE)):
            found += [(record.key, record.value) for record in consumer.poll(timeout=1.0)]
            if len(found) >= count:
                break
        consumer.commit()
    return found


def produce_confluent(address: str, topic: str, records: list[Record], codec: str) -> None:
    failed: list[object] = []
    producer = ConfluentProducer({"bootstrap.servers": address, "compression.type": codec, "enable.idempotence": True})
    for key, value in records:
        producer.produce(topic, value=value, key=key, on_delivery=lambda error, _: error and failed.append(error))
    if producer.flush(DEADLINE) or failed:
        raise AssertionError(f"confluent-kafka did not deliver everything: {failed[:3]}")


def consume_confluent(address: str, topic: str, group: str, count: int) -> list[Record]:
    options = {"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest", "check.crcs": True}
    consumer = ConfluentConsumer(options)
    consumer.subscribe([topic])
    found: list[Record] = []
    try:
        for _ in range(int(DEADLINE * 2)):
            for message in consumer.consume(1000, 0.5):
                if message.error():
                    raise KafkaException(message.error())
                found.append((message.key(), message.value()))
            if len(found) >= count:
                break
        consumer.commit(asynchronous=False)
    finally:
        consumer.close()
    return found


def produce_kafka_python(address: str, topic: str, records: list[Record], codec: str) -> None:
    producer = kafka.KafkaProducer(bootstrap_servers=address, compression_type=None if codec == "none" else codec)
    futures = [producer.send(topic, value=value, key=key) for key, value in records]
    producer.flush(timeout=DEADLINE)
    for future in futures:
        future.get(timeout=DEADLINE)
    producer.close()


def consume_kafka_python(address: str, topic: str, group: str, count: int) -> list[Record]:
    consumer = kafka.KafkaConsumer(topic, bootstrap_servers=address, group_id=group, auto_offset_reset="earliest")
    found: list[Record] = []
    try:
        for _ in range(int(DEADLINE * 2)):
            for records in consumer.poll(timeout_ms=500).values():
                found += [(record.key, record.value) for record in records]
            if len(found) >= count:
                break
        consumer.commit()
    finally:
        consumer.close()
    return found


def produce_aiokafka(address: str, topic: str, records: list[Record], codec: str) -> None:
    async def run() -> None:
        producer = aiokafka.AIOKafkaProducer(
            bootstrap_servers=address, compression_type=None if codec == "none" else codec, enable_idempotence=True
        )
        await producer.start()
        try:
            futures = [await producer.send(topic, value=value, key=key) for key, value in records]
            await asyncio.wait_for(asyncio.gather(*futures), DEADLINE)
        finally:
            await producer.stop()

    asyncio.run(run())


def consume_aiokafka(address: str, topic: str, group: str, count: int) -> list[Record]:
    async def run() -> list[Record]:
        consumer = aiokafka.AIOKafkaConsumer(
            topic, bootstrap_servers=address, group_id=group, auto_offset_reset="earliest"
        )
        found: list[Record] = []
        await consumer.start()
        try:
            for _ in range(int(DEADLINE * 2)):
                for records in (await consumer.getmany(timeout_ms=500)).values():
                    found += [(record.key, record.value) for record in records]
                if len(found) >= count:
                    break
            await consumer.commit()
        finally:
            await consumer.stop()
        return found

    return asyncio.run(run())


def produce_java(address: str, topic: str, records: list[Record], codec: str) -> None:
    lines = "".join(f"{text(key)}\t{text(value)}\n" for key, value in records)
    options = ["parse.key=true", "key.separator=\t", f"compression.type={codec}"]
    done = java(
        "ConsoleProducer", "--bootstrap-server", address, "--topic", topic,
        "--reader-property", options[0], "--reader-property", options[1], "--command-property", options[2],
        stdin=lines,
    )  # fmt: skip
    if done.returncode != 0 or "ERROR" in done.stderr:
        raise AssertionError(f"the console producer failed: {done.stderr or done.stdout}")


def consume_java(address: str, topic: str, group: str, count: int) -> list[Record]:
    done = java(
        "ConsoleConsumer", "--bootstrap-server", address, "--topic", topic, "--group", group, "--from-beginning",
        "--max-messages", str(count), "--timeout-ms", "30000",
        "--formatter-property", "print.key=true", "--formatter-property", "key.separator=\t",
    )  # fmt: skip
    if done.returncode != 0:
        raise AssertionError(f"the console consumer failed: {done.stderr or done.stdout}")
    pairs = [line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line]
    return [(None if key == "null" else key.encode(), value.encode()) for key, value in pairs]


def text(data: bytes | None) -> str:
    return "" if data is None else data.decode()


PRODUCE: dict[str, Callable[[str, str, list[Record], str], None]] = {
    "barnabas": produce_barnabas,
    "barnabas-table": produce_barnabas_table,
    "barnabas-asyncio": produce_barnabas_asyncio,
    "confluent-kafka": produce_confluent,
    "aiokafka": produce_aiokafka,
    "kafka-python": produce_kafka_python,
    "java": produce_java,
}
CONSUME: dict[str, Callable[[str, str, str, int], list[Record]]] = {
    "barnabas": consume_barnabas,
    "confluent-kafka": consume_confluent,
    "aiokafka": consume_aiokafka,
    "kafka-python": consume_kafka_python,
    "java": consume_java,
}
ALL_CODECS = ["none", "gzip", "snappy", "lz4", "zstd"]
CODECS = {
    "barnabas": ALL_CODECS,
    "barnabas-table": ["lz4"],
    "barnabas-asyncio": ["none"],
    "confluent-kafka": ALL_CODECS,
    "aiokafka": ["none", "lz4"],
    "kafka-python": ["none", "lz4"],
    "java": ALL_CODECS,
}
"""What each client is asked to write; the pure-Python ones need extra packages for more."""
UNREADABLE = {"kafka-python": {"snappy", "zstd"}}
"""What a client cannot read without packages that it does not bring."""
