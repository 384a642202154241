"""A compacted topic with transactions that Kafka wrote before it was killed: what foreign clients read of it, read_committed,
from Kafka, from our broker before and after compaction, and from a Kafka that opens what we compacted."""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import shutil
import signal
import time
from typing import TYPE_CHECKING

import aiokafka
import confluent_kafka
import pytest
from killable_kafka import BOUND, Reference
from reference_kafka import java

import barnabas

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.interop
TOPIC = "ledger"
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
KEYS = 25
PAIRS = 20
STEP_MS = 1_000

Record = tuple[int, bytes | None, bytes | None]
"""Offset, key and value."""


class History:
    """Writes transactions to Kafka, two at a time, with records of no transaction between them."""

    def __init__(self, address: dict[str, str]) -> None:
        self.chance = random.Random(11)  # noqa: S311 (seeded)
        # Each pair begins a segment of its own, and is compacted without waiting for it to grow old.
        self.now = int(time.time() * 1000) - 3_600_000
        # They outlive Kafka, of which each would tell on every attempt to connect.
        address = {**address, "log_level": "0"}
        self.plain = confluent_kafka.Producer({**address, "enable.idempotence": True, "linger.ms": 0})
        self.writers = [
            confluent_kafka.Producer({**address, "transactional.id": f"t-{codec}", "compression.type": codec})
            for codec in CODECS
        ]
        for writer in self.writers:
            writer.init_transactions(BOUND)
        self.aborts = 0

    def put(self, producer: confluent_kafka.Producer, mark: str) -> None:
        value = None if self.chance.random() < 0.1 else f"{mark} {'.' * self.chance.randrange(80)}".encode()
        producer.produce(TOPIC, value, b"key %d" % self.chance.randrange(KEYS), timestamp=self.now)

    def write(self) -> None:
        for number in range(PAIRS):
            self.now += STEP_MS
            pair = self.chance.sample(self.writers, 2)
            commits = [self.chance.random() < 0.6 for _ in pair]
            for writer in pair:
                writer.begin_transaction()
            for _ in range(self.chance.randrange(2, 12)):
                which = self.chance.randrange(2)
                self.put(pair[which], f"{'committed' if commits[which] else 'aborted'} {number}")
                # Now and then the two stand in the log by turns.
                assert not self.chance.random() < 0.4 or pair[which].flush(BOUND) == 0
            self.put(self.plain, f"plain {number}")
            for producer in (*pair, self.plain):
                assert producer.flush(BOUND) == 0
            for writer, is_committed in zip(pair, commits, strict=True):
                if is_committed:
                    writer.commit_transaction(BOUND)
                else:
                    writer.abort_transaction(BOUND)
                    self.aborts += 1

    def begin_without_end(self) -> None:
        """The last transaction is still open when Kafka is killed; what follows it is not stable."""
        writer = self.writers[0]
        writer.begin_transaction()
        for _ in range(5):
            self.put(writer, "open")
        assert writer.flush(BOUND) == 0
        self.put(self.plain, "behind the open one")
        assert self.plain.flush(BOUND) == 0


def by_confluent(address: str) -> list[Record]:
    """Everything up to the last stable offset, as librdkafka reads it."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": address,
            "group.id": "reader",
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "check.crcs": True,
        }
    )
    found: list[Record] = []
    try:
        consumer.assign([confluent_kafka.TopicPartition(TOPIC, 0, confluent_kafka.OFFSET_BEGINNING)])
        deadline = time.monotonic() + BOUND
        while time.monotonic() < deadline:
            for message in consumer.consume(1000, 1.0):
                error = message.error()
                if error is None:
                    found.append((message.offset(), message.key(), message.value()))
                elif error.code() == confluent_kafka.KafkaError._PARTITION_EOF:
                    return found
                else:
                    raise confluent_kafka.KafkaException(error)
    finally:
        consumer.close()
    raise AssertionError(f"no end of the partition behind {len(found)} records")


def by_aiokafka(address: str, count: int) -> list[Record]:
    """As many records as there should be, and any that come with them."""

    async def read() -> list[Record]:
        consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=address, isolation_level="read_committed", auto_offset_reset="earliest"
        )
        await consumer.start()
        try:
            partition = aiokafka.TopicPartition(TOPIC, 0)
            consumer.assign([partition])
            await consumer.seek_to_beginning(partition)
            found: list[Record] = []
            async with asyncio.timeout(BOUND):
                while len(found) < count:
                    for records in (await consumer.getmany(timeout_ms=500)).values():
                        found += [(record.offset, record.key, record.value) for record in records]
            return found
        finally:
            await consumer.stop()

    return asyncio.run(read())


def by_java(address: str, count: int) -> list[Record]:
    """The first records that Kafka's console consumer prints."""
    shown = [part for what in ("key", "offset") for part in ("--formatter-property", f"print.{what}=true")]
    ended = java(
        "ConsoleConsumer", "--bootstrap-server", address, "--topic", TOPIC, "--from-beginning",
        "--isolation-level", "read_committed", "--max-messages", str(count), "--timeout-ms", "60000", *shown,
    )  # fmt: skip
    found: list[Record] = []
    for line in ended.stdout.splitlines():
        if (fields := re.fullmatch(r"Offset:(\d+)\t([^\t]*)\t(.*)", line)) is not None:
            value = None if fields[3] == "null" else fields[3].encode()
            found.append((int(fields[1]), fields[2].encode(), value))
    return found


def newest(records: list[Record]) -> dict[bytes | None, tuple[int, bytes | None]]:
    return {key: (offset, value) for offset, key, value in records}


def compact(broker: barnabas.Broker) -> list[Record]:
    """Makes the topic due for compaction and waits for a round; returns what is left."""
    admin = confluent_kafka.admin.AdminClient({"bootstrap.servers": broker.bootstrap_servers})
    entry = confluent_kafka.admin.ConfigEntry(
        "min.cleanable.dirty.ratio", "0.01", incremental_operation=confluent_kafka.admin.AlterConfigOpType.SET
    )
    resource = confluent_kafka.admin.ConfigResource("topic", TOPIC, incremental_configs=[entry])
    for future in admin.incremental_alter_configs([resource]).values():
        future.result(BOUND)
    deadline = time.monotonic() + BOUND
    while not broker.metrics()["barnabas_cleaner_rounds_total"]:
        assert time.monotonic() < deadline, "no round of compaction"
    return by_confluent(broker.bootstrap_servers)


@pytest.mark.timeout(300)
def test_foreign_clients_agree_on_a_compacted_topic_with_transactions(tmp_path: Path) -> None:
    kafka = Reference(tmp_path / "kafka")
    with contextlib.ExitStack() as stack:
        stack.callback(kafka.end, signal.SIGKILL)
        kafka.start()
        # It is for us to compact.
        options = {"cleanup.policy": "compact", "segment.ms": "500", "min.cleanable.dirty.ratio": "1"}
        kafka.create(TOPIC, **options)
        history = History(kafka.address)
        history.write()
        history.begin_without_end()
        expected = by_confluent(kafka.address["bootstrap.servers"])
        kafka.end(signal.SIGKILL)
        assert history.aborts > 2
        assert len(expected) > 50
        # How many segments it has depends on how long writing took.
        assert len(list((kafka.data / f"{TOPIC}-0").glob("*.log"))) > 2

        shutil.copytree(kafka.data, tmp_path / "ours", ignore=shutil.ignore_patterns(".lock", "*.tmp"))
        with barnabas.Broker(tmp_path / "ours", log_cleaner_backoff_ms=100) as broker:
            assert by_confluent(broker.bootstrap_servers) == expected
            left = compact(broker)
        # Once more, from what is on disk.
        with barnabas.Broker(tmp_path / "ours", log_cleaner_enable=False) as broker:
            address = broker.bootstrap_servers
            assert by_confluent(address) == left
            assert by_java(address, len(left)) == left
            assert by_aiokafka(address, len(left)) == left
        assert set(left) < set(expected)
        assert [offset for offset, _, _ in left] == sorted(offset for offset, _, _ in left)
        assert newest(left) == newest(expected)
        assert not any((value or b"").startswith((b"aborted", b"open", b"behind")) for _, _, value in left)

        kafka.put(tmp_path / "ours" / f"{TOPIC}-0")
        # It takes the registration of the one that was killed for that of another that lives, until its session is over.
        kafka.config.write_text(kafka.config.read_text() + "broker.session.timeout.ms=9000\n")
        kafka.start()
        assert by_confluent(kafka.address["bootstrap.servers"]) == left
