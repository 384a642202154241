"""`barnabas broker`: what it listens on, what it tells clients, its metrics, and a stop that is bounded."""

from __future__ import annotations

import contextlib
import logging
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient
from reference_kafka import free_port, options
from test_broker import create
from test_command import broker_process

from barnabas import Broker
from barnabas.broker.metrics import parse
from barnabas.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from pathlib import Path


def told(client: RawClient) -> list[tuple[str, int]]:
    """Where a client is told to connect."""
    return [(broker.host, broker.port) for broker in client.ask(MetadataRequest(topics=[])).brokers]


def test_every_listener_tells_of_itself(tmp_path: Path) -> None:
    with broker_process(tmp_path, "--listen", "127.0.0.1:0") as (_, addresses):
        first, second = addresses.split(",")
        for address in (first, second):
            host, _, port = address.rpartition(":")
            with RawClient(address) as client:
                assert told(client) == [(host, int(port))]


def test_what_is_advertised_is_told(tmp_path: Path) -> None:
    advertised = "advertised.listeners=PLAINTEXT://kafka.example.org:19092"
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    arguments = ["--listen", f"127.0.0.1:{port}", "--set", advertised]
    # The ready line names what clients are told; the test knows the port that is listened on.
    with contextlib.ExitStack() as stack:
        command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(tmp_path / "data"), *arguments]
        process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        stack.callback(process.kill)
        assert process.stdout is not None
        assert " serves kafka.example.org:19092 " in process.stdout.readline()
        with RawClient(f"127.0.0.1:{port}") as client:
            assert told(client) == [("kafka.example.org", 19092)]


def test_metrics_are_served_where_the_ready_line_says(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(tmp_path / "data")]
    command += ["--listen", "127.0.0.1:0", "--metrics-listen", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            match = re.search(r", metrics (\S+)\)$", process.stdout.readline())
            assert match
            with urllib.request.urlopen(f"http://{match[1]}/metrics", timeout=30) as answer:
                assert parse(answer.read().decode())["barnabas_connections"] == 0
        finally:
            process.kill()


# A client that does not read its answers would hold the drain for ever.
def test_a_stop_takes_no_longer_than_it_may(tmp_path: Path) -> None:
    request = bytes.fromhex("0003 0001 00000007 ffff ffffffff")  # Metadata v1 of all topics
    with broker_process(tmp_path, "--shutdown-timeout", "1") as (process, address), RawClient(address) as client:
        create(client, "topic", partitions=200)
        host, port = address.rsplit(":", 1)
        with socket.create_connection((host, int(port))) as mute:
            mute.settimeout(1.0)
            with contextlib.suppress(TimeoutError):
                while True:
                    mute.sendall((len(request).to_bytes(4, "big") + request) * 100)
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
            _, err = process.communicate(timeout=60)
            assert time.monotonic() - begin < 30
    assert process.returncode == 0
    assert "not closed in time; the next start recovers" in err


def test_the_controllers_listener_is_not_opened_which_is_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    own, controller = free_port(), free_port()
    with Broker(config=options(tmp_path, own, controller), embedded=False) as broker:
        assert broker.bootstrap_servers == f"127.0.0.1:{own}"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", controller))
    found = [record.getMessage() for record in caplog.records if "controller listener" in record.getMessage()]
    assert found == [
        f"the controller listener (CONTROLLER://127.0.0.1:{controller}) is not opened: one node needs none"
    ]
