"""The limits of connections and requests, each at its edge, over foreign sockets."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient, record_batch
from test_broker import create, enter, join
from test_hooks import fetch

from barnabas import Broker
from barnabas.errors import ConfigError
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Callable

MESSAGE_TOO_LARGE = 10
PATIENCE = 20.0


def until(condition: Callable[[], bool]) -> None:
    """Waits for what other threads bring about."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.005)


def is_served(client: RawClient, timeout: float = 0.3) -> bool:
    """Whether a connection that has asked nothing yet gets an answer in a moment."""
    client.socket.settimeout(timeout)
    try:
        client.topics()
    except TimeoutError:
        return False
    finally:
        client.socket.settimeout(10.0)
    return True


# As in Kafka a request of exactly that size is read, and one byte more closes the connection, before anything is allocated.
def test_socket_request_max_bytes() -> None:
    def metadata(size: int) -> bytes:
        name = b"n" * (size - 14)
        return struct.pack(">ihhih", size, 3, 1, 7, len(name)) + name + struct.pack(">i", 0)

    with Broker(socket_request_max_bytes=1024) as broker:
        with RawClient(broker.bootstrap_servers) as client:
            client.socket.sendall(metadata(1024))
            assert client.receive_frame().startswith(struct.pack(">i", 7))
        with RawClient(broker.bootstrap_servers) as client:
            client.socket.sendall(metadata(1025)[:4])
            assert client.closed()
        assert broker.metrics()['barnabas_request_duration_seconds_count{api="Metadata"}'] == 1


def test_message_max_bytes() -> None:
    batch = record_batch([b"x" * 400])
    with Broker(message_max_bytes=len(batch)) as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 1).topic_id
        assert client.produce("t", topic_id, 0, batch) == (0, 0)
        assert client.produce("t", topic_id, 0, record_batch([b"x" * 401])) == (MESSAGE_TOO_LARGE, -1)
        wide = create(client, "wide", 1, max_message_bytes=str(len(batch) + 1)).topic_id
        assert client.produce("wide", wide, 0, record_batch([b"x" * 401])) == (0, 0)


# Over the limit Kafka does not accept; whoever connects waits in the backlog and is served when there is room.
def test_max_connections() -> None:
    with Broker(max_connections=2) as broker, ExitStack() as stack:
        first, second, third = (stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(3))
        assert is_served(first)
        assert is_served(second)
        assert not is_served(third)
        assert broker.metrics()["barnabas_connections"] == 2
        first.close()
        # What it asked while it waited is answered now.
        assert third.receive_frame()
        assert is_served(second, PATIENCE)


# The inter-broker listener may pass the broker's limit; the connection of another one that was idle for longest gives way.
def test_max_connections_keeps_room_for_the_first_listener() -> None:
    options = {
        "listeners": ["PLAINTEXT://127.0.0.1:0", "OTHER://127.0.0.1:0"],
        "listener_security_protocol_map": "PLAINTEXT:PLAINTEXT,OTHER:PLAINTEXT",
    }
    with Broker(max_connections=2, **options) as broker, ExitStack() as stack:
        protected, other = broker.bootstrap_servers.split(",")
        oldest, newer = (stack.enter_context(RawClient(other)) for _ in range(2))
        assert is_served(oldest, PATIENCE)
        time.sleep(0.01)  # times are told apart by milliseconds
        assert is_served(newer, PATIENCE)
        between = stack.enter_context(RawClient(protected))
        assert is_served(between, PATIENCE)
        assert oldest.closed()
        assert is_served(newer, PATIENCE)
        assert broker.metrics()["barnabas_connections_evicted_total"] == 1


def test_max_connections_per_ip_and_its_overrides() -> None:
    for options in (
        {"max_connections_per_ip": 2},
        {"max_connections_per_ip": 1, "max_connections_per_ip_overrides": "127.0.0.1:2,10.0.0.1:9"},
        {"max_connections_per_ip": 0, "max_connections_per_ip_overrides": "localhost:2"},
    ):
        with Broker(**options) as broker, ExitStack() as stack:
            first, second, third = (stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(3))
            assert is_served(first, PATIENCE)
            assert is_served(second, PATIENCE)
            assert third.closed()
            assert broker.metrics()["barnabas_connections_refused_total"] == 1
            first.close()
            until(lambda: broker.metrics()["barnabas_connections"] == 1)
            with RawClient(broker.bootstrap_servers) as fourth:
                assert is_served(fourth, PATIENCE)
    with pytest.raises(ConfigError, match="nobody"):
        Broker(max_connections_per_ip=0)
    with pytest.raises(ConfigError, match="overrides"):
        Broker(max_connections_per_ip_overrides="127.0.0.1")


def test_connections_max_idle_ms() -> None:
    with Broker(connections_max_idle_ms=3_000) as broker, ExitStack() as stack:
        idle, busy, waiting = (stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(3))
        topic_id = create(busy, "t", 1).topic_id
        assert is_served(idle, PATIENCE)
        # A request that waits is not idle: this one does for longer than the limit.
        request = fetch(topic_id)
        request.min_bytes, request.max_wait_ms = 1, 4_500
        sent = waiting.send(request)
        # Nor is one whose bytes come slowly; Kafka too counts from the last byte.
        frame = struct.pack(">hhihi", 3, 1, 7, -1, 0)
        data = struct.pack(">i", len(frame)) + frame
        slow = stack.enter_context(RawClient(broker.bootstrap_servers))
        for byte in data[:8]:
            slow.socket.sendall(bytes([byte]))
            busy.topics("t")
            time.sleep(0.5)
        slow.socket.sendall(data[8:])
        assert slow.receive_frame()
        assert waiting.receive(sent).error_code == 0
        assert idle.closed()
        assert broker.metrics()["barnabas_connections_idle_closed_total"] >= 1
        busy.topics("t")


# Over that many requests connections are not read; what they sent stays in their sockets, and is answered later.
def test_queued_max_requests() -> None:
    with Broker(queued_max_requests=2) as broker, ExitStack() as stack:
        clients = [stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(6)]
        clients[0].coordinator("g")
        assert clients[0].topics("t", create=True)
        with stalled(broker):
            sent = [client.send(HeartbeatRequest(group_id="g", generation_id=1, member_id="m")) for client in clients]
            until(lambda: broker.metrics()["barnabas_control_requests_pending"] == 6)
            assert broker.metrics()["barnabas_control_requests_queued"] == 2
            # The data plane is not concerned.
            with RawClient(broker.bootstrap_servers) as other:
                topic_id = other.topics("t")["t"].topic_id
                assert other.produce("t", topic_id, 0, record_batch([b"x"])) == (0, 0)
        assert [client.receive(one).error_code for client, one in zip(clients, sent, strict=True)] == [25] * 6


class stalled:  # noqa: N801 - a with statement's word
    """Keeps the control thread of a broker busy."""

    def __init__(self, broker: Broker) -> None:
        self._plane = broker._plane
        self._handle = self._plane._turn
        self._begun, self._over = threading.Event(), threading.Event()

    def __enter__(self) -> None:
        def hang() -> None:
            self._begun.set()
            assert self._over.wait(PATIENCE * 3)
            self._plane.__dict__.pop("_turn", None)
            self._handle()

        self._plane._turn = hang  # type: ignore[method-assign]
        self._plane.core.advance_clock(0)  # ends the pull
        assert self._begun.wait(PATIENCE)

    def __exit__(self, *_: object) -> None:
        self._over.set()


# One request may pass the bound, as in Kafka; while nothing is left no connection is read.
def test_queued_max_request_bytes() -> None:
    with pytest.raises(ConfigError, match=r"socket\.request\.max\.bytes"):
        Broker(queued_max_request_bytes=1_000_000)
    with Broker(socket_request_max_bytes=100_000, queued_max_request_bytes=100_000) as broker, ExitStack() as stack:
        big, other = (stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(2))
        assert is_served(other, PATIENCE)
        big.socket.sendall(struct.pack(">i", 100_000) + b"\0" * 50_000)
        until(lambda: not is_served(other))
        # Its end, whatever it means, gives the bytes back.
        big.close()
        assert other.receive_frame()
        assert is_served(other, PATIENCE)


def test_a_slow_reader_is_not_read_and_given_up_when_it_is_idle() -> None:
    with Broker(connections_max_idle_ms=3_000) as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 1).topic_id
        for _ in range(20):
            assert client.produce("t", topic_id, 0, record_batch([b"x" * 900_000]))[0] == 0
        with RawClient(broker.bootstrap_servers) as slow:
            slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            request = fetch(topic_id)
            request.max_bytes = request.topics[0].partitions[0].partition_max_bytes = 50_000_000
            before = broker.metrics()
            for _ in range(30):
                slow.send(request)
            deadline = time.monotonic() + PATIENCE
            while broker.metrics()["barnabas_connections_idle_closed_total"] == 0:
                assert time.monotonic() < deadline
                client.topics("t")  # others are served
                time.sleep(0.02)
            key = 'barnabas_request_bytes_total{api="Fetch"}'
            # None of the thirty was sent whole, and the second was not begun.
            assert broker.metrics().get(key, 0.0) == before.get(key, 0.0)


def test_responses_come_in_order_and_one_request_is_executed_at_a_time() -> None:
    with (
        Broker() as broker,
        RawClient(broker.bootstrap_servers) as client,
        RawClient(broker.bootstrap_servers) as other,
    ):
        topic_id = create(client, "t", 1).topic_id
        poll = fetch(topic_id)
        poll.min_bytes, poll.max_wait_ms = 1, 60_000
        sent = [client.send(poll), client.send(MetadataRequest(topics=[])), client.send(HeartbeatRequest(group_id="g"))]
        until(lambda: broker.metrics()["barnabas_fetches_parked"] == 1)
        client.socket.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.receive_frame()
        client.socket.settimeout(PATIENCE)
        assert other.produce("t", topic_id, 0, record_batch([b"x"])) == (0, 0)
        answers = [client.receive(one) for one in sent]
        assert answers[0].responses[0].partitions[0].high_watermark == 1


def test_a_member_in_a_long_join_holds_nobody_else_up() -> None:
    with Broker(group_initial_rebalance_delay_ms=60_000) as broker, ExitStack() as stack:
        joining, other = (stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(2))
        other.coordinator("g")
        member = enter(joining, "g")
        joining.send(join("g", member))
        until(lambda: broker.metrics()["barnabas_control_requests_pending"] == 1)
        assert other.ask(HeartbeatRequest(group_id="h", generation_id=1, member_id="m")).error_code == 25
