"""Compares producers on the same topics in one run: barnabas, confluent-kafka (tuned and defaults) and aiokafka.

Every loop is a process of its own; rivals take turns, so that all of them see the same machine. Linger, batch size, acks
and idempotence are the same for all ("tuned"). Medians are printed beside what they have to reach, all runs go to
benches/results/producer.json. `--quick` is a look of about a minute, `--reference` measures on Apache Kafka as well.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from brokers import Barnabas, Broker, Reference
from figures import Measurement, Row, at_least, at_most, report

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "producer.json"
TIMEOUT = 120
MIB_OVER_BUFFER = 32
"""What a stalled broker may cost beside buffer.memory."""
BUFFER_MIB = 32
SLOW = {"barnabas asyncio": 5, "aiokafka": 20}
"""These send so many times fewer records: the figure is per record."""
Runs = dict[str, list[dict[str, Any]]]


def client(name: str, address: str, topic: str, count: int, size: int = 100) -> dict[str, Any]:
    command = [sys.executable, str(HERE / "producer_clients.py"), name, address, topic, str(count), str(size)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def turns(broker: Broker, topic: str, names: list[str], given: argparse.Namespace, size: int = 100) -> Runs:
    found: Runs = {}
    count = max(100_000, given.count // max(1, size // 200)) // 100_000 * 100_000
    for run in range(given.runs):
        for name in names if run % 2 == 0 else names[::-1]:
            fewer = max(10_000, count // SLOW.get(name, 1))
            measured = client(name, broker.address, topic, fewer, size)
            found.setdefault(f"{broker.name}, {topic}: {name}", []).append(measured)
            print(".", end="", flush=True)
    return found


def median(found: Runs, name: str, key: str = "process_ns") -> float:
    return statistics.median(run[key] for run in found[name])


# What is written must not fill the disk while the rest is measured.
KEPT = {"retention_bytes": "67108864", "segment_bytes": "33554432"}


def records(broker: Broker, given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    """Rows of 100 B on 8 partitions."""
    broker.create_topic("of-8", 8, **KEPT)
    names = [
        "barnabas send", "confluent-kafka tuned", "barnabas send, defaults", "confluent-kafka defaults",
        "barnabas callback", "confluent-kafka callback", "barnabas handle", "barnabas send_many",
        "confluent-kafka produce_batch", "barnabas send_table", "barnabas key and header",
        "confluent-kafka key and header", "barnabas 8 threads", "confluent-kafka 8 threads", "barnabas asyncio", "aiokafka",
        "interpreter", "interpreter 8 threads",
    ]  # fmt: skip
    found = turns(broker, "of-8", names, given)
    at = f"{broker.name}, of-8: "
    of = f"100 B, {broker.name}"

    def ours(name: str, key: str = "process_ns") -> float:
        return median(found, f"{at}barnabas {name}", key)

    def theirs(name: str, key: str = "process_ns") -> float:
        return median(found, f"{at}confluent-kafka {name}", key)

    send, tuned = ours("send"), theirs("tuned")
    ns = "ns of all threads per record"
    speed = "records_per_s"
    rows = [
        at_least(f"{of}: send", "times cheaper than confluent-kafka, tuned", tuned / send, 4),
        at_most(f"{of}: send, the caller's thread", "ns", ours("send", "caller_ns"), 250, theirs("tuned", "caller_ns")),
        at_most(f"{of}: send", ns, send, 350, tuned),
        at_most(f"{of}: defaults beside tuned", "times", ours("send, defaults") / send, 1.05),
        Row(f"{of}: defaults", ns, ours("send, defaults"), theirs("defaults")),
        at_least(f"{of}: with a callback", "times cheaper", theirs("callback") / ours("callback"), 3),
        at_least(f"{of}: handle read", "times cheaper than its callback", theirs("callback") / ours("handle"), 3),
        at_most(f"{of}: send_many", ns, ours("send_many"), 110, theirs("produce_batch")),
        at_most(f"{of}: send_table", ns, ours("send_table"), 100, theirs("produce_batch")),
        at_least(f"{of}: send_many", "M records/s", ours("send_many", speed) / 1e6, 4, theirs("produce_batch", speed) / 1e6),
        at_least(f"{of}: send_table", "M records/s", ours("send_table", speed) / 1e6, 4),
        at_most(f"{of}: key and header", "times value only", ours("key and header") / send, 1.3),
        Row(f"{of}: key and header", ns, ours("key and header"), theirs("key and header")),
        at_least(f"{of}: 8 sending threads", "times the rate of one", ours("8 threads", speed) / ours("send", speed), 1, theirs("8 threads", speed) / theirs("tuned", speed)),
        Row("8 threads that call a method that does nothing", "times the rate of one", median(found, at + "interpreter 8 threads", speed) / median(found, at + "interpreter", speed)),
        at_most(f"{of}: asyncio, gathered", "µs per record", ours("asyncio") / 1e3, 3, median(found, at + "aiokafka") / 1e3),
    ]  # fmt: skip
    return found, rows


def partitions(broker: Broker, given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    """Many partitions beside few."""
    found: Runs = {}
    rows: list[Row] = []
    for count in (8, 64, 500):
        broker.create_topic(f"among-{count}", count, **KEPT)
        found |= turns(broker, f"among-{count}", ["barnabas send", "barnabas key and header"], given)
    for name in ("send", "key and header"):
        few = median(found, f"{broker.name}, among-8: barnabas {name}")
        for count in (64, 500):
            many = median(found, f"{broker.name}, among-{count}: barnabas {name}")
            rows.append(at_most(f"{count} partitions, {broker.name}: {name}", "times 8", many / few, 1.2))
    return found, rows


def sizes(broker: Broker, given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    """Larger records."""
    found: Runs = {}
    rows: list[Row] = []
    for size, times in ((1024, 2.0), (10_240, 1.3)):
        topic = f"of-{size}-bytes"
        broker.create_topic(topic, 8, **KEPT)
        found |= turns(broker, topic, ["barnabas send", "confluent-kafka tuned"], given, size)
        at = f"{broker.name}, {topic}: "
        ours, theirs = median(found, at + "barnabas send"), median(found, at + "confluent-kafka tuned")
        rows.append(
            at_least(f"{size} B, {broker.name}: send", "times cheaper than confluent-kafka", theirs / ours, times)
        )
        rows.append(Row(f"{size} B, {broker.name}: send", "ns of all threads per record", ours, theirs))
    return found, rows


def stalled(broker: Broker, given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    """Memory while nothing is answered."""
    found = {"stalled": [client("barnabas stalled", broker.address, "stalled", 0) for _ in range(given.runs)]}
    grown = median(found, "stalled", "grown_mib")
    limit = BUFFER_MIB + MIB_OVER_BUFFER
    return found, [at_most("memory with a stalled broker, buffer_memory 32 MiB", "MiB grown", grown, limit)]


MEASUREMENTS = {"records": records, "partitions": partitions, "sizes": sizes, "stalled": stalled}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"what to measure (default: all of {', '.join(MEASUREMENTS)})")
    parser.add_argument(
        "--count", type=int, default=1_000_000, help="records of 100 B in a loop (default: %(default)s)"
    )
    parser.add_argument("--runs", type=int, default=3, help="runs of each loop (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="fewer records, one run, nothing kept")
    parser.add_argument("--reference", action="store_true", help="on Apache Kafka, too")
    parser.add_argument("--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    if given.quick:
        given.count, given.runs = 100_000, 1
    command = ["python", "benches/compare/producer.py", *sys.argv[1:]]
    for name in given.names or MEASUREMENTS:
        measurement = Measurement(command)
        results: Runs = {}
        rows: list[Row] = []
        with ExitStack() as stack:
            parent = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="barnabas-bench-")))
            for kind in [Barnabas, Reference] if given.reference and name != "stalled" else [Barnabas]:
                broker = stack.enter_context(kind(parent))
                found, more = MEASUREMENTS[name](broker, given)
                results |= found
                rows += more
        report(name, rows)
        if not given.quick:
            measurement.keep(given.output, name, results, rows)


if __name__ == "__main__":
    main()
