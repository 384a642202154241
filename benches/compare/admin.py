"""What administration costs: `python benches/compare/admin.py [NAME ...] [--quick]` writes `benches/results/admin.json`.

Measured of broker processes of their own, ours and the reference:

- `topic`: broker CPU per partition of a new topic of 500, its creation and the first append to each of them, and what its
  directory and files cost by plain calls in between; it waits until the file system has forgotten what was deleted;
- `create`: CreateTopics of one partition, from the request to its answer, which comes when it is durable;
- `start`: the start with 10,000 partitions, every one with a record, after a clean stop and after kill -9, to answered
  Metadata of all topics. The reference has 1,000 of them, or it would take minutes.

`--quick` does a tenth of the work, once, and keeps no results. All of it takes about four minutes on a quiet machine, and up to
ten more where many files were deleted a moment ago.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from brokers import Barnabas, Broker, Reference
from figures import Measurement, Row, at_most, report
from raw_client import RawClient, record_batch

from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.produce import ProduceRequest

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parents[1] / "results" / "admin.json"
TOPIC_PARTITIONS = 500
PATIENCE_S = 120.0
FORGOTTEN_MS = 0.15
"""What a partition's directory and files cost at most where the file system looks for no free inode. ext4 passes over those
that were deleted within the last five minutes, one by one: then it is 0.5 to 1.5 ms, whoever makes them."""
FORGETTING_S = 330.0
MEASURED = dict[str, Any]


def create(client: RawClient, name: str, partitions: int) -> bytes:
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    (result,) = client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000)).topics
    if result.error_code:
        raise SystemExit(f"{name}: {result.error_code} {result.error_message}")
    return bytes(result.topic_id)


def append_to_each(client: RawClient, name: str, topic_id: bytes, partitions: int) -> None:
    """One record to every partition, in requests of 100. Who is told of a topic before it is there asks again."""
    left = list(range(partitions))
    batch = record_batch([b"x" * 100])
    deadline = time.monotonic() + PATIENCE_S
    while left:
        data = [ProduceRequest.PartitionProduceData(index=index, records=batch) for index in left[:100]]
        topic = ProduceRequest.TopicProduceData(name=name, topic_id=topic_id, partition_data=data)
        answer = client.ask(ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[topic]))
        failed = [part.index for part in answer.responses[0].partition_responses if part.error_code]
        left = failed + left[100:]
        if failed and time.monotonic() > deadline:
            raise SystemExit(f"{name}: {len(failed)} partitions cannot be appended to")


def plain_ms(parent: Path, partitions: int) -> float:
    """CPU per partition of what our first append makes: a directory, its `partition.metadata` and a log."""
    directory = Path(tempfile.mkdtemp(prefix="plain-", dir=parent))
    begin = time.process_time()
    for index in range(partitions):
        place = f"{directory}/plain-{index}"
        os.mkdir(place)  # noqa: PTH102 - no more than the calls
        for name, size in (("partition.metadata.tmp", 43), ("00000000000000000000.log", 170)):
            file = os.open(f"{place}/{name}", os.O_RDWR | os.O_CREAT)
            os.pwrite(file, bytes(size), 0)
            os.close(file)
        os.rename(f"{place}/partition.metadata.tmp", f"{place}/partition.metadata")  # noqa: PTH104
    return (time.process_time() - begin) * 1e3 / partitions


def wait_until_forgotten(parent: Path) -> None:
    """Waits until new files cost what they cost, but not for ever: the machine may just be slow."""
    deadline = time.monotonic() + FORGETTING_S
    while plain_ms(parent, 50) > FORGOTTEN_MS and time.monotonic() < deadline:
        time.sleep(10)


def new_topic(kind: type[Broker], parent: Path, *, quick: bool) -> MEASURED:
    """Broker CPU of topics of 500 partitions and their first appends."""
    samples, plain = [], []
    if not quick:
        wait_until_forgotten(parent)
    with kind(parent) as broker, RawClient(broker.address, timeout=PATIENCE_S) as client:
        for run in range(1 if quick else 5):
            plain.append(plain_ms(parent, TOPIC_PARTITIONS))
            begin = broker.cpu_s()
            topic_id = create(client, f"wide-{run}", TOPIC_PARTITIONS)
            append_to_each(client, f"wide-{run}", topic_id, TOPIC_PARTITIONS)
            samples.append((broker.cpu_s() - begin) * 1e3 / TOPIC_PARTITIONS)
    return {
        "cpu_ms_per_partition": statistics.median(samples),
        "samples": samples,
        "plain_ms_per_partition": statistics.median(plain),
        "plain_samples": plain,
        "partitions": TOPIC_PARTITIONS,
    }


def one_partition(kind: type[Broker], parent: Path, *, quick: bool) -> MEASURED:
    """Time from the request to its answer."""
    samples = []
    with kind(parent) as broker, RawClient(broker.address, timeout=PATIENCE_S) as client:
        for index in range(30 if quick else 300):
            begin = time.perf_counter()
            create(client, f"one-{index}", 1)
            samples.append((time.perf_counter() - begin) * 1e3)
    samples.sort()
    return {"p50_ms": statistics.median(samples), "p99_ms": samples[int(len(samples) * 0.99)], "count": len(samples)}


def starts(kind: type[Broker], parent: Path, *, quick: bool) -> MEASURED:
    """Start with many partitions, each with a record, to answered Metadata of all topics."""
    partitions = 1_000 if quick or kind is Reference else 10_000
    found: MEASURED = {"partitions": partitions}
    # Kafka's default: one that was killed is not let in again before its session is over, and the tests' one is long.
    with kind(parent, {"broker.session.timeout.ms": "9000"}) as broker:
        with RawClient(broker.address, timeout=PATIENCE_S) as client:
            for index in range(partitions // TOPIC_PARTITIONS):
                topic_id = create(client, f"many-{index}", TOPIC_PARTITIONS)
                append_to_each(client, f"many-{index}", topic_id, TOPIC_PARTITIONS)
        for label in ("clean", "killed"):
            samples, cpu = [], []
            for _ in range(1 if quick else 3):
                if label == "clean":
                    broker.process.terminate()
                else:
                    broker.process.kill()
                broker.process.wait(PATIENCE_S)
                # A stop syncs tens of thousands of files; what the system has still to write of them is not the start's.
                os.sync()
                begin = time.perf_counter()
                broker.process, broker.address = broker.launch()
                broker.wait_until_it_serves()
                with RawClient(broker.address, timeout=PATIENCE_S) as client:
                    topics = client.topics()
                samples.append(time.perf_counter() - begin)
                cpu.append(broker.cpu_s())
                if sum(len(topic.partitions) for topic in topics.values()) != partitions:
                    raise SystemExit(f"{kind.name}: partitions are missing after a start")
            found[f"{label}_s"], found[f"{label}_cpu_s"] = statistics.median(samples), statistics.median(cpu)
            found[f"{label}_samples_s"] = samples
    return found


def topic_rows(ours: MEASURED, reference: MEASURED) -> list[Row]:
    name, plain = "cpu_ms_per_partition", "plain_ms_per_partition"
    return [
        at_most("new topic of 500 and first appends, broker CPU per partition", "ms", ours[name], 0.2, reference[name]),
        Row("our directory and files alone, by plain calls", "ms", ours[plain], reference[plain]),
    ]


def create_rows(ours: MEASURED, reference: MEASURED) -> list[Row]:
    return [
        at_most("CreateTopics, one partition, p50", "ms", ours["p50_ms"], 3.0, reference["p50_ms"]),
        Row("the same, p99", "ms", ours["p99_ms"], reference["p99_ms"]),
    ]


def start_rows(ours: MEASURED, reference: MEASURED) -> list[Row]:
    of = f"{ours['partitions']} partitions (reference: {reference['partitions']})"
    return [
        at_most(f"start after a clean stop, {of}", "s", ours["clean_s"], 1.0, reference["clean_s"]),
        at_most(f"start after kill -9, {of}", "s", ours["killed_s"], 3.0, reference["killed_s"]),
    ]


MEASUREMENTS: dict[str, tuple[Callable[..., MEASURED], Callable[[MEASURED, MEASURED], list[Row]]]] = {
    "topic": (new_topic, topic_rows),
    "create": (one_partition, create_rows),
    "start": (starts, start_rows),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(MEASUREMENTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, results not kept")
    arguments = parser.parse_args()
    for name in arguments.names or MEASUREMENTS:
        measure, rows_of = MEASUREMENTS[name]
        measurement = Measurement(["python", "benches/compare/admin.py", name])
        with tempfile.TemporaryDirectory(prefix="barnabas-admin-") as parent:
            ours, reference = (measure(kind, Path(parent), quick=arguments.quick) for kind in (Barnabas, Reference))
        rows = rows_of(ours, reference)
        report(name, rows)
        if not arguments.quick:
            measurement.keep(RESULTS, name, {"barnabas": ours, "reference": reference}, rows)


if __name__ == "__main__":
    main()
