"""Clients of plain sockets for `broker.py`: requests are made before the clock starts, answers are looked at as little as
needed to know that they are no refusals, so that what is measured is the broker.

`python broker_clients.py drain ADDRESS TOPIC BATCHES BYTES RECORD_BYTES SECONDS` reads a topic once, for so long at most, as a
process of its own.
"""

from __future__ import annotations

import json
import math
import os
import resource
import select
import socket
import struct
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from log_clients import HEAVY_NICE, quantiles, record_batch

if TYPE_CHECKING:
    from collections.abc import Callable

MEASURED = dict[str, Any]
PRODUCE, PRODUCE_VERSION = 0, 9
FETCH, FETCH_VERSION = 1, 12
METADATA, METADATA_VERSION = 3, 12
ACKS_ALL = -1
CORRELATION = 7
RECEIVE_BYTES = 1 << 20
# Lengths, deltas and marks around a value in a batch of at most 2^20 records.
RECORD_OVERHEAD_MAX = 13


def frame(api_key: int, version: int, body: bytes) -> bytes:
    """A whole request with a flexible header."""
    header = struct.pack(">hhi", api_key, version, CORRELATION) + struct.pack(">h", 5) + b"bench" + b"\0"
    return struct.pack(">i", len(header) + len(body)) + header + body


def _encoded(message: Any, version: int) -> bytes:
    from barnabas.protocol import codec

    return frame(message.API_KEY, version, codec.encode(message, version))


def metadata_frame(topics: list[str] | None = None) -> bytes:
    """A Metadata request, for all topics if none are named."""
    if topics is None:
        return frame(METADATA, METADATA_VERSION, b"\0\0\0\0")
    from barnabas.protocol.messages.metadata import MetadataRequest

    named = [MetadataRequest.MetadataRequestTopic(name=topic) for topic in topics]
    return _encoded(MetadataRequest(topics=named, allow_auto_topic_creation=False), METADATA_VERSION)


def produce_frame(topic: str, batches: dict[int, bytes]) -> bytes:
    """A Produce request with one batch for each of some partitions."""
    from barnabas.protocol.messages.produce import ProduceRequest

    data = [ProduceRequest.PartitionProduceData(index=index, records=batch) for index, batch in batches.items()]
    topics = [ProduceRequest.TopicProduceData(name=topic, partition_data=data)]
    return _encoded(ProduceRequest(acks=ACKS_ALL, timeout_ms=30_000, topic_data=topics), PRODUCE_VERSION)


def fetch_frame(topic: str, offsets: dict[int, int], partition_bytes: int, max_wait_ms: int = 500) -> bytes:
    """A Fetch request without a session for one or more partitions."""
    from barnabas.protocol.messages.fetch import FetchRequest

    partitions = [
        FetchRequest.FetchPartition(partition=index, fetch_offset=offset, partition_max_bytes=partition_bytes)
        for index, offset in offsets.items()
    ]
    topics = [FetchRequest.FetchTopic(topic=topic, partitions=partitions)]
    request = FetchRequest(
        max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=partition_bytes, session_epoch=-1, topics=topics
    )
    return _encoded(request, FETCH_VERSION)


def is_led(address: str, topic: str, partitions: int) -> bool:
    """Whether all partitions of a new topic can be read; the reference tells of a topic some time before."""
    from barnabas.protocol import codec

    client = Client(address)
    client.send(fetch_frame(topic, dict.fromkeys(range(partitions), 0), 1, max_wait_ms=0))
    # Behind the correlation id and the tags of the header.
    answer = codec.decode_response(FETCH, FETCH_VERSION, bytes(client.receive()[5:]))
    client.close()
    found = [partition.error_code for response in answer.responses for partition in response.partitions]
    return len(found) == partitions and not any(found)


@dataclass(frozen=True)
class Batch:
    """A record batch of one shape."""

    records: int
    data: bytes

    @classmethod
    def of(cls, size: int, record_bytes: int) -> Batch:
        """One of about `size` bytes, never more if it holds two, with records of this many bytes."""
        count = max(1, (size - 61) // (record_bytes + RECORD_OVERHEAD_MAX))
        return cls(count, record_batch([None] * count, record_bytes))

    def __len__(self) -> int:
        return len(self.data)


class Client:
    """A connection that speaks frames."""

    def __init__(self, address: str, buffer_bytes: int = RECEIVE_BYTES) -> None:
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = bytearray(buffer_bytes)
        self._view = memoryview(self._buffer)

    def close(self) -> None:
        self.socket.close()

    def send(self, request: bytes) -> None:
        self.socket.sendall(request)

    def receive(self) -> memoryview:
        """Takes one answer, without its length; it stands there until the next."""
        length = self._length()
        if length > len(self._buffer):
            self._buffer = bytearray(length)
            self._view = memoryview(self._buffer)
        self._fill(length)
        return self._view[:length]

    def receive_produced(self, topic: str) -> None:
        """Takes the answer to a Produce request; fails if its first partition was refused."""
        answer = self.receive()
        # Correlation id, tags, topics and the topic's name; then how many partitions, the first one's index and its error.
        at = 4 + 1 + 1 + 1 + len(topic)
        while answer[at] >= 0x80:
            at += 1
        (error,) = struct.unpack_from(">h", answer, at + 1 + 4)
        if error:
            raise SystemExit(f"a Produce request was refused with error {error}")

    def drain_fetched(self, topic: str) -> int:
        """Takes the answer to a Fetch request for one partition and returns how many bytes of records it has."""
        length = self._length()
        # Correlation id, tags, throttle time, error, session, topics, name, partitions, index: then the partition's error,
        # three offsets, the aborted list, the preferred replica and the length of the records.
        at = 4 + 1 + 4 + 2 + 4 + 1 + 1 + len(topic) + 1 + 4
        head = at + 2 + 24 + 1 + 4 + 5
        if length < head:
            raise SystemExit("an answer to a Fetch request is too short")
        self._fill(head)
        (error,) = struct.unpack_from(">h", self._buffer, at)
        if error:
            raise SystemExit(f"a Fetch request was refused with error {error}")
        size, shift, at = 0, 0, at + 2 + 24 + 1 + 4
        while True:
            byte = self._buffer[at]
            size |= (byte & 0x7F) << shift
            at, shift = at + 1, shift + 7
            if byte < 0x80:
                break
        self._drain(length - head)
        return size - 1

    def _length(self) -> int:
        self._fill(4)
        return int.from_bytes(self._view[:4], "big")

    def _fill(self, length: int) -> None:
        view = self._view[:length]
        while view:
            count = self.socket.recv_into(view)
            if count == 0:
                raise ConnectionError("the broker closed the connection")
            view = view[count:]

    def _drain(self, length: int) -> None:
        while length:
            count = self.socket.recv_into(self._view, min(length, len(self._view)))
            if count == 0:
                raise ConnectionError("the broker closed the connection")
            length -= count


def produce(address: str, topic: str, frames: list[bytes], count: int, in_flight: int = 5) -> None:
    """Sends that many requests and waits for the answers."""
    client = Client(address)
    answered = 0
    for sent in range(count):
        client.send(frames[sent % len(frames)])
        if sent - answered >= in_flight - 1:
            client.receive_produced(topic)
            answered += 1
    while answered < count:
        client.receive_produced(topic)
        answered += 1
    client.close()


def drain(
    address: str, topic: str, batch: Batch, count: int, *, partitions: int = 1, seconds_max: float = math.inf
) -> int:
    """Reads `count` batches of each partition from the beginning, one request after the other; returns the bytes.

    When `seconds_max` are over it leaves the rest.
    """
    client = Client(address)
    total, end = 0, time.perf_counter() + seconds_max
    left = dict.fromkeys(range(partitions), count)
    while left and time.perf_counter() < end:
        for index in list(left):
            offset = (count - left[index]) * batch.records
            client.send(fetch_frame(topic, {index: offset}, max(8 << 20, len(batch))))
            # An answer may end with a part of a batch.
            whole = client.drain_fetched(topic) // len(batch)
            total += whole * len(batch)
            left[index] -= whole
            if left[index] <= 0:
                del left[index]
    client.close()
    return total


def one_at_a_time(address: str, topic: str, request: bytes, count: int) -> list[float]:
    """Seconds from the sending of each request to its answer."""
    client = Client(address)
    times = []
    clock = time.perf_counter
    for _ in range(count):
        begin = clock()
        client.send(request)
        client.receive_produced(topic)
        times.append(clock() - begin)
    client.close()
    return times


class Crowd:
    """Many connections, each with one Produce request in flight."""

    def __init__(self, address: str, topic: str, frames: list[bytes], connections: int) -> None:
        # A thousand open files are what many systems give a process before it asks for more.
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        self.topic = topic
        self.clients = {}
        self.poll = select.epoll()
        for number in range(connections):
            client = Client(address, buffer_bytes=256)
            self.clients[client.socket.fileno()] = (client, frames[number % len(frames)])
            self.poll.register(client.socket.fileno(), select.EPOLLIN)

    def run(self, seconds: float, cpu: Callable[[], float]) -> MEASURED:
        for client, request in self.clients.values():
            client.send(request)
        self._serve(seconds / 4)
        begin, begin_cpu = time.perf_counter(), cpu()
        requests, size = self._serve(seconds)
        used, wall = cpu() - begin_cpu, time.perf_counter() - begin
        self._finish()
        return {
            "requests": requests,
            "ns_per_byte": used * 1e9 / size,
            "us_per_request": used * 1e6 / requests,
            "mb_per_s": size / wall / 1e6,
        }

    def _serve(self, seconds: float) -> tuple[int, int]:
        requests, size, end = 0, 0, time.perf_counter() + seconds
        while time.perf_counter() < end:
            for descriptor, _ in self.poll.poll(10):
                client, request = self.clients[descriptor]
                client.receive_produced(self.topic)
                client.send(request)
                requests += 1
                size += len(request)
        return requests, size

    def _finish(self) -> None:
        for client, _ in self.clients.values():
            client.receive_produced(self.topic)
            client.close()
        self.poll.close()


def confluent_one_at_a_time(address: str, topic: str, count: int) -> MEASURED:
    """The same with confluent-kafka, as an application would send."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": address, "linger.ms": 0, "acks": "all"})
    times = []
    for number in range(count + 200):
        begin = time.perf_counter()
        producer.produce(topic, b"v" * 100)
        if producer.flush(30):
            raise SystemExit("not delivered in 30 s")
        if number >= 200:
            times.append(time.perf_counter() - begin)
    return quantiles(times)


def main(name: str, address: str, topic: str, *numbers: str) -> None:
    """A load of its own process: says that it is ready, begins when its input has a line."""
    if name == "drain":
        # It takes no core that somebody else wants: a reader on a machine of its own would not, either.
        os.nice(HEAVY_NICE)
        batches, size, record_bytes, seconds_max = map(int, numbers)
        batch = Batch.of(size, record_bytes)
        print("ready", flush=True)
        sys.stdin.readline()
        begin = time.perf_counter()
        total = drain(address, topic, batch, batches, seconds_max=seconds_max)
        wall = time.perf_counter() - begin
        print(json.dumps({"seconds": wall, "mb": total / 1e6, "mb_per_s": total / wall / 1e6}), flush=True)
    elif name == "confluent":
        print(json.dumps(confluent_one_at_a_time(address, topic, int(numbers[0]))))


if __name__ == "__main__":
    main(*sys.argv[1:])
