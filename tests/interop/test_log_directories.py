"""Partition directories across the two implementations: Kafka's tool and Kafka's log read ours, our log reads Kafka's."""

import contextlib
import os
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import confluent_kafka
import pytest
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import NewTopic as ForeignTopic
from reference_kafka import CLUSTER_ID, free_port, jars, java, properties, wait_for_port

import barnabas
from barnabas import NewTopic

pytestmark = pytest.mark.interop
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
RECORDS = 2_000
BOUND = 60.0
# What a partition's log consists of; its identity stays the one of the directory that it is put into.
LOG_FILES = ("*.log", "*.index", "*.timeindex", "*.txnindex", "*.snapshot", "leader-epoch-checkpoint")
CHECKPOINTS = ("recovery-point-offset-checkpoint", "replication-offset-checkpoint", "log-start-offset-checkpoint")


def run_log_test(name: str, **environment: str) -> None:
    """Runs one of the log crate's tests that need the reference."""
    command = ["cargo", "test", "-q", "-p", "barnabas-log", "--test", "kafka_tools", "--", "--ignored", "--exact", name]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout, done.stdout


class Reference:
    """A reference broker that can be killed and started again on the same data."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.data = directory / "data"
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        directory.mkdir(parents=True)
        self.config = directory / "server.properties"
        # No entry of an index may be missing for want of bytes.
        self.config.write_text(properties(directory, self.port, free_port()) + "log.index.interval.bytes=512\n")
        formatted = java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(self.config))
        assert formatted.returncode == 0, formatted.stderr or formatted.stdout

    @property
    def address(self) -> dict[str, str]:
        return {"bootstrap.servers": f"127.0.0.1:{self.port}"}

    def start(self) -> None:
        log = self.directory / "kafka.log"
        options = ["-Xmx512m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
        command = ["java", *options, "-cp", jars(), "kafka.Kafka", str(self.config)]
        with log.open("ab") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_for_port(self.process, self.port, log)

    def end(self, how: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(BOUND)

    def create(self, topic: str, **options: str) -> None:
        admin = AdminClient(self.address)
        for future in admin.create_topics([ForeignTopic(topic, 1, 1, config=options)]).values():
            future.result(BOUND)

    def values(self, topic: str, count: int) -> list[bytes | None]:
        """The first `count` records of the topic."""
        options = {**self.address, "group.id": "reader", "auto.offset.reset": "earliest", "check.crcs": True}
        consumer = confluent_kafka.Consumer(options)
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
        found: list[bytes | None] = []
        while len(found) < count:
            messages = consumer.consume(count - len(found), BOUND)
            assert messages, f"{len(found)} of {count} records"
            for message in messages:
                assert message.error() is None, message.error()
                found.append(message.value())
        consumer.close()
        return found


@pytest.fixture
def reference(tmp_path: Path) -> Iterator[Reference]:
    broker = Reference(tmp_path / "reference")
    with contextlib.ExitStack() as stack:
        stack.callback(broker.end, signal.SIGKILL)
        broker.start()
        yield broker


def test_dump_log_segments_reads_what_we_wrote_of_all_codecs_and_transactions() -> None:
    run_log_test("dump_log_segments_reads_our_files_without_complaint", KAFKA_CLASSPATH=jars())


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL], ids=["stopped", "killed"])
def test_our_log_reads_what_kafka_wrote(reference: Reference, how: int) -> None:
    chance = random.Random(7)  # noqa: S311 (seeded)
    reference.create("mixed", **{"segment.bytes": "1048576", "segment.ms": "200"})
    reference.create("keyed", **{"cleanup.policy": "compact", "segment.ms": "200", "min.cleanable.dirty.ratio": "0.01"})
    for codec in CODECS:
        options = {**reference.address, "compression.type": codec, "enable.idempotence": True, "linger.ms": 1}
        producer = confluent_kafka.Producer(options)
        for number in range(RECORDS):
            value = b"%d %s" % (number, b"." * chance.randrange(300))
            producer.produce("mixed", value)
            producer.produce("keyed", value, key=b"%d" % chance.randrange(40))
            producer.poll(0)
        assert producer.flush(BOUND) == 0
    producer = confluent_kafka.Producer({**reference.address, "transactional.id": "t"})
    producer.init_transactions(BOUND)
    for transaction in range(6):
        producer.begin_transaction()
        for number in range(20):
            producer.produce("mixed", b"in a transaction %d" % number)
        if transaction % 2:
            # What is not sent yet would be dropped, not aborted.
            assert producer.flush(BOUND) == 0
            producer.abort_transaction(BOUND)
        else:
            producer.commit_transaction(BOUND)
    reader = confluent_kafka.Consumer({**reference.address, "group.id": "ends"})
    ends = {}
    for topic in ("mixed", "keyed"):
        _, ends[topic] = reader.get_watermark_offsets(confluent_kafka.TopicPartition(topic, 0), BOUND)
    reader.close()
    assert ends["mixed"] == len(CODECS) * RECORDS + 6 * 21
    reference.end(how)
    expected = ",".join(f"{topic}-0={end}" for topic, end in ends.items())
    run_log_test("what_kafka_wrote_is_read", KAFKA_DATA_DIR=str(reference.data), KAFKA_EXPECTED=expected)


@pytest.mark.parametrize("properly", [True, False], ids=["trusted", "recovered"])
def test_kafkas_log_opens_what_we_wrote(reference: Reference, tmp_path: Path, *, properly: bool) -> None:
    expected: list[bytes] = []
    ours = tmp_path / "ours"
    options = {"log_index_interval_bytes": 512}
    with barnabas.Broker(data_dir=ours, **options) as broker:
        address = {"bootstrap_servers": broker.bootstrap_servers}
        with barnabas.Admin(**address) as admin:
            admin.create_topics([NewTopic("moved", 1, configs={"segment.ms": "100"})])
        chance = random.Random(8)  # noqa: S311 (seeded)
        for codec in CODECS:
            with barnabas.Producer(**address, compression_type=codec, batch_size=16_384) as producer:
                values = [b"%s %d %s" % (codec.encode(), n, b"." * chance.randrange(300)) for n in range(RECORDS)]
                producer.send_many("moved", values).result(BOUND)
                expected += values
    reference.create("moved")
    reference.end(signal.SIGTERM)
    target = reference.data / "moved-0"
    for pattern in LOG_FILES:
        for stale in target.glob(pattern):
            stale.unlink()
        for file in (ours / "moved-0").glob(pattern):
            shutil.copy(file, target)
    assert len(list(target.glob("*.log"))) >= 1
    for name in CHECKPOINTS:
        (reference.data / name).unlink(missing_ok=True)
    if not properly:
        # Kafka then validates every batch and builds indexes and producer state anew.
        (reference.data / ".kafka_cleanshutdown").unlink()
    reference.start()
    assert reference.values("moved", len(expected)) == expected
    follower = confluent_kafka.Producer(reference.address)
    follower.produce("moved", b"behind")
    assert follower.flush(BOUND) == 0
    assert reference.values("moved", len(expected) + 1)[-1] == b"behind"
    complaints = [line for line in (reference.directory / "kafka.log").read_text().splitlines() if "moved-0" in line]
    assert not [line for line in complaints if "WARN" in line or "ERROR" in line], complaints
