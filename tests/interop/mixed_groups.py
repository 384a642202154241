"""Members of different clients in one group: starts, kills, pauses and stops them, and judges what they say.

A `Ledger` is all that was seen. `judge` holds it against what a group promises: no partition has two owners at a time, every
record is read, committed positions never move back, and at the end everything is committed.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

sys.path.insert(0, str(Path(__file__).parent.parent / "broker"))

import confluent_kafka
from raw_client import RawClient, record_batch
from reference_kafka import jars

from barnabas.coordinator.partition import partition_for
from barnabas.protocol import codec
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.group_metadata_value import GroupMetadataValue
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

HERE = Path(__file__).parent
PARTITIONS = 8
SESSION_MS = 6_000
HEARTBEAT_MS = 500
SETTLE_S = 240.0
NOT_LED_YET = (3, 5, 6, 100)
"""Error codes of a partition of which a broker has told, and does not lead it yet."""
CLOCK_SLACK_S = 0.005
"""The Java member tells milliseconds."""
BROKER_OPTIONS = {
    "group.initial.rebalance.delay.ms": "0",
    "group.consumer.min.session.timeout.ms": str(SESSION_MS),
    "group.consumer.session.timeout.ms": str(SESSION_MS),
    "group.consumer.min.heartbeat.interval.ms": str(HEARTBEAT_MS),
    "group.consumer.heartbeat.interval.ms": str(HEARTBEAT_MS),
}

CLIENTS = {
    ("classic", "range"): ("barnabas", "confluent-kafka", "aiokafka", "kafka-python", "java"),
    ("classic", "roundrobin"): ("barnabas", "confluent-kafka", "aiokafka", "kafka-python", "java"),
    ("classic", "sticky"): ("barnabas", "aiokafka", "kafka-python", "java"),
    ("classic", "cooperative-sticky"): ("barnabas", "confluent-kafka", "kafka-python", "java"),
    ("consumer", "uniform"): ("barnabas", "confluent-kafka", "java"),
    ("consumer", "range"): ("barnabas", "confluent-kafka", "java"),
    ("both", "range"): (
        "barnabas", "java-848", "aiokafka", "confluent-kafka-848", "java", "barnabas-848", "kafka-python"
    ),
    ("both", "cooperative-sticky"): (
        "barnabas", "java-848", "kafka-python", "confluent-kafka-848", "java", "barnabas-848", "confluent-kafka"
    ),
}  # fmt: skip
"""By protocol and assignor, the clients that have it. In a group of both protocols, which changes from the one to the other
and back as members come and go, `-848` marks those that speak the new one; the assignor is that of the classic members."""
REMOTE_ASSIGNORS = {"cooperative-sticky": "uniform"}
"""By the classic assignor, what members of the new protocol ask the coordinator for, if it is not of the same name."""
JAVA_ASSIGNORS = {
    "range": "RangeAssignor",
    "roundrobin": "RoundRobinAssignor",
    "sticky": "StickyAssignor",
    "cooperative-sticky": "CooperativeStickyAssignor",
}


class Scenario(NamedTuple):
    """One group: who is in it, by which protocol, and who comes first and so leads a classic group."""

    protocol: str
    assignor: str
    first: str

    @property
    def name(self) -> str:
        return f"{self.protocol}-{self.assignor}-{self.first}-first"

    @property
    def others(self) -> list[str]:
        """The other clients, in turn: the next one is killed, the last one paused, so that each has its turn at all."""
        clients = CLIENTS[self.protocol, self.assignor]
        place = clients.index(self.first)
        return [*clients[place + 1 :], *clients[:place]]


def scenarios() -> list[Scenario]:
    """Every client first in every kind of group that it can be in."""
    return [Scenario(*kind, leader) for kind, clients in CLIENTS.items() for leader in clients]


# What was seen.


class Span(NamedTuple):
    """A member's ownership of a partition, as far as it can be held against it."""

    member: str
    partition: int
    begin: float
    end: float


@dataclass
class Ledger:
    """Everything seen of one group; times are seconds since the epoch."""

    ends: dict[int, int] = field(default_factory=dict)
    spans: list[Span] = field(default_factory=list)
    reads: list[tuple[str, int, int, int]] = field(default_factory=list)
    """(member, partition, first offset, last offset)"""
    committed: list[dict[int, int]] = field(default_factory=list)
    """Committed positions as an observer saw them, one after the other."""
    ended: list[str] = field(default_factory=list)
    """Members that ended by themselves and should not have."""


def judge(ledger: Ledger) -> list[str]:
    """Returns what a group must never do and this one did."""
    ended = (f"{member} ended by itself" for member in ledger.ended)
    return [*_double_owned(ledger), *_unread(ledger), *_moved_back(ledger), *_not_committed(ledger), *ended]


def _double_owned(ledger: Ledger) -> Iterator[str]:
    by_partition: dict[int, list[Span]] = defaultdict(list)
    for span in ledger.spans:
        by_partition[span.partition].append(span)
    for partition, spans in by_partition.items():
        spans.sort(key=lambda span: (span.begin, span.end))
        last = spans[0]
        for span in spans[1:]:
            if span.begin < last.end - CLOCK_SLACK_S and span.member != last.member:
                yield f"partition {partition} was owned by {last.member} and {span.member} for {last.end - span.begin:.3f} s"
            last = max(last, span, key=lambda one: one.end)


def _unread(ledger: Ledger) -> Iterator[str]:
    by_partition: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for _, partition, first, last in ledger.reads:
        by_partition[partition].append((first, last))
    for partition, end in ledger.ends.items():
        position = 0
        for first, last in sorted(by_partition[partition]):
            if first > position:
                yield f"partition {partition}: nobody read the offsets {position} to {first - 1}"
            position = max(position, last + 1)
        if position < end:
            yield f"partition {partition}: nobody read the offsets {position} to {end - 1}"


def _moved_back(ledger: Ledger) -> Iterator[str]:
    latest: dict[int, int] = {}
    for seen in ledger.committed:
        for partition, offset in seen.items():
            if offset < latest.get(partition, -1):
                yield f"partition {partition}: the committed offset went from {latest[partition]} back to {offset}"
            latest[partition] = offset


def _not_committed(ledger: Ledger) -> Iterator[str]:
    final = ledger.committed[-1] if ledger.committed else {}
    for partition, end in ledger.ends.items():
        if final.get(partition, 0) != end:
            yield f"partition {partition}: {final.get(partition, 0)} of {end} records are committed"


# Members.


class Member:
    """One process. It owns what it says it does, until it is killed or paused."""

    def __init__(self, name: str, client: str, command: list[str], group: MixedGroup) -> None:
        self.name, self.client = name, client
        ledger, changed = group.ledger, group.changed
        self.ledger, self.changed = ledger, changed
        self.owned: dict[int, float] = {}
        self.is_live = True
        """It has neither been killed, nor has it ended or left."""
        self.paused = False
        self.is_stale = False
        self.is_working = False
        self.has_ended = False
        self.errors: list[str] = []
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A stopped process goes on when its process group loses its last tie to the session, as under nohup.
            start_new_session=True,
        )
        self._threads = [threading.Thread(target=self._listen), threading.Thread(target=self._keep_errors)]
        for thread in self._threads:
            thread.start()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with contextlib.suppress(json.JSONDecodeError):
                said = json.loads(line)
                with self.changed:
                    self._hear(said)
                    self.changed.notify_all()
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()

    def _keep_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors = [*self.errors[-400:], line.rstrip()]

    def _hear(self, said: dict[str, Any]) -> None:
        kind = said.get("event") or said.get("name")
        at = said["at"] if "at" in said else said.get("timestamp", 0) / 1000
        if kind in ("assigned", "partitions_assigned"):
            if self.is_stale:
                self.is_stale, self.owned = False, {}
            for partition in _partitions(said):
                self.owned.setdefault(partition, at)
        elif kind in ("revoked", "partitions_revoked") and not self.is_stale:
            self.give_up(_partitions(said), at)
        elif kind == "works":
            self.is_working = True
        elif kind == "read":
            self.ledger.reads.append((self.name, said["partition"], said["first"], said["last"]))
        elif kind == "records_consumed":
            for part in said["partitions"]:
                self.ledger.reads.append((self.name, part["partition"], part["minOffset"], part["maxOffset"]))

    def give_up(self, partitions: Iterable[int], at: float) -> None:
        for partition in partitions:
            since = self.owned.pop(partition, None)
            if since is not None:
                self.ledger.spans.append(Span(self.name, partition, since, at))

    def kill(self) -> None:
        with self.changed:
            self.give_up(list(self.owned), time.time())
            self.is_live = False
        self.process.kill()
        self.join()

    def forget(self) -> None:
        """From now on nothing that it believes counts, until it is given partitions again."""
        with self.changed:
            self.give_up(list(self.owned), time.time())
            self.paused = self.is_stale = True

    def pause(self) -> None:
        self.forget()
        os.kill(self.process.pid, signal.SIGSTOP)

    def work(self) -> None:
        """It works at what it reads next, and does not poll meanwhile."""
        os.kill(self.process.pid, signal.SIGUSR1)
        with self.changed:
            assert self.changed.wait_for(lambda: self.is_working, SETTLE_S)
        self.forget()

    def end_work(self) -> None:
        self.paused = False
        os.kill(self.process.pid, signal.SIGUSR1)

    def resume(self) -> None:
        self.paused = False
        os.kill(self.process.pid, signal.SIGCONT)

    def why_it_ended(self) -> str:
        """The exception that it told of: Java's cause of the first one, the last line of Python's."""
        told = [line.strip() for line in self.errors if "Exception: " in line or "Error: " in line]
        of_kafka = [line for line in told if "org.apache.kafka.common.errors" in line]
        return (of_kafka[:1] or told[-1:] or [f"it did not say why, its exit code was {self.process.returncode}"])[0]

    def leave(self) -> None:
        """Asks it to leave and waits until it has. Not every client says that it gives up what it owns when it leaves."""
        asked = time.time()
        self.process.terminate()
        self.join()
        with self.changed:
            self.give_up(list(self.owned), asked)
            self.is_live = False

    def join(self) -> None:
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        for thread in self._threads:
            thread.join(30)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def _partitions(said: dict[str, Any]) -> list[int]:
    return [part["partition"] if isinstance(part, dict) else part for part in said["partitions"]]


# A group.


class MixedGroup:
    """One group on one topic, a producer that goes on all the time, and an observer of what is committed."""

    def __init__(self, address: str, scenario: Scenario, directory: Path) -> None:
        self.address, self.scenario, self.directory = address, scenario, directory
        self.topic = self.group = scenario.name
        self.ledger = Ledger()
        self.changed = threading.Condition()
        self.members: list[Member] = []
        self.times: dict[str, float] = {}
        self.restarted: list[Member] = []
        self._counts: dict[str, int] = defaultdict(int)
        self._ends = dict.fromkeys(range(PARTITIONS), 0)
        self._done = threading.Event()
        self._failures: list[BaseException] = []
        self._threads = [threading.Thread(target=self._guarded, args=[run]) for run in (self._produce, self._observe)]

    def __enter__(self) -> Self:
        with RawClient(self.address, timeout=60) as client:
            wanted = CreateTopicsRequest.CreatableTopic(
                name=self.topic, num_partitions=PARTITIONS, replication_factor=1
            )
            created = client.ask(CreateTopicsRequest(topics=[wanted], timeout_ms=30_000)).topics[0]
            assert created.error_code == 0, created
            until(lambda: client.coordinator(self.group).error_code == 0)
            until(lambda: self._leaders_known(client))
            until(lambda: self._fetch(client).error_code == 0)
        for thread in self._threads:
            thread.start()
        return self

    def _leaders_known(self, client: RawClient) -> bool:
        topic = client.topics(self.topic)[self.topic]
        return sum(partition.error_code == 0 for partition in topic.partitions) == PARTITIONS

    def __exit__(self, *_: object) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join(60)
        for member in self.members:
            if member.process.poll() is None:
                member.process.kill()
            member.join()

    def _guarded(self, run: Callable[[], None]) -> None:
        try:
            run()
        except BaseException as error:
            self._failures.append(error)
            raise

    def _produce(self) -> None:
        with RawClient(self.address, timeout=60) as client:
            topic_id = client.topics(self.topic)[self.topic].topic_id
            while not self._done.wait(0.05):
                self._produce_once(client, topic_id)

    def _produce_once(self, client: RawClient, topic_id: bytes) -> None:
        for partition in range(PARTITIONS):
            values = [b"%d" % (self._ends[partition] + index) for index in range(3)]
            code, base = client.produce(self.topic, topic_id, partition, record_batch(values))
            while self._ends[partition] == 0 and code in NOT_LED_YET and not self._done.wait(0.1):
                code, base = client.produce(self.topic, topic_id, partition, record_batch(values))
            assert (code, base) == (0, self._ends[partition])
            self._ends[partition] += len(values)

    def _observe(self) -> None:
        with RawClient(self.address, timeout=60) as client:
            while not self._done.wait(0.1):
                self.ledger.committed.append(self._committed(client))

    def _fetch(self, client: RawClient) -> OffsetFetchResponse.OffsetFetchResponseGroup:
        wanted = OffsetFetchRequest.OffsetFetchRequestGroup(group_id=self.group, topics=None)
        return client.ask(OffsetFetchRequest(groups=[wanted]), 9).groups[0]

    def _committed(self, client: RawClient) -> dict[int, int]:
        answer = self._fetch(client)
        assert answer.error_code == 0, answer
        return {
            partition.partition_index: partition.committed_offset
            for topic in answer.topics
            for partition in topic.partitions
        }

    # What happens to it.

    def start(self, client: str, **more: object) -> Member:
        self._counts[client] += 1
        name = f"{client}-{self._counts[client]}"
        member = Member(name, client, self._command(client, name, more), self)
        self.members.append(member)
        return member

    def _command(self, client: str, name: str, more: dict[str, object]) -> list[str]:
        scenario = self.scenario
        is_new = self._is_new(client)
        protocol = "consumer" if is_new else "classic"
        assignor = REMOTE_ASSIGNORS.get(scenario.assignor, scenario.assignor) if is_new else scenario.assignor
        client = client.removesuffix("-848")
        if client != "java":
            given = {
                "address": self.address, "group": self.group, "topic": self.topic, "name": name, "protocol": protocol,
                "assignor": assignor, "session_ms": SESSION_MS, "heartbeat_ms": HEARTBEAT_MS, **more,
            }  # fmt: skip
            return [sys.executable, str(HERE / "group_member.py"), client, json.dumps(given)]
        lines = {"client.id": name}
        if protocol == "classic":
            lines["heartbeat.interval.ms"] = str(HEARTBEAT_MS)
        java = [
            "java", "-Xmx96m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", jars(),
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        ]  # fmt: skip
        strategy = f"org.apache.kafka.clients.consumer.{JAVA_ASSIGNORS[assignor]}" if protocol == "classic" else ""
        if "max_poll_ms" in more:
            lines |= {"group.protocol": protocol, "max.poll.interval.ms": str(more["max_poll_ms"])}
            if protocol == "consumer":
                lines["group.remote.assignor"] = assignor
            else:
                lines |= {"session.timeout.ms": str(SESSION_MS), "partition.assignment.strategy": strategy}
            told = {"address": self.address, "group": self.group, "topic": self.topic, "properties": lines}
            return [*java, str(HERE / "GroupMember.java"), json.dumps(told)]
        config = self.directory / f"{self.group}-{name}.properties"
        config.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
        options = ["--group-protocol", protocol.upper()]
        if protocol == "consumer":
            options += ["--group-remote-assignor", assignor]
        else:
            options += ["--session-timeout", str(SESSION_MS), "--assignment-strategy", strategy]
        return [
            *java, "org.apache.kafka.tools.VerifiableConsumer",
            "--bootstrap-server", self.address, "--topic", self.topic, "--group-id", self.group,
            "--command-config", str(config), *options,
        ]  # fmt: skip

    def settle(self, phase: str) -> None:
        """Waits until every partition has one owner and every live member owns something."""
        begun = time.monotonic()
        with self.changed:
            settled = self.changed.wait_for(self._is_settled, SETTLE_S)
            owned = {member.name: sorted(member.owned) for member in self.members if member.is_live}
        self.times[phase] = round(time.monotonic() - begun, 2)
        if not settled or self._failures:
            said = {member.name: member.errors[-40:] for member in self.members}
            raise AssertionError(f"{self.group}: not settled after {phase}: {owned}; {said} {self._failures}")

    def _is_settled(self) -> bool:
        self._supervise()
        live = [member for member in self.members if member.is_live and not member.paused]
        owned = sorted(partition for member in live for partition in member.owned)
        return (
            owned == list(range(PARTITIONS)) and all(member.owned and not member.is_stale for member in live)
        ) or bool(self._failures)

    def _supervise(self) -> None:
        """Starts a client of others that has ended by itself again, and tells of it; ours may not end.

        VerifiableConsumer ends with any exception of `poll()`, and after a pause in the new protocol Java's consumer
        raises one there: a request that asks for committed offsets was answered UNKNOWN_MEMBER_ID or GROUP_ID_NOT_FOUND.
        """
        for member in list(self.members):
            if member.has_ended and member.is_live:
                member.is_live = False
                member.give_up(list(member.owned), time.time())
                if self._may_end(member):
                    self.restarted.append(member)
                    self.start(member.client)
                else:
                    self.ledger.ended.append(member.name)

    def _may_end(self, member: Member) -> bool:
        return not member.client.startswith("barnabas")

    def _is_new(self, client: str) -> bool:
        return self.scenario.protocol == "consumer" or client.endswith("-848")

    def finish(self) -> None:
        """Ends the production, waits until all is committed, and lets the members leave."""
        self._done.set()
        for thread in self._threads:
            thread.join(60)
        begun = time.monotonic()
        with RawClient(self.address, timeout=60) as client:
            topic_id = client.topics(self.topic)[self.topic].topic_id
            for turn in range(int(SETTLE_S * 10)):
                self.ledger.committed.append(self._committed(client))
                if self.ledger.committed[-1] == self._ends:
                    break
                if turn % 20 == 19:
                    # Who was told of a rebalance when it committed its last records commits again with the next ones.
                    self._produce_once(client, topic_id)
                threading.Event().wait(0.1)
        self.ledger.ends = dict(self._ends)
        self.times["all committed"] = round(time.monotonic() - begun, 2)
        for member in self.members:
            if member.is_live:
                if member.has_ended and not self._may_end(member):
                    self.ledger.ended.append(member.name)
                member.leave()

    def leader(self) -> str | None:
        """The client that leads a classic group, by what the coordinator has stored."""
        with RawClient(self.address, timeout=60) as client:
            count = len(client.topics("__consumer_offsets")["__consumer_offsets"].partitions)
        partition = confluent_kafka.TopicPartition("__consumer_offsets", partition_for(self.group, count), 0)
        reader = confluent_kafka.Consumer(
            {"bootstrap.servers": self.address, "group.id": "unused", "enable.auto.commit": False}
        )
        leader, position = None, 0
        try:
            # The log grows with every commit: what is there now is enough.
            _, end = reader.get_watermark_offsets(partition, timeout=30)
            reader.assign([partition])
            while position < end:
                message = reader.poll(30)
                assert message is not None, "the coordinator's log cannot be read"
                assert message.error() is None, message.error()
                position = message.offset() + 1
                key, value = codec.decode_coordinator_record(message.key(), message.value())
                if isinstance(value, GroupMetadataValue) and getattr(key, "group", None) == self.group:
                    leader = value.leader
        finally:
            reader.close()
        return leader


def until(condition: Callable[[], bool], timeout: float = 60.0) -> None:
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        threading.Event().wait(0.05)


def run(address: str, scenario: Scenario, directory: Path) -> dict[str, Any]:
    """Lets a group live through joins, kill -9, pauses and the loss of its leader; returns what was seen."""
    with MixedGroup(address, scenario, directory) as group:
        first = group.start(scenario.first)
        group.settle("first member")
        others = [group.start(client) for client in scenario.others]
        group.settle("all members")
        leaders = [group.leader()]
        spare = others[1:] or [group.start(scenario.others[0])]
        if not others[1:]:
            group.settle("one more")
        others[0].kill()
        spare[-1].pause()
        group.settle("one killed, one paused")
        spare[-1].resume()
        group.start(scenario.others[0])
        group.settle("resumed, and one more")
        first.kill()
        group.settle("the first killed")
        group.start(scenario.first)
        group.settle("the first's client again")
        leaders.append(group.leader())
        group.finish()
        ledger = group.ledger
    read = sum(last - first + 1 for _, _, first, last in ledger.reads)
    records = sum(ledger.ends.values())
    return {
        **scenario._asdict(),
        "leaders": leaders,
        "members": [member.name for member in group.members],
        "restarted": {member.name: member.why_it_ended() for member in group.restarted},
        "settled_s": group.times,
        "ownerships": len(ledger.spans),
        "records": records,
        "read_twice": read - records,
        "observations": len(ledger.committed),
        "violations": judge(ledger),
    }
