"""A broker that stands still, as a process or only its interpreter, forgets no member that heartbeats, and forgets a dead one.

`STOP_S=30 STALL_S=10 SESSION_MS=6000` runs what the defaults run in less time.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient

from barnabas import errors
from barnabas.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.join_group import JoinGroupRequest
from barnabas.protocol.messages.sync_group import SyncGroupRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SESSION_MS = int(os.environ.get("SESSION_MS", "3000"))
STOP_S = float(os.environ.get("STOP_S", "5"))
STALL_S = float(os.environ.get("STALL_S", "5"))
HEARTBEAT_S = SESSION_MS / 10_000
EXPIRY_SLACK_S = 1.0
BUSY_MACHINE_S = 10.0
"""What a machine that runs other tests beside may add."""
OPTIONS = {
    "group.min.session.timeout.ms": "1000",
    "group.consumer.min.session.timeout.ms": "1000",
    "group.consumer.session.timeout.ms": str(SESSION_MS),
    "group.consumer.min.heartbeat.interval.ms": "100",
    "group.consumer.heartbeat.interval.ms": "300",
    "offsets.topic.num.partitions": "3",
}
UNKNOWN = errors.UnknownMemberIdError.code
REBALANCE = errors.RebalanceInProgressError.code


class StalledBroker:
    """The process of `stalled_broker.py`."""

    def __init__(self) -> None:
        command = [sys.executable, str(Path(__file__).parent / "stalled_broker.py"), json.dumps(OPTIONS)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.address = self.answer()["address"]

    def answer(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def tell(self, command: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()

    def metrics(self) -> dict[str, float]:
        self.tell("metrics")
        return self.answer()

    def stop(self, seconds: float) -> None:
        os.kill(self.process.pid, signal.SIGSTOP)
        try:
            threading.Event().wait(seconds)
        finally:
            os.kill(self.process.pid, signal.SIGCONT)

    def stall(self, seconds: float) -> None:
        self.tell(f"stall {seconds}")
        self.answer()


@pytest.fixture
def broker() -> Iterator[StalledBroker]:
    stalled = StalledBroker()
    try:
        yield stalled
    finally:
        stalled.process.kill()
        stalled.process.communicate()


class Members:
    """Members that heartbeat on connections of their own, each as soon as its last heartbeat is answered and it is time."""

    def __init__(self) -> None:
        self.codes: dict[str, list[int]] = {}
        self.failures: list[BaseException] = []
        self._done = threading.Event()
        self._threads: list[threading.Thread] = []
        self._clients: list[RawClient] = []

    def heartbeat(self, name: str, client: RawClient, request: Any, follow: Callable[[Any], None]) -> None:
        self.codes[name] = []
        arguments = (self.codes[name], client, request, follow)
        thread = threading.Thread(target=self._guarded, args=arguments, name=name)
        self._threads.append(thread)
        thread.start()

    def _guarded(self, codes: list[int], client: RawClient, request: Any, follow: Callable[[Any], None]) -> None:
        try:
            while not self._done.wait(HEARTBEAT_S):
                answer = client.ask(request)
                codes.append(answer.error_code)
                follow(answer)
        except BaseException as error:
            self.failures.append(error)
            raise

    def close(self) -> None:
        self._done.set()
        for thread in self._threads:
            thread.join(60)

    def owns(self, client: RawClient) -> RawClient:
        """Has a connection closed when all is over."""
        self._clients.append(client)
        return client

    def check(self) -> None:
        assert self.failures == []
        for name, codes in self.codes.items():
            assert set(codes) <= {0, REBALANCE}, f"{name} was answered {set(codes)}"
            assert codes, name


@pytest.fixture
def members() -> Iterator[Members]:
    some = Members()
    try:
        yield some
    finally:
        some.close()
        for client in some._clients:
            client.close()


def join_classic(members: Members, address: str, count: int) -> list[tuple[RawClient, str, int]]:
    """A Stable classic group of `count` members; returns (connection, member id, generation)."""
    clients = [members.owns(RawClient(address, timeout=90)) for _ in range(count)]
    until(lambda: clients[0].coordinator("classic").error_code == 0)

    def request(member_id: str) -> JoinGroupRequest:
        return JoinGroupRequest(
            group_id="classic",
            session_timeout_ms=SESSION_MS,
            rebalance_timeout_ms=60_000,
            member_id=member_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequest.JoinGroupRequestProtocol(name="range", metadata=b"x")],
        )

    ids = [client.ask(request("")).member_id for client in clients]
    first = clients[0].ask(request(ids[0]))
    assert first.error_code == 0
    sent = [client.send(request(member_id)) for client, member_id in zip(clients[1:], ids[1:], strict=True)]
    # The first one is told of the others by a heartbeat and joins again.
    heartbeat = HeartbeatRequest(group_id="classic", generation_id=first.generation_id, member_id=ids[0])
    until(lambda: clients[0].ask(heartbeat).error_code == REBALANCE)
    sent.insert(0, clients[0].send(request(ids[0])))
    answers = [client.receive(one) for client, one in zip(clients, sent, strict=True)]
    assert {answer.error_code for answer in answers} == {0}
    generation = answers[0].generation_id
    given = [SyncGroupRequest.SyncGroupRequestAssignment(member_id=one, assignment=b"a") for one in ids]
    for client, member_id, answer in zip(clients, ids, answers, strict=True):
        assignments = given if answer.leader == member_id else []
        sync = SyncGroupRequest(
            group_id="classic", generation_id=generation, member_id=member_id, assignments=assignments
        )
        client.send(sync)
    for client in clients:
        client.receive_frame()
    return [(client, member_id, generation) for client, member_id in zip(clients, ids, strict=True)]


def join_modern(members: Members, address: str, count: int) -> list[tuple[RawClient, ConsumerGroupHeartbeatRequest]]:
    """A KIP-848 group of `count` members; returns connections and the heartbeats that keep them in it."""
    joined = []
    for index in range(count):
        client = members.owns(RawClient(address, timeout=90))
        member_id = f"member-{index}"
        until(lambda client=client: client.coordinator("modern").error_code == 0)
        request = ConsumerGroupHeartbeatRequest(
            group_id="modern",
            member_id=member_id,
            member_epoch=0,
            rebalance_timeout_ms=60_000,
            subscribed_topic_names=["none"],
            topic_partitions=[],
        )
        answer = client.ask(request)
        assert answer.error_code == 0, answer
        joined.append(
            (
                client,
                ConsumerGroupHeartbeatRequest(group_id="modern", member_id=member_id, member_epoch=answer.member_epoch),
            )
        )
    return joined


def sizes(client: RawClient) -> tuple[int, int]:
    """Members of the classic and of the KIP-848 group."""
    classic = client.ask(DescribeGroupsRequest(groups=["classic"])).groups[0]
    modern = client.ask(ConsumerGroupDescribeRequest(group_ids=["modern"])).groups[0]
    assert (classic.error_code, modern.error_code) == (0, 0)
    return len(classic.members), len(modern.members)


def until(condition: Callable[[], bool], timeout: float = 60.0) -> None:
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        threading.Event().wait(0.02)


@pytest.mark.timeout(240)
@pytest.mark.parametrize("what", ["the process is stopped", "the interpreter is held"])
def test_members_that_heartbeat_stay_and_dead_ones_go(what: str, broker: StalledBroker, members: Members) -> None:
    classic, modern = join_classic(members, broker.address, 3), join_modern(members, broker.address, 3)
    before = broker.metrics()
    # The last one of each group is dead from here on.
    for index, (client, member_id, generation) in enumerate(classic[:2]):
        request = HeartbeatRequest(group_id="classic", generation_id=generation, member_id=member_id)
        members.heartbeat(f"classic {index}", client, request, lambda _answer: None)
    for index, (client, request) in enumerate(modern[:2]):

        def follow(answer: Any, request: ConsumerGroupHeartbeatRequest = request) -> None:
            request.member_epoch = answer.member_epoch or request.member_epoch

        members.heartbeat(f"modern {index}", client, request, follow)
    stood_still_s = STOP_S if what == "the process is stopped" else STALL_S
    (broker.stop if what == "the process is stopped" else broker.stall)(stood_still_s)
    ended = time.monotonic()
    with RawClient(broker.address, timeout=90) as observer:
        # Everybody is there still: who heartbeats, because it was heard or could not be; who does not, once more.
        until(lambda: sizes(observer) == (2, 2), SESSION_MS / 1000 + EXPIRY_SLACK_S + BUSY_MACHINE_S)
        gone_s = time.monotonic() - ended
        # And who heartbeats stays.
        threading.Event().wait(SESSION_MS / 1000 + EXPIRY_SLACK_S)
        assert sizes(observer) == (2, 2)
    members.close()
    members.check()
    after = broker.metrics()
    paused_s = after["barnabas_control_pause_seconds_total"] - before["barnabas_control_pause_seconds_total"]
    assert after["barnabas_control_pauses_total"] > before["barnabas_control_pauses_total"]
    assert paused_s >= stood_still_s - 1.5
    print(f"{what} for {stood_still_s} s: {paused_s:.2f} s seen; the dead went {gone_s:.2f} s after it")
