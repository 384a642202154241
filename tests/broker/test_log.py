"""The broker's log: it reaches `logging`, is bounded, and holds nobody up."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch
from test_broker import create
from test_command import broker_process
from test_limits import PATIENCE, until

from barnabas import Broker, Consumer, Producer, lines
from barnabas.broker import log
from barnabas.errors import KafkaTimeoutError
from barnabas.protocol.messages.heartbeat import HeartbeatRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BAD_HEARTBEAT = bytes.fromhex("000c 0000 00000001 ffff 7fff")


class Collected(logging.Handler):
    """Keeps records."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    """Brokers and clients that other tests keep in this process share its log: as if there were none."""
    others = lines._users
    if others:
        lines._users = 1
        lines.stop()
    yield
    if others:
        lines.start()
        lines._users += others - 1


@pytest.fixture(name="collected")
def collected_records() -> Iterator[Collected]:
    handler = Collected()
    logger = logging.getLogger("barnabas")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


def send_bad(broker: Any) -> None:
    with RawClient(broker if isinstance(broker, str) else broker.bootstrap_servers) as client:
        client.send_frame(BAD_HEARTBEAT)
        assert client.closed()


def test_a_bad_request_is_one_structured_record(collected: Collected) -> None:
    with Broker() as broker:
        send_bad(broker)
        until(lambda: bool(collected.records))
    (record,) = collected.records
    assert (record.name, record.levelname, record.threadName) == ("barnabas.broker", "WARNING", "barnabas-control")
    assert record.getMessage().startswith("bad request: ")
    fields: Any = record.__dict__["fields"]
    assert (fields["api_key"], fields["api_version"]) == ("12", "0")
    assert abs(record.created - time.time()) < 600


def test_lines_of_the_data_plane_come_too(collected: Collected) -> None:
    logging.getLogger("barnabas").setLevel(logging.INFO)
    try:
        with Broker(log_segment_bytes=1_048_576) as broker, RawClient(broker.bootstrap_servers) as client:
            topic_id = create(client, "t", 1).topic_id
            for _ in range(2):
                assert client.produce("t", topic_id, 0, record_batch([b"x" * 600_000]))[0] == 0
            broker.clock.advance(8 * 24 * 3600)
            until(lambda: any("retention" in record.getMessage() for record in collected.records))
    finally:
        logging.getLogger("barnabas").setLevel(logging.NOTSET)
    (record,) = (record for record in collected.records if "retention" in record.getMessage())
    assert (record.name, record.threadName) == ("barnabas.broker.upkeep", "barnabas-upkeep")


def test_lines_of_one_kind_are_bounded(collected: Collected) -> None:
    with Broker():
        for number in range(40):
            log.warning("line %d of one kind", number)
        for _ in range(5):
            log.warning("of another kind")
    expected = [f"line {number} of one kind" for number in range(10)] + ["of another kind"] * 5
    left_out = "30 lines like the last 10 of this kind were left out"
    assert [record.getMessage() for record in collected.records] == [*expected, left_out]
    assert collected.records[-1].__dict__["fields"] == {"left_out": "30"}


def test_without_a_broker_a_line_is_written_at_once(collected: Collected) -> None:
    log.info("not at this level")
    log.error("%d %s", 3, "words", why="because")
    (record,) = collected.records
    assert (record.getMessage(), record.__dict__["fields"]) == ("3 words", {"why": "because"})


# A handler that blocks, as a stream to a full pipe does, holds up neither the control plane nor the end.
def test_a_handler_that_blocks_holds_nobody_up() -> None:
    release = threading.Event()

    class Blocking(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            del record
            assert release.wait(PATIENCE * 3)

    handler = Blocking()
    logger = logging.getLogger("barnabas")
    logger.addHandler(handler)
    try:
        with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
            for number in range(3000):
                log.warning(f"line {number} of its own kind")
            lost = broker.metrics()["barnabas_log_lines_lost_total"]
            assert lost > 0
            client.coordinator("g")
            answer = client.ask(HeartbeatRequest(group_id="g", generation_id=1, member_id="m"))
            assert answer.error_code == 25
            assert broker.close(timeout=PATIENCE)
    finally:
        release.set()
        logger.removeHandler(handler)
    until(lambda: "barnabas-log" not in {thread.name for thread in threading.enumerate()})


# Nobody reads the command's stderr, which holds 64 KiB.
def test_an_unread_pipe_does_not_stop_the_command(tmp_path: Path) -> None:
    with broker_process(tmp_path, "--verbose") as (process, address):
        with RawClient(address) as client:
            for _ in range(200):
                send_bad(address)
            client.coordinator("g")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def test_json_lines(tmp_path: Path) -> None:
    with broker_process(tmp_path, "--log-format", "json") as (process, address):
        send_bad(address)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    (line,) = err.splitlines()
    found = json.loads(line)
    assert (found["level"], found["logger"], found["api_key"]) == ("WARNING", "barnabas.broker", "12")


def test_a_client_without_a_broker_tells_of_connections_that_fail(collected: Collected) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        address = f"127.0.0.1:{unused.getsockname()[1]}"
    with (
        Producer(bootstrap_servers=address, client_id="till", max_block_ms=200) as producer,
        pytest.raises(KafkaTimeoutError),
    ):
        producer.send("orders", b"1").result(PATIENCE)
    assert collected.records
    first = collected.records[0]
    assert (first.name, first.levelname) == ("barnabas.client.nodes", "WARNING")
    assert first.getMessage().startswith(f"till: cannot connect to {address}: ")
    # Ten of a kind, and how many were left out.
    assert len(collected.records) <= 11


def test_the_thread_that_writes_lines_ends_with_the_last_client() -> None:
    def threads() -> int:
        return sum(thread.name == "barnabas-log" for thread in threading.enumerate())

    with Broker() as broker:
        address = broker.bootstrap_servers
        closed, forgotten = Producer(bootstrap_servers=address), Consumer(bootstrap_servers=address)
        assert threads() == 1
    assert threads() == 1
    closed.close()
    closed.close()
    assert threads() == 1
    del forgotten
    gc.collect()
    until(lambda: threads() == 0)


def test_clients_come_and_go_in_several_threads_without_waiting_for_the_log() -> None:
    def come_and_go() -> None:
        for _ in range(200):
            lines.start()
            ended.append(lines.stop())

    ended: list[bool] = []
    threads = [threading.Thread(target=come_and_go) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert ended == [True] * 800
    until(lambda: "barnabas-log" not in {thread.name for thread in threading.enumerate()})


def test_a_client_is_made_where_no_thread_can_be_started_for_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", refuse)
        producer = Producer(bootstrap_servers="127.0.0.1:1")
    assert not lines.is_running()
    producer.close(0)


def test_a_forked_child_logs_by_itself() -> None:
    script = """
import os, logging
logging.basicConfig(format="%(message)s")
from barnabas import Broker
from barnabas.broker import log
broker = Broker()
if os.fork() == 0:
    log.warning("from the child")
    with Broker():
        log.warning("from the child's broker")
    os._exit(0)
assert os.wait()[1] == 0
log.warning("from the parent")
broker.close()
"""
    environment = {**os.environ, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "")
    assert sorted(done.stderr.splitlines()) == ["from the child", "from the child's broker", "from the parent"]
