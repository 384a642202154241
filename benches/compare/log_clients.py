"""Clients of plain sockets for `log.py`: they cost as little as a client can, so that what is measured is the broker."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import socket
import struct
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable

MEASURED = dict[str, Any]
IN_FLIGHT = 5
BATCH_BYTES = 1 << 20
RECORD_BYTES = 1024


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _crc_entry(value: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    return value


# Numbers of a system call that has no wrapper.
SCHED_SETATTR = {"x86_64": 314, "aarch64": 274}
CRC_TABLE = [_crc_entry(value) for value in range(256)]


def _varint(value: int) -> bytes:
    value = (value << 1) ^ (value >> 63)
    out = bytearray()
    while value > 0x7F:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def record_batch(keys: list[bytes | None], size: int) -> bytes:
    """One batch with a record of `size` bytes for each key."""
    records = bytearray()
    for delta, key in enumerate(keys):
        key_part = _varint(-1) if key is None else _varint(len(key)) + key
        body = b"\0\0" + _varint(delta) + key_part + _varint(size) + b"v" * size + _varint(0)
        records += _varint(len(body)) + body
    now_ms = int(time.time() * 1000)
    body = struct.pack(">hiqqqhii", 0, len(keys) - 1, now_ms, now_ms, -1, -1, -1, len(keys)) + records
    return struct.pack(">qiibI", 0, len(body) + 9, -1, 2, crc32c(body)) + body


def produce_frame(topic: str, batch: bytes, acks: int) -> bytes:
    """A whole Produce request of version 3."""
    name = topic.encode()
    header = struct.pack(">hhih", 0, 3, 1, -1)
    body = struct.pack(">hhii", -1, acks, 30_000, 1) + struct.pack(">h", len(name)) + name
    body += struct.pack(">iii", 1, 0, len(batch)) + batch
    return struct.pack(">i", len(header) + len(body)) + header + body


class Connection:
    """A socket to the broker that speaks frames."""

    def __init__(self, address: str) -> None:
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray(64 * 1024)

    def receive(self) -> None:
        """Takes one answer to a produce request and checks that it is no refusal."""
        self.receive_frame()
        # Correlation id, one topic with its name, one partition with its index, then the error.
        (name_length,) = struct.unpack_from(">h", self.buffer, 8)
        (error,) = struct.unpack_from(">h", self.buffer, 10 + name_length + 8)
        if error:
            raise SystemExit(f"a produce request was refused with error {error}")

    def receive_frame(self) -> bytearray:
        """Takes one answer, which stands in the returned buffer until the next."""
        view = memoryview(self.buffer)
        self._fill(view[:4])
        (length,) = struct.unpack_from(">i", self.buffer)
        self._fill(view[:length])
        return self.buffer

    def _fill(self, view: memoryview) -> None:
        while view:
            count = self.socket.recv_into(view)
            if count == 0:
                raise SystemExit("the broker closed the connection")
            view = view[count:]


def quantiles(times: list[float]) -> MEASURED:
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))] * 1e6  # noqa: E731
    return {"requests": len(times), "p50_us": at(0.5), "p99_us": at(0.99), "max_us": times[-1] * 1e6}


def ask_for_short_slices() -> None:
    """Has the scheduler run this thread soon after it is woken (Linux 6.12 and later), inherited by no other.

    A client that measures the broker's time must not add its own wait for a core, which a machine of its own would not have.
    """
    if sys.platform == "linux" and (call := SCHED_SETATTR.get(platform.machine())):
        keep, reset_on_fork, slice_ns = 0, 1, 100_000
        attributes = struct.pack("IIQiIQQQ", 48, keep, reset_on_fork, 0, 0, slice_ns, 0, 0)
        ctypes.CDLL(None).syscall(call, 0, attributes, 0)


class Quiet:
    """Sends one record of 100 B every millisecond, or as soon as the one before is acknowledged."""

    PERIOD_S = 0.001

    def __init__(self, address: str, topic: str) -> None:
        ask_for_short_slices()
        self.connection = Connection(address)
        self.frame = produce_frame(topic, record_batch([None], 100), acks=-1)

    def measure(self, seconds: float) -> MEASURED:
        end = time.perf_counter() + seconds
        return self.measure_until(lambda: time.perf_counter() >= end, seconds + 1)

    def measure_until(self, done: Callable[[], bool], seconds_max: float) -> MEASURED:
        """Measures until `done`, asked every 50 ms or so."""
        times = []
        begin = due = time.perf_counter()
        while True:
            if len(times) % 50 == 0 and (done() or time.perf_counter() - begin > seconds_max):
                break
            due = max(due + self.PERIOD_S, time.perf_counter())
            time.sleep(max(0.0, due - time.perf_counter()))
            sent = time.perf_counter()
            self.connection.socket.sendall(self.frame)
            self.connection.receive()
            times.append(time.perf_counter() - sent)
        return quantiles(times or [0.0])


HEAVY_NICE = 10


class Heavy:
    """A process that writes 1 MiB batches of 1 KiB records, five in flight, until it is told to stop."""

    def __init__(self, address: str, topic: str, *, keys: bool = False, bytes_max: int = 1 << 60) -> None:
        command = [sys.executable, __file__, "heavy", address, topic, str(int(keys)), str(bytes_max)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.mb_per_s = 0.0

    def __enter__(self) -> Self:
        self.process.stdout.readline()
        return self

    def wait(self) -> None:
        """Waits until it has written all that it may."""
        self.process.wait(600)

    def __exit__(self, *_: object) -> None:
        try:
            output, _ = self.process.communicate(timeout=60)
        finally:
            self.process.kill()
        self.mb_per_s = json.loads(output)["mb_per_s"]


def heavy(address: str, topic: str, keys: str, bytes_max: str) -> None:
    """The process of `Heavy`: runs until its input ends.

    It takes no core that somebody else wants: a client on a machine of its own would not, either.
    """
    os.nice(HEAVY_NICE)
    count = BATCH_BYTES // (RECORD_BYTES + 32)
    frames = []
    for number in range(16 if int(keys) else 1):
        # A tenth of the keys come again in every batch, the others in every sixteenth.
        names = [f"{number if index % 10 else 0}-{index}".encode() if int(keys) else None for index in range(count)]
        frames.append(produce_frame(topic, record_batch(names, RECORD_BYTES), acks=-1))
    connection = Connection(address)
    stop = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), stop.set()), daemon=True).start()
    print("ready", flush=True)
    begin, sent, answered = time.perf_counter(), 0, 0
    while not stop.is_set() and sent * BATCH_BYTES < int(bytes_max):
        connection.socket.sendall(frames[sent % len(frames)])
        sent += 1
        if sent - answered >= IN_FLIGHT:
            connection.receive()
            answered += 1
    while answered < sent:
        connection.receive()
        answered += 1
    wall = time.perf_counter() - begin
    print(json.dumps({"mb_per_s": sent * len(frames[0]) / wall / 1e6}), flush=True)


def producers_rate(address: str, topic: str, count: int, seconds: float) -> MEASURED:
    """Acknowledged requests per second of `count` producers, each with one request of one record in flight."""
    frame = produce_frame(topic, record_batch([None], 100), acks=-1)
    times: list[list[float]] = [[] for _ in range(count)]
    end = time.perf_counter() + seconds

    def produce(own: list[float]) -> None:
        connection = Connection(address)
        while (sent := time.perf_counter()) < end:
            connection.socket.sendall(frame)
            connection.receive()
            own.append(time.perf_counter() - sent)

    threads = [threading.Thread(target=produce, args=(own,)) for own in times]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    measured = quantiles([time for own in times for time in own])
    return {**measured, "requests_per_s": measured["requests"] / seconds}


if __name__ == "__main__":
    heavy(*sys.argv[2:])
