"""Clients of plain sockets for `groups.py`: frames are prepared once and one epoll loop serves thousands of members.

`python groups_clients.py WHAT ADDRESS [name=value …]` prints one JSON line. A client costs as little as Python allows, so that
what is measured is the coordinator.
"""

from __future__ import annotations

import json
import resource
import socket
import sys
import time
from collections import deque
from typing import TYPE_CHECKING

from groups_sockets import (
    MEASURED,
    Loop,
    ask,
    cpu_seconds,
    decoded,
    frame,
    percentiles,
    prepare,
    receive,
)

from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from barnabas.protocol.messages.leave_group import LeaveGroupRequest
from barnabas.protocol.messages.offset_commit import OffsetCommitRequest
from barnabas.protocol.messages.offset_fetch import OffsetFetchRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest, SyncGroupResponse

if TYPE_CHECKING:
    from collections.abc import Callable


JOIN_VERSION, SYNC_VERSION, HEARTBEAT_VERSION, COMMIT_VERSION = 9, 5, 4, 9
LEAVE_VERSION = 5
REBALANCE_IN_PROGRESS, MEMBER_ID_REQUIRED = 27, 79
SESSION_MS, REBALANCE_MS = 45_000, 60_000
SETTLE_S = 120.0


# Members of the classic protocol.


class Member:
    """One member: joins, synchronises, heartbeats, joins again when told."""

    def __init__(self, loop: Loop, group: str, crowd: Crowd) -> None:
        self.group, self.crowd = group, crowd
        self.member_id, self.generation, self.synced = "", -1, -1
        self.connection = loop.connect()
        self.heartbeat_frame = b""
        self.heartbeat_sent = 0.0

    def join(self) -> None:
        protocol = JoinGroupRequest.JoinGroupRequestProtocol(
            name="range", metadata=b"\0\1\0\0\0\1\0\5topic\xff\xff\xff\xff\0\0\0\0"
        )
        request = JoinGroupRequest(
            group_id=self.group, session_timeout_ms=SESSION_MS, rebalance_timeout_ms=REBALANCE_MS,
            member_id=self.member_id, protocol_type="consumer", protocols=[protocol],
        )  # fmt: skip
        self.connection.on_frame = self.joined
        self.crowd.last_join = time.monotonic()
        self.synced = -1
        self.connection.send(frame(request, JOIN_VERSION))

    def joined(self, answer: bytes) -> None:
        response: JoinGroupResponse = decoded(11, JOIN_VERSION, answer)
        self.member_id = response.member_id or self.member_id
        if response.error_code == MEMBER_ID_REQUIRED:
            self.join()
            return
        if response.error_code:
            raise RuntimeError(f"JoinGroup: error code {response.error_code}")
        self.generation = response.generation_id
        given = []
        if response.leader == self.member_id:
            given = [
                SyncGroupRequest.SyncGroupRequestAssignment(member_id=member.member_id, assignment=b"a" * 40)
                for member in response.members
            ]
        request = SyncGroupRequest(
            group_id=self.group, generation_id=self.generation, member_id=self.member_id,
            protocol_type="consumer", protocol_name="range", assignments=given,
        )  # fmt: skip
        self.connection.on_frame = self.has_synced
        self.connection.send(frame(request, SYNC_VERSION))

    def has_synced(self, answer: bytes) -> None:
        response: SyncGroupResponse = decoded(14, SYNC_VERSION, answer)
        if response.error_code == REBALANCE_IN_PROGRESS:
            self.join()
            return
        if response.error_code:
            raise RuntimeError(f"SyncGroup: error code {response.error_code}")
        self.synced = self.generation
        request = HeartbeatRequest(group_id=self.group, generation_id=self.generation, member_id=self.member_id)
        self.heartbeat_frame = frame(request, HEARTBEAT_VERSION)
        self.connection.on_frame = self.heard
        self.crowd.has_synced(self)

    def heartbeat(self) -> None:
        if self.generation == self.synced >= 0 and not self.heartbeat_sent:
            self.heartbeat_sent = time.monotonic()
            self.connection.send(self.heartbeat_frame)

    def heard(self, answer: bytes) -> None:
        # Correlation id, tags, throttle time, error code.
        code = int.from_bytes(answer[9:11], "big")
        self.crowd.waits.append(time.monotonic() - self.heartbeat_sent)
        self.heartbeat_sent = 0.0
        if code == REBALANCE_IN_PROGRESS:
            self.join()
        elif code:
            raise RuntimeError(f"Heartbeat: error code {code}")


class Crowd:
    """Members of some groups on one loop, who heartbeat evenly over the interval."""

    def __init__(self, address: str, interval: float) -> None:
        self.loop = Loop(address)
        self.interval = interval
        self.waits: list[float] = []
        self.last_join = self.last_sync = 0.0
        self.members: list[Member] = []
        self.at = 0.0
        self.next = 0

    def has_synced(self, _member: Member) -> None:
        self.last_sync = time.monotonic()

    def connect(self, group: str) -> Member:
        """A member that has not joined yet."""
        member = Member(self.loop, group, self)
        self.members.append(member)
        return member

    def join(self) -> None:
        """All members join, those that are in heartbeat meanwhile."""
        for member in self.members:
            member.join()
            self.step(0.0)

    def leave(self) -> None:
        """All members leave, so that the broker has nothing to do with them when it is measured next."""
        by_group: dict[str, list[LeaveGroupRequest.MemberIdentity]] = {}
        for member in self.members:
            by_group.setdefault(member.group, []).append(LeaveGroupRequest.MemberIdentity(member_id=member.member_id))
        self.loop.close()
        with socket.create_connection(self.loop.address, 60) as connection:
            for group, members in by_group.items():
                answer = ask(connection, LeaveGroupRequest(group_id=group, members=members), LEAVE_VERSION)
                codes = {answer.error_code, *(member.error_code for member in answer.members)}
                if codes != {0}:
                    raise RuntimeError(f"LeaveGroup: error codes {codes}")

    def settled(self, groups: list[str]) -> bool:
        generations: dict[str, set[int]] = {group: set() for group in groups}
        for member in self.members:
            if member.synced != member.generation or member.synced < 0:
                return False
            generations[member.group].add(member.synced)
        return all(len(found) == 1 for found in generations.values())

    def step(self, longest: float) -> None:
        """Sends the heartbeats that are due and hears what is answered, for at most `longest` seconds or to the next one."""
        now = time.monotonic()
        self.at = self.at or now
        gap = self.interval / max(len(self.members), 1)
        while self.at <= now:
            self.members[self.next % len(self.members)].heartbeat()
            self.next += 1
            self.at += gap
        self.loop.turn(min(longest, self.at - time.monotonic()))

    def run(self, seconds: float, done: Callable[[], bool] | None = None) -> None:
        """Heartbeats for a while, or until something is so."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            self.step(end - now)
            if done is not None and done():
                return
        if done is not None:
            raise TimeoutError("the groups did not settle")


def settle(address: str, members: int, interval: float, group: str) -> MEASURED:
    """One group: many join at once; then, all being there, one more joins and everybody has to join again."""
    prepare(address, [group])
    crowd = Crowd(address, interval)
    for _ in range(members):
        crowd.connect(group)
    last = Member(crowd.loop, group, crowd)
    start = time.monotonic()
    crowd.join()
    started = time.monotonic()

    def done() -> bool:
        return crowd.last_sync > crowd.last_join and crowd.settled([group])

    crowd.run(SETTLE_S, done)
    first = {
        "join_all_s": started - start,
        "settled_s": crowd.last_sync - started,
        "after_last_join_s": crowd.last_sync - crowd.last_join,
    }
    crowd.members.append(last)
    last.join()
    joined = time.monotonic()
    crowd.run(SETTLE_S, done)
    again = {"settled_s": crowd.last_sync - joined, "after_last_join_s": crowd.last_sync - crowd.last_join}
    crowd.leave()
    return {"members": members, "interval_s": interval, "crowd": first, "one_more": again}


def heartbeats(
    address: str, *, members: int, groups: int, interval: float, seconds: float, run: int, pid: int
) -> MEASURED:
    """Many groups that heartbeat: the broker's CPU per second, and how long a heartbeat takes."""
    names = [f"heartbeats-{run}-{index}" for index in range(groups)]
    prepare(address, names)
    crowd = Crowd(address, interval)
    for name in names:
        for _ in range(members // groups):
            crowd.connect(name)
    start = time.monotonic()
    crowd.join()
    crowd.run(SETTLE_S, lambda: crowd.settled(names))
    settled_s = time.monotonic() - start
    crowd.run(min(interval, seconds))
    crowd.waits.clear()
    before, start = cpu_seconds(pid), time.monotonic()
    own = time.process_time()
    crowd.run(seconds)
    passed = time.monotonic() - start
    spent = cpu_seconds(pid) - before
    own = time.process_time() - own
    count = len(crowd.waits)
    result = {
        "members": members,
        "groups": groups,
        "settled_s": settled_s,
        "per_s": count / passed,
        "core_share": spent / passed,
        "cpu_us": spent / count * 1e6,
        "driver_share": own / passed,
        **percentiles(crowd.waits),
    }
    crowd.leave()
    return result


# Commits.


def commit_frame(group: str, topic: str, partitions: range, offset: int) -> bytes:
    wanted = [
        OffsetCommitRequest.OffsetCommitRequestPartition(
            partition_index=index, committed_offset=offset, committed_metadata=""
        )
        for index in partitions
    ]
    topics = [OffsetCommitRequest.OffsetCommitRequestTopic(name=topic, partitions=wanted)]
    return frame(OffsetCommitRequest(group_id=group, generation_id_or_member_epoch=-1, topics=topics), COMMIT_VERSION)


class Committer:
    """One connection that commits one partition of a group of its own."""

    def __init__(self, load: CommitLoad, index: int) -> None:
        self.load = load
        self.data = commit_frame(f"commits-{index}", "committed", range(index % 10, index % 10 + 1), 42)
        self.sent = 0.0
        self.good: bytes | None = None
        self.connection = load.loop.connect(self.answered)

    def commit(self, at: float) -> None:
        # From when it should have been sent: a broker that keeps the driver waiting is not let off.
        self.sent = at
        self.connection.send(self.data)

    def answered(self, answer: bytes) -> None:
        if self.good is None:
            response = decoded(8, COMMIT_VERSION, answer)
            if response.topics[0].partitions[0].error_code:
                raise RuntimeError(f"OffsetCommit: {response}")
            self.good = answer
        elif answer != self.good:
            raise RuntimeError("a commit was answered differently")
        now = time.monotonic()
        self.load.waits.append(now - self.sent)
        if self.load.rate or not self.load.running:
            self.load.free.append(self)
        else:
            self.commit(now)


class CommitLoad:
    """Commits at a fixed rate, or (rate 0) each committer's next one at once."""

    def __init__(self, address: str, rate: float, connections: int) -> None:
        self.loop = Loop(address)
        self.rate = rate
        self.running = True
        self.waits: list[float] = []
        self.free: deque[Committer] = deque()
        self.free.extend(Committer(self, index) for index in range(connections))

    def run(self, seconds: float) -> None:
        count = len(self.free)
        start = at = time.monotonic()
        self.running = True
        while not self.rate and self.free:
            self.free.popleft().commit(start)
        while (now := time.monotonic()) - start < seconds:
            while self.rate and at <= now and self.free:
                self.free.popleft().commit(at)
                at += 1 / self.rate
            self.loop.turn((at - time.monotonic()) if self.rate and self.free else 0.05)
        self.running = False
        while len(self.free) < count:
            self.loop.turn(0.1)
            if time.monotonic() > start + seconds + 30:
                raise TimeoutError("commits were not answered")


def commits(address: str, rate: float, connections: int, seconds: float, pid: int) -> MEASURED:
    """One partition each, of as many groups as connections."""
    prepare(address, [f"commits-{index}" for index in range(connections)], "committed", 10)
    load = CommitLoad(address, rate, connections)
    load.run(min(1.0, seconds / 4))
    load.waits.clear()
    before, own, start = cpu_seconds(pid), time.process_time(), time.monotonic()
    load.run(seconds)
    passed = time.monotonic() - start
    spent, own = cpu_seconds(pid) - before, time.process_time() - own
    count = len(load.waits)
    load.loop.close()
    return {
        "connections": connections, "wanted_per_s": rate, "per_s": count / passed, "cpu_us": spent / count * 1e6,
        "core_share": spent / passed, "driver_share": own / passed, **percentiles(load.waits),
    }  # fmt: skip


def single(address: str, count: int, pid: int) -> MEASURED:
    """One client, one commit after the other, over a blocking socket."""
    prepare(address, ["single"], "committed", 10)
    host, _, port = address.rpartition(":")
    data = commit_frame("single", "committed", range(1), 42)
    waits = []
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for index in range(count + count // 4):
            start = time.perf_counter()
            connection.sendall(data)
            size = int.from_bytes(connection.recv(4), "big")
            receive(connection, size)
            if index == count // 4:
                before = cpu_seconds(pid)
            if index > count // 4:
                waits.append(time.perf_counter() - start)
        spent = cpu_seconds(pid) - before
    return {**percentiles(waits), "cpu_us": spent / len(waits) * 1e6}


def fill(address: str, offsets: int, partitions: int) -> MEASURED:
    """Commits many offsets: as many groups as needed, each for every partition of one topic."""
    groups = [f"filled-{index}" for index in range(offsets // partitions)]
    prepare(address, groups[:100], "filled", partitions)
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        for group in groups:
            connection.sendall(commit_frame(group, "filled", range(partitions), 42))
            size = int.from_bytes(receive(connection, 4), "big")
            response = decoded(8, COMMIT_VERSION, receive(connection, size))
            codes = {partition.error_code for topic in response.topics for partition in topic.partitions}
            if codes != {0}:
                raise RuntimeError(f"OffsetCommit: error codes {codes}")
    return {"offsets": len(groups) * partitions, "groups": len(groups)}


def loaded(address: str, offsets: int, partitions: int, pid: int) -> MEASURED:
    """Waits until every filled group's offsets are served; the broker's CPU since it was started."""
    start = time.monotonic()
    groups = [f"filled-{index}" for index in range(offsets // partitions)]
    probes = groups[:: max(1, len(groups) // 200)]
    prepare(address, probes)
    spent = cpu_seconds(pid)
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        fetch = [OffsetFetchRequest.OffsetFetchRequestGroup(group_id=groups[-1], topics=None)]
        answer = ask(connection, OffsetFetchRequest(groups=fetch), 8)
    count = sum(len(topic.partitions) for topic in answer.groups[0].topics)
    if count != partitions:
        raise RuntimeError(f"{count} offsets of {partitions} are there")
    return {"cpu_s": spent, "waited_s": time.monotonic() - start}


def prepared(address: str, groups: list[str]) -> MEASURED:
    """Only waits until the coordinators of the groups serve."""
    prepare(address, groups)
    return {}


def first(address: str, client: str, run: int) -> MEASURED:
    """A consumer that is new, in a group that is: milliseconds from its construction to its first record."""
    topic, samples = "first", []
    prepare(address, ["first"], topic, 1)
    produce_one(address, topic)
    for index in range(6):
        start = time.perf_counter()
        consume_one(address, topic, client, f"first-{client}-{run}-{index}")
        samples.append((time.perf_counter() - start) * 1e3)
    return {"first_ms": samples[0], "later_ms": sorted(samples[1:])[2], "all_ms": samples}


def first_embedded(client: str, run: int) -> MEASURED:
    """The same on `Broker()`, with its defaults, in this process."""
    from barnabas import Broker

    with Broker() as broker:
        return first(broker.bootstrap_servers, client, run)


def produce_one(address: str, topic: str) -> None:
    from barnabas import Producer

    with Producer(bootstrap_servers=address) as producer:
        producer.send(topic, b"value").result(30)


def consume_one(address: str, topic: str, client: str, group: str) -> None:
    """Returns with the first record; closing is not measured."""
    if client == "barnabas":
        from barnabas import Consumer

        ours = Consumer(topic, bootstrap_servers=address, group_id=group, auto_offset_reset="earliest")
        while not len(ours.poll(timeout=10)):
            pass
        return
    from confluent_kafka import Consumer as Confluent

    theirs = Confluent({"bootstrap.servers": address, "group.id": group, "auto.offset.reset": "earliest"})
    theirs.subscribe([topic])
    while theirs.poll(10) is None:
        pass


WHAT: dict[str, Callable[..., MEASURED]] = {
    "settle": settle,
    "heartbeats": heartbeats,
    "commits": commits,
    "single": single,
    "fill": fill,
    "loaded": loaded,
    "prepared": prepared,
    "first": first,
    "first_embedded": lambda _address, **options: first_embedded(**options),
}


def main() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard)) if soft < hard else None
    what, address, *given = sys.argv[1:]
    options = {name: json.loads(value) for name, value in (pair.split("=", 1) for pair in given)}
    print(json.dumps(WHAT[what](address, **options)))


if __name__ == "__main__":
    main()
