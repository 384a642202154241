"""Measures the log: `python benches/compare/log.py NAME [--quick] [--dir DIR]`, raw results in benches/results/log.json.

`cpu`         CPU of an append by size of batch and record, beside the CRC and the write of the same bytes
`start`       a clean start of 2,000 partitions with 5 segments each: time and memory
`recovery`    a start after kill -9: bytes of unflushed log per second
`search`      look-ups in 100 MB, 10 GB and 100 GB of log (sparse files, the same number of places in each)
`append`      a sustained append and a flush beside `dd` with the same fsync; `--full`: of min(1.5 x memory, half of the
              free disk), once
`quiet`       a quiet producer's latency alone and while another one writes as fast as the disk takes it
`cleaner`     compaction: bytes of log per CPU second (raw results in cleaner.json)
`compaction`  a quiet producer's latency while a large topic is compacted
`pages`       what a byte written to the page cache costs in pages that were free for some seconds and in others, by
              how much is written at once and by whether what is written ends where a large page does
`wakeups`     how late a sleeping thread runs that shares its core with a writer, by how much that writes at once
`requests`    the broker's CPU per produce and fetch request, beside a plain write of the same bytes
`commit`      acknowledged produce requests per second where each waits for a flush, by number of producers

Five of them run the log crate's own benches, `requests` the broker crate's, the others a broker process with clients of
plain sockets. What is compared runs alternately. `--quick` takes less time and fewer bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

from brokers import warm_page_cache
from figures import MEASURED, Measurement, Row, at_least, at_most, report
from log_clients import Heavy, Quiet, ask_for_short_slices, producers_rate, quantiles
from run import RESULTS, Server

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
GIB = 1 << 30
PIECE = b"\1" * (1 << 20)
REPORT = tuple[MEASURED, list[Row]]


class Bench:
    """What every measurement needs: a directory on the disk that is measured, and how much of it to do."""

    def __init__(self, directory: Path, *, quick: bool, full: bool) -> None:
        self.directory = directory
        self.quick = quick
        self.full = full
        self._program: str | None = None

    def scaled(self, full: int, quick: int) -> int:
        return quick if self.quick else full

    def log_bench(self, name: str, directory: Path, *numbers: int) -> MEASURED:
        """Runs one measurement of the log crate in a process of its own."""
        if self._program is None:
            self._program = build("barnabas-log", "log_volume")
        command = [self._program, name, str(directory), *map(str, numbers)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(output) if output.strip() else {}

    def fresh(self, name: str) -> Path:
        directory = self.directory / name
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        return directory


def build(crate: str, name: str) -> str:
    """Builds a bench of a crate and returns its program."""
    command = ["cargo", "bench", "--locked", "-p", crate, "--bench", name, "--no-run", "--message-format=json"]
    messages = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [message["executable"] for message in map(json.loads, messages) if message.get("executable")][-1]


def cpu(bench: Bench) -> REPORT:
    program, seconds = build("barnabas-log", "log"), str(bench.scaled(3, 1))
    kept = ROOT / "target/criterion/append"
    warm_page_cache(bench.directory, GIB // 2)
    command = [program, "--bench", "append/", "--noplot", "--measurement-time", seconds, "--warm-up-time", "1"]
    environment = {**os.environ, "TMPDIR": str(bench.directory), "CARGO_TARGET_DIR": str(ROOT / "target")}
    subprocess.run(command, check=True, capture_output=True, env=environment, cwd=ROOT)
    result: MEASURED = {}
    rows = []
    for batch in ("1MiB", "16KiB"):
        for record, per_byte in ((1024, 0.5), (100, 0.7)):
            case = f"{batch}_of_{record}B"
            for kind in ("log", "floor"):
                estimates = json.loads((kept / kind / case / "new/estimates.json").read_text())
                size = json.loads((kept / kind / case / "new/benchmark.json").read_text())["throughput"]["Bytes"]
                nanoseconds = estimates["median"]["point_estimate"]
                result[f"{kind} {case}"] = {
                    "bytes": size,
                    "median_ns": nanoseconds,
                    "interval_95_ns": [
                        estimates["median"]["confidence_interval"][f"{end}_bound"] for end in ("lower", "upper")
                    ],
                    "ns_per_byte": nanoseconds / size,
                }
            log, floor = result[f"log {case}"], result[f"floor {case}"]["median_ns"] / 1e3
            limit = log["bytes"] * per_byte / 1e3 + (0 if batch == "1MiB" else 5)
            rows.append(
                at_most(
                    f"append {batch} of {record} B",
                    "µs of CPU (reference: CRC and write)",
                    log["median_ns"] / 1e3,
                    round(limit, 1),
                    floor,
                )
            )
    return result, rows


def start(bench: Bench) -> REPORT:
    partitions, segments = bench.scaled(2000, 500), 5
    directory = bench.fresh("start")
    bench.log_bench("prepare-start", directory, partitions, segments)
    runs: dict[str, list[MEASURED]] = {}
    for _ in range(bench.scaled(7, 3)):
        for threads in (1, 2):
            # The start took the marker away, and nothing was written since.
            (directory / "data" / ".kafka_cleanshutdown").touch()
            runs.setdefault(f"{threads} threads", []).append(bench.log_bench("start", directory, threads))
    result = {"partitions": partitions, "segments_per_partition": segments}
    result |= medians(runs, ("wall_s", "cpu_s", "memory_gained_mib"))
    what = f"clean start of {partitions} partitions with {segments} segments"
    return result, [
        at_most(what, "s, 2 threads", result["2 threads"]["wall_s"], 1),
        at_most(what, "MiB", result["2 threads"]["memory_gained_mib"], 100),
    ]


def recovery(bench: Bench) -> REPORT:
    partitions, megabytes = 4, bench.scaled(1000, 100)
    directory = bench.fresh("recovery")
    bench.log_bench("prepare-recovery", directory, partitions, megabytes)
    runs: dict[str, list[MEASURED]] = {}
    for _ in range(bench.scaled(5, 3)):
        for threads in (1, 2):
            runs.setdefault(f"{threads} threads", []).append(bench.log_bench("recovery", directory, threads))
    result = {"partitions": partitions, **medians(runs, ("wall_s", "cpu_s", "gb_per_s"))}
    return result, [at_least("recovery", "GB/s of unflushed log", result["2 threads"]["gb_per_s"], 1)]


def search(bench: Bench) -> REPORT:
    lookups = bench.scaled(100_000, 20_000)
    sizes = {"100 MB": (4, 25), "10 GB": (10, 1023), "100 GB": (100, 1023)}
    found: dict[str, list[MEASURED]] = {name: [] for name in sizes}
    for name, (segments, megabytes) in sizes.items():
        bench.log_bench("prepare-search", bench.fresh(f"search {name}"), segments, megabytes)
    for _ in range(bench.scaled(5, 3)):
        for name in sizes:
            directory = bench.directory / f"search {name}"
            (directory / "data" / ".kafka_cleanshutdown").touch()
            found[name].append(bench.log_bench("search", directory, lookups))
    result: MEASURED = {"lookups": lookups}
    for name, runs in found.items():
        result[name] = {
            what: {q: statistics.median(run[what][q] for run in runs) for q in ("p50", "p99")}
            for what in ("index_ns", "index_and_scan_ns")
        }
        result[name]["runs"] = runs
    rows = []
    for name in sizes:
        rows.append(at_most(f"search in {name}", "ns, index, p50", result[name]["index_ns"]["p50"], 1000))
        rows.append(
            at_most(f"search in {name}", "ns, with the scan, p50", result[name]["index_and_scan_ns"]["p50"], 3000)
        )
    flat = result["100 GB"]["index_and_scan_ns"]["p50"] / result["100 MB"]["index_and_scan_ns"]["p50"]
    return result, [*rows, at_most("search in 100 GB", "times that in 100 MB", flat, 1.5)]


def append(bench: Bench) -> REPORT:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    most = min(memory * 3 // 2, shutil.disk_usage(bench.directory).free // 2)
    megabytes = (most if bench.full else min(most, bench.scaled(4, 1) * GIB)) >> 20
    # Nothing is compiled while it runs.
    build("barnabas-log", "log_volume")
    runs: dict[str, list[MEASURED]] = {"log": [], "dd": []}
    for _ in range(1 if bench.full else 3):
        # Each finds the page cache as the other leaves it.
        warm_page_cache(bench.directory, min(megabytes << 20, 4 * GIB))
        runs["log"].append(bench.log_bench("append", bench.fresh("append"), megabytes))
        bench.fresh("append")
        warm_page_cache(bench.directory, min(megabytes << 20, 4 * GIB))
        runs["dd"].append(dd(bench.fresh("append"), megabytes))
        bench.fresh("append")
    result = {"megabytes": megabytes, **medians(runs, ("wall_s", "mb_per_s"))}
    result["log to dd"] = result["log"]["mb_per_s"] / result["dd"]["mb_per_s"]
    what = f"sustained append of {megabytes} MiB"
    return result, [
        Row(what, "MB/s (reference: dd)", result["log"]["mb_per_s"], result["dd"]["mb_per_s"]),
        at_least(what, "times dd", result["log to dd"], 0.9),
    ]


def dd(directory: Path, megabytes: int) -> MEASURED:
    """The same bytes in the same pieces, with one flush at the end."""
    begin = time.perf_counter()
    command = ["dd", "if=/dev/zero", f"of={directory}/dd", "bs=1M", f"count={megabytes}", "conv=fdatasync"]
    subprocess.run(command, check=True, capture_output=True)
    wall = time.perf_counter() - begin
    return {"wall_s": wall, "mb_per_s": (megabytes << 20) / wall / 1e6}


def quiet(bench: Bench) -> REPORT:
    seconds = bench.scaled(10, 2)
    runs: dict[str, list[MEASURED]] = {"alone": [], "beside a heavy one": []}
    server = BenchServer(bench)
    try:
        server.create("quiet", {})
        quiet_one = Quiet(server.address, "quiet")
        quiet_one.measure(0.5)
        for number in range(bench.scaled(5, 3)):
            runs["alone"].append(quiet_one.measure(seconds))
            topic = f"heavy-{number}"
            server.create(topic, {})
            with Heavy(server.address, topic) as heavy:
                time.sleep(0.5)
                measured = quiet_one.measure(seconds)
            runs["beside a heavy one"].append({**measured, "heavy_mb_per_s": heavy.mb_per_s})
            server.delete(topic)
    finally:
        server.close()
    result = medians(runs, ("p50_us", "p99_us", "max_us", "heavy_mb_per_s"))
    ratio = result["p99 beside to alone"] = result["beside a heavy one"]["p99_us"] / result["alone"]["p99_us"]
    return result, [
        at_most("quiet producer beside a heavy one", "p99, times that alone", ratio, 2),
        Row("the heavy one", "MB/s", result["beside a heavy one"]["heavy_mb_per_s"]),
    ]


def cleaner(bench: Bench) -> REPORT:
    program = build("barnabas-log", "cleaner")
    environment = {**os.environ, "TMPDIR": str(bench.directory), "BYTES": str(bench.scaled(256, 32) << 20)}
    output = subprocess.run([program], check=True, capture_output=True, text=True, env=environment).stdout
    result = json.loads(output)
    rate = result["1 KiB"]["log MB per CPU second"]
    fresh = result["1 KiB, no duplicates"]["log MB per CPU second"]
    return result, [
        at_least("compaction, 1 KiB records, keys four times", "MB of log per CPU second", rate, 200),
        at_least("compaction, 1 KiB records, keys once", "MB of log per CPU second", fresh, 200),
    ]


def compaction(bench: Bench) -> REPORT:
    megabytes = bench.scaled(2048, 256)
    off, on = {"log.cleaner.enable": "false"}, {"log.cleaner.threads": "1", "log.cleaner.backoff.ms": "100"}
    runs: dict[str, list[MEASURED]] = {"alone": [], "while a topic is compacted": []}
    for _ in range(bench.scaled(3, 2)):
        server = BenchServer(bench, off)
        try:
            server.create("quiet", {})
            server.create("compacted", {"cleanup.policy": "compact", "segment.bytes": str(64 << 20)})
            with Heavy(server.address, "compacted", keys=True, bytes_max=megabytes << 20) as filled:
                filled.wait()
            quiet_one = Quiet(server.address, "quiet")
            quiet_one.measure(0.5)
            runs["alone"].append(quiet_one.measure(bench.scaled(5, 2)))
            before = server.bytes_of("compacted")
            server.stop()
            server.start(on)
            quiet_one = Quiet(server.address, "quiet")
            begin = time.perf_counter()
            measured = quiet_one.measure_until(lambda: server.is_compacted("compacted"), 120)  # noqa: B023
            measured |= {"seconds": time.perf_counter() - begin, "bytes_before": before}
            runs["while a topic is compacted"].append({**measured, "bytes_after": server.bytes_of("compacted")})
        finally:
            server.close()
    result = medians(runs, ("p50_us", "p99_us", "max_us", "seconds", "bytes_before", "bytes_after"))
    ratio = result["while a topic is compacted"]["p99_us"] / result["alone"]["p99_us"]
    result["p99 compacting to alone"] = ratio
    return result, [at_most("quiet producer while a topic is compacted", "p99, times that alone", ratio, 2)]


def pages(bench: Bench) -> REPORT:
    runs: dict[str, list[MEASURED]] = {}
    for _ in range(bench.scaled(5, 3)):
        for when, pause in (("free for 5 s", 5), ("free for a moment", 0)):
            for size, aligned in ((64 << 10, False), (256 << 10, False), (256 << 10, True), (1 << 20, False)):
                time.sleep(pause)
                name = f"{when}, {size >> 10} KiB at once" + (", aligned" if aligned else "")
                measured = {"ns_per_byte": written(bench.directory, size, aligned=aligned)}
                runs.setdefault(name, []).append(measured)
    result = medians(runs, ("ns_per_byte",))
    return result, [Row(f"a write to pages {name}", "ns of CPU per byte", result[name]["ns_per_byte"]) for name in runs]


def written(directory: Path, size: int, *, aligned: bool) -> float:
    """CPU per byte of writing batches of nearly 1 MiB to a new file, `size` bytes at once or up to the next multiple."""
    batch, count = len(PIECE) - 103, 64
    piece = memoryview(PIECE)
    with tempfile.TemporaryFile(dir=directory) as file:
        position = 0
        before = time.thread_time()
        for end in range(batch, (count + 1) * batch, batch):
            while position < end:
                most = size - position % size if aligned else size
                position += os.pwrite(file.fileno(), piece[: min(most, end - position)], position)
        return (time.thread_time() - before) * 1e9 / position


WRITER = """
import os, sys
piece = bytes(int(sys.argv[1]))
file = os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY)
while True:
    os.pwrite(file, piece, 0)
    for at in range(len(piece), 256 << 20, len(piece)):
        os.pwrite(file, piece, at)
    os.ftruncate(file, 0)
"""


def wakeups(bench: Bench) -> REPORT:
    seconds = bench.scaled(3, 1)
    own = os.sched_getaffinity(0)
    runs: dict[str, list[MEASURED]] = {}
    os.sched_setaffinity(0, {min(own)})
    try:
        for _ in range(3):
            for size in (1 << 20, 256 << 10, 64 << 10):
                for short in (False, True):
                    name = f"a writer of {size >> 10} KiB at once" + (", own slice short" if short else "")
                    command = [sys.executable, "-c", WRITER, str(size), str(bench.directory / "written")]
                    with subprocess.Popen(command) as writer, ThreadPoolExecutor(1) as thread:
                        runs.setdefault(name, []).append(thread.submit(late, seconds, short=short).result())
                        writer.kill()
    finally:
        os.sched_setaffinity(0, own)
    result = medians(runs, ("p50_us", "p99_us"))
    return result, [Row(f"woken beside {name}", "p99 µs late", result[name]["p99_us"]) for name in runs]


def late(seconds: float, *, short: bool) -> MEASURED:
    """How late a thread runs that sleeps for a millisecond again and again."""
    if short:
        ask_for_short_slices()
    times, end = [], time.perf_counter() + seconds
    while (begin := time.perf_counter()) < end:
        time.sleep(0.001)
        times.append(time.perf_counter() - begin - 0.001)
    return quantiles(times)


def requests(bench: Bench) -> REPORT:
    program, seconds = build("barnabas-broker", "request_cpu"), str(bench.scaled(3, 1))
    cases: dict[str, list[MEASURED]] = {}
    for _ in range(3):
        environment = {**os.environ, "TMPDIR": str(bench.directory)}
        output = subprocess.run([program, seconds], check=True, capture_output=True, text=True, env=environment).stdout
        for line in output.splitlines():
            measured = json.loads(line)
            cases.setdefault(measured.pop("case"), []).append(measured)
    result = medians(cases, ("cpu_us_per_request", "cpu_ns_per_byte", "step_p50_us", "step_p99_us"))
    return result, [
        Row(name, "µs of CPU per request", case["cpu_us_per_request"])
        for name, case in result.items()
        if "cpu_us_per_request" in case
    ]


def commit(bench: Bench) -> REPORT:
    seconds = bench.scaled(5, 1)
    counts = (1, 4, 16, 64)
    runs: dict[str, list[MEASURED]] = {f"{count} producers": [] for count in counts}
    server = BenchServer(bench)
    try:
        server.create("flushed", {"flush.messages": "1"})
        for _ in range(3):
            for count in counts:
                runs[f"{count} producers"].append(producers_rate(server.address, "flushed", count, seconds))
    finally:
        server.close()
    result = medians(runs, ("requests_per_s", "p50_us", "p99_us"))
    return result, [
        Row(f"acknowledged after a flush, {name}", "requests/s", case["requests_per_s"])
        for name, case in result.items()
    ]


class BenchServer(Server):
    """A broker whose data is on the measured disk and is flushed as Kafka's would be."""

    def __init__(self, bench: Bench, options: dict[str, str] | None = None) -> None:
        super().__init__(bench.fresh("broker"), options)
        self.data = Path(self.directory.name) / "data"

    def create(self, topic: str, options: dict[str, str]) -> None:
        from barnabas import Admin, NewTopic

        with Admin(bootstrap_servers=self.address) as admin:
            admin.create_topics([NewTopic(topic, num_partitions=1, configs=options)])

    def delete(self, topic: str) -> None:
        from barnabas import Admin

        with Admin(bootstrap_servers=self.address) as admin:
            admin.delete_topics([topic])

    def bytes_of(self, topic: str) -> int:
        return sum(path.stat().st_size for path in (self.data / f"{topic}-0").glob("*.log"))

    def is_compacted(self, topic: str) -> bool:
        """Whether the cleaner has come up to the active segment."""
        checkpoint = self.data / "cleaner-offset-checkpoint"
        if not checkpoint.exists():
            return False
        lines = [line.split() for line in checkpoint.read_text().splitlines()[2:]]
        return any(line[:1] == [topic] and int(line[2]) > 0 for line in lines)


def medians(runs: dict[str, list[MEASURED]], keys: tuple[str, ...]) -> MEASURED:
    """The median of each key over the runs, and the runs themselves."""
    return {
        name: {
            **{key: statistics.median(run[key] for run in all_runs) for key in keys if key in all_runs[0]},
            "runs": all_runs,
        }
        for name, all_runs in runs.items()
    }


MEASUREMENTS: dict[str, Callable[[Bench], REPORT]] = {
    function.__name__: function
    for function in (cpu, start, recovery, search, append, quiet, cleaner, compaction, pages, wakeups, requests, commit)
}


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*MEASUREMENTS, "all"])
    parser.add_argument("--quick", action="store_true", help="less time and fewer bytes")
    parser.add_argument("--full", action="store_true", help="`append` at full volume")
    parser.add_argument("--dir", type=Path, help="where to write; default: a temporary directory")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where results go (default: %(default)s)")
    options = parser.parse_args()
    for name in list(MEASUREMENTS) if options.name == "all" else [options.name]:
        flags = [f"--{flag}" for flag in ("quick", "full") if getattr(options, flag)]
        measurement = Measurement(["python benches/compare/log.py", name, *flags])
        with tempfile.TemporaryDirectory(prefix="barnabas-bench-", dir=options.dir) as directory:
            results, rows = MEASUREMENTS[name](Bench(Path(directory), quick=options.quick, full=options.full))
        kept = "append, full volume" if name == "append" and options.full else name
        measurement.keep(options.output / ("cleaner.json" if name == "cleaner" else "log.json"), kept, results, rows)
        report(name, rows)


if __name__ == "__main__":
    main()
