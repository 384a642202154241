"""Producers that are opened, used and closed leave no thread, no descriptor and no memory. `PRODUCERS=1000` opens so many."""

import asyncio
import contextlib
import gc
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import barnabas

PRODUCERS = int(os.environ.get("PRODUCERS", "90"))
WARM = 30
RESIDENT_MIB_MAX = 16
"""Allocators keep some; a leak of a batch's buffer per producer would be 16 KiB each, of a thread's stack much more."""
PAGE = os.sysconf("SC_PAGE_SIZE")


def threads() -> int:
    """Threads of clients: the broker of these tests is in this process, too."""
    count = sum(thread.name == "barnabas-callbacks" for thread in threading.enumerate())
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            count += (task / "comm").read_text().strip() == "barnabas-client"
    return count


def descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


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


def settled(count: Callable[[], int], most: int) -> int:
    """How many there are once threads have ended and the broker has noticed that connections were closed."""
    deadline = time.monotonic() + 20
    while (now := count()) > most and time.monotonic() < deadline:
        gc.collect()
    return now


def test_producers_that_were_closed_leave_nothing(our_broker: str, unique: str):
    for _ in range(WARM // 3):
        use(our_broker, unique)
    before, descriptors_before, resident_before = threads(), descriptors(), resident_mib()
    for _ in range(PRODUCERS // 3):
        use(our_broker, unique)
    assert settled(threads, before) <= before
    assert settled(descriptors, descriptors_before) <= descriptors_before
    assert resident_mib() - resident_before < RESIDENT_MIB_MAX
