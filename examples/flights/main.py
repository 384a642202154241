"""Real flights through broker, client and Spark; every number is checked against pandas on the source file.

1. starts `barnabas broker` as a process of its own;
2. produces every flight as JSON to the topic `flights`, keyed by tail number;
3. reads them all with a consumer group of two processes, which commit;
4. computes departures and mean delay per origin and hour with Spark Structured Streaming, into the topic `delays`;
5. reads the result with a Spark batch query, prints it and checks it.

Ends with a status other than 0 if a record was lost, doubled or changed, or a number differs.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING

import data
import delays
from console import Progress, Step, summary, table
from members import checksum, read_as_group

from barnabas import Admin, NewTopic, Producer, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from barnabas.client import DeliveryBatch

_CHUNK = 2_000
_START_SECONDS = 30
_STOP_SECONDS = 30
_READ_CHECKS = ("records", "null keys", "checksum")


class WrongNumberError(Exception):
    """A number is not what it should be."""


def check(what: str, found: object, expected: object) -> None:
    """Raises if a number is not what it should be."""
    if found != expected:
        raise WrongNumberError(f"{what}: found {found}, expected {expected}")


@contextmanager
def broker(directory: Path) -> Iterator[str]:
    """Runs `barnabas broker` on a data directory and any free port; gives its address."""
    ready = directory / "ready"
    ready.unlink(missing_ok=True)
    command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(directory / "data"),
               "--listen", "127.0.0.1:0", "--ready-file", str(ready),
               "--set", "group.initial.rebalance.delay.ms=1000"]  # fmt: skip
    with (directory / "broker.log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            deadline = time.monotonic() + _START_SECONDS
            while not ready.exists():
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the broker did not start: see {log.name}")
                time.sleep(0.01)
            yield ready.read_text(encoding="utf-8").strip()
        finally:
            process.terminate()
            try:
                process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def produce(bootstrap_servers: str, step: Step, rows: int | None, total: int) -> tuple[int, int, int]:
    """Produces all flights; returns how many, how many of them without a key, and their checksum."""
    progress = Progress(step, total)
    deliveries: list[DeliveryBatch] = []
    keys: list[bytes | None] = []
    values: list[bytes | None] = []
    null_keys = sum_of_checksums = 0

    def send() -> None:
        deliveries.append(producer.send_many("flights", values, keys))
        step.records += len(values)
        keys.clear()
        values.clear()
        progress.show(step.records)

    with Producer(bootstrap_servers=bootstrap_servers, compression_type="lz4") as producer:
        for key, value in data.flights(rows):
            keys.append(key)
            values.append(value)
            step.bytes += len(value)
            null_keys += key is None
            sum_of_checksums += checksum(key, value)
            if len(values) == _CHUNK:
                send()
        if values:
            send()
        for delivery in deliveries:
            delivery.result(timeout=60)  # raises if a record was not acknowledged
    progress.finish(step.records)
    return step.records, null_keys, sum_of_checksums


def consume(bootstrap_servers: str, step: Step, expected: tuple[int, int, int], partitions: int) -> None:
    """Reads all flights as a group of two processes and checks that each record came exactly once."""
    progress = Progress(step, expected[0])

    def show(records: int) -> None:
        step.records = records
        progress.show(records)

    reads = read_as_group(bootstrap_servers, "flights", "flight-readers", 2, show)
    step.bytes = sum(read.bytes for read in reads.values())
    progress.finish(step.records)
    for name, read in reads.items():
        print(f"  {name} held partitions {read.assigned} and read {read.records:,} records")
    found = (
        sum(read.records for read in reads.values()),
        sum(read.null_keys for read in reads.values()),
        sum(read.checksum for read in reads.values()),
    )
    for what, number, wanted in zip(_READ_CHECKS, found, expected, strict=True):
        check(f"{what} read by the group", number, wanted)
    with Admin(bootstrap_servers=bootstrap_servers) as admin:
        every = {TopicPartition("flights", partition): Admin.LATEST for partition in range(partitions)}
        ends = {partition: end.offset for partition, end in admin.list_offsets(every).items() if end is not None}
        committed = admin.list_consumer_group_offsets("flight-readers")
    check("committed offsets", {one: offset.offset for one, offset in committed.items()}, ends)
    check("records in the log", sum(ends.values()), expected[0])


def run(arguments: argparse.Namespace, directory: Path) -> None:
    """The five steps."""
    source = data.expected_flights(arguments.rows)
    total = len(source)
    steps = [
        Step("1 broker: a process of its own"),
        Step("2 produce: every flight, keyed by tail number"),
        Step("3 consume: a group of two processes"),
        Step("4 stream: Spark, typed columns, to topic delays"),
        Step("5 batch: Spark, the last row of each key"),
    ]
    start, producing, consuming, streaming, reading = steps
    with ExitStack() as stack:
        with start:
            address = stack.enter_context(broker(directory))
            print(f"  it serves {address}, its data lie in {directory / 'data'}")
        with producing:
            with Admin(bootstrap_servers=address) as admin:
                admin.create_topics([NewTopic("flights", arguments.partitions), NewTopic("delays", 2)])
            produced = produce(address, producing, arguments.rows, total)
        check("flights in the file", produced[:2], (total, int(source.tailnum.isna().sum())))
        with consuming:
            consume(address, consuming, produced, arguments.partitions)
        with streaming:
            spark = delays.session(directory)
            stack.callback(spark.stop)
            streaming.records = delays.aggregate(spark, address, directory / "checkpoint", max(total // 2, 1))
            print(f"  read {streaming.records:,} flights")
        check("flights read by Spark", streaming.records, total)
        with reading:
            found = delays.latest(spark, address)
            reading.records = len(found)
        table(("origin", "hour", "departures", "mean delay"), found, bar_of=2)
        # Whole minutes add up exactly: the means are equal to the last bit.
        for row, expected in zip_longest(found, data.expected_delays(source)):
            check("a row of the result", row, expected)
        print(f"  every number is the same as pandas' on {data.archive().name}")
    summary(steps)


def main() -> int:
    """Runs the demo; returns the process's exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, metavar="N", help="only the first N flights (default: all 336,776)")
    parser.add_argument(
        "--partitions", type=int, default=6, metavar="N", help="of topic flights (default: %(default)s)"
    )
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="an empty directory for all files, which is kept")
    parser.add_argument("--keep", action="store_true", help="keep the files of a run without --data-dir")
    arguments = parser.parse_args()
    directory = (arguments.data_dir or Path(tempfile.mkdtemp(prefix="flights-"))).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    if arguments.data_dir is not None and any(directory.iterdir()):
        parser.error(f"--data-dir: {directory} is not empty")
    keep = True
    try:
        run(arguments, directory)
        keep = arguments.keep or arguments.data_dir is not None
    except WrongNumberError as wrong:
        print(f"\nWRONG: {wrong}", file=sys.stderr)
        return 1
    finally:
        if keep:
            print(f"the broker's data and the logs of broker and Spark are kept in {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
