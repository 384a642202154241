"""The clients of asyncio in uvloop, which has event loops and sockets of its own."""

import asyncio

import pytest

from barnabas import AsyncConsumer, AsyncProducer

uvloop = pytest.importorskip("uvloop")

DEADLINE = 60.0


def run(main):
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(asyncio.wait_for(main, DEADLINE))


def test_records_are_sent_gathered_and_read(our_broker, unique):
    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker) as producer:
            deliveries = [await producer.send(unique, b"%d" % number, partition=0) for number in range(2_000)]
            found = await asyncio.gather(*deliveries)
            assert [metadata.offset for metadata in found] == list(range(2_000))
            assert (await (await producer.send(unique, b"2000", partition=0))).offset == 2_000
            assert len(await producer.partitions_for(unique)) == 1
        async with AsyncConsumer(bootstrap_servers=our_broker, auto_offset_reset="earliest") as consumer:
            consumer.assign([(unique, 0)])
            values = []
            while len(values) < 2_001:
                values += (await consumer.poll(timeout=5)).values()
            return values

    assert run(main()) == [b"%d" % number for number in range(2_001)]


def test_sends_wait_for_room_and_a_cancelled_wait_ends(our_broker, unique):
    options = {"buffer_memory": 65_536, "batch_size": 16_384, "linger_ms": 0}

    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker, **options) as producer:

            async def one(number):
                return await (await producer.send(unique, b"%05d" % number * 400, partition=0))

            sending = [asyncio.ensure_future(one(number)) for number in range(200)]
            await asyncio.sleep(0)
            sending[150].cancel()
            found = await asyncio.gather(*sending, return_exceptions=True)
            assert isinstance(found[150], asyncio.CancelledError)
            offsets = {metadata.offset for number, metadata in enumerate(found) if number != 150}
            assert len(offsets) == 199
            await producer.flush()
            assert producer.metrics()["buffer_bytes_used"] == 0

    run(main())
