"""One producer's loop in a process of its own, for `producer.py`: prints what it took as JSON.

    python producer_clients.py NAME ADDRESS TOPIC COUNT SIZE

CPU is that of all threads of the process, from the first record to the last acknowledgement, after a record that opens
connections and reads metadata. "tuned" means the same for every client: linger 50 ms, batches of 1 MiB, acks all,
idempotence; "defaults" is what each has, with idempotence and acks as ours.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
import time
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

BATCH = 1_048_576
LINGER_MS = 50
MANY = 10_000
GATHERED = 1_000
THREADS = 8
STALLED_S = 3.0
FLUSH_S = 120
Loop = dict[str, Any]

_CONFLUENT = {"enable.idempotence": True, "acks": "all"}
_CONFLUENT_TUNED = {
    **_CONFLUENT,
    "linger.ms": LINGER_MS,
    "batch.size": BATCH,
    "batch.num.messages": 100_000,
    "queue.buffering.max.messages": 10_000_000,
    "queue.buffering.max.kbytes": 2_097_151,
}
_TUNED = {"linger_ms": LINGER_MS, "batch_size": BATCH, "buffer_memory": 67_108_864}


def measured(count: int, enqueue: Callable[[], None], finish: Callable[[], None]) -> Loop:
    """CPU and wall time of sending `count` records."""
    wall, cpu, thread = time.perf_counter(), time.process_time(), time.thread_time()
    enqueue()
    caller = time.thread_time() - thread
    finish()
    return result(count, time.perf_counter() - wall, time.process_time() - cpu, caller)


def result(count: int, wall: float, cpu: float, caller: float) -> Loop:
    return {"process_ns": cpu / count * 1e9, "caller_ns": caller / count * 1e9, "records_per_s": count / wall}


class Ours:
    """Loops of barnabas."""

    def __init__(self, address: str, topic: str, count: int, size: int) -> None:
        self.address, self.topic, self.count = address, topic, count
        self.value = b"v" * size

    def producer(self, **options: Any) -> Any:
        from barnabas import Producer

        producer = Producer(bootstrap_servers=self.address, **options)
        producer.send(self.topic, b"first").result(60)
        return producer

    def loop(self, enqueue: Callable[[Any], None], **options: Any) -> Loop:
        producer = self.producer(**options)
        try:
            return measured(self.count, lambda: enqueue(producer), lambda: producer.flush(FLUSH_S))
        finally:
            producer.close()

    def send(self, **options: Any) -> Loop:
        def enqueue(producer: Any) -> None:
            send, topic, value = producer.send, self.topic, self.value
            for _ in range(self.count):
                send(topic, value)

        return self.loop(enqueue, **options)

    def tuned(self) -> Loop:
        return self.send(**_TUNED)

    def callback(self) -> Loop:
        def enqueue(producer: Any) -> None:
            send, topic, value = producer.send, self.topic, self.value
            for _ in range(self.count):
                send(topic, value).add_done_callback(nothing)

        return self.loop(enqueue, **_TUNED)

    def handle(self) -> Loop:
        def enqueue(producer: Any) -> None:
            send, topic, value = producer.send, self.topic, self.value
            for start in range(0, self.count, MANY):
                deliveries = [send(topic, value) for _ in range(min(MANY, self.count - start))]
                for delivery in deliveries:
                    delivery.result()

        return self.loop(enqueue, **_TUNED)

    def key_and_header(self) -> Loop:
        headers = [("trace", b"0123456789")]
        keys = [b"key-%06d" % number for number in range(1000)]

        def enqueue(producer: Any) -> None:
            send, topic, value = producer.send, self.topic, self.value
            for key in islice(cycle(keys), self.count):
                send(topic, value, key, None, None, headers)

        return self.loop(enqueue, **_TUNED)

    def send_many(self) -> Loop:
        values = [self.value] * MANY

        def enqueue(producer: Any) -> None:
            for _ in range(self.count // MANY):
                producer.send_many(self.topic, values)

        return self.loop(enqueue, **_TUNED)

    def send_table(self) -> Loop:
        import pyarrow as pa

        table = pa.table({"value": pa.array([self.value] * MANY * 10, pa.binary())})

        def enqueue(producer: Any) -> None:
            for _ in range(self.count // table.num_rows):
                producer.send_table(self.topic, table)

        return self.loop(enqueue, **_TUNED)

    def threads(self) -> Loop:
        def enqueue(producer: Any) -> None:
            def work(share: int) -> None:
                send, topic, value = producer.send, self.topic, self.value
                for _ in range(share):
                    send(topic, value)

            from_threads(THREADS, self.count, work)

        return self.loop(enqueue, **_TUNED)

    def asyncio_gathered(self) -> Loop:
        from barnabas import AsyncProducer

        async def main() -> Loop:
            async with AsyncProducer(bootstrap_servers=self.address, **_TUNED) as producer:
                await (await producer.send(self.topic, b"first"))
                wall, cpu = time.perf_counter(), time.process_time()
                for start in range(0, self.count, MANY):
                    many = min(MANY, self.count - start)
                    deliveries = [await producer.send(self.topic, self.value) for _ in range(many)]
                    await producer.flush()
                    await asyncio.gather(*deliveries)
                return result(self.count, time.perf_counter() - wall, time.process_time() - cpu, 0.0)

        return asyncio.run(main())

    def stalled(self) -> Loop:
        """Memory while a broker answers nothing and all of `buffer_memory` is used."""
        from barnabas import Broker, Producer
        from barnabas.errors import BufferExhaustedError

        with Broker() as broker:
            producer = Producer(bootstrap_servers=broker.bootstrap_servers, max_block_ms=int(STALLED_S * 1000))
            producer.send(self.topic, b"first").result(60)
            before = resident_mib()
            fault = broker.faults.inject("Produce", drop=True, times=None)
            try:
                while True:
                    producer.send(self.topic, self.value)
            except BufferExhaustedError:
                grown = resident_mib() - before
            fault.remove()
            producer.close(timeout=0)
        return {"grown_mib": grown}


def from_threads(threads: int, count: int, work: Callable[[int], None]) -> None:
    """Has so many threads do their share of `count` each."""
    workers = [threading.Thread(target=work, args=(count // threads,)) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()


def interpreter(count: int, threads: int) -> Loop:
    """Calls of a method that does nothing: what threads cost each other before any client's work."""

    def work(share: int) -> None:
        call = "".isascii
        for _ in range(share):
            call()

    return measured(count, lambda: from_threads(threads, count, work), lambda: None)


class Confluent:
    """Loops of confluent-kafka."""

    def __init__(self, address: str, topic: str, count: int, size: int) -> None:
        self.address, self.topic, self.count = address, topic, count
        self.value = b"v" * size

    def loop(self, produce: Callable[[Any], None], options: dict[str, Any]) -> Loop:
        from confluent_kafka import Producer

        producer = Producer({"bootstrap.servers": self.address, **options})
        producer.produce(self.topic, b"first")
        producer.flush(60)
        return measured(self.count, lambda: produce(producer), lambda: drain(producer))

    def tuned(self) -> Loop:
        def enqueue(producer: Any) -> None:
            produce, topic, value = producer.produce, self.topic, self.value
            for _ in range(self.count):
                produce(topic, value)

        return self.loop(enqueue, _CONFLUENT_TUNED)

    def defaults(self) -> Loop:
        def enqueue(producer: Any) -> None:
            produce, topic, value = producer.produce, self.topic, self.value
            for _ in range(self.count):
                while True:
                    try:
                        produce(topic, value)
                    except BufferError:
                        producer.poll(0.01)
                    else:
                        break

        return self.loop(enqueue, _CONFLUENT)

    def callback(self) -> Loop:
        def enqueue(producer: Any) -> None:
            produce, topic, value = producer.produce, self.topic, self.value
            for number in range(self.count):
                produce(topic, value, on_delivery=nothing_of_two)
                if number % MANY == 0:
                    producer.poll(0)

        return self.loop(enqueue, _CONFLUENT_TUNED)

    def key_and_header(self) -> Loop:
        headers = [("trace", b"0123456789")]
        keys = [b"key-%06d" % number for number in range(1000)]

        def enqueue(producer: Any) -> None:
            produce, topic, value = producer.produce, self.topic, self.value
            for key in islice(cycle(keys), self.count):
                produce(topic, value, key, headers=headers)

        return self.loop(enqueue, {**_CONFLUENT_TUNED, "partitioner": "murmur2_random"})

    def threads(self) -> Loop:
        def enqueue(producer: Any) -> None:
            def work(share: int) -> None:
                produce, topic, value = producer.produce, self.topic, self.value
                for _ in range(share):
                    produce(topic, value)

            from_threads(THREADS, self.count, work)

        return self.loop(enqueue, _CONFLUENT_TUNED)

    def batch(self) -> Loop:
        def enqueue(producer: Any) -> None:
            for _ in range(self.count // MANY):
                producer.produce_batch(self.topic, [{"value": self.value} for _ in range(MANY)])

        return self.loop(enqueue, _CONFLUENT_TUNED)


def aiokafka_gathered(address: str, topic: str, count: int, size: int) -> Loop:
    from aiokafka import AIOKafkaProducer

    async def main() -> Loop:
        options = {"linger_ms": LINGER_MS, "max_batch_size": BATCH, "acks": "all", "enable_idempotence": True}
        async with AIOKafkaProducer(bootstrap_servers=address, max_request_size=BATCH + 4096, **options) as producer:
            await producer.send_and_wait(topic, b"first")
            value = b"v" * size
            wall, cpu = time.perf_counter(), time.process_time()
            for start in range(0, count, MANY):
                futures = [await producer.send(topic, value) for _ in range(min(MANY, count - start))]
                await producer.flush()
                await asyncio.gather(*futures)
            return result(count, time.perf_counter() - wall, time.process_time() - cpu, 0.0)

    return asyncio.run(main())


def nothing(_: object) -> None:
    pass


def nothing_of_two(_: object, __: object) -> None:
    pass


def drain(producer: Any) -> None:
    if producer.flush(FLUSH_S):
        raise SystemExit("confluent-kafka did not deliver everything")


def resident_mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def loops(address: str, topic: str, count: int, size: int) -> dict[str, Callable[[], Loop]]:
    ours, confluent = Ours(address, topic, count, size), Confluent(address, topic, count, size)
    return {
        "barnabas send": ours.tuned,
        "barnabas send, defaults": ours.send,
        "barnabas callback": ours.callback,
        "barnabas handle": ours.handle,
        "barnabas key and header": ours.key_and_header,
        "barnabas send_many": ours.send_many,
        "barnabas send_table": ours.send_table,
        "barnabas 8 threads": ours.threads,
        "barnabas asyncio": ours.asyncio_gathered,
        "barnabas stalled": ours.stalled,
        "confluent-kafka tuned": confluent.tuned,
        "confluent-kafka defaults": confluent.defaults,
        "confluent-kafka callback": confluent.callback,
        "confluent-kafka key and header": confluent.key_and_header,
        "confluent-kafka produce_batch": confluent.batch,
        "confluent-kafka 8 threads": confluent.threads,
        "aiokafka": lambda: aiokafka_gathered(address, topic, count, size),
        "interpreter": lambda: interpreter(count * 10, 1),
        "interpreter 8 threads": lambda: interpreter(count * 10, THREADS),
    }


if __name__ == "__main__":
    name, address, topic, count, size = sys.argv[1:]
    print(json.dumps(loops(address, topic, int(count), int(size))[name]()))
