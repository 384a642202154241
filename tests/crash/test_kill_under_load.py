"""kill -9 of a broker under load, many times: what was acknowledged is there, once, in order, whatever the log does beside.

`SEEDS=n` kills n times (`make crash` kills a tenth of its SEEDS), `SEED=s` repeats one run of random moments; `REPORT=file` takes the counts.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import barnabas
from barnabas import NewTopic, TopicPartition

KILLS_BY_DEFAULT = 6
KILLS_PER_RUN = 10
"""Kills of one set of topics, before all of it is read back and the next set begins."""
BOUND = 240.0
KEYS = 50
PARTITIONS = 3
RECORDS_IN_FLIGHT = 20_000

TOPICS = {
    # Segments roll many times between two kills; each kind has a thread that writes it.
    "plain": {"segment.ms": "40", "index.interval.bytes": "512"},
    "flushed": {"segment.ms": "70", "flush.messages": "500"},
    "keyed": {
        "cleanup.policy": "compact",
        "segment.ms": "30",
        "min.cleanable.dirty.ratio": "0.01",
        "max.compaction.lag.ms": "1000",
        "delete.retention.ms": "0",
    },
    "short": {"segment.ms": "30", "retention.bytes": "100000", "file.delete.delay.ms": "100"},
}
OPTIONS = {
    # As often as the options allow, so that kills meet checkpoints, retention, compaction and removals.
    "log.flush.offset.checkpoint.interval.ms": "100",
    "log.retention.check.interval.ms": "50",
    "log.cleaner.backoff.ms": "20",
}


class Broker:
    """`barnabas broker` on one data directory or two, and from its second start on one port."""

    def __init__(self, directory: Path, log_dirs: int, chance: random.Random, counts: Counter[str]) -> None:
        self.directory = directory
        self.log_dirs = ",".join(str(directory / f"data{number}") for number in range(log_dirs))
        self.chance = chance
        self.counts = counts
        self.address = ""
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *, kill_meanwhile: bool = False) -> None:
        """Starts the broker and waits until it serves; now and then it is killed while it recovers, and started again."""
        ready = self.directory / "ready"
        ready.unlink(missing_ok=True)
        options = {**OPTIONS, "log.dirs": self.log_dirs}
        command = [sys.executable, "-m", "barnabas", "broker", "--ready-file", str(ready)]
        command += ["--listen", self.address or "127.0.0.1:0"]
        for name, value in options.items():
            command += ["--set", f"{name}={value}"]
        self.process = subprocess.Popen(command, env=os.environ)
        if kill_meanwhile:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(self.chance.uniform(0.05, 0.4))
            self.counts["kills at a start"] += 1
            self.kill()
            return self.start()
        deadline = time.monotonic() + BOUND
        while not (ready.exists() and ready.read_text().strip()):
            assert self.process.poll() is None, "the broker ended"
            assert time.monotonic() < deadline, "the broker did not get ready"
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.01)
        self.address = ready.read_text().split()[0]
        return None

    def run_and_kill(self) -> None:
        """Lets it serve for a random time and kills it."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(self.chance.uniform(0.01, 0.7))
        assert self.process.poll() is None, "the broker ended by itself"
        self.counts["kills under load"] += 1
        self.kill()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)


class Writer(threading.Thread):
    """Sends numbered records to one topic until told to stop, and knows what was acknowledged where."""

    def __init__(self, address: str, topic: str, codec: str, seed: int) -> None:
        super().__init__(name=f"writer of {topic}")
        self.topic = topic
        self.chance = random.Random(seed)  # noqa: S311 (seeded)
        self.deliveries: list[tuple[bytes | None, bytes | None, barnabas.client.Delivery]] = []
        self.stopping = threading.Event()
        options = {"bootstrap_servers": address, "linger_ms": 1, "batch_size": 16_384, "compression_type": codec}
        # A machine that is busy with other things is no reason to give a record up.
        patience = {"delivery_timeout_ms": 600_000, "max_block_ms": 240_000}
        self.producer = barnabas.Producer(**options, **patience, buffer_memory=1 << 20)
        self.failure: Exception | None = None

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                number = len(self.deliveries)
                key = b"key %d" % self.chance.randrange(KEYS) if self.topic == "keyed" else None
                value = b"%d %s" % (number, b"." * self.chance.randrange(200))
                if key is not None and self.chance.random() < 0.1:
                    value = None
                partition = self.chance.randrange(PARTITIONS)
                sent = self.producer.send(self.topic, value, key=key, partition=partition)
                self.deliveries.append((key, value, sent))
                if number >= RECORDS_IN_FLIGHT:
                    self.deliveries[number - RECORDS_IN_FLIGHT][2].result(BOUND)
            self.producer.flush(BOUND)
        except Exception as error:  # noqa: BLE001 — `finish` reports it
            self.failure = error

    def finish(self) -> dict[int, list[tuple[int, bytes | None, bytes | None]]]:
        """Stops sending; returns (offset, key, value) of everything, all of it acknowledged, by partition."""
        self.stopping.set()
        self.join(BOUND)
        assert self.failure is None, self.failure
        assert not self.is_alive()
        self.producer.close()
        acknowledged: dict[int, list[tuple[int, bytes | None, bytes | None]]] = {n: [] for n in range(PARTITIONS)}
        for key, value, delivery in self.deliveries:
            found = delivery.result(0)
            acknowledged[found.partition].append((found.offset, key, value))
        return acknowledged


def stored(address: str, topic: str, partition: int) -> list[tuple[int, bytes | None, bytes | None]]:
    """Everything that a partition serves, in the order in which it does."""
    found: list[tuple[int, bytes | None, bytes | None]] = []
    at = TopicPartition(topic, partition)
    with barnabas.Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as consumer:
        consumer.assign([at])
        end = consumer.end_offsets([at])[at]
        deadline = time.monotonic() + BOUND
        while consumer.position(at) < end:
            assert time.monotonic() < deadline, f"{topic}-{partition}: {consumer.position(at)} of {end}"
            found += [(record.offset, record.key, record.value) for record in consumer.poll(timeout=0.5)]
    return found


def check(address: str, writer: Writer, counts: Counter[str]) -> None:
    """Holds what is stored against what was acknowledged."""
    for partition, acknowledged in writer.finish().items():
        found = stored(address, writer.topic, partition)
        what = f"{writer.topic}-{partition}"
        counts["records acknowledged"] += len(acknowledged)
        counts["records read back"] += len(found)
        offsets = [offset for offset, _, _ in acknowledged]
        assert offsets == list(range(len(offsets))), f"{what}: every record has an offset of its own, in order"
        assert [offset for offset, _, _ in found] == sorted({offset for offset, _, _ in found}), f"{what}: out of order"
        if writer.topic == "keyed":
            assert set(found) <= set(acknowledged), f"{what}: a record that nobody wrote"
            latest = {key: (offset, value) for offset, key, value in acknowledged}
            left = {key: (offset, value) for offset, key, value in found}
            for key, (offset, value) in latest.items():
                if value is None:
                    assert left.get(key, (offset, None))[1] is None, f"{what}: {key!r} is back"
                else:
                    assert left.get(key) == (offset, value), f"{what}: the last value of {key!r}"
                counts["last values of keys"] += 1
        elif writer.topic == "short":
            assert found == acknowledged[len(acknowledged) - len(found) :], f"{what}: not the newest records"
        else:
            assert found == acknowledged, f"{what}: {len(found)} of {len(acknowledged)} records"


def seeds() -> Iterator[int]:
    """The seed of each run of KILLS_PER_RUN kills."""
    if seed := os.environ.get("SEED"):
        yield int(seed)
        return
    kills = int(os.environ.get("SEEDS", str(KILLS_BY_DEFAULT)))
    for _ in range(0, kills, KILLS_PER_RUN):
        yield random.SystemRandom().randrange(1 << 32)


def test_kills_under_load_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    kills = int(os.environ.get("SEEDS", str(KILLS_BY_DEFAULT)))
    for run, seed in enumerate(seeds()):
        print(f"SEED={seed}")
        one_run(tmp_path / str(run), seed, min(KILLS_PER_RUN, kills), counts)
        if report := os.environ.get("REPORT"):
            told = {"command": f"make crash SEEDS={10 * kills}", **dict(sorted(counts.items()))}
            Path(report).write_text(json.dumps(told, indent=1) + "\n")


def one_run(directory: Path, seed: int, kills: int, counts: Counter[str]) -> None:
    """Writes to all topics while the broker dies again and again, then reads everything."""
    directory.mkdir()
    chance = random.Random(seed)  # noqa: S311 (seeded)
    broker = Broker(directory, 1 + seed % 2, chance, counts)
    counts[f"runs with {1 + seed % 2} log.dirs"] += 1
    with contextlib.ExitStack() as stack:
        stack.callback(broker.stop)
        broker.start()
        with barnabas.Admin(bootstrap_servers=broker.address) as admin:
            admin.create_topics([NewTopic(topic, PARTITIONS, configs=options) for topic, options in TOPICS.items()])
        writers = [
            Writer(broker.address, topic, codec, chance.randrange(1 << 32))
            for topic, codec in zip(TOPICS, ["none", "lz4", "zstd", "none"], strict=True)
        ]
        for writer in writers:
            stack.callback(writer.stopping.set)
            writer.start()
        for _ in range(kills):
            broker.run_and_kill()
            broker.start(kill_meanwhile=chance.random() < 0.2)
        for writer in writers:
            check(broker.address, writer, counts)
