"""Listeners that are added and taken away while the broker runs, with clients connected; a restart keeps them."""

from __future__ import annotations

import socket
import threading
import time
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient, record_batch
from reference_kafka import free_port

from barnabas import Broker, Consumer, Producer
from barnabas.errors import ConfigError
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.fetch import FetchRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PATIENCE_S = 30.0
BROKER = 4
LISTENERS, PROTOCOLS = "listeners", "listener.security.protocol.map"
MAP = "PLAINTEXT:PLAINTEXT,EXTRA:PLAINTEXT,OTHER:PLAINTEXT"


def alter(client: RawClient, **changes: str | None) -> tuple[int, str | None]:
    """Sets the broker's listeners and their protocols; None takes back."""
    shape = IncrementalAlterConfigsRequest
    names = {"listeners": LISTENERS, "protocols": PROTOCOLS}
    configs = [
        shape.AlterableConfig(name=names.get(key, key), config_operation=int(value is None), value=value)
        for key, value in changes.items()
    ]
    resource = shape.AlterConfigsResource(resource_type=BROKER, resource_name="1", configs=configs)
    (answer,) = client.ask(shape(resources=[resource])).responses
    return answer.error_code, answer.error_message


def wait_for(what: str, happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, what


def is_open(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), PATIENCE_S):
            return True
    except OSError:
        return False


def endpoints(port: int) -> list[tuple[str, int]]:
    """What a client of this port is told."""
    with RawClient(f"127.0.0.1:{port}") as client:
        return [(one.host, one.port) for one in client.ask(MetadataRequest(topics=None)).brokers]


def test_a_listener_comes_and_goes_beside_clients_that_notice_nothing(tmp_path: Path) -> None:
    own, extra = free_port(), free_port()
    base = f"PLAINTEXT://127.0.0.1:{own}"
    with Broker(tmp_path, listeners=base, config={"advertised.listeners": base}) as broker:
        stop, sent = threading.Event(), 0

        def produce() -> None:
            nonlocal sent
            with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                while not stop.is_set():
                    producer.send("t", b"%d" % sent, partition=0).result(PATIENCE_S)
                    sent += 1

        thread = threading.Thread(target=produce)
        thread.start()
        try:
            with RawClient(broker.bootstrap_servers) as client:
                wait_for("the topic", lambda: sent > 0)
                for _ in range(5):
                    before = sent
                    assert alter(client, listeners=f"{base},EXTRA://127.0.0.1:{extra}", protocols=MAP) == (0, None)
                    # What was answered is so: the listener is open.
                    with RawClient(f"127.0.0.1:{extra}") as new:
                        assert new.topics("t")["t"].error_code == 0
                        wait_for("records beside it", lambda seen=before: sent > seen)
                        assert alter(client, listeners=None, protocols=None) == (0, None)
                        assert not is_open(extra)
                        assert new.closed()
        finally:
            stop.set()
            thread.join(PATIENCE_S)
        with Consumer(bootstrap_servers=broker.bootstrap_servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([("t", 0)])
            values: list[bytes] = []
            while len(values) < sent:
                values += consumer.poll(PATIENCE_S).values()
        assert values == [b"%d" % number for number in range(sent)]
        wait_for("connections to end", lambda: broker.metrics()["barnabas_connections"] == 0)


def test_who_closes_his_own_listener_is_answered_and_long_polls_on_it_end() -> None:
    own, extra = free_port(), free_port()
    base = f"PLAINTEXT://127.0.0.1:{own}"
    with Broker(listeners=base, config={"advertised.listeners": base}) as broker:
        with RawClient(broker.bootstrap_servers) as client:
            shape = CreateTopicsRequest
            wanted = shape.CreatableTopic(name="t", num_partitions=1, replication_factor=1)
            topic_id = client.ask(shape(topics=[wanted], timeout_ms=5_000)).topics[0].topic_id
            assert alter(client, listeners=f"{base},EXTRA://127.0.0.1:{extra}", protocols=MAP) == (0, None)
        with RawClient(f"127.0.0.1:{extra}", timeout=PATIENCE_S) as polls, RawClient(f"127.0.0.1:{extra}") as client:
            partition = FetchRequest.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
            topics = [FetchRequest.FetchTopic(topic_id=topic_id, partitions=[partition])]
            polls.send(
                FetchRequest(max_wait_ms=600_000, min_bytes=1, max_bytes=1 << 20, session_epoch=-1, topics=topics)
            )
            wait_for("a parked fetch", lambda: broker.metrics()["barnabas_fetches_parked"] > 0)
            assert alter(client, listeners=None, protocols=None) == (0, None)
            assert client.closed()
            assert polls.closed()
        with RawClient(broker.bootstrap_servers) as client:
            assert client.produce("t", topic_id, 0, record_batch([b"x"])) == (0, 0)


def test_a_restart_listens_and_tells_as_was_set_last(tmp_path: Path) -> None:
    own, moved, extra = free_port(), free_port(), free_port()
    base = f"PLAINTEXT://127.0.0.1:{own}"
    with Broker(tmp_path, listeners=base) as broker, RawClient(broker.bootstrap_servers) as client:
        assert alter(client, listeners=f"PLAINTEXT://127.0.0.1:{moved},EXTRA://127.0.0.1:{extra}", protocols=MAP) == (
            0,
            None,
        )
        # As in Kafka, a listener that is open stays where it is until the next start, and what clients are told until then.
        assert (is_open(own), is_open(moved)) == (True, False)
        assert (endpoints(own), endpoints(extra)) == ([("127.0.0.1", own)], [])
        assert broker.bootstrap_servers == f"127.0.0.1:{own}"
    with Broker(tmp_path, listeners=base) as broker:
        assert broker.bootstrap_servers == f"127.0.0.1:{moved},127.0.0.1:{extra}"
        assert not is_open(own)
        assert (endpoints(moved), endpoints(extra)) == ([("127.0.0.1", moved)], [("127.0.0.1", extra)])
        with Producer(bootstrap_servers=f"127.0.0.1:{extra}") as producer:
            producer.send("t", b"x").result(PATIENCE_S)


def test_a_listener_that_cannot_be_opened_is_told_in_the_log_and_the_others_serve(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    own, other = free_port(), free_port()
    base = f"PLAINTEXT://127.0.0.1:{own}"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        told = f"cannot listen on 127.0.0.1:{port} (listener EXTRA)"
        config = {"advertised.listeners": base}
        with Broker(tmp_path, listeners=base, config=config) as broker, RawClient(broker.bootstrap_servers) as client:
            # As by Kafka, what can be set is set; that a port is free is not looked at before.
            wanted = f"{base},EXTRA://127.0.0.1:{port},OTHER://127.0.0.1:{other}"
            assert alter(client, listeners=wanted, protocols=MAP) == (0, None)
            assert is_open(other)
            wait_for("a word in the log", lambda: told in caplog.text)
        caplog.clear()
        with Broker(tmp_path, listeners=base, config=config) as broker, RawClient(broker.bootstrap_servers) as client:
            assert is_open(other)
            wait_for("a word in the log", lambda: told in caplog.text)
            assert alter(client, listeners=f"{base},OTHER://127.0.0.1:{other}") == (0, None)
    # Once the port is free and asked for again, it is opened.
    with Broker(tmp_path, listeners=base, config=config) as broker, RawClient(broker.bootstrap_servers) as client:
        assert not is_open(port)
        assert alter(client, listeners=wanted) == (0, None)
        assert endpoints(port) == []


def test_limits_that_are_set_for_a_listener_hold_for_one_that_comes_later() -> None:
    own, extra = free_port(), free_port()
    base = f"PLAINTEXT://127.0.0.1:{own}"
    with Broker(listeners=base) as broker, RawClient(broker.bootstrap_servers) as client:
        limited = {"listener.name.extra.max.connections": "1"}
        assert alter(client, **limited) == (0, None)
        assert alter(client, listeners=f"{base},EXTRA://127.0.0.1:{extra}", protocols=MAP) == (0, None)
        with RawClient(f"127.0.0.1:{extra}") as first, RawClient(f"127.0.0.1:{extra}") as second:
            first.versions()
            sent = second.send(MetadataRequest(topics=None))
            accepted = broker.metrics()["barnabas_connections"]
            assert accepted == 2
            first.socket.close()
            assert second.receive(sent).cluster_id == broker.cluster_id


def test_what_is_advertised_must_be_listened_on() -> None:
    with pytest.raises(ConfigError, match=r"advertised\.listeners: OTHER is not one of the listeners"):
        Broker(config={"advertised.listeners": "OTHER://example.org:9092", PROTOCOLS: MAP})


def test_only_what_is_advertised_is_told() -> None:
    own, extra = free_port(), free_port()
    listeners = f"PLAINTEXT://127.0.0.1:{own},EXTRA://127.0.0.1:{extra}"
    config = {"advertised.listeners": f"PLAINTEXT://127.0.0.1:{own}", PROTOCOLS: MAP}
    with Broker(listeners=listeners, config=config) as broker:
        assert broker.bootstrap_servers == f"127.0.0.1:{own}"
        assert (endpoints(own), endpoints(extra)) == ([("127.0.0.1", own)], [])
