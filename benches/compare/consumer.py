"""Compares consumers on the same topics of both brokers in one run: barnabas, confluent-kafka (defaults and tuned), aiokafka,
kafka-python and Apache Kafka's own.

Every loop is a process of its own; rivals take turns, so that all of them see the same machine. Medians are printed beside
what they have to reach, all runs go to benches/results/consumer.json. `--count 20000 --runs 1` is a quick look.
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

from brokers import Barnabas, Broker, Reference, Spinning
from figures import Measurement, Row, at_least, at_most, report
from reference_kafka import jars

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results" / "consumer.json"
TIMEOUT = 600
PYTHON_LOOPS = [
    "barnabas objects",
    "confluent-kafka tuned",
    "barnabas values",
    "confluent-kafka defaults",
    "barnabas Arrow",
    "barnabas asyncio poll",
    "aiokafka getmany",
    "barnabas async for",
    "barnabas objects, tuned",
]
SLOW = "kafka-python poll"
SLOW_SHARE = 10
"""It reads so many times fewer records: the figure is per record."""
Runs = dict[str, list[dict[str, Any]]]


def client(name: str, address: str, topic: str, count: int) -> dict[str, Any]:
    command = [sys.executable, str(HERE / "consumer_clients.py"), name, address, topic, str(count)]
    if name == "Java":
        command = ["java", "-Xmx1g", "-cp", jars(), "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
        command += [str(HERE / "ConsumerLoop.java"), address, topic, str(count)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def fill(broker: Broker, topic: str, partitions: int, count: int, size: int) -> None:
    from barnabas import Producer

    broker.create_topic(topic, partitions)
    values = [b"v" * size] * (count // partitions)
    with Producer(bootstrap_servers=broker.address) as producer:
        for partition in range(partitions):
            producer.send_many(topic, values, partition=partition)
        producer.flush(300)


def turns(broker: Broker, topic: str, names: list[str], runs: int, count: int) -> Runs:
    found: Runs = {}
    for run in range(runs):
        for name in names if run % 2 == 0 else names[::-1]:
            share = max(1, count // SLOW_SHARE) if name == SLOW else count
            measured = client(name, broker.address, topic, share)
            found.setdefault(f"{broker.name}, {topic}: {name}", []).append(measured)
            print(".", end="", flush=True)
    return found


def median(found: Runs, name: str, key: str = "process_ns") -> float:
    return statistics.median(run[key] for run in found[name])


def throughput(brokers: list[Broker], given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    found: Runs = {}
    rows: list[Row] = []
    count = given.count
    for broker in brokers:
        for partitions in (8, 64, 1000):
            fill(broker, f"of-{partitions}", partitions, count, 100)
        names = [*PYTHON_LOOPS, SLOW, "Java"]
        found |= turns(broker, "of-8", names, given.runs, count // 8 * 8)
        found |= turns(broker, "of-64", names[:3], given.runs, count // 64 * 64)
        found |= turns(broker, "of-1000", names[:3], given.runs, count // 1000 * 1000)
        at = f"{broker.name}, of-8: "
        rival = median(found, at + "confluent-kafka tuned")
        objects = median(found, at + "barnabas objects")
        of = f"100 B, {broker.name}"
        rows += [
            at_least(f"{of}: objects", "times cheaper than confluent-kafka, tuned", rival / objects, 2.5),
            at_least(f"{of}: values", "times", rival / median(found, at + "barnabas values"), 5),
            at_least(f"{of}: Arrow", "times", rival / median(found, at + "barnabas Arrow"), 6),
            at_most(f"{of}: objects", "ns of all threads per record", objects, 300, rival),
            at_most(f"{of}: values", "ns", median(found, at + "barnabas values"), 160, rival),
            at_most(f"{of}: Arrow", "ns", median(found, at + "barnabas Arrow"), 120, rival),
            at_least(f"{of}: Arrow", "M records/s", median(found, at + "barnabas Arrow", "records_per_s") / 1e6, 5),
            at_most(f"{of}: asyncio, batches", "µs per record", median(found, at + "barnabas asyncio poll") / 1e3, 0.6,
                    median(found, at + "aiokafka getmany") / 1e3),
            at_most(f"{of}: async for", "µs per record", median(found, at + "barnabas async for") / 1e3, 0.6),
            at_most(f"{of}: defaults beside tuned", "times", objects / median(found, at + "barnabas objects, tuned"), 1.05),
            at_most(f"{of}: 64 partitions", "times 8", median(found, f"{broker.name}, of-64: barnabas objects") / objects, 1.2),
            at_most(
                f"{of}: 1,000 partitions", "times 8", median(found, f"{broker.name}, of-1000: barnabas objects") / objects, 1.5
            ),
            Row(f"{of}: Java", "ns of all threads per record", objects, median(found, at + "Java")),
            Row(f"{of}: kafka-python", "ns of all threads per record", objects, median(found, at + SLOW)),
        ]  # fmt: skip
    return found, rows


def sizes(brokers: list[Broker], given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    found: Runs = {}
    rows: list[Row] = []
    for broker in brokers:
        for size, times in ((1024, 2.0), (10_240, 1.5)):
            count = max(8, given.count // (size // 200) // 8 * 8)
            topic = f"of-{size}-bytes"
            fill(broker, topic, 8, count, size)
            found |= turns(broker, topic, ["barnabas objects", "confluent-kafka tuned"], given.runs, count)
            at = f"{broker.name}, {topic}: "
            ratio = median(found, at + "confluent-kafka tuned") / median(found, at + "barnabas objects")
            rows.append(
                at_least(f"{size} B, {broker.name}: objects", "times cheaper than confluent-kafka", ratio, times)
            )
    return found, rows


def end_to_end(name: str, address: str, topic: str, count: int) -> dict[str, Any]:
    script = str(HERE / "consumer_clients.py")
    reader = subprocess.Popen(
        [sys.executable, script, name, address, topic, str(count)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert reader.stdout is not None
        assert reader.stdout.readline() == "ready\n"
        # More than are waited for, so that the reader ends by itself.
        client("send", address, topic, count + 10)
        said, _ = reader.communicate(timeout=TIMEOUT)
        return json.loads(said.splitlines()[-1])
    finally:
        reader.kill()


def latency(brokers: list[Broker], given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    found: Runs = {}
    rows: list[Row] = []
    names = ["end to end barnabas", "end to end barnabas asyncio", "end to end confluent-kafka"]
    sides = [(broker.name, broker.address) for broker in brokers]
    with ExitStack() as stack:
        if not given.no_spinning:
            sides.append(("barnabas, a thread spins", stack.enter_context(Spinning()).address))
        for side, address in sides:
            from barnabas import Admin, NewTopic

            with Admin(bootstrap_servers=address) as admin:
                admin.create_topics([NewTopic("latency", num_partitions=1)])
            for run in range(given.runs):
                for name in names if run % 2 == 0 else names[::-1]:
                    measured = end_to_end(name, address, "latency", given.latency_count + 200)
                    found.setdefault(f"{side}: {name}", []).append(measured)
                    print(".", end="", flush=True)
    for key, limit in (("p50_us", 120.0), ("p99_us", 350.0)):
        word = key[:3]
        ours = median(found, "barnabas: end to end barnabas", key)
        rival = median(found, "barnabas: end to end confluent-kafka", key)
        rows.append(at_most(f"end to end, idle, {word}", "µs", ours, limit, rival))
        rows.append(Row(f"end to end, idle, asyncio, {word}", "µs", median(found, f"barnabas: {names[1]}", key), rival))
    if not given.no_spinning:
        idle = median(found, "barnabas: end to end barnabas", "p99_us")
        spun = median(found, "barnabas, a thread spins: end to end barnabas", "p99_us")
        rows.append(at_most("end to end, a thread spins in the broker's process, p99", "times idle", spun / idle, 2.0))
    return found, rows


def first(_brokers: list[Broker], given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    found = {"first record": [client("first record", "-", "-", 20) for _ in range(given.runs)]}
    return found, [at_most("first record of a group of one on Broker()", "ms, median", median(found, "first record", "median_ms"), 50)]  # fmt: skip


def memory(brokers: list[Broker], given: argparse.Namespace) -> tuple[Runs, list[Row]]:
    found: Runs = {}
    rows: list[Row] = []
    broker = brokers[0]
    for times in (1, 4):
        topic = f"lag-{times}"
        count = given.count // 40 * times // 8 * 8
        fill(broker, topic, 8, count, 8192)
        found |= turns(broker, topic, ["memory"], given.runs, count)
    most = [median(found, f"{broker.name}, lag-{times}: memory", "reading_mib") for times in (1, 4)]
    held = median(found, f"{broker.name}, lag-4: memory", "buffered_mib")
    # 64 MiB may wait; one response more may be on its way, and receive buffers are kept for the next ones.
    rows.append(at_most("memory with a lag, waiting to be polled", "MiB buffered", held, 64 + 50))
    rows.append(
        Row(
            "memory with a lag, while reading",
            "MiB resident over idle; reference: a quarter of the lag",
            most[1],
            most[0],
        )
    )
    return found, rows


MEASUREMENTS = {"throughput": throughput, "sizes": sizes, "latency": latency, "first": first, "memory": memory}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", help=f"what to measure (default: all of {', '.join(MEASUREMENTS)})")
    parser.add_argument(
        "--count", type=int, default=2_000_000, help="records of 100 B in a loop (default: %(default)s)"
    )
    parser.add_argument("--runs", type=int, default=3, help="runs of each loop (default: %(default)s)")
    parser.add_argument("--latency-count", type=int, default=3000, help="records one at a time (default: %(default)s)")
    parser.add_argument("--no-reference", action="store_true", help="our broker alone")
    parser.add_argument("--no-spinning", action="store_true", help="without the broker whose process spins")
    parser.add_argument("--output", type=Path, default=RESULTS)
    given = parser.parse_args()
    command = ["python", "benches/compare/consumer.py", *sys.argv[1:]]
    for name in given.names or MEASUREMENTS:
        measurement = Measurement(command)
        with ExitStack() as stack:
            parent = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="barnabas-bench-")))
            kinds = [Barnabas] if given.no_reference or name in {"first", "memory"} else [Barnabas, Reference]
            brokers = [stack.enter_context(kind(parent)) for kind in kinds if name != "first"]
            results, rows = MEASUREMENTS[name](brokers, given)
        report(name, rows)
        measurement.keep(given.output, name, results, rows)


if __name__ == "__main__":
    main()
