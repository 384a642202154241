"""Compares the broker with the reference Kafka: `python benches/compare/broker.py NAME [--quick] [--dir DIR]`.

`produce`      CPU per byte and per request and wall throughput, batches of 1 MiB and 16 KiB, records of 1 KiB and 100 B
`fetch`        the same for a reader that takes what it gets as fast as it comes
`ack`          one record at a time on an idle broker: time to the acknowledgement, CPU per request
`start`        start to the first answered request, memory and CPU when idle, memory after 10 M records
`cold`         a quiet producer's latency while a reader catches up from the disk, for some seconds each
`metadata`     a request for the metadata of 10,000 partitions, also while a Python thread holds the GIL
`connections`  CPU per byte by number of partitions and connections, at equal batch size
`topic`        a new topic of 500 partitions: creation and the first record of each

Both brokers run all the time, with their defaults and on the same disk; every client is a plain socket with ready
requests. Runs of the two alternate, medians are printed, every run goes to benches/results/broker.json, where a run
of one name replaces what was there of it. CPU is the operating system's count for the broker's process. Before a broker
writes, page cache is filled and freed for it (see `warm_page_cache`); what a byte cost there stands beside each run.
`--quick` takes less time and fewer bytes.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from broker_clients import Batch, Client, Crowd, drain, metadata_frame, one_at_a_time, produce, produce_frame
from brokers import Barnabas, Broker, Reference, Spinning, warm_page_cache
from figures import MEASURED, Measurement, Row, at_least, at_most, report
from log_clients import Quiet, quantiles
from run import RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CLIENTS = Path(__file__).with_name("broker_clients.py")
MIB = 1 << 20
PARTITIONS = 8
RECORD_BYTES = {"1 KiB": 1024, "100 B": 100}
BATCH_BYTES = {"1 MiB": MIB, "16 KiB": 16 << 10}


class Bench:
    """The two brokers, started when first asked for, and how much to measure."""

    def __init__(self, directory: Path, stack: contextlib.ExitStack, *, quick: bool, runs: int) -> None:
        self.directory = directory
        self.quick = quick
        self.runs = min(runs, 3) if quick else runs
        self._stack = stack
        self._brokers: list[Broker] = []

    def scaled(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    def brokers(self) -> list[Broker]:
        if not self._brokers:
            self._brokers = [self._stack.enter_context(kind(self.directory)) for kind in (Barnabas, Reference)]
        return self._brokers

    def alternate(
        self, measure: Callable[[Broker, int], MEASURED], *, seconds_max: float = math.inf
    ) -> dict[str, list[MEASURED]]:
        """Measures one broker after the other; the first round warms up and is not kept.

        No round but the second is begun when `seconds_max` are over.
        """
        runs: dict[str, list[MEASURED]] = {broker.name: [] for broker in self.brokers()}
        end = time.perf_counter() + seconds_max
        for number in range(-1, self.runs):
            if number > 0 and time.perf_counter() >= end:
                break
            for broker in self.brokers():
                measured = measure(broker, number)
                if number >= 0:
                    runs[broker.name].append(measured)
            print(".", end="", file=sys.stderr, flush=True)
        return runs

    @contextlib.contextmanager
    def topic(self, broker: Broker, number: int, partitions: int) -> Iterator[str]:
        """A topic for one run."""
        topic = f"t{number + 1}"
        broker.create_topic(topic, partitions)
        try:
            yield topic
        finally:
            broker.delete_topic(topic)


def median(runs: list[MEASURED], key: str) -> float:
    return statistics.median(run[key] for run in runs)


def summary(runs: dict[str, list[MEASURED]]) -> MEASURED:
    """For each broker the median of every number, and the runs."""
    return {
        name: {"median": {key: median(all_runs, key) for key in all_runs[0]}, "runs": all_runs}
        for name, all_runs in runs.items()
    }


def of(result: MEASURED, key: str) -> tuple[float, float]:
    """What barnabas and the reference have of a number."""
    return result["barnabas"]["median"][key], result["reference"]["median"][key]


class Used:
    """CPU and wall time that a broker needs for some bytes and requests."""

    def __init__(self, broker: Broker) -> None:
        self.broker, self.cpu, self.wall = broker, broker.cpu_s(), time.perf_counter()

    def __call__(self, size: int, requests: int) -> MEASURED:
        cpu, wall = self.broker.cpu_s() - self.cpu, time.perf_counter() - self.wall
        return {
            "ns_per_byte": cpu * 1e9 / size,
            "us_per_request": cpu * 1e6 / requests,
            "mb_per_s": size / wall / 1e6,
            "mb_per_cpu_s": size / cpu / 1e6,
        }


def produce_case(bench: Bench, batch: Batch, size: int) -> MEASURED:
    count = size // len(batch)

    def run(broker: Broker, number: int) -> MEASURED:
        with bench.topic(broker, number, PARTITIONS) as topic:
            frames = [produce_frame(topic, {index: batch.data}) for index in range(PARTITIONS)]
            # The logs' files are made, and their first bytes written, outside of what is measured.
            produce(broker.address, topic, frames, 4 * PARTITIONS)
            floor = warm_page_cache(bench.directory, size * 3 // 2)
            used = Used(broker)
            produce(broker.address, topic, frames, count)
            return {**used(count * len(batch), count), "page_cache_ns_per_byte": floor}

    return {"batch_bytes": len(batch), "requests": count, **summary(bench.alternate(run))}


def warm_up(bench: Bench) -> None:
    """Has the reference's code compiled as far as it ever will be."""
    batch, count = Batch.of(16 << 10, 100), bench.scaled(20_000, 2_000)
    for broker in bench.brokers():
        with bench.topic(broker, -1, PARTITIONS) as topic:
            frames = [produce_frame(topic, {index: batch.data}) for index in range(PARTITIONS)]
            produce(broker.address, topic, frames, count)


def measure_produce(bench: Bench) -> tuple[MEASURED, list[Row]]:
    warm_up(bench)
    result, rows = {}, []
    for batch_name, batch_bytes in BATCH_BYTES.items():
        for record_name, record_bytes in RECORD_BYTES.items():
            name = f"{batch_name} batches of {record_name}"
            batch = Batch.of(batch_bytes, record_bytes)
            size = bench.scaled(128, 64) * MIB
            case = result[name] = produce_case(bench, batch, size)
            ours, theirs = of(case, "us_per_request")
            limit = 25 + len(batch) * (0.8 if record_bytes == RECORD_BYTES["1 KiB"] else 1.0) / 1e3
            rows.append(at_most(name, "µs of CPU per request", ours, round(limit, 1), theirs))
            rows.append(Row(name, "ns of CPU per byte", *of(case, "ns_per_byte")))
            ours, theirs = of(case, "mb_per_cpu_s")
            better = 1.5 if batch_bytes == MIB else 3
            rows.append(at_least(name, "bytes per CPU second, times the reference's", ours / theirs, better))
            ours, theirs = of(case, "mb_per_s")
            rows.append(Row(name, "MB/s", ours, theirs, "≥ reference", ours >= theirs))
    return result, rows


def measure_fetch(bench: Bench) -> tuple[MEASURED, list[Row]]:
    result, rows = {}, []
    total = bench.scaled(512, 64) * MIB
    for batch_name, partitions in (("1 MiB", 1), ("1 MiB", PARTITIONS), ("16 KiB", 1)):
        batch = Batch.of(BATCH_BYTES[batch_name], 1024)
        count = total // len(batch) // partitions
        topic = f"fetched-{len(batch)}-{partitions}"
        for broker in bench.brokers():
            broker.create_topic(topic, partitions)
            frames = [produce_frame(topic, {index: batch.data}) for index in range(partitions)]
            produce(broker.address, topic, frames, count * partitions)

        def run(broker: Broker, _: int) -> MEASURED:
            used = Used(broker)
            size = drain(broker.address, topic, batch, count, partitions=partitions)  # noqa: B023
            return used(size, count * partitions)  # noqa: B023

        name = f"{batch_name} batches, {partitions} partition{'s' if partitions > 1 else ''}"
        case = result[name] = summary(bench.alternate(run))
        for broker in bench.brokers():
            broker.delete_topic(topic)
        ours, theirs = of(case, "ns_per_byte")
        rows.append(at_most(name, "ns of CPU per byte", ours, 0.15, theirs))
        ours, theirs = of(case, "mb_per_s")
        rows.append(at_least(name, "MB/s", ours, 1000, theirs))
    return result, rows


def measure_ack(bench: Bench) -> tuple[MEASURED, list[Row]]:
    count, topic = bench.scaled(5000, 1000), "ack"
    request = produce_frame(topic, {0: Batch.of(0, 100).data})
    for broker in bench.brokers():
        broker.create_topic(topic, 1)

    def run(broker: Broker, _: int) -> MEASURED:
        before = broker.cpu_s()
        times = one_at_a_time(broker.address, topic, request, count)
        return {**quantiles(times), "cpu_us_per_request": (broker.cpu_s() - before) * 1e6 / count}

    def run_confluent(broker: Broker, _: int) -> MEASURED:
        command = [sys.executable, str(CLIENTS), "confluent", broker.address, topic, str(count)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    result = {"plain socket": summary(bench.alternate(run))}
    result["confluent-kafka"] = summary(bench.alternate(run_confluent))
    plain = result["plain socket"]
    spinning = []
    with Spinning() as spinner:
        create_topic_at(spinner.address, topic)
        for number in range(-1, bench.runs):
            times = one_at_a_time(spinner.address, topic, request, count)
            if number >= 0:
                spinning.append(quantiles(times))
    result["a Python thread spins in the broker's process"] = summary({"barnabas": spinning})
    rows = [
        at_most("plain socket", "p50 µs", of(plain, "p50_us")[0], 80, of(plain, "p50_us")[1]),
        at_most("plain socket", "p99 µs", of(plain, "p99_us")[0], 150, of(plain, "p99_us")[1]),
        at_most(
            "plain socket", "µs of CPU", of(plain, "cpu_us_per_request")[0], 20, of(plain, "cpu_us_per_request")[1]
        ),
        Row("confluent-kafka", "p50 µs", *of(result["confluent-kafka"], "p50_us")),
        Row("confluent-kafka", "p99 µs", *of(result["confluent-kafka"], "p99_us")),
    ]
    ratio = median(spinning, "p99_us") / of(plain, "p99_us")[0]
    return result, [*rows, at_most("beside a spinning Python thread", "p99, times that without", ratio, 2)]


def create_topic_at(address: str, topic: str, partitions: int = 1) -> None:
    from barnabas import Admin, NewTopic

    with Admin(bootstrap_servers=address) as admin:
        admin.create_topics([NewTopic(topic, num_partitions=partitions)], timeout=300)


def measure_start(bench: Bench) -> tuple[MEASURED, list[Row]]:
    seconds, records = bench.scaled(10, 3), bench.scaled(10_000_000, 1_000_000)
    batch = Batch.of(MIB, 100)
    runs: dict[str, list[MEASURED]] = {"barnabas": [], "reference": []}
    for number in range(bench.runs):
        for kind in (Barnabas, Reference):
            with kind(bench.directory) as broker:
                time.sleep(2)
                idle_mib, before = broker.resident_mib(), broker.cpu_s()
                time.sleep(seconds)
                measured = {
                    "start_ms": broker.start_ms,
                    "idle_mib": idle_mib,
                    "idle_cpu_percent": (broker.cpu_s() - before) / seconds * 100,
                }
                with bench.topic(broker, number, PARTITIONS) as topic:
                    frames = [produce_frame(topic, {index: batch.data}) for index in range(PARTITIONS)]
                    produce(broker.address, topic, frames, records // batch.records + 1)
                    measured["mib_after_records"] = broker.resident_mib()
                runs[kind.name].append(measured)
        print(".", end="", file=sys.stderr, flush=True)
    result = {"idle_seconds": seconds, "records": records, **summary(runs)}
    reach = {"start_ms": 250, "idle_mib": 60, "idle_cpu_percent": 0.2, "mib_after_records": 100}
    what = {
        "start_ms": ("start to answered Metadata", "ms"),
        "idle_mib": ("idle", "MiB resident"),
        "idle_cpu_percent": ("idle", "% of a core"),
        "mib_after_records": (f"after {records} records", "MiB resident"),
    }
    return result, [at_most(*what[key], of(result, key)[0], limit, of(result, key)[1]) for key, limit in reach.items()]


def measure_cold(bench: Bench) -> tuple[MEASURED, list[Row]]:
    batch, topic = Batch.of(MIB, 1024), "cold"
    count, alone_s, beside_s = bench.scaled(3072, 256), bench.scaled(4, 1), bench.scaled(8, 2)
    for broker in bench.brokers():
        broker.create_topic(topic, 1)
        broker.create_topic("quiet", 1)
        produce(broker.address, topic, [produce_frame(topic, {0: batch.data})], count)

    def run(broker: Broker, _: int) -> MEASURED:
        quiet = Quiet(broker.address, "quiet")
        broker.drop_from_cache(topic)
        alone = quiet.measure(alone_s)
        numbers = map(str, (count, MIB, 1024, beside_s))
        command = [sys.executable, str(CLIENTS), "drain", broker.address, topic, *numbers]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdout.readline()
            before = broker.read_bytes()
            reader.stdin.write("begin\n")
            reader.stdin.close()
            beside = quiet.measure_until(lambda: reader.poll() is not None, beside_s + 30)
            read = json.loads(reader.stdout.readline())
        measured = {
            "p99_alone_us": alone["p99_us"],
            "p99_us": beside["p99_us"],
            "p50_us": beside["p50_us"],
            "max_us": beside["max_us"],
            "requests": beside["requests"],
            "p99_beside_to_alone": beside["p99_us"] / alone["p99_us"],
            "reader_mb_per_s": read["mb_per_s"],
            "reader_mb": read["mb"],
            "read_from_disk_mb": (broker.read_bytes() - before) / 1e6,
        }
        told = "{p99_alone_us:.0f} us alone, {p99_us:.0f} us beside a reader of {reader_mb_per_s:.0f} MB/s".format(
            **measured
        )
        print(f"{broker.name}: p99 {told}", file=sys.stderr, flush=True)
        return measured

    result = {"log_mb": count * len(batch) / 1e6, **summary(bench.alternate(run, seconds_max=150))}
    for broker in bench.brokers():
        broker.delete_topic(topic)
        broker.delete_topic("quiet")
    ours, theirs = of(result, "p99_beside_to_alone")
    return result, [
        at_most("producer beside a cold reader", "p99, times that alone", ours, 2, theirs),
        Row("producer beside a cold reader", "p99 µs", *of(result, "p99_us")),
        Row("the same producer alone", "p99 µs", *of(result, "p99_alone_us")),
        Row("the reader", "MB/s", *of(result, "reader_mb_per_s")),
    ]


def measure_metadata(bench: Bench) -> tuple[MEASURED, list[Row]]:
    topics, partitions, asked = bench.scaled(100, 10), 100, bench.scaled(50, 20)
    request = metadata_frame()

    def ask(address: str) -> MEASURED:
        client = Client(address)
        times = []
        for _ in range(asked + 1):
            begin = time.perf_counter()
            client.send(request)
            length = len(client.receive())
            times.append(time.perf_counter() - begin)
        client.close()
        return {**quantiles(times[1:]), "answer_bytes": length}

    def run(broker: Broker, _: int) -> MEASURED:
        before = broker.cpu_s()
        measured = ask(broker.address)
        return {**measured, "cpu_us_per_request": (broker.cpu_s() - before) * 1e6 / (asked + 1)}

    created = {}
    for broker in bench.brokers():
        begin = time.perf_counter()
        for number in range(topics):
            broker.create_topic(f"many-{number}", partitions)
        created[broker.name] = {"creation_s": time.perf_counter() - begin}
    result = {"partitions": topics * partitions, "created": created, **summary(bench.alternate(run))}
    for broker in bench.brokers():
        for number in range(topics):
            broker.delete_topic(f"many-{number}")
    with Spinning() as spinner:
        for number in range(topics):
            create_topic_at(spinner.address, f"many-{number}", partitions)
        spinning = [ask(spinner.address) for _ in range(bench.runs)]
    result["a Python thread spins in the broker's process"] = summary({"barnabas": spinning})
    what = f"Metadata of {topics * partitions} partitions"
    ours, theirs = of(result, "p50_us")
    return result, [
        at_most(what, "p50 ms", ours / 1e3, 10, theirs / 1e3),
        at_most(what, "p99 ms", of(result, "p99_us")[0] / 1e3, 10, of(result, "p99_us")[1] / 1e3),
        at_most(f"{what}, GIL held", "p99 ms", median(spinning, "p99_us") / 1e3, 10),
        Row(what, "µs of CPU", *of(result, "cpu_us_per_request")),
    ]


SHAPES = {
    "8 partitions, 8 connections": (8, 8),
    "64 partitions, 64 connections": (64, 64),
    "512 partitions, 64 connections": (512, 64),
    "64 partitions, 2,000 connections": (64, 2000),
}


def measure_connections(bench: Bench) -> tuple[MEASURED, list[Row]]:
    seconds = bench.scaled(2, 1)
    for broker in bench.brokers():
        for partitions in {partitions for partitions, _ in SHAPES.values()}:
            broker.create_topic(f"of-{partitions}", partitions)
    result, rows = {}, []
    for size in (1 << 10, 16 << 10):
        batch = Batch.of(size, 100)
        for name, (partitions, connections) in SHAPES.items():
            topic = f"of-{partitions}"
            frames = [produce_frame(topic, {index: batch.data}) for index in range(partitions)]

            def run(broker: Broker, _: int) -> MEASURED:
                crowd = Crowd(broker.address, topic, frames, connections)  # noqa: B023
                floor = warm_page_cache(bench.directory, seconds * 32_000 * size)  # noqa: B023
                return {**crowd.run(seconds, broker.cpu_s), "page_cache_ns_per_byte": floor}

            full_name = f"{name}, batches of {size} B"
            case = result[full_name] = summary(bench.alternate(run, seconds_max=100))
            base = result[f"8 partitions, 8 connections, batches of {size} B"]
            ratio, theirs = (a / b for a, b in zip(of(case, "ns_per_byte"), of(base, "ns_per_byte"), strict=True))
            rows.append(Row(full_name, "ns of CPU per byte", *of(case, "ns_per_byte")))
            if case is not base:
                rows.append(at_most(full_name, "CPU per byte, times that of 8 partitions", ratio, 1.5, theirs))
    return result, rows


def measure_topic(bench: Bench) -> tuple[MEASURED, list[Row]]:
    partitions = bench.scaled(500, 100)
    batch = Batch.of(0, 100)

    def run(broker: Broker, number: int) -> MEASURED:
        # The topics stay: ext4 does not use the places of removed files again for a minute, and searches the longer.
        topic = f"new-{number + 1}"
        before, begin = broker.cpu_s(), time.perf_counter()
        broker.create_topic(topic, partitions)
        created = time.perf_counter()
        produce(broker.address, topic, [produce_frame(topic, dict.fromkeys(range(partitions), batch.data))], 1)
        return {
            "cpu_ms_per_partition": (broker.cpu_s() - before) * 1e3 / partitions,
            "creation_s": created - begin,
            "first_append_s": time.perf_counter() - created,
        }

    result = {"partitions": partitions, **summary(bench.alternate(run))}
    ours, theirs = of(result, "cpu_ms_per_partition")
    what = f"a new topic of {partitions} partitions and their first records"
    return result, [at_most(what, "ms of CPU per partition", ours, 0.2, theirs)]


MEASUREMENTS: dict[str, Callable[[Bench], tuple[MEASURED, list[Row]]]] = {
    "produce": measure_produce,
    "fetch": measure_fetch,
    "ack": measure_ack,
    "start": measure_start,
    "cold": measure_cold,
    "metadata": measure_metadata,
    "connections": measure_connections,
    "topic": measure_topic,
}


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*MEASUREMENTS, "all"])
    parser.add_argument("--quick", action="store_true", help="a tenth of the time and of the bytes")
    parser.add_argument("--runs", type=int, default=5, help="runs of each broker (default: %(default)s)")
    parser.add_argument("--dir", type=Path, help="where the brokers write; default: a temporary directory")
    parser.add_argument("--output", type=Path, default=RESULTS / "broker.json", help="default: %(default)s")
    options = parser.parse_args()
    for name in list(MEASUREMENTS) if options.name == "all" else [options.name]:
        measurement = Measurement(["python benches/compare/broker.py", name, *(["--quick"] if options.quick else [])])
        with contextlib.ExitStack() as stack:
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="barnabas-bench-", dir=options.dir))
            bench = Bench(Path(directory), stack, quick=options.quick, runs=options.runs)
            results, rows = MEASUREMENTS[name](bench)
        measurement.keep(options.output, name, results, rows)
        report(name, rows)
    print(f"\nraw results: {options.output}")


if __name__ == "__main__":
    main()
