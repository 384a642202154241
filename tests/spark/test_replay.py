"""A query whose driver or workers are killed at every step of its micro-batches: nothing is lost, nothing counts twice.

`SEEDS=100 pytest tests/spark/test_replay.py` kills so many; `RESULTS=<file>` keeps the counts.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(0)]

SCRIPT = Path(__file__).with_name("replayed_query.py")
KILLS = int(os.environ.get("SEEDS", "3"))
KILLS_PER_QUERY = 5
RECORDS_PER_KILL = 240
STEPS = ("driver, rows written", "worker", "driver, batch planned", "driver, batch committed", "driver, any time")
RUN_S = 300


class Query:
    """One run of the query, in a process group of its own."""

    def __init__(self, servers: str, source: str, target: str, checkpoint: Path) -> None:
        self.checkpoint = checkpoint
        environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
        command = [sys.executable, str(SCRIPT), servers, source, target, str(checkpoint)]
        with Path(f"{checkpoint}.log").open("ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)

    def wait_until(self, reached) -> bool:
        """Whether it came so far before it ended."""
        deadline = time.monotonic() + RUN_S
        while not reached():
            assert time.monotonic() < deadline, Path(f"{self.checkpoint}.log").read_text()[-4000:]
            try:
                self.process.wait(0.005)
            except subprocess.TimeoutExpired:
                continue
            return False
        return True

    def batches(self, kind: str) -> int:
        """How many micro-batches are planned (`offsets`) or committed (`commits`)."""
        names = (path.name for path in (self.checkpoint / kind).glob("*")) if self.checkpoint.exists() else ()
        return max((int(name) + 1 for name in names if name.isdecimal()), default=0)

    def workers(self) -> list[int]:
        """The Python workers of its executor, by process ids."""
        parents: dict[int, list[int]] = {}
        daemons = set()
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    parent = int((entry / "stat").read_text().rsplit(") ", 1)[1].split()[1])
                    if b"pyspark.daemon" in (entry / "cmdline").read_bytes():
                        daemons.add(int(entry.name))
                except OSError:
                    continue
                parents.setdefault(parent, []).append(int(entry.name))
        below, found = [self.process.pid], []
        while below:
            pid = below.pop()
            below += parents.get(pid, [])
            found += [child for child in parents.get(pid, []) if pid in daemons]
        return found

    def kill(self) -> None:
        """Ends the driver and its JVM at once; workers end when they notice."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


@pytest.fixture(scope="module")
def count():
    """What was done, written to the file that RESULTS names."""
    found = Counter()
    yield found
    if path := os.environ.get("RESULTS"):
        command = f"SEEDS={KILLS} pytest tests/spark/test_replay.py"
        Path(path).write_text(json.dumps({"command": command, "counts": dict(sorted(found.items()))}, indent=1) + "\n")


def killed_at(chance, query, step, written) -> bool:
    """Kills what the step names when the step is reached; whether it was before the query ended."""
    planned, committed, rows = query.batches("offsets"), query.batches("commits"), written()
    more = chance.randint(1, 2)
    if step == "driver, batch planned":
        reached = query.wait_until(lambda: query.batches("offsets") >= planned + more)
    elif step == "driver, batch committed":
        reached = query.wait_until(lambda: query.batches("commits") >= committed + more)
    elif step == "driver, any time":
        reached = query.wait_until(lambda: query.batches("offsets") > planned)
        until = time.monotonic() + chance.uniform(0, 3)
        reached = reached and query.wait_until(lambda: time.monotonic() >= until)
    else:
        reached = query.wait_until(lambda: written() >= rows + chance.randint(1, 30))
    if not reached:
        return False
    if step != "worker":
        query.kill()
        return True
    workers = query.workers()
    if not workers:
        return False
    os.kill(chance.choice(workers), signal.SIGKILL)
    return True


@pytest.mark.parametrize("seed", range(-(-KILLS // KILLS_PER_QUERY)))
def test_killed_queries_lose_nothing_and_double_nothing(our_broker, admin, producer, topic, tmp_path, count, seed):
    from barnabas import Consumer, NewTopic, TopicPartition  # noqa: PLC0415

    chance = random.Random(seed)  # noqa: S311 (seeded on purpose)
    target = f"{topic}-out"
    admin.create_topics([NewTopic(target, num_partitions=3)])
    places = [TopicPartition(target, number) for number in range(3)]
    values: list[bytes] = []
    kills = min(KILLS_PER_QUERY, KILLS - seed * KILLS_PER_QUERY)
    steps = (chance.sample(STEPS, len(STEPS)) if seed else STEPS)[:kills]

    with Consumer(bootstrap_servers=our_broker) as consumer:
        written = lambda: sum(consumer.end_offsets(places).values())  # noqa: E731
        run = (our_broker, topic, target, tmp_path / "checkpoint")
        for step in steps:
            more = [b"%d" % number for number in range(len(values), len(values) + RECORDS_PER_KILL)]
            producer.send_many(topic, more, more).result(30)
            values += more
            query = Query(*run)
            try:
                count[step if killed_at(chance, query, step, written) else "ended before it was killed"] += 1
                if step == "worker":
                    query.wait_until(lambda: False)
            finally:
                if query.process.poll() is None:
                    query.kill()
        last = Query(*run)
        try:
            last.wait_until(lambda: False)
        finally:
            if last.process.poll() is None:
                last.kill()
        assert last.process.returncode == 0, Path(f"{last.checkpoint}.log").read_text()[-4000:]

        consumer.assign(places)
        consumer.seek_to_beginning(places)
        total, records = written(), []
        while len(records) < total:
            records += consumer.poll(timeout=10)
    by_row = {}
    for record in records:
        ((name, row),) = record.headers
        assert name == "barnabas.row"
        assert by_row.setdefault(row, record.value) == record.value
    # The source read each record once: each row that was written is another one, and all are there.
    assert sorted(by_row.values()) == sorted(values)
    count["records written again"] += total - len(values)
    count["records"] += len(values)
