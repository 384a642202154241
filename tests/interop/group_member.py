"""A member of a group in a process of its own: `group_member.py CLIENT '{"address": …, "group": …}'`.

It reads until it is told to stop (SIGTERM, it leaves; the harness also stops and kills it); from one SIGUSR1 to the next it works
at the records that it read last, and does not poll. It says a JSON line for all that
it is given, that is taken from it and that it reads, each with the time at which it knew. It commits what it has read
after having said so. Kafka's own VerifiableConsumer does the same in Java.
"""

from __future__ import annotations

# ruff: noqa: PLC0415 - each process imports the client that it is
import asyncio
import importlib
import json
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

POLL_MS = 100

stopping = threading.Event()
working = threading.Event()


def stop(*_: object) -> None:
    stopping.set()


def work_or_not(*_: object) -> None:
    if working.is_set():
        working.clear()
    else:
        working.set()


def say(event: str, **what: object) -> None:
    print(json.dumps({"event": event, "at": time.time(), **what}), flush=True)


def say_read(records: list[tuple[int, int]]) -> None:
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


class Client(Protocol):
    """A client that has subscribed; `errors` are what a commit may raise."""

    errors: type[Exception]

    def poll(self) -> list[tuple[int, int]]: ...
    def work(self) -> None: ...
    def commit(self) -> None: ...
    def close(self) -> None: ...


def live(client: Client) -> None:
    """Reads and commits until told to stop."""
    try:
        while not stopping.is_set():
            records = client.poll()
            if records:
                say_read(records)
                if working.is_set():
                    say("works")
                while working.is_set() and not stopping.is_set():
                    client.work()
                try:
                    client.commit()
                except client.errors as error:
                    say("commit failed", why=repr(error))
    finally:
        client.close()


# Options, by the two ways of naming them.


def dotted(given: dict[str, Any]) -> dict[str, Any]:
    config = {
        "bootstrap.servers": given["address"],
        "group.id": given["group"],
        "client.id": given["name"],
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
    }
    if "max_poll_ms" in given:
        config["max.poll.interval.ms"] = given["max_poll_ms"]
    if given["protocol"] == "consumer":
        return config | {"group.protocol": "consumer", "group.remote.assignor": given["assignor"]}
    return config | {
        "partition.assignment.strategy": given["assignor"],
        "session.timeout.ms": given["session_ms"],
        "heartbeat.interval.ms": given["heartbeat_ms"],
    }


ASSIGNORS = {
    "range": ("range", "RangePartitionAssignor"),
    "roundrobin": ("roundrobin", "RoundRobinPartitionAssignor"),
    "sticky": ("sticky.sticky_assignor", "StickyPartitionAssignor"),
    "cooperative-sticky": ("cooperative_sticky", "CooperativeStickyAssignor"),
}


def keywords(given: dict[str, Any], package: str) -> dict[str, Any]:
    module, assignor = ASSIGNORS[given["assignor"]]
    found = importlib.import_module(f"{package}.coordinator.assignors.{module}")
    more = {"max_poll_interval_ms": given["max_poll_ms"]} if "max_poll_ms" in given else {}
    return more | {
        "bootstrap_servers": given["address"],
        "group_id": given["group"],
        "client_id": given["name"],
        "auto_offset_reset": "earliest",
        "enable_auto_commit": False,
        "session_timeout_ms": given["session_ms"],
        "heartbeat_interval_ms": given["heartbeat_ms"],
        "partition_assignment_strategy": [getattr(found, assignor)],
    }


# Clients.


class Working:
    """Works a little, on the thread that polls."""

    def work(self) -> None:
        time.sleep(POLL_MS / 1000)


class Ours(Working):
    def __init__(self, given: dict[str, Any]) -> None:
        import barnabas

        self.errors = barnabas.KafkaError
        self._consumer = barnabas.Consumer(config=dotted(given))
        self._consumer.subscribe([given["topic"]], Listener())

    def poll(self) -> list[tuple[int, int]]:
        return [(record.partition, record.offset) for record in self._consumer.poll(timeout=POLL_MS / 1000)]

    def commit(self) -> None:
        self._consumer.commit()

    def close(self) -> None:
        self._consumer.close()


class Confluent(Working):
    def __init__(self, given: dict[str, Any]) -> None:
        import confluent_kafka

        self.errors = confluent_kafka.KafkaException
        self._consumer = confluent_kafka.Consumer(dotted(given))
        listener = Listener()
        self._consumer.subscribe(
            [given["topic"]],
            on_assign=lambda _, partitions: listener.on_partitions_assigned(partitions),
            on_revoke=lambda _, partitions: listener.on_partitions_revoked(partitions),
            on_lost=lambda _, partitions: listener.on_partitions_lost(partitions),
        )

    def poll(self) -> list[tuple[int, int]]:
        found = self._consumer.consume(1000, POLL_MS / 1000)
        return [(message.partition(), message.offset()) for message in found if not message.error()]

    def commit(self) -> None:
        self._consumer.commit(asynchronous=False)

    def close(self) -> None:
        self._consumer.close()


class KafkaPython(Working):
    def __init__(self, given: dict[str, Any]) -> None:
        import kafka

        class Reporter(Listener, kafka.ConsumerRebalanceListener):  # type: ignore[misc]
            pass

        self.errors = kafka.errors.KafkaError
        self._consumer = kafka.KafkaConsumer(**keywords(given, "kafka"))
        self._consumer.subscribe([given["topic"]], listener=Reporter())

    def poll(self) -> list[tuple[int, int]]:
        found = self._consumer.poll(timeout_ms=POLL_MS)
        return [(record.partition, record.offset) for records in found.values() for record in records]

    def commit(self) -> None:
        self._consumer.commit()

    def close(self) -> None:
        self._consumer.close(autocommit=False)


class Aiokafka:
    """Its loop runs while it polls, which is nearly always."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._runner = asyncio.Runner()
        self._runner.run(self._start(given))

    async def _start(self, given: dict[str, Any]) -> None:
        import aiokafka

        class Reporter(Listener, aiokafka.ConsumerRebalanceListener):  # type: ignore[misc]
            pass

        self.errors = aiokafka.errors.KafkaError
        self._consumer = aiokafka.AIOKafkaConsumer(**keywords(given, "aiokafka"))
        self._consumer.subscribe([given["topic"]], listener=Reporter())
        await self._consumer.start()

    def work(self) -> None:
        self._runner.run(asyncio.sleep(POLL_MS / 1000))

    def poll(self) -> list[tuple[int, int]]:
        found = self._runner.run(self._consumer.getmany(timeout_ms=POLL_MS))
        return [(record.partition, record.offset) for records in found.values() for record in records]

    def commit(self) -> None:
        self._runner.run(self._consumer.commit())

    def close(self) -> None:
        self._runner.run(self._consumer.stop())
        self._runner.close()


CLIENTS: dict[str, Callable[[dict[str, Any]], Client]] = {
    "barnabas": Ours,
    "confluent-kafka": Confluent,
    "aiokafka": Aiokafka,
    "kafka-python": KafkaPython,
}

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGUSR1, work_or_not)
    live(CLIENTS[sys.argv[1]](json.loads(sys.argv[2])))
    say("left")
