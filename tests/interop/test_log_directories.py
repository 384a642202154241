"""Partition directories across the two implementations: Kafka's tool and Kafka's log read ours, our log reads Kafka's."""

import contextlib
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import confluent_kafka
import pytest
from killable_kafka import BOUND, Reference
from reference_kafka import jars

import barnabas
from barnabas import NewTopic

pytestmark = pytest.mark.interop
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
RECORDS = 2_000


def run_log_test(name: str, *where: str, **environment: str) -> None:
    """Runs one of the log crate's tests that need the reference; `where` it is, if not in `tests/kafka_tools.rs`."""
    target = where or ("--test", "kafka_tools")
    command = ["cargo", "test", "-q", "-p", "barnabas-log", *target, "--", "--ignored", "--exact", name]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout, done.stdout


@pytest.fixture
def reference(tmp_path: Path) -> Iterator[Reference]:
    broker = Reference(tmp_path / "reference")
    with contextlib.ExitStack() as stack:
        stack.callback(broker.end, signal.SIGKILL)
        broker.start()
        yield broker


def test_dump_log_segments_reads_what_we_wrote_of_all_codecs_and_transactions() -> None:
    run_log_test("dump_log_segments_reads_our_files_without_complaint", KAFKA_CLASSPATH=jars())


@pytest.mark.parametrize(
    ("name", "seeds"),
    [
        ("dump::kafkas_tools_read_what_they_read_of_kafkas_own_log", "3"),
        ("kafka::kafkas_cleaner_leaves_the_same", "20"),
    ],
)
def test_what_is_compacted_is_what_kafkas_cleaner_leaves(name: str, seeds: str) -> None:
    run_log_test(f"tests::cleaner::{name}", "--lib", KAFKA_CLASSPATH=jars(), SEEDS=seeds)


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
    reference.put(ours / "moved-0")
    assert list((reference.data / "moved-0").glob("*.log"))
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
