"""A query whose processes are killed at every step of its micro-batches: nothing is lost, nothing counts twice.

`make replay SEEDS=300` kills so many processes and keeps the counts; `SERVERS=kafka-4.3.0` has the reference as the broker.
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

import pyspark
import pytest
from pyspark.errors import StreamingQueryException
from replayed_query import BATCH, RESTARTED, query

from barnabas import Consumer, NewTopic, TopicPartition
from barnabas.spark import deduplicated

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(0)]

SCRIPT = Path(__file__).with_name("replayed_query.py")
# What is killed. Only the first takes the others with it, so each driver sees the others killed before.
VICTIMS = {
    "driver": "Spark's JVM with its driver",
    "worker": "a worker of the executor",
    "source": "the driver's process that plans offsets",
    "planner": "a process of the driver that makes readers and writers, and commits what was written",
}
MOMENTS = ("batch planned", "rows written", "batch committed", "any time")
KILLS = int(os.environ.get("SEEDS", len(VICTIMS)))
KILLS_PER_QUERY = 5 * len(VICTIMS)
RECORDS_PER_KILL = 100
"""At least two micro-batches more."""
ANY_TIME_S = 2.0
PARTITIONS = 3
RUN_S = 300
TOO_SLOW = "failed to connect back"
"""What Spark says when a Python process of the driver is not there within ten seconds, as on a machine that is busy with other things."""


class Driver:
    """A process with a Spark of its own that runs the query, until it is killed."""

    def __init__(self, places: tuple[str, ...], checkpoint: Path) -> None:
        self.checkpoint = checkpoint
        self.log = Path(f"{checkpoint}.log")
        environment = os.environ | {"PYSPARK_PYTHON": sys.executable}
        command = [sys.executable, str(SCRIPT), *places, str(checkpoint)]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)

    def wait_until(self, reached) -> None:
        deadline = time.monotonic() + RUN_S
        while not reached():
            assert time.monotonic() < deadline, self.log.read_text()[-4000:]
            try:
                self.process.wait(0.005)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(self.log.read_text()[-4000:])

    def batches(self, kind: str) -> int:
        """How many micro-batches are planned (`offsets`) or committed (`commits`)."""
        folder = self.checkpoint / kind
        names = (path.name for path in folder.iterdir()) if folder.exists() else ()
        return max((int(name) + 1 for name in names if name.isdecimal()), default=0)

    def processes(self) -> dict[str, list[int]]:
        """The ids of its Python processes by what they are."""
        children: dict[int, list[tuple[int, str]]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdecimal():
                try:
                    parent = int((entry / "stat").read_text().rsplit(") ", 1)[1].split()[1])
                    command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                except OSError:
                    continue
                children.setdefault(parent, []).append((int(entry.name), command))
        found: dict[str, list[int]] = {"driver": [self.process.pid], "worker": [], "source": [], "planner": []}
        below = [(self.process.pid, "")]
        while below:
            parent, its_command = below.pop()
            for pid, command in children.get(parent, []):
                below.append((pid, command))
                if "python_streaming_source_runner" in command:
                    found["source"].append(pid)
                elif "pyspark.daemon" in command and "pyspark.daemon" in its_command:
                    found["worker" if "pyspark.worker" in command else "planner"].append(pid)
        return found

    def kill_one(self, victim: str, chance: random.Random) -> None:
        """Ends one of its processes of a kind at once; workers come and go by themselves meanwhile."""

        def killed() -> bool:
            if not (pids := self.processes()[victim]):
                return False
            try:
                self.kill(chance.choice(pids))
            except ProcessLookupError:
                return False
            return True

        self.wait_until(killed)

    def kill(self, pid: int) -> None:
        """Ends one of its processes at once; with the driver's own its JVM, and workers end when they notice."""
        if pid != self.process.pid:
            os.kill(pid, signal.SIGKILL)
        elif self.process.poll() is None:
            os.killpg(pid, signal.SIGKILL)
            self.process.wait()


class Tally:
    """What was done and found, in the file that REPORT names."""

    def __init__(self, server: str) -> None:
        self.begin = time.monotonic()
        self.server = server
        self.kills = {victim: Counter() for victim in VICTIMS}
        self.counts = Counter()

    def write(self) -> None:
        if not (path := os.environ.get("REPORT")):
            return
        kills = sum(sum(moments.values()) for moments in self.kills.values())
        report = {
            "command": f"make replay SEEDS={KILLS}",
            "server": self.server,
            "spark": pyspark.__version__,
            "kills": {"all": kills, **{victim: dict(sorted(at.items())) for victim, at in self.kills.items()}},
            "victims": VICTIMS,
            "invariants, checked after every query": [
                "every record was read once: rows with names of their own are as many as records, with the same values",
                "a row that was written again has the value that it had",
                "deduplicated() gives each record once",
                "queries end by themselves only where a process of their driver was killed",
            ],
            **dict(sorted(self.counts.items())),
            "seconds per kill": round((time.monotonic() - self.begin) / kills, 1),
        }
        Path(path).write_text(json.dumps(report, indent=1) + "\n")


@pytest.fixture(scope="module")
def tallies():
    """A tally for each server."""
    return {}


def wait_for(moment, chance, driver, written) -> None:
    """Returns at some moment of one of the next micro-batches."""
    planned, committed, rows = driver.batches("offsets"), driver.batches("commits"), written()
    batches, more = chance.randint(1, 2), chance.randint(1, BATCH)
    until = time.monotonic() + chance.uniform(0, ANY_TIME_S)
    driver.wait_until(
        {
            "batch planned": lambda: driver.batches("offsets") >= planned + batches,
            "batch committed": lambda: driver.batches("commits") >= committed + batches,
            "rows written": lambda: written() >= rows + more,
            "any time": lambda: time.monotonic() >= until,
        }[moment]
    )


def plan(chance, kills) -> list[tuple[str, str]]:
    """Who is killed when: each driver after one of each of the others."""
    planned: list[tuple[str, str]] = []
    while len(planned) < kills:
        victims = chance.sample([*VICTIMS][1:], len(VICTIMS) - 1)
        planned += zip([*victims, "driver"], chance.sample(MOMENTS, len(MOMENTS)), strict=True)
    return planned[-kills:]


def finish(writer) -> None:
    """Runs a query over what is there."""
    for _ in range(5):
        try:
            return writer.trigger(availableNow=True).start().awaitTermination()
        except StreamingQueryException as error:
            if TOO_SLOW not in str(error):
                raise
    raise AssertionError(TOO_SLOW)


@pytest.mark.parametrize("seed", range(-(-KILLS // KILLS_PER_QUERY)))
def test_killed_queries_lose_nothing_and_double_nothing(
    spark, bootstrap_servers, admin, producer, topic, tmp_path, tallies, seed, request
):
    chance = random.Random(seed)  # noqa: S311 (seeded on purpose)
    tally = tallies.setdefault(bootstrap_servers, Tally(request.node.callspec.params["bootstrap_servers"]))
    target = f"{topic}-out"
    admin.create_topics([NewTopic(target, num_partitions=PARTITIONS)])
    targets = [TopicPartition(target, number) for number in range(PARTITIONS)]
    places, checkpoint = (bootstrap_servers, topic, target), tmp_path / "checkpoint"
    values: list[bytes] = []
    killed = Counter()
    driver = None
    with Consumer(bootstrap_servers=bootstrap_servers) as consumer:
        written = lambda: sum(consumer.end_offsets(targets).values())  # noqa: E731
        try:
            for victim, moment in plan(chance, min(KILLS_PER_QUERY, KILLS - seed * KILLS_PER_QUERY)):
                if driver is None:
                    driver = Driver(places, checkpoint)
                    tally.counts["drivers"] += 1
                more = [b"%d" % number for number in range(len(values), len(values) + RECORDS_PER_KILL)]
                producer.send_many(topic, more, more).result(30)
                values += more
                wait_for(moment, chance, driver, written)
                driver.kill_one(victim, chance)
                tally.kills[victim][moment] += 1
                killed[victim] += 1
                driver = None if victim == "driver" else driver
        finally:
            if driver is not None:
                driver.kill(driver.process.pid)
        finish(query(spark, *places, str(checkpoint)))

        consumer.assign(targets)
        consumer.seek_to_beginning(targets)
        total, records = written(), []
        deadline = time.monotonic() + RUN_S
        while len(records) < total:
            assert time.monotonic() < deadline, f"{len(records)} of {total} rows"
            records += consumer.poll(timeout=10)
    by_row = {}
    for record in records:
        ((name, row),) = record.headers
        assert name == "barnabas.row"
        assert by_row.setdefault(row, record.value) == record.value
    # The source read each record once: each row that was written is another one, and all are there.
    assert sorted(by_row.values()) == sorted(values)
    reader = spark.read.format("barnabas").options(subscribe=target, includeHeaders="true")
    rows = deduplicated(reader.option("kafka.bootstrap.servers", bootstrap_servers).load())
    assert sorted(bytes(row.value) for row in rows.select("value").collect()) == sorted(values)

    log = Path(f"{checkpoint}.log").read_text().splitlines()
    failures = sum(RESTARTED in line and TOO_SLOW not in line for line in log)
    assert failures <= killed["source"] + killed["planner"]
    tally.counts["queries"] += 1
    tally.counts["queries begun again in a driver that lost a Python process"] += failures
    tally.counts["rows at stake"] += len(values)
    tally.counts["rows written again"] += total - len(values)
    tally.write()
