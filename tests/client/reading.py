"""Reading with a deadline."""

import time

import barnabas

DEADLINE = 30.0


def read(consumer: barnabas.Consumer, count: int, *, extra: float = 0.0) -> list[barnabas.client.Record]:
    """Polls until `count` records are there, and for `extra` seconds more to see that no others come."""
    found: list[barnabas.client.Record] = []
    deadline = time.monotonic() + DEADLINE
    while len(found) < count:
        assert time.monotonic() < deadline, f"{len(found)} of {count} records"
        found += consumer.poll(timeout=0.5)
    if extra:
        found += consumer.poll(timeout=extra)
    return found


def values(records: list[barnabas.client.Record]) -> list[bytes | None]:
    return [record.value for record in records]


def poll_until(consumer: barnabas.Consumer, condition) -> None:
    """Polls, without expecting records, until a condition holds."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        assert not consumer.poll(timeout=0.05)
