"""`barnabas broker` as a process: ready file, signals, and kill -9."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient, record_batch, record_values
from test_broker import CONSUMERS, commit, committed, create, enter, join

from barnabas.cli import main
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def broker_process(tmp_path: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running `barnabas broker` on any free port; yields the process and its address."""
    ready = tmp_path / "ready"
    command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(tmp_path / "data")]
    command += ["--listen", "127.0.0.1:0", "--ready-file", str(ready), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            address = ready.read_text(encoding="utf-8").strip()
            assert line.startswith(f"barnabas broker 1 serves {address} (cluster ")
            yield process, address
        finally:
            process.kill()


def test_ready_line_and_file_name_the_address_and_sigterm_stops(tmp_path: Path) -> None:
    with broker_process(tmp_path) as (process, address):
        with RawClient(address) as client:
            assert client.topics() == {}
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert process.returncode == 0
    assert (out, err) == ("", "")
    assert not (tmp_path / "ready").exists()


# A client that does not read what it asked for holds up the drain, for as long as the shutdown may take.
def test_a_second_signal_stops_at_once(tmp_path: Path) -> None:
    request = bytes.fromhex("0003 0001 00000007 ffff ffffffff")  # Metadata v1 of all topics
    with broker_process(tmp_path) as (process, address), RawClient(address) as client:
        create(client, "topic", partitions=200)
        host, port = address.rsplit(":", 1)
        with socket.create_connection((host, int(port))) as mute:
            mute.settimeout(1.0)
            with contextlib.suppress(TimeoutError):
                while True:
                    mute.sendall((len(request).to_bytes(4, "big") + request) * 100)
            process.send_signal(signal.SIGTERM)
            deadline = time.monotonic() + 20
            while (tmp_path / "ready").exists():  # it goes when the drain begins
                assert time.monotonic() < deadline
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 128 + signal.SIGTERM


def test_port_in_use_is_told_in_one_line(tmp_path: Path) -> None:
    with broker_process(tmp_path) as (_, address):
        command = [
            sys.executable,
            "-m",
            "barnabas",
            "broker",
            "--data-dir",
            str(tmp_path / "other"),
            "--listen",
            address,
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("barnabas broker: ")
    assert address in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("argument", ["--listen", "--metrics-listen"])
@pytest.mark.parametrize("text", ["9092", "localhost", "localhost:http"])
def test_an_address_without_a_port_is_refused_by_the_arguments_name(
    argument: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["broker", argument, text])
    assert ended.value.code == 2
    message = f"barnabas broker: error: argument {argument}: '{text}' is not HOST:PORT, such as 127.0.0.1:9092"
    assert capsys.readouterr().err.splitlines()[-1] == message


def test_properties_file_and_set(tmp_path: Path) -> None:
    properties = tmp_path / "server.properties"
    properties.write_text(
        "process.roles=broker,controller\n"
        "node.id=7\n"
        "controller.quorum.voters=7@localhost:9093\n"
        "listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0\n"
        "controller.listener.names=CONTROLLER\n"
        "num.partitions=2\n",
        encoding="utf-8",
    )
    ready = tmp_path / "ready"
    command = [
        sys.executable,
        "-m",
        "barnabas",
        "broker",
        "--config",
        str(properties),
        "--data-dir",
        str(tmp_path / "d"),
    ]
    command += ["--set", "num.partitions=5", "--ready-file", str(ready)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line.startswith("barnabas broker 7 serves ")
            with RawClient(ready.read_text(encoding="utf-8").strip()) as client:
                assert len(client.topics("auto", create=True)["auto"].partitions) == 5
        finally:
            process.kill()


def test_kill_9_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    acknowledged: list[bytes] = []
    with broker_process(tmp_path) as (process, address), RawClient(address) as client:
        topic_id = create(client, "kept", 1).topic_id
        client.coordinator("readers")
        for number in range(200):
            value = b"%d" % number
            assert client.produce("kept", topic_id, 0, record_batch([value])) == (0, number)
            acknowledged.append(value)
        assert commit(client, "readers", topic_id, 150) == 0
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=10)
    with broker_process(tmp_path) as (_, address), RawClient(address) as client:
        topic = client.topics("kept")["kept"]
        assert (topic.error_code, topic.topic_id) == (0, topic_id)
        found: list[bytes] = []
        while len(found) < len(acknowledged):
            error_code, batches = client.fetch(topic_id, 0, len(found))
            assert error_code == 0
            assert batches, f"only {len(found)} of {len(acknowledged)} acknowledged records are there"
            found += record_values(batches)
        assert found == acknowledged
        client.coordinator("readers")
        assert committed(client, "readers") == {"kept": 150}
        assert client.produce("kept", topic_id, 0, record_batch([b"next"])) == (0, 200)


def test_members_survive_a_process_that_stood_still(tmp_path: Path) -> None:
    """The pause is longer than the session, and the heartbeat is still in the socket when the broker wakes up."""
    options = ("--set", "group.min.session.timeout.ms=100", "--set", "group.initial.rebalance.delay.ms=0")
    with broker_process(tmp_path, *options) as (process, address), RawClient(address) as client:
        member = enter(client, "sleepers")
        request = join("sleepers", member)
        request.session_timeout_ms = 1_000
        generation = client.ask(request).generation_id
        given = [SyncGroupRequest.SyncGroupRequestAssignment(member_id=member, assignment=b"mine")]
        sync = SyncGroupRequest(
            **CONSUMERS, group_id="sleepers", generation_id=generation, member_id=member, assignments=given
        )
        assert client.ask(sync).error_code == 0
        process.send_signal(signal.SIGSTOP)
        sent = client.send(HeartbeatRequest(group_id="sleepers", generation_id=generation, member_id=member))
        time.sleep(3.5)  # the pause itself is what is tested
        process.send_signal(signal.SIGCONT)
        assert client.receive(sent).error_code == 0
        # Nobody heartbeats any more: the member expires within its session and the one extension of it.
        deadline = time.monotonic() + 10
        while client.ask(DescribeGroupsRequest(groups=["sleepers"])).groups[0].members:
            assert time.monotonic() < deadline, "a dead member does not expire"


@pytest.mark.parametrize(("arguments", "status"), [([], 0), (["topic"], 2)])
def test_help_and_commands_to_come(arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == status
    printed = capsys.readouterr()
    assert "barnabas broker" in printed.out or "cli" in printed.err
