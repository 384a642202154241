"""Topics that the reference wrote with transactions and gaps, for readers that are compared with one another."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from typing import TYPE_CHECKING

import confluent_kafka
from reference_kafka import copy_of_running, reference_kafka

import barnabas

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

BOUND = 60.0
LEDGER, COMPACTED = "ledger", "ledger-compacted"
PARTITIONS = 2
ROUNDS = 8
KEYS = 10
# In a round each of two producers has two records and a marker, and one record is of no transaction.
OPEN_AT = 7 * ROUNDS
"""Where the open transaction begins in partition 0 of LEDGER."""
SEGMENT_MS = 500
OFTEN = {"log.cleaner.backoff.ms": "100"}
"""Kafka compacts at once."""


class Writers:
    """Two producers of transactions, and one of records without."""

    def __init__(self, address: str) -> None:
        # They outlive Kafka, of which each would tell on every attempt to connect.
        always = {"bootstrap.servers": address, "log_level": 0, "linger.ms": 0}
        # A transaction that is left open stays open as long as tests run.
        lasting = {"transaction.timeout.ms": 900_000, "message.timeout.ms": 60_000}
        self.plain = confluent_kafka.Producer({**always, "enable.idempotence": True})
        self.one, self.other = (
            confluent_kafka.Producer({**always, **lasting, "transactional.id": name}) for name in ("one", "other")
        )
        for producer in (self.one, self.other):
            producer.init_transactions(BOUND)
        # Ahead of the markers of transactions, which have the time when they are written: a segment begins with the records
        # of a round, and not where a marker happens to be late.
        self.at = int(time.time() * 1000) + 600_000
        self.keys = Counter()

    def put(self, producer: confluent_kafka.Producer, topic: str, partition: int, what: str) -> None:
        self.keys[topic] += 1
        key = b"key %d" % (self.keys[topic] % KEYS)
        producer.produce(topic, what.encode(), key, partition, timestamp=self.at)
        assert producer.flush(BOUND) == 0

    def write(self, topic: str, partitions: int) -> None:
        """Committed and aborted transactions by turns with each other and with records of none."""
        for number in range(ROUNDS):
            # Each round begins a segment of its own.
            self.at += 2 * SEGMENT_MS
            ends = {self.one: number % 2 == 0, self.other: number % 3 == 0}
            for producer in ends:
                producer.begin_transaction()
            for partition in range(partitions):
                for producer, is_committed in (*ends.items(), *ends.items()):
                    self.put(producer, topic, partition, f"{'committed' if is_committed else 'aborted'} {number}")
                self.put(self.plain, topic, partition, f"plain {number}")
            for producer, is_committed in ends.items():
                (producer.commit_transaction if is_committed else producer.abort_transaction)(BOUND)

    def roll(self, topic: str) -> None:
        """Begins a segment of one record, so that all before it is compacted."""
        self.at += 2 * SEGMENT_MS
        self.put(self.plain, topic, 0, "plain at last")

    def begin_without_end(self, topic: str, partition: int) -> None:
        """What follows a transaction that is open is not stable."""
        self.one.begin_transaction()
        for _ in range(3):
            self.put(self.one, topic, partition, "open")
        self.put(self.plain, topic, partition, "behind the open one")


def count(address: str, topic: str) -> int:
    """How many records a topic of one partition has."""
    place = barnabas.TopicPartition(topic, 0)
    with barnabas.Consumer(bootstrap_servers=address) as consumer:
        consumer.assign([place])
        consumer.seek_to_beginning([place])
        found, end = 0, consumer.end_offsets([place])[place]
        while consumer.position(place) < end:
            found += len(consumer.poll(timeout=BOUND))
        return found


@contextlib.contextmanager
def ledgers(directory: Path) -> Iterator[dict[str, str]]:
    """Addresses of a Kafka that has the topics, and of a broker of ours with a copy of its data."""
    with reference_kafka(directory / "kafka", OFTEN) as address:
        compacting = {"cleanup.policy": "compact", "segment.ms": str(SEGMENT_MS), "min.cleanable.dirty.ratio": "0.01"}
        with barnabas.Admin(bootstrap_servers=address) as admin:
            admin.create_topics([
                barnabas.NewTopic(LEDGER, num_partitions=PARTITIONS, configs={"retention.ms": "-1"}),
                barnabas.NewTopic(COMPACTED, num_partitions=1, configs=compacting),
            ])  # fmt: skip
        writers = Writers(address)
        writers.write(COMPACTED, 1)
        writers.roll(COMPACTED)
        writers.write(LEDGER, PARTITIONS)
        writers.begin_without_end(LEDGER, 0)
        deadline = time.monotonic() + BOUND
        while count(address, COMPACTED) > KEYS + 1:
            assert time.monotonic() < deadline, "Kafka did not compact"
        copy_of_running(directory / "kafka" / "data", directory / "ours")
        with barnabas.Broker(directory / "ours", log_cleaner_enable=False) as broker:
            yield {"kafka": address, "barnabas": broker.bootstrap_servers}
