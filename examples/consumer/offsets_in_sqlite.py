"""Offsets kept with the results, in one database transaction: every record counts exactly once, also after a crash.

The group still divides the partitions; where to go on is read from the database when partitions come, and nothing is
committed to Kafka.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from barnabas import Broker, Consumer, Producer, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from barnabas.client import Record

SCHEMA = """
    create table if not exists positions (topic text, part int, next int, primary key (topic, part));
    create table if not exists totals (key blob primary key, total int);
"""


class Store:
    """Totals by key, and how far each partition is in them. It is the consumer's rebalance listener."""

    def __init__(self, path: str | Path, consumer: Consumer) -> None:
        self.database = sqlite3.connect(path)
        self.database.executescript(SCHEMA)
        self.consumer = consumer

    def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """Goes on where the database says; what it does not know begins by `auto_offset_reset`."""
        for partition in partitions:
            found = self.database.execute("select next from positions where topic = ? and part = ?", partition)
            for (offset,) in found:
                self.consumer.seek(partition, offset)

    def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """Everything is in the database already."""

    def on_partitions_lost(self, partitions: Sequence[TopicPartition]) -> None:
        """Everything is in the database already."""

    def add(self, partition: TopicPartition, records: Sequence[Record]) -> None:
        """Adds the records of one partition to the totals, all or none."""
        with self.database:
            # A former owner may still be writing: the second of two transactions for the same records finds them done.
            known = self.database.execute(
                "select next from positions where topic = ? and part = ?", partition
            ).fetchone()
            fresh = [record for record in records if known is None or record.offset >= known[0]]
            self.database.executemany(
                "insert into totals values (?, ?) on conflict do update set total = total + excluded.total",
                [(record.key, int(record.value or 0)) for record in fresh],
            )
            self.database.execute(
                "insert or replace into positions values (?, ?, ?)", (*partition, records[-1].offset + 1)
            )


def run(
    path: str | Path, bootstrap_servers: str, topic: str, group: str, is_done: Callable[[sqlite3.Connection], bool]
) -> None:
    """Adds up until told to stop."""
    with Consumer(
        bootstrap_servers=bootstrap_servers, group_id=group, auto_offset_reset="earliest", enable_auto_commit=False
    ) as consumer:
        store = Store(path, consumer)
        try:
            consumer.subscribe([topic], store)
            while not is_done(store.database):
                for partition, records in consumer.poll(timeout=0.2).by_partition().items():
                    store.add(partition, records)
        finally:
            store.database.close()


if __name__ == "__main__":
    import tempfile

    with Broker() as broker, tempfile.TemporaryDirectory() as directory:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many("sales", [b"1"] * 100, keys=[b"apples", b"pears"] * 50)
        run(
            f"{directory}/totals.db",
            broker.bootstrap_servers,
            "sales",
            "totals",
            lambda database: database.execute("select sum(total) from totals").fetchone() == (100,),
        )
        with sqlite3.connect(f"{directory}/totals.db") as totals:
            print(totals.execute("select * from totals order by key").fetchall())
