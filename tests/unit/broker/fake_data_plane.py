"""A data plane in memory whose commits, reads and failures the test decides about."""

from __future__ import annotations

import ast
from typing import Any

from barnabas.errors import MessageTooLargeError, NotLeaderOrFollowerError

Record = tuple[bytes | None, bytes | None]


class FakeDataPlane:
    """One partition. What `DataPlane` promises, without disk, threads or time of its own."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.controls: set[int] = set()
        self.committed = 0
        self.log_start = 0
        self.epoch = 5
        self.clock_ms = 0.0
        self.tick_ms = 0.0
        self.refuses = False
        self.batch_bytes_max = 1 << 20
        self.is_here = True
        self.reads: list[tuple[int, int]] = []
        self.files: dict[str, bytes] = {}

    def info(self, topic: str, partition: int) -> tuple[int, int, int, int, int] | None:
        if not self.is_here:
            return None
        return self.log_start, self.committed, self.committed, len(self.records), self.epoch

    def append(self, topic: str, partition: int, epoch: int, records: list[Record], timestamp_ms: int) -> int:
        if self.refuses or epoch != self.epoch:
            raise NotLeaderOrFollowerError
        if sum(len(part or b"") for record in records for part in record) > self.batch_bytes_max:
            raise MessageTooLargeError
        base = len(self.records)
        self.controls = {offset for offset in self.controls if offset < base}
        self.records += records
        return base

    def append_control(
        self, topic: str, partition: int, epoch: int, records: list[tuple[int, bytes]], timestamp_ms: int
    ) -> int:
        if self.refuses or epoch < self.epoch:
            raise NotLeaderOrFollowerError
        self.epoch = epoch
        keyed: list[Record] = [(control_key(kind), value) for kind, value in records]
        base = self.append(topic, partition, epoch, keyed, timestamp_ms)
        self.controls.update(range(base, base + len(keyed)))
        return base

    def make_batch(self, base_offset: int, leader_epoch: int, records: list[Record], timestamp_ms: int) -> bytes:
        return _written(base_offset, records, is_control=False)

    def make_control_batch(
        self, base_offset: int, leader_epoch: int, records: list[tuple[int, bytes]], timestamp_ms: int
    ) -> bytes:
        return _written(base_offset, [(control_key(kind), value) for kind, value in records], is_control=True)

    def delete_records(self, topic: str, partition: int, before_offset: int) -> int:
        assert before_offset <= self.committed
        self.log_start = max(self.log_start, before_offset)
        return self.log_start

    def log_size(self, topic: str, partition: int) -> int:
        return sum(len(value or b"") for _, value in self.records[self.log_start :])

    def store(self, name: str, data: bytes) -> None:
        self.files[name] = data

    def read(self, topic: str, partition: int, offset: int, max_bytes: int) -> int:
        assert offset >= self.log_start, "read what was trimmed"
        self.reads.append((len(self.reads) + 1, offset))
        return len(self.reads)

    def decode_batches(self, data: bytes) -> list[Any]:
        if data.startswith(b"("):
            return [ast.literal_eval(line) for line in data.decode().splitlines()]
        first, end = (int(part) for part in data.split(b"-"))
        return [(offset, 0, *self.records[offset], -1, -1, offset in self.controls) for offset in range(first, end)]

    def now_ms(self) -> float:
        self.clock_ms += self.tick_ms
        return self.clock_ms

    def wall_ms(self) -> int:
        return 1_700_000_000_000 + int(self.clock_ms)


def control_key(control_type: int) -> bytes:
    return b"\0\0" + control_type.to_bytes(2, "big")


def _written(base_offset: int, records: list[Record], *, is_control: bool) -> bytes:
    rows = [(base_offset + index, 0, *record, -1, -1, is_control) for index, record in enumerate(records)]
    return "".join(f"{row!r}\n" for row in rows).encode()
