"""A peer that means harm, or is broken: what it sends, and what may come of it.

Each attack runs on connections of its own and returns what happened: `answered`, `closed`, or `waits` where a broker may
leave a request unanswered (its frame is not whole, it is a long poll, it joins a group, or it asks for no answer).
"""

from __future__ import annotations

import contextlib
import gzip
import socket
import struct
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from barnabas.protocol import apis, codec

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

VECTORS = Path(__file__).parents[1] / "golden" / "wire" / "messages.tsv.gz"
FRAME_BYTES_MAX = 4 * 1024 * 1024
PATIENCE = 20.0
BRIEF = 0.25
"""How long an answer that may never come is waited for."""
HALF_OPEN_MAX = 100
MAY_WAIT = {
    "Produce": "acks 0",
    "Fetch": "a long poll",
    "JoinGroup": "a rebalance",
    "SyncGroup": "the leader's assignment",
    "ConsumerGroupHeartbeat": "nothing; kept for long timeouts of what it creates",
}
# They would make thousands of topics, or stop what the others use.
SPARED = {"CreateTopics", "CreatePartitions", "DeleteTopics", "DeleteRecords"}
COUNTS = [struct.pack(">i", count) for count in (2**31 - 1, -(2**31), -1, -2, 2**24)]
VARINTS = [b"\xff\xff\xff\xff\x0f", b"\xff\xff\xff\xff\x07", b"\x80\x80\x80\x80\x80\x80", b"\xff" * 11]


def corpus() -> dict[tuple[int, int], list[bytes]]:
    """Bodies of requests by (API key, version), as Kafka's own classes wrote them."""
    keys = {f"{name}RequestData": key for key, (name, _, _, _, on_broker) in apis.APIS.items() if on_broker}
    bodies: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    with gzip.open(VECTORS, "rt", encoding="utf-8") as lines:
        for line in lines:
            name, version, data, _ = line.split("\t", 3)
            if name in keys and name.removesuffix("RequestData") not in SPARED:
                bodies[keys[name], int(version)].append(bytes.fromhex(data))
    return bodies


def header(key: int, version: int, correlation_id: int, client_id: bytes | None = b"hostile") -> bytes:
    flexible = False
    if key in apis.APIS:
        first = codec.request_class(key).FLEXIBLE_FROM
        flexible = first is not None and version >= first
    name = (
        struct.pack(">h", -1) if client_id is None else struct.pack(f">h{len(client_id)}s", len(client_id), client_id)
    )
    return struct.pack(">hhi", key, version, correlation_id) + name + (b"\0" if flexible else b"")


def frame(data: bytes) -> bytes:
    return struct.pack(">i", len(data)) + data


class Hostile:
    """The attacks on one broker."""

    def __init__(self, address: str, numbers: random.Random) -> None:
        host, _, port = address.rpartition(":")
        self._address = (host, int(port))
        self._numbers = numbers
        self._bodies = corpus()
        self._choices = sorted(self._bodies)
        self._held: list[socket.socket] = []
        self.outcomes: dict[str, Counter[str]] = defaultdict(Counter)
        attacks: list[Callable[[], str]] = [
            self.random_bytes,
            self.random_frame,
            self.bad_length,
            self.random_body,
            self.mutated_request,
            self.huge_count,
            self.truncated_request,
            self.extended_request,
            self.cut_off,
            self.reset,
            self.half_open,
            self.slow_loris,
            self.wrong_order,
            self.never_reads,
            self.huge_length,
        ]
        self.attacks = {attack.__name__.replace("_", " "): attack for attack in attacks}

    def run(self, name: str) -> None:
        """Makes one attack and counts what came of it."""
        try:
            outcome = self.attacks[name]()
        except (ConnectionError, BrokenPipeError):
            outcome = "closed"
        self.outcomes[name][outcome] += 1

    def close(self) -> None:
        """Ends the connections that attacks left open."""
        for connection in self._held:
            connection.close()
        self._held.clear()

    def _connect(self) -> socket.socket:
        return socket.create_connection(self._address, PATIENCE)

    def _bytes(self, length: int) -> bytes:
        return self._numbers.randbytes(length)

    def _choice(self) -> tuple[int, int, bytes]:
        key, version = self._numbers.choice(self._choices)
        return key, version, self._numbers.choice(self._bodies[key, version])

    def _ask(self, data: bytes, key: int | None) -> str:
        """Sends a whole frame; it must be answered or its connection closed, unless it may wait."""
        may_wait = key is not None and key in apis.APIS and apis.APIS[key][0] in MAY_WAIT
        with self._connect() as connection:
            connection.sendall(frame(data))
            return self._outcome(connection, may_wait=may_wait)

    @staticmethod
    def _outcome(connection: socket.socket, *, may_wait: bool) -> str:
        connection.settimeout(BRIEF if may_wait else PATIENCE)
        try:
            prefix = connection.recv(4, socket.MSG_WAITALL)
        except TimeoutError:
            if may_wait:
                return "waits"
            raise AssertionError("neither answered nor closed") from None
        except ConnectionError:
            return "closed"
        if len(prefix) < 4:
            return "closed"
        (length,) = struct.unpack(">i", prefix)
        assert 4 <= length <= FRAME_BYTES_MAX
        while length:
            piece = connection.recv(min(length, 65_536))
            assert piece, "an answer that is not whole"
            length -= len(piece)
        return "answered"

    # The attacks.

    def random_bytes(self) -> str:
        with self._connect() as connection:
            connection.sendall(self._bytes(self._numbers.randrange(1, 2000)))
            return self._outcome(connection, may_wait=True)

    def random_frame(self) -> str:
        data = self._bytes(self._numbers.randrange(1, 2000))
        return self._ask(data, int.from_bytes(data[:2], "big", signed=True))

    def bad_length(self) -> str:
        length = self._numbers.choice([0, -1, -(2**31), 2**31 - 1, FRAME_BYTES_MAX + 1, 0x47455420])
        with self._connect() as connection:
            connection.sendall(struct.pack(">i", length) + self._bytes(50))
            outcome = self._outcome(connection, may_wait=False)
        assert outcome == "closed"
        return outcome

    def random_body(self) -> str:
        key, version, _ = self._choice()
        return self._ask(header(key, version, 1) + self._bytes(self._numbers.randrange(300)), key)

    def mutated_request(self) -> str:
        key, version, body = self._choice()
        data = bytearray(body)
        for _ in range(self._numbers.randrange(1, 6)):
            if data:
                data[self._numbers.randrange(len(data))] = self._numbers.randrange(256)
        return self._ask(header(key, version, 1) + data, key)

    def huge_count(self) -> str:
        key, version, body = self._choice()
        count = self._numbers.choice([*COUNTS, *VARINTS])
        at = self._numbers.randrange(len(body) + 1)
        return self._ask(header(key, version, 1) + body[:at] + count + body[at + len(count) :], key)

    def truncated_request(self) -> str:
        key, version, body = self._choice()
        data = header(key, version, 1) + body
        return self._ask(data[: self._numbers.randrange(1, len(data) + 1)], key)

    def extended_request(self) -> str:
        key, version, body = self._choice()
        return self._ask(header(key, version, 1) + body + self._bytes(self._numbers.randrange(1, 100)), key)

    def cut_off(self) -> str:
        key, version, body = self._choice()
        data = frame(header(key, version, 1) + body)
        with self._connect() as connection:
            connection.sendall(data[: self._numbers.randrange(1, len(data))])
            connection.shutdown(socket.SHUT_WR)
            outcome = self._outcome(connection, may_wait=False)
        assert outcome == "closed"
        return outcome

    def reset(self) -> str:
        key, version, body = self._choice()
        with self._connect() as connection:
            connection.sendall(frame(header(key, version, 1) + body))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return "closed"

    def half_open(self) -> str:
        connection = self._connect()
        connection.sendall(struct.pack(">i", self._numbers.randrange(100, 100_000)) + self._bytes(50))
        self._held.append(connection)
        if len(self._held) > HALF_OPEN_MAX:
            self._held.pop(0).close()
        return "waits"

    def slow_loris(self) -> str:
        data = frame(header(apis.METADATA, 1, 1) + struct.pack(">i", 0))
        with self._connect() as connection:
            for byte in data:
                connection.sendall(bytes([byte]))
                time.sleep(0.001)
            return self._outcome(connection, may_wait=False)

    def wrong_order(self) -> str:
        """Requests that are good by themselves, in any order and without waiting for answers."""
        with self._connect() as connection:
            for number in range(self._numbers.randrange(2, 12)):
                key, version, body = self._choice()
                connection.sendall(frame(header(key, version, number) + body))
            return self._outcome(connection, may_wait=True)

    def never_reads(self) -> str:
        """Asks for all metadata, again and again, until its socket takes no more."""
        connection = self._connect()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(0.05)
        request = frame(header(apis.METADATA, 1, 1) + struct.pack(">i", -1)) * 500
        with contextlib.suppress(TimeoutError):
            for _ in range(200):
                connection.sendall(request)
        self._held.append(connection)
        if len(self._held) > HALF_OPEN_MAX:
            self._held.pop(0).close()
        return "waits"

    def huge_length(self) -> str:
        """The largest frame that is allowed, of which a part comes."""
        with self._connect() as connection:
            connection.sendall(struct.pack(">i", FRAME_BYTES_MAX) + self._bytes(self._numbers.randrange(300_000)))
            connection.shutdown(socket.SHUT_WR)
            outcome = self._outcome(connection, may_wait=False)
        assert outcome == "closed"
        return outcome
