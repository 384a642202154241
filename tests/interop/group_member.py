"""A member of a group in a process of its own: `group_member.py CLIENT '{"address": …, "group": …}'`.

It reads until it is told to stop (SIGTERM, it leaves; the harness also stops and kills it) and says a JSON line for all that
it is given, that is taken from it and that it reads, each with the time at which it knew. It commits what it has read
after having said so. Kafka's own VerifiableConsumer does the same in Java.
"""

from __future__ import annotations

# ruff: noqa: PLC0415 - each process imports the client that it is
import asyncio
import json
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

POLL_MS = 100

stopping = threading.Event()


def stop(*_: object) -> None:
    stopping.set()


def say(event: str, **what: object) -> None:
    print(json.dumps({"event": event, "at": time.time(), **what}), flush=True)


def say_read(records: Iterable[tuple[int, int]]) -> None:
    """Says which offsets were read: (partition, offset) in order."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for partition, offset in records:
        first.setdefault(partition, offset)
        last[partition] = offset
    for partition, offset in first.items():
        say("read", partition=partition, first=offset, last=last[partition])


class Listener:
    """What every client's listener says; clients differ in what they hand over."""

    def on_partitions_assigned(self, partitions: Any) -> None:
        say("assigned", partitions=[partition.partition for partition in partitions])

    def on_partitions_revoked(self, partitions: Any) -> None:
        say("revoked", partitions=[partition.partition for partition in partitions])

    def on_partitions_lost(self, partitions: Any) -> None:
        say("revoked", partitions=[partition.partition for partition in partitions], lost=True)


def barnabas_member(given: dict[str, Any]) -> None:
    import barnabas

    config = {
        "bootstrap.servers": given["address"],
        "group.id": given["group"],
        "client.id": given["name"],
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "session.timeout.ms": given["session_ms"],
        "heartbeat.interval.ms": given["heartbeat_ms"],
        "partition.assignment.strategy": given["assignor"],
    }
    consumer = barnabas.Consumer(config=config)
    consumer.subscribe([given["topic"]], Listener())
    with consumer:
        while not stopping.is_set():
            records = consumer.poll(timeout=POLL_MS / 1000)
            if records:
                say_read((record.partition, record.offset) for record in records)
                try:
                    consumer.commit()
                except barnabas.KafkaError as error:
                    say("commit failed", why=str(error))


def confluent_member(given: dict[str, Any]) -> None:
    import confluent_kafka

    config = {
        "bootstrap.servers": given["address"],
        "group.id": given["group"],
        "client.id": given["name"],
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    if given["protocol"] == "consumer":
        config |= {"group.protocol": "consumer", "group.remote.assignor": given["assignor"]}
    else:
        config |= {
            "partition.assignment.strategy": given["assignor"],
            "session.timeout.ms": given["session_ms"],
            "heartbeat.interval.ms": given["heartbeat_ms"],
        }
    consumer = confluent_kafka.Consumer(config)
    listener = Listener()
    consumer.subscribe(
        [given["topic"]],
        on_assign=lambda _, partitions: listener.on_partitions_assigned(partitions),
        on_revoke=lambda _, partitions: listener.on_partitions_revoked(partitions),
        on_lost=lambda _, partitions: listener.on_partitions_lost(partitions),
    )
    try:
        while not stopping.is_set():
            messages = [message for message in consumer.consume(1000, POLL_MS / 1000) if not message.error()]
            if messages:
                say_read((message.partition(), message.offset()) for message in messages)
                try:
                    consumer.commit(asynchronous=False)
                except confluent_kafka.KafkaException as error:
                    say("commit failed", why=str(error))
    finally:
        consumer.close()


def kafka_python_member(given: dict[str, Any]) -> None:
    import kafka
    from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
    from kafka.coordinator.assignors.range import RangePartitionAssignor
    from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
    from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

    strategies = {
        "range": RangePartitionAssignor,
        "roundrobin": RoundRobinPartitionAssignor,
        "sticky": StickyPartitionAssignor,
        "cooperative-sticky": CooperativeStickyAssignor,
    }

    class Reporter(Listener, kafka.ConsumerRebalanceListener):  # type: ignore[misc]
        pass

    consumer = kafka.KafkaConsumer(
        bootstrap_servers=given["address"],
        group_id=given["group"],
        client_id=given["name"],
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        session_timeout_ms=given["session_ms"],
        heartbeat_interval_ms=given["heartbeat_ms"],
        partition_assignment_strategy=[strategies[given["assignor"]]],
    )
    consumer.subscribe([given["topic"]], listener=Reporter())
    try:
        while not stopping.is_set():
            found = consumer.poll(timeout_ms=POLL_MS)
            if found:
                say_read((record.partition, record.offset) for records in found.values() for record in records)
                try:
                    consumer.commit()
                except kafka.errors.KafkaError as error:
                    say("commit failed", why=str(error))
    finally:
        consumer.close(autocommit=False)


def aiokafka_member(given: dict[str, Any]) -> None:
    import aiokafka
    from aiokafka.coordinator.assignors.range import RangePartitionAssignor
    from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
    from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

    strategies = {
        "range": RangePartitionAssignor,
        "roundrobin": RoundRobinPartitionAssignor,
        "sticky": StickyPartitionAssignor,
    }

    class Reporter(Listener, aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
        pass

    async def run() -> None:
        consumer = aiokafka.AIOKafkaConsumer(
            bootstrap_servers=given["address"],
            group_id=given["group"],
            client_id=given["name"],
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            session_timeout_ms=given["session_ms"],
            heartbeat_interval_ms=given["heartbeat_ms"],
            partition_assignment_strategy=[strategies[given["assignor"]]],
        )
        consumer.subscribe([given["topic"]], listener=Reporter())
        await consumer.start()
        try:
            while not stopping.is_set():
                found = await consumer.getmany(timeout_ms=POLL_MS)
                if found:
                    say_read((record.partition, record.offset) for records in found.values() for record in records)
                    try:
                        await consumer.commit()
                    except aiokafka.errors.KafkaError as error:
                        say("commit failed", why=repr(error))
        finally:
            await consumer.stop()

    asyncio.run(run())


MEMBERS = {
    "barnabas": barnabas_member,
    "confluent-kafka": confluent_member,
    "aiokafka": aiokafka_member,
    "kafka-python": kafka_python_member,
}

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    MEMBERS[sys.argv[1]](json.loads(sys.argv[2]))
    say("left")
