"""A data plane in memory whose commits, reads and failures the test decides about."""

from __future__ import annotations

from typing import Any

from barnabas.errors import NotLeaderOrFollowerError

Record = tuple[bytes | None, bytes | None]


class FakeDataPlane:
    """One partition. What `DataPlane` promises, without disk, threads or time of its own."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.committed = 0
        self.log_start = 0
        self.epoch = 5
        self.clock_ms = 0.0
        self.tick_ms = 0.0
        self.refuses = False
        self.is_here = True
        self.reads: list[tuple[int, int]] = []

    def info(self, topic: str, partition: int) -> tuple[int, int, int, int, int] | None:
        if not self.is_here:
            return None
        return self.log_start, self.committed, self.committed, len(self.records), self.epoch

    def append(self, topic: str, partition: int, epoch: int, records: list[Record], timestamp_ms: int) -> int:
        if self.refuses or epoch != self.epoch:
            raise NotLeaderOrFollowerError
        base = len(self.records)
        self.records += records
        return base

    def read(self, topic: str, partition: int, offset: int, max_bytes: int) -> int:
        self.reads.append((len(self.reads) + 1, offset))
        return len(self.reads)

    def decode_batches(self, data: bytes) -> list[Any]:
        first, end = (int(part) for part in data.split(b"-"))
        return [(offset, 0, *self.records[offset], -1, -1, False) for offset in range(first, end)]

    def now_ms(self) -> float:
        self.clock_ms += self.tick_ms
        return self.clock_ms
