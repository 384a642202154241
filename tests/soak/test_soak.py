"""Soak: mixed load of our clients and foreign ones, with restarts; nothing acknowledged is lost, memory and files stay flat.

`make soak MINUTES=30` runs it by volume; its counts go to tests/results/soak.json.
"""

from __future__ import annotations

import itertools
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import Consumer as ForeignConsumer
from confluent_kafka import Producer as ForeignProducer
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

import barnabas

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = float(os.environ.get("MINUTES", "0")) * 60 or 10.0
LIVES = max(2, min(9, round(SECONDS / 120)))
LONG_LIFE_S = SECONDS / 2
"""The first life, in which memory has the time to grow; the others share the rest."""
PARTITIONS = 4
BATCH = 200
PAUSE_S = 0.1
"""Between two batches of a producer, so that the load is steady and the machine is left to others as well."""
GROWTH_BYTES_MAX = 12 * 1024 * 1024
"""From the second quarter of a life to its last, in the medians."""
DESCRIPTORS_GROWTH_MAX = 16
LIFE_WITH_PROGRESS_S = 20.0
"""Lives that last at least so long see every client make progress."""
PATIENCE = 120.0
QUIET_S = 10.0
"""A group whose member gets nothing for so long has read everything."""
OWN, FOREIGN = "own", "foreign"


class Seen:
    """How often each of a producer's values was seen; a value is the producer's name and a number."""

    def __init__(self) -> None:
        self._counts: dict[bytes, bytearray] = {name.encode(): bytearray() for name in (OWN, FOREIGN)}
        self.total = 0

    def add(self, value: bytes) -> None:
        name, _, text = value.partition(b"-")
        number, counts = int(text), self._counts[name]
        if number >= len(counts):
            counts.extend(bytes(number + 1_000_000 - len(counts)))
        counts[number] = min(255, counts[number] + 1)
        self.total += 1

    def count(self, name: str) -> int:
        """How many different values."""
        counts = self._counts[name.encode()]
        return len(counts) - counts.count(0)

    def repeated(self) -> int:
        """How many values were seen more than once."""
        return sum(len(counts) - counts.count(0) - counts.count(1) for counts in self._counts.values())

    def missing(self, expected: Seen) -> int:
        """How many values that are expected were not seen."""
        pairs = ((expected._counts[name], counts) for name, counts in self._counts.items())
        return sum(
            1
            for wanted, counts in pairs
            for number, is_wanted in enumerate(wanted)
            if is_wanted and (number >= len(counts) or not counts[number])
        )


class Load:
    """Clients on threads of their own, until `stop`."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.acknowledged = Seen()
        self.read = Seen()
        """What the own group's members have got."""
        self.counts: Counter[str] = Counter()
        self.failures: list[BaseException] = []
        self._over = threading.Event()
        self._lock = threading.Lock()
        roles = (self.own_producer, self.foreign_producer, self.own_consumer, self.foreign_consumer, self.admin)
        self._threads = [threading.Thread(target=self._guard, args=(role,), daemon=True) for role in roles]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join(PATIENCE)
        stuck = [thread for thread in self._threads if thread.is_alive()]
        assert not stuck, f"{len(stuck)} clients did not end"
        if self.failures:
            raise self.failures[0]

    def _guard(self, role: Callable[[], None]) -> None:
        try:
            role()
        except BaseException as error:  # noqa: BLE001 - told by `stop`
            self.failures.append(error)

    def own_producer(self) -> None:
        options: dict[str, Any] = {"delivery_timeout_ms": 120_000, "compression_type": "lz4"}
        with barnabas.Producer(bootstrap_servers=self.address, **options) as producer:
            for number in itertools.count():
                values = [b"%s-%d" % (OWN.encode(), number * BATCH + index) for index in range(BATCH)]
                deliveries = [producer.send("load", value) for value in values]
                producer.flush(PATIENCE)
                for value, delivery in zip(values, deliveries, strict=True):
                    delivery.result(PATIENCE)
                    with self._lock:
                        self.acknowledged.add(value)
                if self._over.wait(PAUSE_S):
                    return

    def foreign_producer(self) -> None:
        options = {"bootstrap.servers": self.address, "enable.idempotence": True, "message.timeout.ms": 120_000}
        producer = ForeignProducer(options)

        def told(error: Any, message: Any) -> None:
            if error is None:
                with self._lock:
                    self.acknowledged.add(message.value())
            else:
                self.counts["foreign sends failed"] += 1

        for number in itertools.count():
            for index in range(BATCH):
                producer.produce("load", b"%s-%d" % (FOREIGN.encode(), number * BATCH + index), on_delivery=told)
            assert producer.flush(PATIENCE) == 0
            if self._over.wait(PAUSE_S):
                return

    def own_consumer(self) -> None:
        options: dict[str, Any] = {"group_id": "own readers", "auto_offset_reset": "earliest"}
        while not self._over.is_set():
            # A member comes and goes, so that the group rebalances.
            with barnabas.Consumer("load", bootstrap_servers=self.address, **options) as consumer:
                until = time.monotonic() + 20
                while time.monotonic() < until and not self._over.is_set():
                    try:
                        self._take(consumer.poll(timeout=0.5))
                    except barnabas.KafkaError:
                        self.counts["polls refused"] += 1
                        self._over.wait(0.2)

    def _take(self, records: barnabas.Records) -> None:
        for value in records.values():
            self.read.add(value)
        self.counts["read by own"] += len(records)

    def read_the_rest(self) -> None:
        """Lets a last member of the own group read what the others have not got."""
        options: dict[str, Any] = {"group_id": "own readers", "auto_offset_reset": "earliest"}
        deadline = time.monotonic() + PATIENCE
        with barnabas.Consumer("load", bootstrap_servers=self.address, **options) as consumer:
            quiet_since = time.monotonic()
            while time.monotonic() - quiet_since < QUIET_S:
                assert time.monotonic() < deadline, "there is no end of what the group has not read"
                records = consumer.poll(timeout=0.5)
                self._take(records)
                if records:
                    quiet_since = time.monotonic()

    def progress(self) -> dict[str, int]:
        return {
            **{f"acknowledged to {name}": self.acknowledged.count(name) for name in (OWN, FOREIGN)},
            **{name: self.counts[name] for name in ("read by own", "read by foreign", "rounds of administration")},
        }

    def foreign_consumer(self) -> None:
        options = {"bootstrap.servers": self.address, "group.id": "foreign readers", "auto.offset.reset": "earliest"}
        consumer = ForeignConsumer(options)
        consumer.subscribe(["load"])
        while not self._over.is_set():
            for message in consumer.consume(1000, 0.5):
                self.counts["read by foreign" if message.error() is None else "errors told"] += 1
        consumer.close()

    def admin(self) -> None:
        foreign = AdminClient({"bootstrap.servers": self.address})
        for number in itertools.count():
            if self._over.wait(0.5):
                return
            try:
                with barnabas.Admin(bootstrap_servers=self.address) as admin:
                    admin.create_topics([barnabas.NewTopic(f"short-{number}", num_partitions=3)])
                    admin.delete_topics([f"short-{number}"])
                foreign.list_topics(timeout=10)
                self.counts["rounds of administration"] += 1
            except Exception:  # noqa: BLE001 - the broker is being restarted
                self.counts["rounds of administration cut off"] += 1


@contextmanager
def broker(directory: Path, address: str) -> Iterator[subprocess.Popen[bytes]]:
    ready = directory / "ready"
    ready.unlink(missing_ok=True)
    command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(directory / "data")]
    command += ["--listen", address, "--ready-file", str(ready), "--set", f"num.partitions={PARTITIONS}"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            while not ready.exists():
                assert process.poll() is None, "the broker did not start"
                assert time.monotonic() < deadline
                time.sleep(0.02)
            yield process
        finally:
            process.kill()


def sample(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """Bytes of memory that no file stands for, and descriptors."""
    root = Path("/proc") / str(process.pid)
    lines = dict(line.split(":", 1) for line in (root / "status").read_text(encoding="utf-8").splitlines())
    return int(lines["RssAnon"].split()[0]) * 1024, len(list((root / "fd").iterdir()))


def live(process: subprocess.Popen[bytes], seconds: float) -> dict[str, Any]:
    """Samples a broker for a while; returns where it stood in each quarter of its life."""
    samples = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        assert process.poll() is None, "the broker has ended"
        samples.append(sample(process))
        time.sleep(min(1.0, seconds / 20))
    size = max(1, len(samples) // 4)
    quarters = [samples[index * size : (index + 1) * size] for index in range(4)]
    return {
        "seconds": round(seconds, 1),
        "rss_bytes": [round(statistics.median(rss for rss, _ in part)) for part in quarters],
        "descriptors": [round(statistics.median(files for _, files in part)) for part in quarters],
    }


def stored(address: str) -> Seen:
    """Every value of the topic, read by the foreign client."""
    consumer = ForeignConsumer({"bootstrap.servers": address, "group.id": "check", "enable.auto.commit": False})
    found = Seen()
    for number in range(PARTITIONS):
        partition = TopicPartition("load", number, 0)
        _, end = consumer.get_watermark_offsets(partition, timeout=PATIENCE)
        consumer.assign([partition])
        deadline = time.monotonic() + PATIENCE
        while consumer.position([partition])[0].offset < end:
            assert time.monotonic() < deadline
            for message in consumer.consume(10_000, 1.0):
                assert message.error() is None
                found.add(message.value())
    consumer.close()
    return found


@pytest.mark.timeout(SECONDS + 600)
def test_mixed_load_with_restarts(tmp_path: Path) -> None:
    lives = []
    with broker(tmp_path, "127.0.0.1:0"):
        address = (tmp_path / "ready").read_text(encoding="utf-8").strip()
        with barnabas.Admin(bootstrap_servers=address) as admin:
            admin.create_topics([barnabas.NewTopic("load", num_partitions=PARTITIONS)])
    load = Load(address)
    for number in range(LIVES):
        with broker(tmp_path, address) as process:
            if number == 0:
                load.start()
            seconds = (SECONDS - LONG_LIFE_S) / (LIVES - 1) if number else LONG_LIFE_S
            before = load.progress()
            lives.append(live(process, seconds))
            after = load.progress()
            lives[-1]["progress"] = {name: after[name] - before[name] for name in after}
            # Every other end is a crash.
            process.send_signal(signal.SIGKILL if number % 2 else signal.SIGTERM)
            process.wait(PATIENCE)
    with broker(tmp_path, address):
        load.stop()
        load.read_the_rest()
        found = stored(address)
    report(load, found, lives)
    assert found.missing(load.acknowledged) == 0, "acknowledged values are lost"
    assert found.repeated() == 0, "a value is there twice, although its producer is idempotent"
    assert load.read.missing(load.acknowledged) == 0, "the group was not given everything"
    assert load.counts["foreign sends failed"] == 0
    assert all(count > 0 for count in load.progress().values()), load.progress()
    for one in lives:
        assert one["rss_bytes"][3] - one["rss_bytes"][1] < GROWTH_BYTES_MAX, one
        assert one["descriptors"][3] - one["descriptors"][1] <= DESCRIPTORS_GROWTH_MAX, one
        if one["seconds"] >= LIFE_WITH_PROGRESS_S:
            assert all(count > 0 for count in one["progress"].values()), one


def report(load: Load, found: Seen, lives: list[dict[str, Any]]) -> None:
    path = os.environ.get("RESULTS")
    if path is None:
        return
    result = {
        "command": "make soak MINUTES=<minutes>",
        "seconds": SECONDS,
        "acknowledged": {name: load.acknowledged.count(name) for name in (OWN, FOREIGN)},
        "acknowledged_and_not_stored": found.missing(load.acknowledged),
        "acknowledged_and_not_read_by_the_group": load.read.missing(load.acknowledged),
        "stored": found.total,
        "stored_twice": found.repeated(),
        "counts": dict(sorted(load.counts.items())),
        "lives": [{**one, "ended_by": "SIGKILL" if number % 2 else "SIGTERM"} for number, one in enumerate(lives)],
        "what": "of each life the medians of its four quarters: memory that no file stands for, descriptors",
    }
    Path(path).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
