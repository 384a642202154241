"""Fault hooks, the clock that can be set forward, the list of requests."""

from __future__ import annotations

import time
from typing import Any

import pytest
from raw_client import RawClient, record_batch
from test_broker import create, enter, join

from barnabas import Broker, Producer
from barnabas.errors import ConfigError, NotLeaderOrFollowerError
from barnabas.protocol.messages.fetch import FetchRequest
from barnabas.protocol.messages.find_coordinator import FindCoordinatorRequest
from barnabas.protocol.messages.heartbeat import HeartbeatRequest
from barnabas.protocol.messages.list_offsets import ListOffsetsRequest
from barnabas.protocol.messages.metadata import MetadataRequest
from barnabas.testing import SeenRequest

NOT_LEADER = 6
UNKNOWN_MEMBER_ID = 25


def test_the_nth_request_gets_the_error_and_is_not_applied() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 1).topic_id
        fault = broker.faults.inject("Produce", nth=2, times=2, error="NOT_LEADER_OR_FOLLOWER")
        answers = [client.produce("t", topic_id, 0, record_batch([b"x"])) for _ in range(4)]
        assert answers == [(0, 0), (NOT_LEADER, -1), (NOT_LEADER, -1), (0, 1)]
        assert fault.fired == 2


def test_an_error_after_it_was_applied_keeps_what_was_applied() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 1).topic_id
        with broker.faults.inject(0, error=NotLeaderOrFollowerError, when="after", times=None) as fault:
            assert client.produce("t", topic_id, 0, record_batch([b"x"])) == (NOT_LEADER, -1)
            assert client.produce("t", topic_id, 0, record_batch([b"y"])) == (NOT_LEADER, -1)
            assert fault.fired == 2
        assert client.produce("t", topic_id, 0, record_batch([b"z"])) == (0, 2)


# The control plane's APIs go the same way, and in their own shapes.
@pytest.mark.parametrize("version", [0, 3, 6])
def test_errors_of_the_control_plane(version: int) -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        broker.faults.inject("FindCoordinator", error=15)
        request = (
            FindCoordinatorRequest(key="g") if version < 4 else FindCoordinatorRequest(coordinator_keys=["g", "h"])
        )
        answer = client.ask(request, version)
        if version < 4:
            assert answer.error_code == 15
        else:
            assert [(found.key, found.error_code) for found in answer.coordinators] == [("g", 15), ("h", 15)]


def test_a_delay_holds_up_its_own_connection_only() -> None:
    with (
        Broker() as broker,
        RawClient(broker.bootstrap_servers) as client,
        RawClient(broker.bootstrap_servers) as other,
    ):
        topic_id = create(client, "t", 1).topic_id
        fault = broker.faults.inject("Fetch", delay=0.5, client_id="raw")
        begin = time.monotonic()
        sent = client.send(fetch(topic_id))
        assert fault.wait()
        assert other.topics("t")["t"].error_code == 0
        assert client.receive(sent).responses[0].partitions[0].error_code == 0
        assert time.monotonic() - begin >= 0.5


def fetch(topic_id: bytes) -> FetchRequest:
    wanted = FetchRequest.FetchPartition(partition=0, partition_max_bytes=1 << 20)
    topics = [FetchRequest.FetchTopic(topic_id=topic_id, partitions=[wanted])]
    return FetchRequest(max_wait_ms=0, min_bytes=0, max_bytes=1 << 20, session_epoch=-1, topics=topics)


@pytest.mark.parametrize(("when", "kept"), [("before", 0), ("after", 1)])
def test_a_dropped_request_leaves_its_connection_silent(when: Any, kept: int) -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 1).topic_id
        with RawClient(broker.bootstrap_servers, timeout=0.5) as victim:
            fault = broker.faults.inject("Produce", drop=True, when=when)
            with pytest.raises(TimeoutError):
                victim.produce("t", topic_id, 0, record_batch([b"x"]))
            victim.send(ListOffsetsRequest(replica_id=-1))
            with pytest.raises(TimeoutError):
                victim.receive_frame()
            assert fault.fired == 1
        assert end_of(client, "t") == kept
        # A connection that hangs does not hold up the end.
        with RawClient(broker.bootstrap_servers) as held:
            second = broker.faults.inject("Metadata", drop=True)
            sent = held.send(ListOffsetsRequest(replica_id=-1))
            held.receive(sent)
            held.send(MetadataRequest(topics=[]))
            assert second.wait()
            assert broker.close(timeout=10)


@pytest.mark.parametrize(("when", "kept"), [("before", 0), ("after", 1)])
def test_a_disconnect_before_or_after(when: Any, kept: int) -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 1).topic_id
        broker.faults.inject("Produce", disconnect=True, when=when)
        with RawClient(broker.bootstrap_servers) as victim, pytest.raises(ConnectionError):
            victim.produce("t", topic_id, 0, record_batch([b"x"]))
        assert end_of(client, "t") == kept


def end_of(client: RawClient, topic: str) -> int:
    part = ListOffsetsRequest.ListOffsetsPartition(partition_index=0, timestamp=-1)
    topics = [ListOffsetsRequest.ListOffsetsTopic(name=topic, partitions=[part])]
    answer = client.ask(ListOffsetsRequest(replica_id=-1, topics=topics))
    return int(answer.topics[0].partitions[0].offset)


# What the hooks are for: a client of ours meets a fault and gets over it.
def test_a_lost_answer_is_sent_again_without_a_duplicate() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, "t", 1)
        fault = broker.faults.inject("Produce", disconnect=True, when="after")
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            assert producer.send("t", b"once").result(30).offset == 0
        assert fault.fired == 1
        assert end_of(client, "t") == 1


def test_faults_are_taken_out_and_bad_ones_refused() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        broker.faults.inject(error="NOT_CONTROLLER", times=None)
        broker.faults.clear()
        assert client.topics() == {}
        for arguments, why in (
            ({"api": "Produced", "drop": True}, "no API is called 'Produced'"),
            ({}, "exactly one of"),
            ({"drop": True, "delay": 1.0}, "exactly one of"),
            ({"error": "NO_SUCH"}, "no error is called"),
            ({"drop": True, "nth": 0}, "counted from 1"),
            ({"delay": -1.0}, "delay"),
            ({"drop": True, "when": "during"}, "when"),
        ):
            with pytest.raises(ConfigError, match=why):
                broker.faults.inject(**arguments)


def test_requests_are_kept_in_order_and_bounded() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers, client_id="me") as client:
        assert broker.requests_seen() == []
        broker.requests.record(limit=3)
        client.topics()
        client.coordinator("g")
        client.versions()
        client.topics()
        seen = broker.requests_seen()
        assert [request.api for request in seen] == ["FindCoordinator", "ApiVersions", "Metadata"]
        (first,) = broker.requests_seen("ApiVersions")
        assert isinstance(first, SeenRequest)
        assert (first.version, first.client_id, first.client_host) == (4, "me", "127.0.0.1")
        assert {request.connection_id for request in seen} == {first.connection_id}
        assert [request.correlation_id for request in seen] == sorted(request.correlation_id for request in seen)
        assert all(request.size > 10 for request in seen)
        broker.requests.stop()
        client.topics()
        assert broker.requests_seen() == []


def test_time_that_is_skipped_ends_sessions() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        client.coordinator("g")
        member = enter(client, "g")
        generation = client.ask(join("g", member)).generation_id
        assert client.ask(HeartbeatRequest(group_id="g", generation_id=generation, member_id=member)).error_code != 25
        before = broker.clock.now()
        broker.clock.advance(3600)
        assert 3600 <= broker.clock.now() - before < 3700
        deadline = time.monotonic() + 20
        request = HeartbeatRequest(group_id="g", generation_id=generation, member_id=member)
        while (code := client.ask(request).error_code) != UNKNOWN_MEMBER_ID:
            # A heartbeat that came between the leap and the deadline keeps the member for another session.
            assert time.monotonic() < deadline, code
            broker.clock.advance(3600)
        assert broker.metrics()["barnabas_control_pauses_total"] == 0
        with pytest.raises(ConfigError):
            broker.clock.advance(-1)


def test_time_that_is_skipped_ends_retention() -> None:
    options = {"log_segment_bytes": 1_048_576, "log_retention_check_interval_ms": 60_000}
    with Broker(**options) as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = create(client, "t", 1).topic_id
        for _ in range(3):
            assert client.produce("t", topic_id, 0, record_batch([b"x" * 600_000]))[0] == 0
        broker.clock.advance(8 * 24 * 3600)
        deadline = time.monotonic() + 20
        while broker.metrics()["barnabas_log_segments_deleted_total"] < 2:
            assert time.monotonic() < deadline
            time.sleep(0.01)
