"""A control plane that is slow or hangs stops neither records nor members.

The broker runs in a process of its own, so that what hogs the interpreter there does not hog the client that measures.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient, record_batch
from test_broker import CONSUMERS, create, enter, join

from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

STALLS = {"spin": 10.0, "hold": 5.0, "hang": 5.0}
"""Seconds; each is longer than a session."""
SESSION_MS = 3_000
# `spin` computes in Python on another thread; `hold` keeps the interpreter's lock, as a C extension may; `hang` blocks the
# control thread itself.
SCRIPT = """
import ctypes, sys, threading, time
from barnabas import Broker

def spin(seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        pass

def hold(seconds):
    ctypes.PyDLL(None).sleep(int(seconds))

with Broker(offsets_topic_num_partitions=1, group_min_session_timeout_ms=1000) as broker:
    print(broker.bootstrap_servers, flush=True)
    for line in sys.stdin:
        kind, seconds = line.split()
        if kind == "hang":
            plane = broker._plane
            turn = plane._turn
            begun = threading.Event()
            def once():
                begun.set()
                time.sleep(float(seconds))
                del plane._turn
                turn()
            plane._turn = once
            plane.core.advance_clock(0)
            begun.wait()
            print("begun", flush=True)
        else:
            print("begun", flush=True)
            {"spin": spin, "hold": hold}[kind](float(seconds))
"""


@contextmanager
def broker_to_stall() -> Iterator[tuple[subprocess.Popen[str], str]]:
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=dict(os.environ)
    ) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def stall(process: subprocess.Popen[str], kind: str) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{kind} {STALLS[kind]:g}\n")
    process.stdin.flush()
    assert process.stdout.readline() == "begun\n"


@pytest.mark.parametrize("kind", STALLS)
def test_records_flow_and_members_stay(kind: str) -> None:
    with broker_to_stall() as (process, address), RawClient(address, timeout=60) as client:
        topic_id = create(client, "t", 1).topic_id
        client.coordinator("g")
        member, generation = become_member(client)
        heartbeat = HeartbeatRequest(group_id="g", generation_id=generation, member_id=member)
        assert client.ask(heartbeat).error_code == 0
        stall(process, kind)
        begin, lasts = time.monotonic(), STALLS[kind]
        # The member does what members do: a heartbeat every so often, the next one when the last is answered.
        codes: list[int] = []
        over = threading.Event()

        def beat() -> None:
            while not over.is_set():
                codes.append(client.ask(heartbeat).error_code)
                over.wait(SESSION_MS / 1000 / 4)

        beats = threading.Thread(target=beat, daemon=True)
        beats.start()
        served, slowest = 0, 0.0
        with RawClient(address, timeout=60) as other:
            while time.monotonic() - begin < lasts * 0.9:
                before = time.monotonic()
                assert other.produce("t", topic_id, 0, record_batch([b"x"])) == (0, served)
                assert other.fetch(topic_id, 0, served)[0] == 0
                slowest = max(slowest, time.monotonic() - before)
                served += 1
                time.sleep(0.01)
        # It was served all the time, not only at the end; a produce that waited for the stall would take all of it.
        assert served > 20
        assert slowest < lasts * 0.8
        over.set()
        beats.join(timeout=60)
        assert not beats.is_alive()
        assert set(codes) == {0}
        assert client.ask(heartbeat).error_code == 0


def become_member(client: RawClient) -> tuple[str, int]:
    member = enter(client, "g")
    request = join("g", member)
    request.session_timeout_ms = SESSION_MS
    generation = client.ask(request).generation_id
    given = [SyncGroupRequest.SyncGroupRequestAssignment(member_id=member, assignment=b"mine")]
    sync = SyncGroupRequest(**CONSUMERS, group_id="g", generation_id=generation, member_id=member, assignments=given)
    assert client.ask(sync).error_code == 0
    return member, generation
