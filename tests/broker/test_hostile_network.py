"""Hostile peers: the broker answers or closes, its memory stays bounded, others are served all the while.

`MINUTES=10 RESULTS=tests/results/hostile-network.json pytest tests/broker/test_hostile_network.py` runs it by volume;
`SEED=` chooses other attacks.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hostile import FRAME_BYTES_MAX, Hostile
from raw_client import RawClient, record_batch
from test_broker import create
from test_command import broker_process

if TYPE_CHECKING:
    import subprocess

SECONDS = float(os.environ.get("MINUTES", "0")) * 60 or 4.0
SEED = int(os.environ.get("SEED", "1"))
GROWTH_BYTES_MAX = 96 * 1024 * 1024
"""More than the process holds at its start: buffers of a few frames, and responses that are not read."""
SETTLE_S = 60.0


def status(process: subprocess.Popen[str]) -> dict[str, int]:
    """Bytes of memory, threads and descriptors of a process."""
    root = Path("/proc") / str(process.pid)
    lines = dict(line.split(":", 1) for line in (root / "status").read_text(encoding="utf-8").splitlines())
    return {
        "rss_bytes": int(lines["VmRSS"].split()[0]) * 1024,
        "threads": int(lines["Threads"]),
        "descriptors": len(list((root / "fd").iterdir())),
    }


class Bystander:
    """Somebody else, who produces, fetches and asks for a coordinator, and measures how long that takes."""

    def __init__(self, address: str, topic_id: bytes) -> None:
        self.rounds = 0
        self.slowest_s = 0.0
        self.failure: BaseException | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(address, topic_id), daemon=True)
        self._thread.start()

    def _run(self, address: str, topic_id: bytes) -> None:
        try:
            with RawClient(address, client_id="bystander", timeout=60) as client:
                while not self._over.is_set():
                    begin = time.monotonic()
                    assert client.produce("bystander", topic_id, 0, record_batch([b"x"])) == (0, self.rounds)
                    assert client.fetch(topic_id, 0, self.rounds)[0] == 0
                    assert client.coordinator("bystander").error_code == 0
                    self.rounds += 1
                    self.slowest_s = max(self.slowest_s, time.monotonic() - begin)
                    self._over.wait(0.005)
        except BaseException as error:  # noqa: BLE001 - told by `stop`
            self.failure = error

    def stop(self) -> None:
        self._over.set()
        self._thread.join(90)
        assert not self._thread.is_alive()
        if self.failure is not None:
            raise self.failure


def test_hostile_peers_harm_only_themselves(tmp_path: Path) -> None:
    arguments = [f"socket.request.max.bytes={FRAME_BYTES_MAX}", "auto.create.topics.enable=false"]
    settings = [word for setting in arguments for word in ("--set", setting)]
    with broker_process(tmp_path, *settings) as (process, address), RawClient(address) as client:
        topic_id = create(client, "bystander", 1).topic_id
        client.coordinator("bystander")
        hostile = Hostile(address, random.Random(SEED))  # noqa: S311 - not secrets
        for name in hostile.attacks:  # what is loaded once is loaded now
            hostile.run(name)
        hostile.close()
        before = status(process)
        most = dict(before)
        bystander = Bystander(address, topic_id)
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for name in hostile.attacks:
                hostile.run(name)
            most = {what: max(value, most[what]) for what, value in status(process).items()}
            assert process.poll() is None
        bystander.stop()
        hostile.close()
        after = settled(process, before)
        assert client.topics("bystander")["bystander"].error_code == 0
        report(hostile, bystander, {"before": before, "most": most, "after": after})
        assert bystander.rounds > 10
        assert most["rss_bytes"] - before["rss_bytes"] < GROWTH_BYTES_MAX
        assert after["descriptors"] <= before["descriptors"] + 5
        assert after["threads"] <= before["threads"] + 5
        assert bystander.slowest_s < 30


def settled(process: subprocess.Popen[str], before: dict[str, int]) -> dict[str, int]:
    """Waits for closed connections to be gone."""
    deadline = time.monotonic() + SETTLE_S
    while (now := status(process))["descriptors"] > before["descriptors"] + 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    return now


def report(hostile: Hostile, bystander: Bystander, memory: dict[str, Any]) -> None:
    path = os.environ.get("RESULTS")
    if path is None:
        return
    found = {
        "command": "MINUTES=<minutes> RESULTS=<file> pytest tests/broker/test_hostile_network.py",
        "seconds": SECONDS,
        "seed": SEED,
        "attacks": {name: dict(sorted(counts.items())) for name, counts in sorted(hostile.outcomes.items())},
        "attacks_total": sum(sum(counts.values()) for counts in hostile.outcomes.values()),
        "bystander": {"rounds": bystander.rounds, "slowest_ms": round(bystander.slowest_s * 1000, 1)},
        "broker": memory,
    }
    Path(path).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
