"""A consumer group of several processes that read a topic to its end and commit."""

from __future__ import annotations

import multiprocessing
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from barnabas import Consumer

if TYPE_CHECKING:
    from collections.abc import Callable

TIMEOUT_SECONDS = 120


@dataclass
class Read:
    """What a member has read.

    Attributes:
        offsets: The offsets of each partition: first, last, and how many.
        null_keys: Records without a key.
        checksum: Sum of the checksums of all records' keys and values: the same in any order.
        bytes: Bytes of all values.
        assigned: The partitions that the member held last.
    """

    offsets: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    null_keys: int = 0
    checksum: int = 0
    bytes: int = 0
    assigned: list[int] = field(default_factory=list)

    @property
    def records(self) -> int:
        """How many records were read."""
        return sum(count for _, _, count in self.offsets.values())


def checksum(key: bytes | None, value: bytes | None) -> int:
    """A record's checksum."""
    return zlib.crc32(value or b"", zlib.crc32(key or b""))


def member(bootstrap_servers: str, topic: str, group: str, name: str, queue: Any) -> None:
    """Reads as one member of a group until its partitions are at their end; reports to the queue."""
    found = Read()
    with Consumer(
        topic, bootstrap_servers=bootstrap_servers, group_id=group, client_id=name, auto_offset_reset="earliest"
    ) as consumer:
        ends: dict[Any, int] = {}
        while True:
            records = consumer.poll(timeout=0.5)
            for partition, part in records.by_partition().items():
                first, last = part[0].offset, part[-1].offset
                before = found.offsets.get(partition.partition, (first, last, 0))
                found.offsets[partition.partition] = (before[0], last, before[2] + len(part))
                keys, values = part.keys(), part.values()
                found.null_keys += keys.count(None)
                found.checksum += sum(map(checksum, keys, values))
                found.bytes += sum(len(value or b"") for value in values)
            queue.put((name, found.records))
            assigned = consumer.assignment()
            if set(ends) != assigned:
                ends = consumer.end_offsets(assigned) if assigned else {}
            if ends and all(consumer.position(partition) >= end for partition, end in ends.items()):
                break
        found.assigned = sorted(partition.partition for partition in assigned)
        consumer.commit()
    queue.put((name, found))


def read_as_group(
    bootstrap_servers: str, topic: str, group: str, members: int, progress: Callable[[int], None]
) -> dict[str, Read]:
    """Runs the members, each in a process of its own, and collects what they read.

    Raises:
        RuntimeError: A member failed.
    """
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    names = [f"member-{number + 1}" for number in range(members)]
    processes = [
        context.Process(target=member, args=(bootstrap_servers, topic, group, name, queue), daemon=True)
        for name in names
    ]
    for process in processes:
        process.start()
    counts = dict.fromkeys(names, 0)
    found: dict[str, Read] = {}
    while len(found) < members:
        name, news = queue.get(timeout=TIMEOUT_SECONDS)
        if isinstance(news, Read):
            found[name] = news
        else:
            counts[name] = news
            progress(sum(counts.values()))
    for process in processes:
        process.join(TIMEOUT_SECONDS)
        if process.exitcode != 0:
            raise RuntimeError(f"{process.name} ended with status {process.exitcode}")
    return {name: found[name] for name in names}
