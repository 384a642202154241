"""Plain sockets for `groups_clients.py`: frames, one epoll loop over many connections, one request over one of them."""

from __future__ import annotations

import select
import socket
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from barnabas.protocol import codec
from barnabas.protocol.messages.api_versions import ApiVersionsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.messages.metadata import MetadataRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.protocol.struct import Message

MEASURED = dict[str, Any]
CLIENT_ID = b"bench"


def frame(request: Message, version: int) -> bytes:
    """A request with its header, ready to be sent any number of times."""
    cls = type(request)
    tags = b"\0" if cls.FLEXIBLE_FROM is not None and version >= cls.FLEXIBLE_FROM else b""
    header = struct.pack(f">hhih{len(CLIENT_ID)}s", cls.API_KEY, version, 1, len(CLIENT_ID), CLIENT_ID) + tags
    body = header + codec.encode(request, version)
    return struct.pack(">i", len(body)) + body


class Loop:
    """Connections to one broker."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self.address = (host, int(port))
        self.poll = select.epoll()
        self.connections: dict[int, Connection] = {}

    def connect(self, on_frame: Callable[[bytes], None] | None = None) -> Connection:
        """Returns a connection that the broker serves already.

        Thousands at once would overflow a listener's queue (the reference's holds 50), and a connection that finds it full
        waits a second until TCP tries again; sessions would end meanwhile.
        """
        connection = Connection(self, on_frame)
        ask(connection.socket, ApiVersionsRequest(), 0)
        self.connections[connection.fd] = connection
        self.poll.register(connection.fd, select.EPOLLIN)
        return connection

    def turn(self, timeout: float) -> None:
        for fd, _ in self.poll.poll(max(timeout, 0.0)):
            self.connections[fd].readable()

    def close(self) -> None:
        for connection in self.connections.values():
            connection.socket.close()
        self.poll.close()


class Connection:
    """One connection; `on_frame` gets each answer without its size."""

    __slots__ = ("buffer", "fd", "on_frame", "socket")

    def __init__(self, loop: Loop, on_frame: Callable[[bytes], None] | None) -> None:
        self.socket = socket.create_connection(loop.address, 30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.fd = self.socket.fileno()
        self.on_frame = on_frame
        self.buffer = b""

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def readable(self) -> None:
        data = self.socket.recv(1 << 18)
        if not data:
            raise ConnectionError("closed by the broker")
        buffer = self.buffer + data if self.buffer else data
        position, end = 0, len(buffer)
        while end - position >= 4:
            size = int.from_bytes(buffer[position : position + 4], "big")
            if end - position - 4 < size:
                break
            assert self.on_frame is not None
            self.on_frame(buffer[position + 4 : position + 4 + size])
            position += 4 + size
        self.buffer = buffer[position:]


def ask(connection: socket.socket, request: Message, version: int) -> Any:
    """Sends a request and waits for its answer."""
    connection.sendall(frame(request, version))
    size = struct.unpack(">i", receive(connection, 4))[0]
    return decoded(type(request).API_KEY or 0, version, receive(connection, size))


def receive(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            raise ConnectionError("closed by the broker")
        data += piece
    return bytes(data)


def decoded(api_key: int, version: int, answer: bytes) -> Any:
    cls = codec.response_class(api_key)
    tags = 1 if cls.FLEXIBLE_FROM is not None and version >= cls.FLEXIBLE_FROM else 0
    return codec.decode(cls, version, answer[4 + tags :])


def prepare(address: str, groups: list[str], topic: str | None = None, partitions: int = 1) -> None:
    """Waits until the coordinators of the groups serve, and the topic's partitions are there."""
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        until(
            lambda: all(
                not one.error_code
                for one in ask(connection, FindCoordinatorRequest(coordinator_keys=groups), 4).coordinators
            )
        )
        # Not all offsets: what is asked again and again should be nothing to answer.
        one = OffsetFetchRequest.OffsetFetchRequestTopics(name="filled", partition_indexes=[0])
        fetch = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=group, topics=[one]) for group in groups]
        until(
            lambda: all(not group.error_code for group in ask(connection, OffsetFetchRequest(groups=fetch), 8).groups)
        )
        if topic is None:
            return
        wanted = CreateTopicsRequest.CreatableTopic(name=topic, num_partitions=partitions, replication_factor=1)
        ask(connection, CreateTopicsRequest(topics=[wanted], timeout_ms=60_000), 5)
        asked = MetadataRequest(
            topics=[MetadataRequest.MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
        )
        until(lambda: sum(not one.error_code for one in ask(connection, asked, 5).topics[0].partitions) == partitions)


def until(condition: Callable[[], bool], timeout: float = 120.0) -> None:
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError("the broker did not come to serve")
        time.sleep(0.02)


def percentiles(samples: list[float]) -> MEASURED:
    """Of seconds, in microseconds."""
    ordered = sorted(samples)
    at = lambda share: ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1e6  # noqa: E731
    return {
        "p50_us": at(0.5),
        "p99_us": at(0.99),
        "p999_us": at(0.999),
        "max_us": ordered[-1] * 1e6,
        "count": len(ordered),
    }


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100
