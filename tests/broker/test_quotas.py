"""Quotas of clients and addresses, over foreign sockets; how answers compare with the reference's is in tests/behaviour."""

from __future__ import annotations

import struct
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient, record_batch
from test_broker import create
from test_dynamic_options import BROKER, change
from test_hooks import fetch
from test_limits import PATIENCE, is_served, until

from barnabas import Broker
from barnabas.errors import ThrottlingQuotaExceededError
from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.list_groups import ListGroupsRequest
from barnabas.protocol.messages.metadata import MetadataRequest
from barnabas.protocol.messages.produce import ProduceRequest

if TYPE_CHECKING:
    from pathlib import Path

BIG = record_batch([b"x" * 3_000])


def set_quota(client: RawClient, entity: dict[str, str | None], **values: float | None) -> None:
    shape = AlterClientQuotasRequest
    ops = [shape.OpData(key=key, value=value or 0.0, remove=value is None) for key, value in values.items()]
    parts = [shape.EntityData(entity_type=kind, entity_name=name) for kind, name in entity.items()]
    (entry,) = client.ask(shape(entries=[shape.EntryData(entity=parts, ops=ops)])).entries
    assert (entry.error_code, entry.error_message) == (0, None)


def produce(client: RawClient, topic: str, topic_id: bytes, batch: bytes = BIG, acks: int = -1) -> int:
    """Returns the throttle time of the answer."""
    data = ProduceRequest.PartitionProduceData(index=0, records=batch)
    topics = [ProduceRequest.TopicProduceData(name=topic, topic_id=topic_id, partition_data=[data])]
    sent = client.send(ProduceRequest(acks=acks, timeout_ms=5_000, topic_data=topics))
    if acks == 0:
        return 0
    answer = client.receive(sent)
    assert answer.responses[0].partition_responses[0].error_code == 0
    return int(answer.throttle_time_ms)


def limited(stack: ExitStack, broker: Broker, client_id: str = "limited") -> RawClient:
    return stack.enter_context(RawClient(broker.bootstrap_servers, client_id=client_id, timeout=PATIENCE))


def test_quotas_are_there_after_a_restart_and_change_at_once(tmp_path: Path) -> None:
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as admin:
        create(admin, "t", 1)
        set_quota(admin, {"client-id": "limited"}, producer_byte_rate=100.0)
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as admin, ExitStack() as stack:
        topic_id = admin.topics("t")["t"].topic_id
        assert produce(limited(stack, broker), "t", topic_id) > 15_000
        assert produce(admin, "t", topic_id) == 0
        metrics = broker.metrics()
        labels = '{quota="produce",user="",client_id="limited"}'
        assert metrics[f"barnabas_client_quota_limit{labels}"] == 100.0
        assert metrics[f"barnabas_client_quota_used{labels}"] > 200.0
        assert metrics[f"barnabas_client_throttled_total{labels}"] == 1
        assert metrics[f"barnabas_client_throttled_seconds_total{labels}"] > 15
        assert metrics["barnabas_connections_muted"] == 1
        set_quota(admin, {"client-id": "limited"}, producer_byte_rate=1e9)
        until(lambda: produce(limited(stack, broker), "t", topic_id) == 0)
        set_quota(admin, {"client-id": "limited"}, producer_byte_rate=None)
        assert produce(limited(stack, broker), "t", topic_id) == 0


# Whoever is muted for long counts as idle, as in Kafka, and does not hold up the broker's end.
def test_muted_connections_are_closed_when_idle_and_at_the_end() -> None:
    with (
        Broker(connections_max_idle_ms=2_000) as broker,
        RawClient(broker.bootstrap_servers) as admin,
        ExitStack() as s,
    ):
        topic_id = create(admin, "t", 1).topic_id
        set_quota(admin, {"client-id": None}, producer_byte_rate=1.0)
        muted, silent = limited(s, broker), limited(s, broker, "silent")
        assert produce(muted, "t", topic_id) > 1_000_000
        produce(silent, "t", topic_id, acks=0)
        until(lambda: broker.metrics()["barnabas_connections_muted"] == 2)
        assert muted.closed()
        assert silent.closed()
        until(lambda: broker.metrics()["barnabas_connections_muted"] == 0)
        produce(limited(s, broker), "t", topic_id)
        begin = time.monotonic()
    assert time.monotonic() - begin < PATIENCE


def test_a_throttled_fetch_tells_nothing_and_gets_it_later() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as admin, ExitStack() as stack:
        topic_id = create(admin, "t", 1).topic_id
        assert produce(admin, "t", topic_id) == 0
        set_quota(admin, {"client-id": "limited"}, consumer_byte_rate=320.0)
        client = limited(stack, broker)
        first = client.ask(fetch(topic_id))
        assert (len(first.responses), first.throttle_time_ms) == (1, 0)
        second = client.ask(fetch(topic_id))
        assert (len(second.responses), second.session_id, second.error_code) == (0, 0, 0)
        assert 8_000 < second.throttle_time_ms < 11_000
        set_quota(admin, {"client-id": "limited"}, consumer_byte_rate=1e6)
        until(lambda: len(limited(stack, broker).ask(fetch(topic_id)).responses) == 1)


def test_control_requests_are_charged_for_the_control_planes_time() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as admin, ExitStack() as stack:
        set_quota(admin, {"user": "ANONYMOUS"}, request_percentage=1e-6)
        # The one who set it was not known to have one before.
        assert limited(stack, broker).ask(ListGroupsRequest()).throttle_time_ms == 1000
        metadata = limited(stack, broker).ask(MetadataRequest(topics=[]))
        assert metadata.throttle_time_ms == 1000


def test_no_more_partitions_than_the_quota_of_changes() -> None:
    def new(client: RawClient, name: str, partitions: int, version: int) -> tuple[int, int]:
        shape = CreateTopicsRequest
        topic = shape.CreatableTopic(name=name, num_partitions=partitions, replication_factor=1)
        answer = client.ask(shape(topics=[topic], timeout_ms=5_000), version)
        return answer.topics[0].error_code, answer.throttle_time_ms

    exceeded = ThrottlingQuotaExceededError.code
    with Broker() as broker, RawClient(broker.bootstrap_servers) as admin, ExitStack() as stack:
        set_quota(admin, {"client-id": "limited"}, controller_mutation_rate=1.0)
        # Eleven are saved up, and the last one that is begun may be larger.
        assert new(limited(stack, broker), "a", 20, 7) == (0, 0)
        code, throttle_ms = new(limited(stack, broker), "b", 1, 7)
        assert code == exceeded
        assert 5_000 < throttle_ms <= 9_000
        code, throttle_ms = new(limited(stack, broker), "c", 1, 5)
        assert code == 0
        assert 5_000 < throttle_ms <= 10_000
        # A topic that nobody created is not created on demand either.
        assert limited(stack, broker).ask(MetadataRequest(topics=[MetadataRequest.MetadataRequestTopic(name="d")]))
        assert set(admin.topics()) >= {"a", "c"}
        assert not set(admin.topics()) & {"b", "d"}


def test_connections_of_an_address_come_no_faster_than_its_quota() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as admin, ExitStack() as stack:
        set_quota(admin, {"ip": "127.0.0.1"}, connection_creation_rate=1.0)
        clients = [stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(14)]
        assert all(is_served(client, PATIENCE) for client in clients[:10])
        assert all(client.closed() for client in clients[10:])
        assert broker.metrics()["barnabas_connections_throttled_total"] == 4
        set_quota(admin, {"ip": "127.0.0.1"}, connection_creation_rate=None)
        with RawClient(broker.bootstrap_servers) as client:
            assert is_served(client, PATIENCE)


def test_connections_of_a_broker_and_of_a_listener_wait_when_too_many_come() -> None:
    for option in ("max.connection.creation.rate", "listener.name.plaintext.max.connection.creation.rate"):
        with Broker(config={option: 1}) as broker, ExitStack() as stack:
            begin = time.monotonic()
            clients = [stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(12)]
            assert all(is_served(client, PATIENCE) for client in clients)
            assert time.monotonic() - begin > 0.9, "ten seconds' worth may come at once, the others a second apart"
            assert broker.metrics()["barnabas_connections_delayed_total"] >= 1


def test_limits_of_connections_change_while_the_broker_runs() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as admin, ExitStack() as stack:
        clients = [stack.enter_context(RawClient(broker.bootstrap_servers)) for _ in range(4)]
        assert all(is_served(client, PATIENCE) for client in clients[:3])
        time.sleep(0.01)  # times are told apart by milliseconds
        assert is_served(clients[3], PATIENCE)
        admin.topics()
        # The connections that were not used for longest give way.
        change(admin, BROKER, "1", "max.connections", "2")
        assert all(client.closed() for client in clients[:3])
        assert is_served(clients[3], PATIENCE)
        change(admin, BROKER, "1", "max.connections", None)
        change(admin, BROKER, "", "listener.name.plaintext.max.connections", "2")
        late = stack.enter_context(RawClient(broker.bootstrap_servers))
        assert not is_served(late)
        change(admin, BROKER, "", "listener.name.plaintext.max.connections", None)
        assert late.receive_frame()
        change(admin, BROKER, "1", "max.connections.per.ip", "1")
        assert stack.enter_context(RawClient(broker.bootstrap_servers)).closed()


# A frame that follows one whose client is throttled stays where it is until the time is over.
@pytest.mark.parametrize("acks", [0, -1])
def test_what_comes_behind_a_throttled_request_waits(acks: int) -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as admin, ExitStack() as stack:
        topic_id = create(admin, "t", 1).topic_id
        set_quota(admin, {"client-id": "limited"}, producer_byte_rate=280.0)
        client = limited(stack, broker)
        begin = time.monotonic()
        throttle_ms = produce(client, "t", topic_id, acks=acks)
        assert acks == 0 or 500 < throttle_ms < 2_000
        client.socket.sendall(struct.pack(">ihhihi", 14, 3, 1, 99, -1, 0))
        client.receive_frame()
        assert time.monotonic() - begin > 0.5
