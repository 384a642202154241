"""Producers that are opened, used and closed leave no thread, no descriptor and no memory. `PRODUCERS=1000` opens so many."""

import asyncio
import gc
import os
import time
from pathlib import Path

import barnabas

PRODUCERS = int(os.environ.get("PRODUCERS", "90"))
WARM = 30
RESIDENT_MIB_MAX = 16
"""Allocators keep some; a leak of a batch's buffer per producer would be 16 KiB each, of a thread's stack much more."""
PAGE = os.sysconf("SC_PAGE_SIZE")


def entries(what: str) -> int:
    return sum(1 for _ in Path("/proc/self", what).iterdir())


def resident_mib() -> float:
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE / 2**20


def use(address: str, topic: str) -> None:
    with barnabas.Producer(bootstrap_servers=address) as producer:
        producer.send(topic, b"x").result(30)

    called = []
    with barnabas.Producer(bootstrap_servers=address) as producer:
        producer.send(topic, b"x").add_done_callback(called.append)
    assert len(called) == 1

    async def main() -> None:
        async with barnabas.AsyncProducer(bootstrap_servers=address) as producer:
            await (await producer.send(topic, b"x"))

    asyncio.run(main())


def settled(what: str, most: int) -> int:
    """How many entries there are once the broker has noticed that connections were closed."""
    deadline = time.monotonic() + 20
    while (now := entries(what)) > most and time.monotonic() < deadline:
        gc.collect()
    return now


def test_producers_that_were_closed_leave_nothing(our_broker: str, unique: str):
    for _ in range(WARM // 3):
        use(our_broker, unique)
    threads, descriptors = entries("task"), entries("fd")
    before = resident_mib()
    for _ in range(PRODUCERS // 3):
        use(our_broker, unique)
    assert settled("task", threads) <= threads
    assert settled("fd", descriptors) <= descriptors
    assert resident_mib() - before < RESIDENT_MIB_MAX
