"""Groups beside the reference Kafka: `python benches/compare/groups.py [NAME …] [--quick] [--runs N]`.

Each measurement's results replace those that benches/results/groups.json has of its name.

`settle`      a crowd joins one classic group, then one more member does: when everybody has its share again
`heartbeats`  members of many groups heartbeat every 3 s: the broker's CPU, and how long an answer takes
`commits`     commits of 64 groups at a fixed rate, and of 16 that never wait: rate, CPU, percentiles
`single`      one commit after the other
`reload`      a start with a million committed offsets: CPU until they are served, beyond that of a start without them, and
              the longest that loading has kept other requests waiting, as the broker's own metrics say afterwards
`first`       a new consumer's first record, from its construction, in a group of its own; also on an embedded `Broker()`

Both brokers run at once, each as a process with one node's defaults and no delay of a group's first rebalance; measurements
alternate between them. Clients are `groups_clients.py`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from figures import Measurement, Row, at_least, at_most, report
from groups_sockets import cpu_seconds
from run import RESULTS, Server, child

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from reference_kafka import CLUSTER_ID, free_port, jars, java, properties, wait_for_port  # noqa: E402

from barnabas.broker.metrics import parse  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEASURED = dict[str, Any]
OPTIONS = {"group.initial.rebalance.delay.ms": "0", "offsets.topic.num.partitions": "50"}
CLIENTS = str(HERE / "groups_clients.py")


class Ours(Server):
    """`barnabas broker`, which can be stopped and started again on its data."""

    name = "barnabas"

    def __init__(self) -> None:
        self.metrics_address = f"127.0.0.1:{free_port()}"
        self.options = {**OPTIONS, "barnabas.metrics.listen": self.metrics_address}
        super().__init__(options=self.options)

    def restart(self) -> None:
        self.stop()
        (Path(self.directory.name) / "ready").unlink(missing_ok=True)
        self.start(self.options)

    def metrics(self) -> dict[str, float]:
        with urllib.request.urlopen(f"http://{self.metrics_address}/metrics", timeout=30) as answer:
            return parse(answer.read().decode())


class Kafka:
    """The reference, likewise."""

    name = "kafka"

    def __init__(self) -> None:
        self.directory = tempfile.TemporaryDirectory(prefix="kafka-bench-")
        self.root = Path(self.directory.name)
        self.port = free_port()
        self.address = f"127.0.0.1:{self.port}"
        config = self.root / "server.properties"
        config.write_text(properties(self.root, self.port, free_port(), OPTIONS))
        formatted = java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config))
        if formatted.returncode != 0:
            raise SystemExit(f"the reference could not format its storage: {formatted.stderr or formatted.stdout}")
        self.start()

    def start(self) -> None:
        command = ["java", "-Xmx1g", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", jars(), "kafka.Kafka"]
        with (self.root / "kafka.log").open("wb") as log:
            self.process = subprocess.Popen([*command, str(self.root / "server.properties")], stdout=log, stderr=log)
        wait_for_port(self.process, self.port, self.root / "kafka.log")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        self.stop()
        self.directory.cleanup()


Side = Ours | Kafka


class Turn(NamedTuple):
    """One of several runs of a measurement, whole or a tenth of it."""

    run: int
    quick: bool


def driver(side: Side, what: str, **options: Any) -> MEASURED:
    return child(CLIENTS, what, side.address, *(f"{name}={json.dumps(value)}" for name, value in options.items()))


def settle(side: Side, turn: Turn) -> MEASURED:
    return driver(side, "settle", members=200 if turn.quick else 1_000, interval=1.0, group=f"settle-{turn.run}")


def heartbeats(side: Side, turn: Turn) -> MEASURED:
    # A tenth of the members at ten times the pace is the same load, with a tenth of the connections.
    members, groups, interval = (1_000, 50, 0.3) if turn.quick else (10_000, 500, 3.0)
    given = {"members": members, "groups": groups, "interval": interval, "seconds": 6 if turn.quick else 15}
    return driver(side, "heartbeats", run=turn.run, pid=side.process.pid, **given)


def commits(side: Side, turn: Turn) -> MEASURED:
    seconds = 3 if turn.quick else 10
    pid = side.process.pid
    return {
        "at 5,100/s": driver(side, "commits", rate=5_100, connections=64, seconds=seconds, pid=pid),
        "16 that never wait": driver(side, "commits", rate=0, connections=16, seconds=seconds, pid=pid),
    }


def single(side: Side, turn: Turn) -> MEASURED:
    return driver(side, "single", count=2_000 if turn.quick else 10_000, pid=side.process.pid)


def reload(side: Side, turn: Turn) -> MEASURED:
    offsets = 100_000 if turn.quick else 1_000_000
    if turn.run == 0:
        side.restart()
        driver(side, "prepared", groups=["filled-0"])
        side.empty_start_cpu_s = cpu_seconds(side.process.pid)  # type: ignore[union-attr]
        driver(side, "fill", offsets=offsets, partitions=1_000)
    side.restart()
    loaded = driver(side, "loaded", offsets=offsets, partitions=1_000, pid=side.process.pid)
    loaded["offsets"] = offsets
    loaded["beyond_an_empty_start_cpu_s"] = loaded["cpu_s"] - side.empty_start_cpu_s  # type: ignore[union-attr]
    if isinstance(side, Ours):
        # Only now: who asks for metrics while groups are loaded holds the interpreter for a while, too.
        metrics = side.metrics()
        loaded["longest_slice_ms"] = metrics["barnabas_group_load_slice_seconds_max"] * 1e3
        loaded["longest_slice_cpu_ms"] = metrics["barnabas_group_load_slice_cpu_seconds_max"] * 1e3
    return loaded


def first(side: Side, turn: Turn) -> MEASURED:
    clients = ["barnabas", "confluent-kafka"]
    found = {client: driver(side, "first", client=client, run=turn.run) for client in clients}
    if isinstance(side, Ours):
        found["Broker()"] = driver(side, "first_embedded", client="barnabas", run=turn.run)
    return found


# What is told of it.


class Runs:
    """All runs of one measurement."""

    def __init__(self, found: dict[str, list[MEASURED]]) -> None:
        self.found = found

    def median(self, side: str, *path: str) -> float:
        values = []
        for value in self.found[side]:
            for name in path:
                value = value[name]  # noqa: PLW2901 - step by step into it
            values.append(value)
        return statistics.median(values)

    def both(self, *path: str, scale: float = 1.0) -> tuple[float, float]:
        return self.median("barnabas", *path) * scale, self.median("kafka", *path) * scale


def _settle_rows(runs: Runs) -> list[Row]:
    rows = []
    for name in ("crowd", "one_more"):
        ours, theirs = runs.both(name, "after_last_join_s")
        rows.append(at_most(f"{name}: settled after the last join", "s", ours, 2.0, theirs))
    return rows


def _heartbeats_rows(runs: Runs) -> list[Row]:
    ours, theirs = runs.both("core_share", scale=100)
    slow, their_slow = runs.both("p99_us", scale=1e-3)
    return [at_most("heartbeats", "% of a core", ours, 30, theirs), Row("heartbeats", "p99 ms", slow, their_slow)]


def _commits_rows(runs: Runs) -> list[Row]:
    rate, their_rate = runs.both("at 5,100/s", "per_s")
    slow, their_slow = runs.both("at 5,100/s", "p99_us", scale=1e-3)
    most, their_most = runs.both("16 that never wait", "per_s")
    return [
        at_least("commits, 5,100 wanted", "commits/s", rate, 5_000, their_rate),
        at_most("commits, 5,100 wanted", "p99 ms", slow, 5.0, their_slow),
        at_least("commits, 16 that never wait", "commits/s", most, 5_000, their_most),
    ]


def _single_rows(runs: Runs) -> list[Row]:
    ours, theirs = runs.both("p50_us")
    return [at_most("one commit after the other", "p50 us", ours, 250, theirs)]


def _reload_rows(runs: Runs) -> list[Row]:
    ours, theirs = runs.both("beyond_an_empty_start_cpu_s")
    longest, cpu = (
        max(run[name] for run in runs.found["barnabas"]) for name in ("longest_slice_ms", "longest_slice_cpu_ms")
    )
    return [
        at_most("a million offsets loaded", "s of CPU", ours, 5.0, theirs),
        at_most("the longest slice of it", "ms", longest, 5.0),
        Row("the same", "ms of CPU", cpu),
    ]


def _first_rows(runs: Runs) -> list[Row]:
    rows = []
    for when in ("first_ms", "later_ms"):
        ours, theirs = runs.both("barnabas", when)
        rows.append(Row(f"{when}: our consumer", "ms", ours, theirs))
        ours, theirs = runs.both("confluent-kafka", when)
        rows.append(Row(f"{when}: confluent-kafka", "ms", ours, theirs))
        rows.append(at_most(f"{when}: our consumer on Broker()", "ms", runs.median("barnabas", "Broker()", when), 50))
    return rows


class Case(NamedTuple):
    """One measurement: how, how often, and the lines that tell of it."""

    measure: Callable[[Side, Turn], MEASURED]
    runs: int
    rows: Callable[[Runs], list[Row]]


CASES = {
    "settle": Case(settle, 3, _settle_rows),
    "heartbeats": Case(heartbeats, 2, _heartbeats_rows),
    "commits": Case(commits, 2, _commits_rows),
    "single": Case(single, 3, _single_rows),
    "first": Case(first, 3, _first_rows),
    "reload": Case(reload, 2, _reload_rows),
}


@contextlib.contextmanager
def both() -> Iterator[list[Side]]:
    with contextlib.ExitStack() as stack:
        sides: list[Side] = []
        for make in (Ours, Kafka):
            side = make()
            stack.callback(side.close)
            sides.append(side)
        yield sides


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"what to measure (default: all of {', '.join(CASES)})")
    parser.add_argument("--quick", action="store_true", help="a tenth of the members, offsets and time; not kept")
    parser.add_argument("--runs", type=int, help="how often, instead of two or three times")
    parser.add_argument("--output", type=Path, default=RESULTS / "groups.json")
    given = parser.parse_args()
    tables: dict[str, list[Row]] = {}
    with both() as sides:
        for name in given.names or CASES:
            case = CASES[name]
            measurement = Measurement(["benches/compare/groups.py", name])
            found: dict[str, list[MEASURED]] = {}
            for run in range(given.runs or case.runs):
                for side in sides if run % 2 == 0 else sides[::-1]:
                    measured = case.measure(side, Turn(run, given.quick))
                    found.setdefault(side.name, []).append(measured)
                    print(name, side.name, json.dumps(measured), flush=True)
            tables[name] = case.rows(Runs(found))
            if not given.quick:
                measurement.keep(given.output, name, found, tables[name])
    for name, rows in tables.items():
        report(name, rows)


if __name__ == "__main__":
    main()
