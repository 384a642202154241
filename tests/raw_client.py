"""A client of frames: sends any request at any version over a plain socket, waits for the answer, decides nothing."""

from __future__ import annotations

import itertools
import socket
import struct
import time
from typing import TYPE_CHECKING, Any, Self

import crc32c

from barnabas.errors import UnknownTopicOrPartitionError
from barnabas.protocol import codec
from barnabas.protocol.messages.api_versions import ApiVersionsRequest
from barnabas.protocol.messages.fetch import FetchRequest
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.messages.metadata import MetadataRequest
from barnabas.protocol.messages.produce import ProduceRequest

if TYPE_CHECKING:
    from types import TracebackType

    from barnabas.protocol.struct import Message

API_VERSIONS = 18


def record_batch(values: list[bytes], producer_id: int = -1, epoch: int = -1, sequence: int = -1) -> bytes:
    """Returns a plain record batch, put together here so that the broker is checked against something of its own."""
    records = b""
    for delta, value in enumerate(values):
        body = b"\0\0" + _varint(delta) + _varint(-1) + _varint(len(value)) + value + _varint(0)
        records += _varint(len(body)) + body
    count = len(values)
    now_ms = int(time.time() * 1000)
    body = struct.pack(">hiqqqhii", 0, count - 1, now_ms, now_ms, producer_id, epoch, sequence, count) + records
    return struct.pack(">qiibI", 0, len(body) + 9, -1, 2, crc32c.crc32c(body)) + body


def record_values(batches: bytes) -> list[bytes]:
    """Returns the values of plain record batches."""
    values = []
    while batches:
        (length,) = struct.unpack_from(">i", batches, 8)
        (count,) = struct.unpack_from(">i", batches, 57)
        position = 61
        for _ in range(count):
            _, position = _read_varint(batches, position)
            position += 1
            for _ in range(2):
                _, position = _read_varint(batches, position)
            key_length, position = _read_varint(batches, position)
            position += max(key_length, 0)
            value_length, position = _read_varint(batches, position)
            values.append(batches[position : position + value_length])
            _, position = _read_varint(batches, position + value_length)
        batches = batches[12 + length :]
    return values


def _varint(value: int) -> bytes:
    value = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _read_varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value >> 1 ^ -(value & 1), position


class RawClient:
    """One connection."""

    def __init__(self, bootstrap_servers: str, client_id: str = "raw", timeout: float = 10.0) -> None:
        host, _, port = bootstrap_servers.partition(",")[0].rpartition(":")
        self.client_id = client_id
        self.timeout = timeout
        self.socket = socket.create_connection((host, int(port)), timeout)
        self._ids = itertools.count(1)

    def send(self, request: Message, version: int | None = None) -> tuple[type[Message], int, int]:
        """Sends a request; returns what `receive` needs."""
        cls = type(request)
        version = cls.VERSIONS[1] if version is None else version
        flexible = cls.FLEXIBLE_FROM is not None and version >= cls.FLEXIBLE_FROM
        correlation_id = next(self._ids)
        name = self.client_id.encode()
        header = struct.pack(f">hhih{len(name)}s", cls.API_KEY, version, correlation_id, len(name), name)
        self.send_frame(header + (b"\0" if flexible else b"") + codec.encode(request, version))
        return cls, version, correlation_id

    def send_frame(self, frame: bytes) -> None:
        self.socket.sendall(struct.pack(">i", len(frame)) + frame)

    def receive(self, sent: tuple[type[Message], int, int]) -> Any:
        """Waits for the answer to a request."""
        cls, version, correlation_id = sent
        response_class = codec.response_class(cls.API_KEY or 0)
        flexible = response_class.FLEXIBLE_FROM is not None and version >= response_class.FLEXIBLE_FROM
        frame = self.receive_frame()
        assert struct.unpack(">i", frame[:4]) == (correlation_id,)
        # The header of an ApiVersions response never has tagged fields, so that a client of any age can read it.
        size = 5 if flexible and cls.API_KEY != API_VERSIONS else 4
        return codec.decode(response_class, version, frame[size:])

    def receive_frame(self) -> bytes:
        (size,) = struct.unpack(">i", self._read(4))
        return self._read(size)

    def ask(self, request: Message, version: int | None = None) -> Any:
        return self.receive(self.send(request, version))

    def closed(self) -> bool:
        """Waits until the broker closes the connection."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def _read(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise ConnectionError("the broker closed the connection")
            data += piece
        return bytes(data)

    # In short.

    def coordinator(self, group: str) -> Any:
        return self.ask(FindCoordinatorRequest(coordinator_keys=[group])).coordinators[0]

    def topics(self, *names: str, create: bool = False) -> dict[str, Any]:
        """Returns topics by name; with `create` asks again until those that are being created are there."""
        wanted = [MetadataRequest.MetadataRequestTopic(name=name) for name in names] if names else None
        deadline = time.monotonic() + self.timeout
        while True:
            answer = self.ask(MetadataRequest(topics=wanted, allow_auto_topic_creation=create))
            topics = {topic.name: topic for topic in answer.topics}
            is_missing = any(topic.error_code == UnknownTopicOrPartitionError.code for topic in topics.values())
            if not (create and is_missing) or time.monotonic() > deadline:
                return topics

    def versions(self) -> dict[int, tuple[int, int]]:
        answer = self.ask(ApiVersionsRequest(client_software_name="raw", client_software_version="1"), 4)
        return {api.api_key: (api.min_version, api.max_version) for api in answer.api_keys}

    def produce(self, topic: str, topic_id: bytes, partition: int, batch: bytes) -> tuple[int, int]:
        """Returns (error code, base offset)."""
        data = ProduceRequest.PartitionProduceData(index=partition, records=batch)
        topics = [ProduceRequest.TopicProduceData(name=topic, topic_id=topic_id, partition_data=[data])]
        answer = self.ask(ProduceRequest(acks=-1, timeout_ms=5_000, topic_data=topics))
        part = answer.responses[0].partition_responses[0]
        return part.error_code, part.base_offset

    def fetch(self, topic_id: bytes, partition: int, offset: int) -> tuple[int, bytes]:
        """Returns (error code, record batches)."""
        wanted = FetchRequest.FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=1 << 20)
        topics = [FetchRequest.FetchTopic(topic_id=topic_id, partitions=[wanted])]
        answer = self.ask(
            FetchRequest(max_wait_ms=500, min_bytes=1, max_bytes=1 << 24, session_epoch=-1, topics=topics)
        )
        part = answer.responses[0].partitions[0]
        return part.error_code, bytes(part.records or b"")

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
