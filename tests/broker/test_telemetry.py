"""Clients' telemetry (KIP-714): when it is offered, what a client may push and when, and where it is shown."""

from __future__ import annotations

import struct
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
from crc32c import crc32c
from raw_client import RawClient

from barnabas import Broker, errors
from barnabas._core import compress
from barnabas.broker.telemetry import java_hash
from barnabas.protocol.messages.get_telemetry_subscriptions import GetTelemetrySubscriptionsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.messages.push_telemetry import PushTelemetryRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

TELEMETRY = {71, 72}
INTERVAL_MS = 1_000


def field(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + size(len(data)) + data


def size(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def attribute(key: str, value: str) -> bytes:
    return field(1, key.encode()) + field(2, field(1, value.encode()))


def metrics(*parts: bytes) -> bytes:
    """OpenTelemetry's `MetricsData` with one resource and one scope."""
    resource = field(1, attribute("client_rack", "r1"))
    return field(1, field(1, resource) + field(2, b"".join(field(2, part) for part in parts)))


def total(name: str, value: int, temporality: int = 1) -> bytes:
    point = field(7, attribute("node", "1")) + b"\x31" + struct.pack("<q", value)
    return field(1, name.encode()) + field(7, field(1, point) + bytes([2 << 3, temporality, 3 << 3, 1]))


def gauge(name: str, value: float) -> bytes:
    return field(1, name.encode()) + field(5, field(1, b"\x21" + struct.pack("<d", value)))


def subscribe(client: RawClient, name: str, **options: str | None) -> None:
    shape = IncrementalAlterConfigsRequest
    configs = [
        shape.AlterableConfig(name=key.replace("_", "."), config_operation=int(value is None), value=value)
        for key, value in options.items()
    ]
    resource = shape.AlterConfigsResource(resource_type=16, resource_name=name, configs=configs)
    (result,) = client.ask(shape(resources=[resource])).responses
    assert (result.error_code, result.error_message) == (0, None)


@pytest.fixture(name="broker")
def broker_with_a_port() -> Iterator[Broker]:
    with Broker(barnabas_metrics_listen="127.0.0.1:0", telemetry_max_bytes=10_000) as broker:
        yield broker


@pytest.fixture(name="client")
def subscribed(broker: Broker) -> Iterator[RawClient]:
    with RawClient(broker.bootstrap_servers) as client:
        subscribe(client, "s", metrics="org.a", interval_ms=str(INTERVAL_MS))
        yield client


def ask(client: RawClient, instance: bytes = bytes(16)) -> Any:
    return client.ask(GetTelemetrySubscriptionsRequest(client_instance_id=instance))


def push(client: RawClient, told: Any, data: bytes, codec: int = 0, **fields: Any) -> int:
    told_fields = {"client_instance_id": told.client_instance_id, "subscription_id": told.subscription_id}
    request = PushTelemetryRequest(**{**told_fields, "compression_type": codec, "metrics": data, **fields})
    return int(client.ask(request).error_code)


def scraped(broker: Broker) -> str:
    with urllib.request.urlopen(f"http://{broker.metrics_address}/metrics", timeout=20) as answer:
        text: str = answer.read().decode()
    return text


def test_it_is_offered_with_a_port_for_metrics_and_while_somebody_is_subscribed(broker: Broker) -> None:
    with RawClient(broker.bootstrap_servers) as client:
        assert not TELEMETRY & client.versions().keys()
        subscribe(client, "s", metrics="org.a")
        assert client.versions().keys() >= TELEMETRY
        subscribe(client, "s", metrics=None)
        assert not TELEMETRY & client.versions().keys()
    with Broker() as other, RawClient(other.bootstrap_servers) as client:
        subscribe(client, "s", metrics="org.a")
        assert not TELEMETRY & client.versions().keys()


def test_a_client_is_told_what_it_is_subscribed_to(broker: Broker, client: RawClient) -> None:
    told = ask(client)
    assert told.error_code == 0
    assert bytes(told.client_instance_id) != bytes(16)
    assert told.requested_metrics == ["org.a"]
    assert (told.push_interval_ms, told.telemetry_max_bytes, told.delta_temporality) == (INTERVAL_MS, 10_000, True)
    assert told.accepted_compression_types == [4, 3, 1, 2]
    checksum = crc32c(f"[org.a]{INTERVAL_MS}".encode())
    assert told.subscription_id & 0xFFFF_FFFF == checksum ^ java_hash(bytes(told.client_instance_id))
    assert ask(client, bytes(told.client_instance_id)).error_code == errors.ThrottlingQuotaExceededError.code
    subscribe(client, "s", interval_ms="2000")
    again = ask(client, bytes(told.client_instance_id))
    assert (again.error_code, again.push_interval_ms) == (0, 2_000)
    assert again.subscription_id != told.subscription_id
    broker.clock.advance(3.0)
    assert ask(client, bytes(told.client_instance_id)).error_code == 0


def test_a_subscription_is_for_whom_it_matches(broker: Broker) -> None:
    with RawClient(broker.bootstrap_servers, client_id="app-7") as client:
        port = client.socket.getsockname()[1]
        client.versions()
        subscribe(client, "by-id", metrics="a", match="client_id=app-.*,client_source_address=127[.]0[.]0[.]1")
        subscribe(client, "by-software", metrics="b", match=f"client_software_name=raw,client_source_port={port}")
        subscribe(client, "others", metrics="c", match="client_software_version=[2-9]")
        assert ask(client).requested_metrics == ["a", "b"]
        subscribe(client, "everything", metrics="*")
        assert ask(client).requested_metrics == ["*"]


@pytest.mark.parametrize(("codec", "name"), [(0, "none"), (1, "gzip"), (2, "snappy"), (3, "lz4"), (4, "zstd")])
def test_what_is_pushed_is_shown_beside_the_brokers_metrics(
    broker: Broker, client: RawClient, codec: int, name: str
) -> None:
    told = ask(client)
    for share in (5, 7):
        data = metrics(total("org.a.sent.total", share), gauge("org.a.lag", share + 0.5))
        assert push(client, told, data if codec == 0 else compress(name, data), codec) == 0
        broker.clock.advance(2.0)
    lines = scraped(broker).splitlines()
    (sent,) = [line for line in lines if line.startswith("org_a_sent_total{")]
    (lag,) = [line for line in lines if line.startswith("org_a_lag{")]
    assert sent.endswith(" 12"), "what was added is summed up"
    assert lag.endswith(" 7.5"), "the last value counts"
    assert 'client_id="raw"' in sent
    assert 'client_rack="r1"' in sent
    assert 'node="1"' in sent
    assert "# TYPE org_a_sent_total counter" in lines
    assert "barnabas_telemetry_pushes_total 2" in lines


def test_pushes_are_refused_as_by_kafka(broker: Broker, client: RawClient) -> None:
    told = ask(client)
    data = metrics(gauge("a", 1))
    assert push(client, told, data, client_instance_id=bytes(16)) == errors.InvalidRequestError.code
    assert push(client, told, data, client_instance_id=bytes(15) + b"\1") == errors.InvalidRequestError.code
    refusals = [
        ({"subscription_id": told.subscription_id + 1}, data, errors.UnknownSubscriptionIdError),
        ({"codec": 9}, data, errors.UnsupportedCompressionTypeError),
        ({}, bytes(10_001), errors.TelemetryTooLargeError),
        ({}, b"\x0a\xff", errors.InvalidRecordError),
        ({"codec": 4}, data, errors.InvalidRecordError),
    ]
    for fields, pushed, error in refusals:
        assert push(client, told, pushed, **fields) == error.code, error
        assert push(client, told, data) == errors.ThrottlingQuotaExceededError.code
        broker.clock.advance(2.0)
    assert push(client, told, data) == 0
    assert push(client, told, data, terminating=True) == 0, "the last one comes when it comes"
    broker.clock.advance(2.0)
    assert push(client, told, data) == errors.InvalidRequestError.code
    assert 'barnabas_telemetry_refused_total{error="UnknownSubscriptionId"} 1' in scraped(broker)


def test_a_client_that_is_gone_is_shown_no_more(broker: Broker, client: RawClient) -> None:
    with RawClient(broker.bootstrap_servers, client_id="short") as other:
        assert push(other, ask(other), metrics(gauge("org.a.x", 1))) == 0
        assert 'client_id="short"' in scraped(broker)
    for _ in range(200):
        client.versions()
        if 'client_id="short"' not in scraped(broker):
            return
    pytest.fail("it is still shown")
