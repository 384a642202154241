"""The consumer of asyncio: the same work as the blocking one, native to the loop."""

import asyncio
import inspect
import threading
import time

import pytest
from reading import read

import barnabas
from barnabas import AsyncConsumer, Consumer, TopicPartition, errors

DEADLINE = 60.0


def run(main):
    return asyncio.run(asyncio.wait_for(main, DEADLINE))


async def read_async(consumer, count):
    found = []
    while len(found) < count:
        found += await consumer.poll(timeout=5)
    return found


def options(address, **more):
    return {"bootstrap_servers": address, "auto_offset_reset": "earliest"} | more


def test_both_faces_have_the_same_methods_and_arguments():
    def public(face):
        members = inspect.getmembers(face, callable)
        return {name: member for name, member in members if not name.startswith("_")}

    blocking, native = public(Consumer), public(AsyncConsumer)
    assert blocking.keys() == native.keys()
    waits = set()
    for name, method in blocking.items():
        assert inspect.signature(method).parameters == inspect.signature(native[name]).parameters, name
        if inspect.iscoroutinefunction(native[name]):
            waits.add(name)
    assert waits == {
        "beginning_offsets", "close", "commit", "committed", "end_offsets", "list_topics", "offsets_for_times",
        "partitions_for", "poll", "position", "unsubscribe",
    }  # fmt: skip


def test_a_group_is_read_and_committed(bootstrap_servers, producer, topic):
    producer.send_many(topic, [b"%d" % number for number in range(300)])
    producer.flush(10)

    async def main():
        async with AsyncConsumer(topic, **options(bootstrap_servers, group_id=topic)) as consumer:
            found = await read_async(consumer, 300)
            assert consumer.assignment() == {TopicPartition(topic, number) for number in range(3)}
            await consumer.commit()
            committed = await consumer.committed()
            assert sum(offset.offset for offset in committed.values() if offset) == 300
            assert await consumer.end_offsets() == {tp: offset.offset for tp, offset in committed.items() if offset} | {
                tp: 0 for tp, offset in committed.items() if not offset
            }
            assert set((await consumer.beginning_offsets()).values()) == {0}
            assert len(await consumer.partitions_for(topic)) == 3
            assert topic in await consumer.list_topics()
            first = await consumer.offsets_for_times(dict.fromkeys(consumer.assignment(), 0))
            assert all(at is None or at.offset == 0 for at in first.values())
            return found

    assert sorted(int(record.value) for record in run(main())) == list(range(300))


def test_iteration_gives_every_record_and_a_break_loses_none(bootstrap_servers, unique):
    with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
        producer.send_many(unique, [b"%d" % number for number in range(1500)]).result(10)

    async def main():
        found = []
        async with AsyncConsumer(**options(bootstrap_servers)) as consumer:
            consumer.assign([(unique, 0)])
            for stop in (10, 700, 1500):
                async for record in consumer:
                    found.append(int(record.value))
                    if len(found) == stop:
                        break
                assert await consumer.position((unique, 0)) == stop
        return found

    assert run(main()) == list(range(1500))


def test_tasks_commit_and_ask_while_another_one_waits_for_records(bootstrap_servers, unique):
    async def main():
        async with AsyncConsumer(**options(bootstrap_servers, group_id=unique)) as consumer:
            await consumer.partitions_for(unique)  # creates it
            consumer.assign([(unique, 0)])
            waiting = asyncio.create_task(consumer.poll(timeout=30))
            await asyncio.gather(*(consumer.commit({(unique, 0): number}) for number in range(20)))
            assert (await consumer.committed())[(unique, 0)].offset in range(20)
            with pytest.raises(errors.ConcurrentUseError, match="another task"):
                await consumer.poll(timeout=0)
            with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
                producer.send(unique, b"x", partition=0).result(10)
            assert (await waiting).values() == [b"x"]

    run(main())


def test_the_loop_goes_on_while_a_poll_waits_and_a_cancelled_poll_loses_nothing(bootstrap_servers, unique):
    async def main():
        async with AsyncConsumer(**options(bootstrap_servers)) as consumer:
            await consumer.partitions_for(unique)
            consumer.assign([(unique, 0)])
            for _ in range(3):
                with pytest.raises(asyncio.TimeoutError):
                    await asyncio.wait_for(consumer.poll(timeout=30), 0.05)
            with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
                producer.send(unique, b"x").result(10)
            assert (await consumer.poll(timeout=30)).values() == [b"x"]

    run(main())


def test_a_listener_of_coroutines_commits_before_its_partitions_go(bootstrap_servers, unique):
    heard = []

    class Listener:
        async def on_partitions_assigned(self, partitions):
            await asyncio.sleep(0)
            heard.append(("assigned", len(partitions)))
            consumer.seek(partitions[0], 1)

        async def on_partitions_revoked(self, partitions):
            await consumer.commit({partitions[0]: 42})
            heard.append(("revoked", len(partitions)))

        async def on_partitions_lost(self, partitions):
            heard.append(("lost", len(partitions)))

    async def main():
        nonlocal consumer
        with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
            producer.send_many(unique, [b"0", b"1"]).result(10)
        consumer = AsyncConsumer(**options(bootstrap_servers, group_id=unique, enable_auto_commit=False))
        async with consumer:
            consumer.subscribe([unique], Listener())
            assert (await consumer.poll(timeout=30)).values() == [b"1"]
            await consumer.unsubscribe()
            assert heard == [("assigned", 1), ("revoked", 1)]
            assert (await consumer.committed([(unique, 0)]))[(unique, 0)].offset == 42
            with pytest.raises(ValueError, match=r"await consumer\.unsubscribe"):
                consumer.subscribe([])

    consumer = None
    run(main())


def test_a_listener_of_coroutines_is_refused_by_the_blocking_consumer(bootstrap_servers, unique):
    class Listener:
        async def on_partitions_assigned(self, partitions):
            raise AssertionError

        def on_partitions_revoked(self, partitions):
            pass

    with Consumer(**options(bootstrap_servers, group_id=unique)) as consumer:
        consumer.partitions_for(unique)
        consumer.subscribe([unique], Listener())
        with pytest.raises(TypeError, match="use AsyncConsumer"):
            read(consumer, 1)


def test_the_failure_of_a_listener_is_raised_and_the_consumer_closes(bootstrap_servers, unique):
    class Listener:
        async def on_partitions_assigned(self, partitions):
            pass

        async def on_partitions_revoked(self, partitions):
            raise RuntimeError("failed")

    async def main():
        consumer = AsyncConsumer(**options(bootstrap_servers, group_id=unique))
        await consumer.partitions_for(unique)
        consumer.subscribe([unique], Listener())
        while not consumer.assignment():
            await consumer.poll(timeout=0.1)
        with pytest.raises(RuntimeError, match="failed"):
            await consumer.close()
        with pytest.raises(errors.IllegalStateError, match="closed"):
            await consumer.poll()

    run(main())


def test_wakeup_from_another_thread(bootstrap_servers, unique):
    async def main():
        async with AsyncConsumer(**options(bootstrap_servers)) as consumer:
            await consumer.partitions_for(unique)
            consumer.assign([(unique, 0)])
            asyncio.get_running_loop().call_later(0.05, threading.Thread(target=consumer.wakeup).start)
            with pytest.raises(errors.WakeupError):
                await consumer.poll(timeout=30)

    run(main())


def test_another_loop_is_refused(bootstrap_servers, unique):
    async def first():
        consumer = AsyncConsumer(**options(bootstrap_servers))
        await consumer.partitions_for(unique)
        return consumer

    async def second(consumer):
        with pytest.raises(errors.ConcurrentUseError, match="another event loop"):
            await consumer.list_topics()

    consumer = run(first())
    run(second(consumer))
    with pytest.raises(errors.ConcurrentUseError, match="another event loop"):
        consumer.assignment()


def test_a_loop_without_readers_is_woken_all_the_same(bootstrap_servers, unique):
    class Proactor(asyncio.SelectorEventLoop):
        def add_reader(self, *_):
            raise NotImplementedError

        async def sock_recv(self, sock, size):
            while True:
                try:
                    return sock.recv(size)
                except BlockingIOError:
                    await asyncio.sleep(0.001)

    async def main():
        async with AsyncConsumer(**options(bootstrap_servers)) as consumer:
            assert unique not in await consumer.list_topics()

    loop = Proactor()
    try:
        loop.run_until_complete(asyncio.wait_for(main(), DEADLINE))
    finally:
        loop.close()


def test_one_wake_up_per_response(bootstrap_servers, unique):
    """Ten thousand records in one response ring once, not once per record or batch."""
    with barnabas.Producer(bootstrap_servers=bootstrap_servers, batch_size=1000, linger_ms=0) as producer:
        producer.send_many(unique, [b"v" * 100] * 10_000).result(30)

    async def main():
        async with AsyncConsumer(**options(bootstrap_servers)) as consumer:
            rings = []
            ring = consumer._bell.ring
            consumer._bell.ring = lambda: (rings.append(time.monotonic()), ring())[1]
            consumer.assign([(unique, 0)])
            found = 0
            while found < 10_000:
                found += len(await consumer.poll(timeout=30))
            return len(rings), consumer.metrics()["fetch_requests"]

    rings, fetches = run(main())
    # Beside the fetches there are the answers to metadata and to the reset of the position.
    assert rings <= fetches + 5
