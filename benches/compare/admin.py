"""What administration costs: `python benches/compare/admin.py [--small] [--reference]` writes `benches/results/admin.json`.

Measured of broker processes of their own: broker CPU per partition of a new topic of 500, creation and the first append to
each; CreateTopics of one partition, answered when it is durable; the start with many partitions, after a clean stop and
after kill -9, to answered Metadata. `--reference` measures the reference Kafka beside it, `--small` is for a look.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "broker"))

from brokers import Barnabas, Broker, Reference
from raw_client import RawClient, record_batch

from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.produce import ProduceRequest

RESULTS = Path(__file__).parents[1] / "results" / "admin.json"
TOPIC_PARTITIONS = 500


def create(client: RawClient, name: str, partitions: int) -> bytes:
    topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
    (result,) = client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=60_000)).topics
    if result.error_code:
        raise SystemExit(f"{name}: {result.error_code} {result.error_message}")
    return bytes(result.topic_id)


def append_to_each(client: RawClient, name: str, topic_id: bytes, partitions: int) -> None:
    """One record to every partition, in requests of 100 partitions. Who is told of a topic before it is there asks again."""
    left = list(range(partitions))
    batch = record_batch([b"x" * 100])
    deadline = time.monotonic() + 120
    while left:
        data = [ProduceRequest.PartitionProduceData(index=index, records=batch) for index in left[:100]]
        topic = ProduceRequest.TopicProduceData(name=name, topic_id=topic_id, partition_data=data)
        answer = client.ask(ProduceRequest(acks=-1, timeout_ms=30_000, topic_data=[topic]))
        failed = [part.index for part in answer.responses[0].partition_responses if part.error_code]
        left = failed + left[100:]
        if failed and time.monotonic() > deadline:
            raise SystemExit(f"{name}: {len(failed)} partitions cannot be appended to")


def new_topic(broker: Broker, runs: int) -> dict[str, Any]:
    """Broker CPU of a topic of 500 partitions and its first appends."""
    samples = []
    with RawClient(broker.address, timeout=120) as client:
        for run in range(runs):
            begin = broker.cpu_s()
            topic_id = create(client, f"wide-{run}", TOPIC_PARTITIONS)
            append_to_each(client, f"wide-{run}", topic_id, TOPIC_PARTITIONS)
            samples.append((broker.cpu_s() - begin) * 1e3 / TOPIC_PARTITIONS)
    return {"cpu_ms_per_partition": statistics.median(samples), "samples": samples, "partitions": TOPIC_PARTITIONS}


def one_partition(broker: Broker, count: int) -> dict[str, Any]:
    """Time from the request to its answer."""
    samples = []
    with RawClient(broker.address, timeout=60) as client:
        for index in range(count):
            begin = time.perf_counter()
            create(client, f"one-{index}", 1)
            samples.append((time.perf_counter() - begin) * 1e3)
    samples.sort()
    return {"p50_ms": samples[len(samples) // 2], "p99_ms": samples[int(len(samples) * 0.99)], "count": count}


def starts(broker: Broker, partitions: int) -> dict[str, Any]:
    """Start with many partitions, every tenth with a record, to answered Metadata of all topics."""
    with RawClient(broker.address, timeout=120) as client:
        for index in range(partitions // TOPIC_PARTITIONS):
            topic_id = create(client, f"many-{index}", TOPIC_PARTITIONS)
            append_to_each(client, f"many-{index}", topic_id, TOPIC_PARTITIONS // 10)
    found: dict[str, Any] = {"partitions": partitions}
    for label in ("clean_s", "killed_s"):
        if label == "clean_s":
            broker.process.terminate()
        else:
            broker.process.kill()
        broker.process.wait(120)
        begin = time.perf_counter()
        broker.process, broker.address = broker.launch()
        broker.wait_until_it_serves()
        found[label] = time.perf_counter() - begin
        found[f"{label}_cpu"] = broker.cpu_s()
        with RawClient(broker.address, timeout=60) as client:
            names = client.topics()
        found[f"{label}_topics"] = len(names)
    return found


def machine() -> dict[str, str]:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.split(":")[1].strip() for line in lines if "model name" in line]
    return {
        "cpu": models[0],
        "cores": str(len(models)),
        "kernel": platform.release(),
        "python": platform.python_version(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a tenth of the work, results not kept")
    parser.add_argument("--reference", action="store_true", help="the reference Kafka, too")
    arguments = parser.parse_args()
    runs, count, partitions = (1, 50, 1_000) if arguments.small else (5, 500, 10_000)
    kinds: list[type[Broker]] = [Barnabas, *([Reference] if arguments.reference else [])]
    results: dict[str, Any] = {"machine": machine(), "load": os.getloadavg()[0]}
    with contextlib.ExitStack() as stack:
        parent = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="barnabas-admin-")))
        for kind in kinds:
            found = results[kind.name] = {}
            with kind(parent) as broker:
                found["new_topic"] = new_topic(broker, runs)
            with kind(parent) as broker:
                found["create_topic"] = one_partition(broker, count)
            with kind(parent) as broker:
                found["start"] = starts(broker, partitions)
            print(json.dumps({kind.name: found}), flush=True)
    if not arguments.small:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
