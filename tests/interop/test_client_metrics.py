"""Foreign clients push their metrics (KIP-714), and they are shown beside the broker's."""

from __future__ import annotations

import threading
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import confluent_kafka
import pytest
from raw_client import RawClient
from reference_kafka import java

from barnabas import Broker
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.interop

PATIENCE = 90.0
FAMILY = "org_apache_kafka_producer_connection_creation_total"


def of_confluent(server: str, stop: threading.Event) -> None:
    producer = confluent_kafka.Producer({"bootstrap.servers": server, "client.id": "confluent"})
    while not stop.is_set():
        producer.produce("t", b"x")
        producer.poll(0.1)
    producer.flush(10)


def of_java(server: str, stop: threading.Event) -> None:
    while not stop.is_set():
        arguments = ("--topic", "t", "--max-messages", "100", "--throughput", "20")
        done = java("VerifiableProducer", "--bootstrap-server", server, *arguments)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("push", [of_confluent, of_java])
def test_what_a_client_pushes_is_shown(push: Callable[[str, threading.Event], None]) -> None:
    with Broker(barnabas_metrics_listen="127.0.0.1:0") as broker, ThreadPoolExecutor(1) as pool:
        server = broker.bootstrap_servers
        with RawClient(server, timeout=PATIENCE) as client:
            shape = IncrementalAlterConfigsRequest
            configs = [
                shape.AlterableConfig(name=name, value=value)
                for name, value in (("metrics", "*"), ("interval.ms", "1000"))
            ]
            resource = shape.AlterConfigsResource(resource_type=16, resource_name="all", configs=configs)
            assert client.ask(shape(resources=[resource])).responses[0].error_code == 0
        stop = threading.Event()
        pushes = pool.submit(push, server, stop)
        try:
            deadline = time.monotonic() + PATIENCE
            while not (found := [line for line in scraped(broker) if line.startswith(FAMILY)]):
                assert time.monotonic() < deadline, [line for line in scraped(broker) if "telemetry" in line]
                assert not pushes.done(), pushes.result()
                threading.Event().wait(0.1)
        finally:
            stop.set()
        assert 'client_id="' in found[0]
        pushes.result(PATIENCE)


def scraped(broker: Broker) -> list[str]:
    with urllib.request.urlopen(f"http://{broker.metrics_address}/metrics", timeout=20) as answer:
        text: str = answer.read().decode()
    return text.splitlines()
