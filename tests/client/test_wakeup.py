"""`wakeup` ends the blocking consumer's call that waits, or the next one; asyncio's ends polls, and cancelling the rest."""

import asyncio
import signal
import threading

import pytest
from reading import read, values

import barnabas
from barnabas import AsyncConsumer, TopicPartition, errors
from barnabas.testing import Proxy

ASKS = {
    "position": ("ListOffsets", lambda reader, where: reader.position(where)),
    "beginning_offsets": ("ListOffsets", lambda reader, where: reader.beginning_offsets([where])),
    "end_offsets": ("ListOffsets", lambda reader, where: reader.end_offsets([where])),
    "offsets_for_times": ("ListOffsets", lambda reader, where: reader.offsets_for_times({where: 0})),
    "commit": ("OffsetCommit", lambda reader, where: reader.commit({where: 1})),
    "committed": ("OffsetFetch", lambda reader, where: reader.committed([where])),
    "partitions_for": ("Metadata", lambda reader, where: reader.partitions_for(where.topic)),
    "list_topics": ("Metadata", lambda reader, _: reader.list_topics()),
    "poll": ("Fetch", lambda reader, _: reader.poll(timeout=60)),
    "iteration": ("Fetch", lambda reader, _: next(iter(reader))),
}
calls = pytest.mark.parametrize("name", ASKS)


@pytest.fixture
def zero(topic) -> TopicPartition:
    return TopicPartition(topic, 0)


def when_met(fault, action) -> threading.Thread:
    """Does something, on a thread of its own, once a request was held up."""

    def wait() -> None:
        while not fault.fired:
            threading.Event().wait(0.001)
        action()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def held_up(bootstrap_servers, stack, api, **options):
    """A proxy that will not pass the next requests of an API on, and a consumer that has found the cluster through it."""
    proxy = stack.enter_context(Proxy(bootstrap_servers))
    options = {"auto_offset_reset": "earliest", "enable_auto_commit": False} | options
    reader = stack.enter_context(barnabas.Consumer(bootstrap_servers=proxy.bootstrap_servers, **options))
    reader.list_topics()
    return reader, proxy.inject(api, delay=600, times=None)


@calls
def test_a_call_that_waits_is_ended_by_another_thread(bootstrap_servers, stack, zero, name):
    api, ask = ASKS[name]
    reader, fault = held_up(bootstrap_servers, stack, api, group_id=zero.topic)
    reader.assign([zero])
    thread = when_met(fault, reader.wakeup)
    with pytest.raises(errors.WakeupError):
        ask(reader, zero)
    thread.join()


def test_a_call_that_waits_is_ended_by_a_signals_handler(bootstrap_servers, stack, zero):
    reader, fault = held_up(bootstrap_servers, stack, "OffsetCommit", group_id=zero.topic)
    before = signal.signal(signal.SIGUSR1, lambda *_: reader.wakeup())
    stack.callback(signal.signal, signal.SIGUSR1, before)
    thread = when_met(fault, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1))
    with pytest.raises(errors.WakeupError):
        reader.commit({zero: 1})
    thread.join()


@calls
def test_a_wakeup_that_nobody_waited_for_ends_the_next_call_alone(consumer, producer, zero, name):
    producer.send(zero.topic, b"x", partition=0).result(30)
    ask = ASKS[name][1]
    reader = consumer(group_id=zero.topic)
    reader.assign([zero])
    reader.wakeup()
    reader.wakeup()
    with pytest.raises(errors.WakeupError):
        ask(reader, zero)
    ask(reader, zero)


def test_a_commit_that_a_wakeup_came_before_is_not_sent(consumer, zero):
    reader = consumer(group_id=zero.topic)
    reader.wakeup()
    with pytest.raises(errors.WakeupError):
        reader.commit({zero: 1})
    assert reader.committed([zero]) == {zero: None}


def test_what_needs_no_waiting_leaves_the_wakeup_to_the_next_call(consumer, producer, zero):
    producer.send(zero.topic, b"x", partition=0).result(30)
    reader = consumer()
    reader.assign([zero])
    reader.seek(zero, 0)
    reader.wakeup()
    assert reader.position(zero) == 0
    with pytest.raises(errors.WakeupError):
        reader.poll(timeout=30)
    assert values(read(reader, 1)) == [b"x"]


def test_closing_goes_on_with_what_its_listener_does(consumer, zero):
    class Commits:
        def on_partitions_assigned(self, partitions) -> None:
            pass

        def on_partitions_revoked(self, partitions) -> None:
            reader.commit({zero: 7})

    reader = consumer(group_id=zero.topic)
    reader.subscribe([zero.topic], Commits())
    while not reader.assignment():
        reader.poll(timeout=0.1)
    reader.wakeup()
    reader.close()
    assert consumer(group_id=zero.topic).committed([zero])[zero].offset == 7


def test_in_an_event_loop_a_wakeup_is_for_the_poll_and_a_cancellation_for_the_rest(bootstrap_servers, zero):
    async def main():
        loop = asyncio.get_running_loop()
        with Proxy(bootstrap_servers) as proxy:
            options = {
                "bootstrap_servers": proxy.bootstrap_servers,
                "group_id": zero.topic,
                "enable_auto_commit": False,
            }
            async with AsyncConsumer(**options) as reader:
                reader.assign([zero])
                reader.wakeup()
                await reader.commit({zero: 1})
                with pytest.raises(errors.WakeupError):
                    await reader.poll(timeout=30)
                held = proxy.inject("OffsetCommit", delay=600, times=None)
                waiting = asyncio.create_task(reader.commit({zero: 2}))
                thread = when_met(held, lambda: loop.call_soon_threadsafe(waiting.cancel))
                with pytest.raises(asyncio.CancelledError):
                    await waiting
                thread.join()

    asyncio.run(asyncio.wait_for(main(), 60))
