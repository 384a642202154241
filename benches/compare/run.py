"""Compares barnabas with its rivals, doing the same work against the same broker in one run.

Every measurement is a process of its own; rivals alternate, so that both see the same machine. Medians are printed, all
runs go to benches/results/compare.json.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"
TIMEOUT = 300


def child(*arguments: str) -> dict[str, float]:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{arguments} failed:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


class Server:
    """`barnabas broker` as a process of its own, its data in a new directory, in `parent` if one is given."""

    def __init__(self, parent: Path | None = None, options: dict[str, str] | None = None) -> None:
        self.directory = tempfile.TemporaryDirectory(prefix="barnabas-bench-", dir=parent)
        self.start(options or {})

    def start(self, options: dict[str, str]) -> None:
        ready = Path(self.directory.name) / "ready"
        command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", f"{self.directory.name}/data"]
        command += ["--listen", "127.0.0.1:0", "--ready-file", str(ready)]
        for name, value in options.items():
            command += ["--set", f"{name}={value}"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()
        self.address = ready.read_text().strip()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(30)

    def close(self) -> None:
        self.stop()
        self.directory.cleanup()


def create_topic(address: str, topic: str, partitions: int) -> None:
    from barnabas import Admin, NewTopic

    with Admin(bootstrap_servers=address) as admin:
        admin.create_topics([NewTopic(topic, num_partitions=partitions)])


def median_of(runs: list[dict[str, float]]) -> dict[str, float]:
    return {key: statistics.median(run[key] for run in runs) for key in runs[0]}


def report(results: dict[str, dict]) -> None:
    print(f"\n{'':58}{'caller ns':>11}{'all ns':>9}{'M rec/s':>9}{'broker ns':>11}")
    for name, entry in results.items():
        median = entry["median"]
        if "caller_ns" in median:
            rate = median["records_per_s"] / 1e6
            print(
                f"{name:58}{median['caller_ns']:11.0f}{median['process_ns']:9.0f}{rate:9.2f}{median['broker_ns']:11.0f}"
            )
        elif "p50_us" in median:
            print(
                f"{name:58}p50 {median['p50_us']:7.0f} us   p99 {median['p99_us']:7.0f} us   max {median['max_us']:9.0f} us"
            )
        else:
            print(f"{name:58}{json.dumps({key: round(value, 1) for key, value in median.items() if key != 'all_ms'})}")


def measure_throughput(server: Server, partitions: int, count: int, runs: int, results: dict[str, dict]) -> None:
    from workloads import WORKLOADS

    filled = f"filled-{partitions}"
    create_topic(server.address, filled, partitions)
    child(str(HERE / "workloads.py"), "produce lists/barnabas send_many", server.address, filled, str(count))
    samples: dict[str, list[dict[str, float]]] = {}
    for run in range(runs):
        for name in WORKLOADS:
            if name.startswith("latency") or (name.endswith("defaults") and run > 0):
                continue
            topic = filled
            if name.startswith("produce"):
                topic = f"produce-{partitions}-{run}-{list(WORKLOADS).index(name)}"
                create_topic(server.address, topic, partitions)
            before = cpu_seconds(server.process.pid)
            measured = child(str(HERE / "workloads.py"), name, server.address, topic, str(count))
            measured["broker_ns"] = (cpu_seconds(server.process.pid) - before) / measured["records"] * 1e9
            samples.setdefault(f"{partitions} partitions, {name}", []).append(measured)
            print(".", end="", flush=True)
    results.update({name: {"median": median_of(all_runs), "runs": all_runs} for name, all_runs in samples.items()})


def measure_latency(address: str, label: str, count: int, runs: int, results: dict[str, dict]) -> None:
    create_topic(address, "latency", 1)
    samples: dict[str, list[dict[str, float]]] = {}
    for _ in range(runs):
        for name in ("latency/barnabas", "latency/confluent-kafka"):
            measured = child(str(HERE / "workloads.py"), name, address, "latency", str(count))
            samples.setdefault(f"{name}, {label}", []).append(measured)
            print(".", end="", flush=True)
    results.update({name: {"median": median_of(all_runs), "runs": all_runs} for name, all_runs in samples.items()})


def measure_spinning(count: int, runs: int, results: dict[str, dict]) -> None:
    command = [sys.executable, str(HERE / "embedded.py"), "spin"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        address = json.loads(process.stdout.readline())["address"]
        measure_latency(address, "a Python thread spins in the broker's process", count, runs, results)
    finally:
        process.communicate(timeout=30)


def measure_embedded(runs: int, results: dict[str, dict]) -> None:
    for name in ("startup", "idle"):
        all_runs = [child(str(HERE / "embedded.py"), name) for _ in range(runs)]
        plain = [{key: value for key, value in run.items() if key != "all_ms"} for run in all_runs]
        results[f"embedded {name}"] = {"median": median_of(plain), "runs": all_runs}


def machine() -> dict[str, str]:
    model = [
        line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    return {
        "cpu": model[0],
        "cores": str(len(model)),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--count", type=int, default=1_000_000, help="records of 100 B in each throughput run (default: %(default)s)"
    )
    parser.add_argument(
        "--runs", type=int, default=3, help="runs of each measurement, the median is reported (default: %(default)s)"
    )
    parser.add_argument("--partitions", type=int, nargs="+", default=[8, 64], help="partition counts (default: 8 64)")
    parser.add_argument(
        "--latency-count", type=int, default=5000, help="records sent one at a time (default: %(default)s)"
    )
    parser.add_argument(
        "--output", type=Path, default=RESULTS / "compare.json", help="raw results (default: %(default)s)"
    )
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    results: dict[str, dict] = {}
    server = Server()
    try:
        for partitions in options.partitions:
            measure_throughput(server, partitions, options.count, options.runs, results)
        measure_latency(server.address, "idle broker", options.latency_count, options.runs, results)
    finally:
        server.close()
    measure_spinning(options.latency_count, options.runs, results)
    measure_embedded(options.runs, results)
    report(results)
    command = "make bench ARGS='" + " ".join(sys.argv[1:]) + "'"
    options.output.write_text(
        json.dumps({"command": command, "machine": machine(), "results": results}, indent=1) + "\n"
    )
    print(f"\nraw results: {options.output}")


if __name__ == "__main__":
    main()
