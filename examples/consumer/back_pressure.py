"""A slow sink behind a fast topic: partitions are paused while too much waits, and the consumer stays in its group.

`poll` goes on while everything is paused: it keeps the membership, hears rebalances and returns nothing. What was
fetched already stays where it is, so a pause costs no second fetch.
"""

from __future__ import annotations

import queue
import threading
from typing import TYPE_CHECKING

from barnabas import Broker, Consumer, Producer

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.client import Record

HIGH = 2_000
"""Records in the queue at which partitions are paused."""
LOW = 500
"""Records in the queue at which they are resumed."""


def run(
    bootstrap_servers: str, topic: str, group: str, sink: Callable[[Record], None], is_done: Callable[[], bool]
) -> int:
    """Feeds the sink from a thread of its own until told to stop; returns the most that ever waited."""
    waiting: queue.SimpleQueue[Record | None] = queue.SimpleQueue()

    def drain() -> None:
        while (record := waiting.get()) is not None:
            sink(record)

    sinking = threading.Thread(target=drain)
    sinking.start()
    most = 0
    try:
        with Consumer(
            topic, bootstrap_servers=bootstrap_servers, group_id=group, auto_offset_reset="earliest"
        ) as consumer:
            while not is_done():
                # No more than still fits: one poll could return whole megabytes.
                for record in consumer.poll(timeout=0.05, max_records=LOW):
                    waiting.put(record)
                most = max(most, waiting.qsize())
                if waiting.qsize() >= HIGH:
                    consumer.pause(consumer.assignment())
                elif waiting.qsize() <= LOW and consumer.paused():
                    consumer.resume(consumer.paused())
    finally:
        waiting.put(None)
        sinking.join()
    return most


if __name__ == "__main__":
    with Broker() as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many("events", [b"e" * 100] * 20_000)
        seen: list[int] = []
        most_waiting = run(
            broker.bootstrap_servers,
            "events",
            "slow",
            lambda record: seen.append(record.offset),
            lambda: len(seen) == 20_000,
        )
        print(f"{len(seen)} records through the sink, never more than {most_waiting} waiting")
