"""A broker inside other programs: many at once, closed without a trace, under fork."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from raw_client import RawClient, record_batch
from test_broker import create

from barnabas import Broker

BROKERS = 50


def open_files() -> set[str]:
    """The targets of this process's descriptors, but for those that name none."""
    targets = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            targets.add(f"{entry.name} {entry.readlink()}")
        except OSError:
            continue
    return targets


def threads() -> set[int]:
    """Ids of this process's threads, those of the data plane too."""
    return {int(entry.name) for entry in Path("/proc/self/task").iterdir()}


def until_gone(kind: str, before: set[int] | set[str]) -> None:
    """Waits until nothing is there that was not there before; a thread that was joined is in the list a moment longer."""
    look = threads if kind == "threads" else open_files
    deadline = time.monotonic() + 20
    while (left := set(look()) - set(before)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not left


def use(broker: Broker) -> None:
    """Produces, fetches, and asks the control plane."""
    with RawClient(broker.bootstrap_servers, timeout=60) as client:
        topic_id = create(client, "t", 2).topic_id
        assert client.produce("t", topic_id, 1, record_batch([b"x"])) == (0, 0)
        assert client.fetch(topic_id, 1, 0)[0] == 0
        assert client.coordinator("g").error_code == 0


def test_fifty_at_once_serve_and_leave_nothing_behind() -> None:
    with Broker() as first:  # what is loaded once and stays is loaded now
        use(first)
    before_files, before_threads = open_files(), threads()
    python_threads = threading.active_count()
    with ThreadPoolExecutor(8) as pool:
        brokers = list(pool.map(lambda _: Broker(barnabas_metrics_listen="127.0.0.1:0"), range(BROKERS)))
        try:
            assert len({broker.bootstrap_servers for broker in brokers}) == BROKERS
            assert len({broker.cluster_id for broker in brokers}) == BROKERS
            list(pool.map(use, brokers))
            assert all(broker.metrics()["barnabas_partitions"] > 2 for broker in brokers)
        finally:
            directories = [str(broker._temporary) for broker in brokers]
            assert all(pool.map(lambda broker: broker.close(timeout=60), brokers))
    assert not [directory for directory in directories if Path(directory).exists()]
    assert threading.active_count() == python_threads
    until_gone("threads", before_threads)
    until_gone("files", before_files)


def test_a_start_that_fails_leaves_nothing_behind() -> None:
    with Broker() as other:
        use(other)
        before_files, before_threads = open_files(), threads()
        port = other.bootstrap_servers.rpartition(":")[2]
        for _ in range(3):
            try:
                Broker(listeners=f"PLAINTEXT://127.0.0.1:{port}")
            except OSError:
                continue
            raise AssertionError("two brokers on one port")
        until_gone("threads", before_threads)
        until_gone("files", before_files)


def test_a_directory_that_was_given_stays_and_serves_again(tmp_path: Path) -> None:
    for round_number in range(3):
        with Broker(data_dir=tmp_path / "data") as broker, RawClient(broker.bootstrap_servers) as client:
            if round_number == 0:
                create(client, "t", 1)
            topic_id = client.topics("t")["t"].topic_id
            assert client.produce("t", topic_id, 0, record_batch([b"x"])) == (0, round_number)
    assert (tmp_path / "data" / "t-0").is_dir()


# As pytest-xdist and multiprocessing do it: a child of a process with a broker has brokers of its own.
def test_a_forked_child_starts_brokers_of_its_own() -> None:
    script = """
import os, sys
sys.path[:0] = ["tests", "tests/broker"]
from barnabas import Broker
from test_embedding import use
parent = Broker()
use(parent)
for _ in range(2):
    child = os.fork()
    if child == 0:
        with Broker() as own:
            use(own)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
use_again = parent.bootstrap_servers
parent.close()
"""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    command = [sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=root, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


# Workers of pytest-xdist are processes beside each other; every test has a broker of its own, at any port.
def test_the_workers_of_xdist_have_brokers_beside_each_other(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    (tmp_path / "test_workers.py").write_text(
        f"""
import sys
sys.path[:0] = [{str(root / "tests")!r}, {str(root / "tests/broker")!r}]
import pytest
from barnabas import Broker
from test_embedding import use

@pytest.fixture(scope="module")
def shared():
    with Broker() as broker:
        yield broker

@pytest.mark.parametrize("number", range(8))
def test_a_broker(shared, number, worker_id):
    assert worker_id in ("gw0", "gw1")
    with Broker() as own:
        assert own.bootstrap_servers != shared.bootstrap_servers
        use(own)
"""
    )
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT", "PYTEST_XDIST_TESTRUNUID", "PYTEST_ADDOPTS"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", "-c", os.devnull]
    command += ["--rootdir", str(tmp_path), str(tmp_path / "test_workers.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 passed" in done.stdout
