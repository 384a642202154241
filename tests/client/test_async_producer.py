"""The producer of asyncio: the same batches as the blocking one, native to the loop."""

import asyncio
import gc
import inspect
import threading
import weakref

import pytest
from reading import read, values

import barnabas
from barnabas import AsyncProducer, Producer, TopicPartition, errors

DEADLINE = 60.0
MEMORY = 65_536


def of_clients():
    """Names of this process's threads that a producer or its loop might start."""
    return sorted(one.name for one in threading.enumerate() if one.name.startswith(("asyncio", "barnabas-callbacks")))


def run(main):
    return asyncio.run(asyncio.wait_for(main, DEADLINE))


def test_both_faces_have_the_same_methods_and_arguments():
    def public(face):
        members = inspect.getmembers(face, callable)
        return {name: member for name, member in members if not name.startswith("_")}

    blocking, native = public(Producer), public(AsyncProducer)
    assert blocking.keys() == native.keys()
    waits = set()
    for name, method in blocking.items():
        assert inspect.signature(method).parameters == inspect.signature(native[name]).parameters, name
        if inspect.iscoroutinefunction(native[name]):
            waits.add(name)
    assert waits == set(blocking) - {"metrics"}


def test_everything_of_a_record_arrives_from_a_loop(bootstrap_servers, topic, consumer):
    headers = [("trace", b"1"), ("null", None)]

    async def main():
        async with AsyncProducer(bootstrap_servers=bootstrap_servers, value_serializer=str.encode) as producer:
            delivery = await producer.send(topic, "ä", key=b"k", partition=1, timestamp=7, headers=headers)
            assert not asyncio.iscoroutine(delivery)
            assert asyncio.isfuture(delivery)
            found = await delivery
            assert found == (topic, 1, 0, 7)
            assert delivery.done()
            assert delivery.result() == found
            assert delivery.exception() is None
            many = await producer.send_many(topic, ["1", "2"], keys=[b"a", None], timestamps=[8, 9], partition=1)
            assert [metadata[2:] for metadata in await many] == [(1, 8), (2, 9)]
            assert len(many) == 2
            assert (await many[-1]).offset == 2

    run(main())
    reader = consumer()
    reader.assign([TopicPartition(topic, 1)])
    found = read(reader, 3)
    assert values(found) == ["ä".encode(), b"1", b"2"]
    assert (found[0].key, found[0].headers, found[1].key) == (b"k", headers, b"a")


def test_gathered_deliveries_take_no_task_and_no_future_each(our_broker, unique):
    count = 5_000

    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker) as producer:
            deliveries = [await producer.send(unique, b"%d" % number, partition=0) for number in range(count)]
            gathering = asyncio.gather(*deliveries)
            assert len(asyncio.all_tasks()) <= 2
            return [metadata.offset for metadata in await gathering]

    assert run(main()) == list(range(count))


def test_tasks_that_send_and_wait_each_get_their_own(our_broker, unique):
    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker) as producer:

            async def one(number):
                return number, (await (await producer.send(unique, b"%d" % number, partition=0))).offset

            return dict(await asyncio.gather(*(one(number) for number in range(500))))

    offsets = run(main())
    with barnabas.Consumer(bootstrap_servers=our_broker, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(unique, 0)])
        assert {int(record.value): record.offset for record in read(reader, 500)} == offsets


def test_waiting_does_not_linger_and_starts_no_thread(our_broker, unique):
    async def main():
        async with AsyncProducer(
            bootstrap_servers=our_broker, linger_ms=50_000, delivery_timeout_ms=120_000
        ) as producer:
            before = of_clients()
            for number in range(5):
                assert (await (await producer.send(unique, b"x", partition=0))).offset == number
            delivery = await producer.send(unique, b"x", partition=0)
            await producer.flush(timeout=30)
            assert delivery.done()
            assert of_clients() == before

    run(main())


def test_the_loop_is_woken_once_for_each_response_not_for_each_record(our_broker, unique):
    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker, linger_ms=1_000) as producer:
            await (await producer.send(unique, b"first", partition=0))
            rings = 0
            settle = producer._settle

            def counted():
                nonlocal rings
                rings += 1
                settle()

            producer._bell._on_ring = counted
            requests = producer.metrics()["produce_requests"]
            deliveries = [await producer.send(unique, b"x" * 100, partition=0) for _ in range(20_000)]
            await asyncio.gather(*deliveries)
            responses = producer.metrics()["produce_requests"] - requests
            assert 1 <= rings <= responses < 100

    run(main())


def test_sends_wait_for_room_and_all_of_it_comes_back(our_broker, unique):
    options = {"buffer_memory": MEMORY, "batch_size": 16_384, "linger_ms": 0}

    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker, **options) as producer:

            async def one(number):
                return await (await producer.send(unique, b"%05d" % number * 400, partition=0))

            found = await asyncio.gather(*(one(number) for number in range(400)))
            assert sorted(metadata.offset for metadata in found) == list(range(400))
            many = await producer.send_many(unique, [b"x" * 3_000] * 300, partition=0)
            assert [metadata.offset for metadata in await many] == list(range(400, 700))
            assert producer.metrics()["buffer_bytes_used"] == 0

    run(main())


@pytest.fixture
def stalled(stack):
    """A broker that answers everything but Produce."""
    broker = stack.enter_context(barnabas.Broker())
    broker.faults.inject("Produce", drop=True, times=None)
    return broker.bootstrap_servers


def small(address, **more):
    return AsyncProducer(bootstrap_servers=address, buffer_memory=MEMORY, batch_size=16_384, linger_ms=0, **more)


async def filled(producer, topic):
    """Sends until there is no room any more; the send that waits for it."""
    while True:
        sending = asyncio.ensure_future(producer.send(topic, b"x" * 8_000, partition=0))
        while not sending.done():
            await asyncio.wait([sending], timeout=0.05)
            if producer.metrics()["buffer_bytes_used"] == MEMORY and not sending.done():
                return sending


def test_no_room_is_an_error_after_max_block_ms(stalled, unique):
    async def main():
        producer = small(stalled, max_block_ms=400)
        waiting = await filled(producer, unique)
        with pytest.raises(errors.BufferExhaustedError, match=r"within 400 ms"):
            await waiting
        await producer.close(timeout=0)

    run(main())


def test_a_cancelled_wait_for_room_gives_its_place_to_the_next(stalled, unique):
    async def main():
        producer = small(stalled)
        waiting = await filled(producer, unique)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        second = asyncio.ensure_future(producer.send(unique, b"y" * 8_000, partition=0))
        await asyncio.sleep(0)
        closing = asyncio.ensure_future(producer.close(timeout=0))
        with pytest.raises(errors.IllegalStateError):
            await second
        await closing

    run(main())


def test_closing_without_time_fails_what_waits(stalled, unique):
    async def main():
        producer = AsyncProducer(bootstrap_servers=stalled)
        deliveries = [await producer.send(unique, b"x", partition=0) for _ in range(3)]
        waiting = [asyncio.ensure_future(asyncio.wait_for(delivery, 30)) for delivery in deliveries]
        await asyncio.sleep(0)
        await producer.close(timeout=0)
        for found in await asyncio.gather(*waiting, return_exceptions=True):
            assert isinstance(found, errors.IllegalStateError)
        assert isinstance(deliveries[0].exception(), errors.IllegalStateError)
        with pytest.raises(errors.IllegalStateError, match="this AsyncProducer is closed"):
            await producer.send(unique, b"x")
        with pytest.raises(errors.IllegalStateError, match="this AsyncProducer is closed"):
            await producer.flush()
        await producer.close()

    run(main())


def test_cancelling_ends_the_wait_and_not_the_sending(our_broker, unique):
    async def main():
        async with AsyncProducer(
            bootstrap_servers=our_broker, linger_ms=50_000, delivery_timeout_ms=120_000
        ) as producer:
            await (await producer.send(unique, b"0", partition=0))
            first = await producer.send(unique, b"1", partition=0)
            second = await producer.send(unique, b"2", partition=0)
            gathering = asyncio.gather(first, second)
            await asyncio.sleep(0)
            gathering.cancel()
            with pytest.raises(asyncio.CancelledError):
                await gathering
            assert first.cancelled()
            assert first.done()
            with pytest.raises(asyncio.CancelledError):
                first.result()
            third = await producer.send(unique, b"3", partition=0)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(asyncio.shield(third), 0)
            await producer.flush(timeout=30)
            assert third.result().offset == 3

    run(main())


def test_a_failed_record_raises_wherever_it_is_waited_for(our_broker, unique):
    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker, max_request_size=5_000_000) as producer:
            delivery = await producer.send(unique, b"x" * 2_000_000, partition=0)
            with pytest.raises(errors.MessageTooLargeError):
                await delivery
            assert isinstance(delivery.exception(), errors.MessageTooLargeError)
            found = await asyncio.gather(delivery, await producer.send(unique, b"x"), return_exceptions=True)
            assert [type(one).__name__ for one in found] == ["MessageTooLargeError", "RecordMetadata"]
            many = await producer.send_many(unique, [b"x" * 2_000_000], partition=0)
            with pytest.raises(errors.MessageTooLargeError):
                await many

    run(main())


def test_callbacks_are_called_in_the_loop_and_can_be_taken_back(our_broker, unique):
    async def main():
        called = []
        twice = asyncio.Event()
        async with AsyncProducer(bootstrap_servers=our_broker) as producer:
            delivery = await producer.send(unique, b"x", partition=0)

            def callback(found):
                called.append((found is delivery, threading.current_thread() is threading.main_thread()))
                if len(called) == 2:
                    twice.set()

            delivery.add_done_callback(callback)
            delivery.add_done_callback(called.append)
            assert delivery.remove_done_callback(called.append) == 1
            await delivery
            delivery.add_done_callback(callback)
            await twice.wait()
        assert called == [(True, True)] * 2

    run(main())


def test_a_topic_that_nobody_leads_is_an_error_in_time(unique):
    async def main():
        producer = AsyncProducer(bootstrap_servers="127.0.0.1:1", max_block_ms=200)
        with pytest.raises(errors.KafkaTimeoutError, match=r"were not known within max\.block\.ms"):
            await producer.send(unique, b"x")
        await producer.close(timeout=0)

    run(main())


def test_another_loop_is_refused(our_broker, unique):
    producer = AsyncProducer(bootstrap_servers=our_broker)

    async def send():
        return await (await producer.send(unique, b"x"))

    with asyncio.Runner() as mine, asyncio.Runner() as other:
        mine.run(send())
        with pytest.raises(errors.ConcurrentUseError, match="another event loop"):
            other.run(producer.flush())
        mine.run(producer.close())


def test_nothing_is_left_after_records_were_waited_for_or_cancelled(our_broker, unique):
    class Kept:
        def __call__(self, delivery):
            pass

    async def main():
        async with AsyncProducer(bootstrap_servers=our_broker) as producer:
            callback = Kept()
            kept = weakref.ref(callback)
            deliveries = [await producer.send(unique, b"x") for _ in range(50)]
            for delivery in deliveries:
                delivery.add_done_callback(callback)
            for delivery in deliveries[::2]:
                assert delivery.cancel()
                assert not delivery.cancel()
            await producer.flush()
            handles = [weakref.ref(delivery) for delivery in deliveries]
            for delivery in deliveries[1::2]:
                await delivery
            await asyncio.sleep(0)
            del deliveries, delivery, callback
            gc.collect()
            assert kept() is None
            assert [handle for handle in handles if handle() is not None] == []

    run(main())


def test_a_blocking_producers_delivery_can_be_awaited_too(producer, topic):
    async def main():
        found = await producer.send(topic, b"x", partition=0)
        assert found.offset == 0
        assert [metadata.offset for metadata in await producer.send_many(topic, [b"y"] * 3, partition=0)] == [1, 2, 3]
        return await asyncio.gather(*(producer.send(topic, b"z", partition=0) for _ in range(10)))

    assert [metadata.offset for metadata in run(main())] == list(range(4, 14))
