"""A broker that is killed while it is written to: what was acknowledged is there, once, in order."""

import contextlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from reading import read

import barnabas
from barnabas import NewTopic, TopicPartition, errors

KILLS = 3
RECORDS_BETWEEN = 4_000
PARTITIONS = 3
BOUND = 60.0


class BrokerProcess:
    """`barnabas broker` on one data directory and, from its second start on, one port."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.address = ""
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        ready = self.directory / "ready"
        ready.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "barnabas",
                "broker",
                "--data-dir",
                str(self.directory / "data"),
                "--ready-file",
                str(ready),
                "--listen",
                self.address or "127.0.0.1:0",
            ],
            env=os.environ,
        )
        deadline = time.monotonic() + 20
        while not (ready.exists() and ready.read_text().strip()):
            assert self.process.poll() is None, "the broker ended"
            assert time.monotonic() < deadline, "the broker did not get ready"
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(0.02)
        self.address = ready.read_text().split()[0]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(10)

    def stop(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)


@pytest.fixture
def broker(tmp_path, stack):
    broker = BrokerProcess(tmp_path)
    stack.callback(broker.stop)
    broker.start()
    return broker


@pytest.mark.parametrize("codec", ["none", "lz4"])
def test_every_acknowledged_record_is_there_once_and_in_order(broker, codec):
    with barnabas.Admin(bootstrap_servers=broker.address) as admin:
        admin.create_topics([NewTopic("orders", PARTITIONS)])
    deliveries: list[barnabas.client.Delivery] = []
    enough = threading.Event()
    stop = threading.Event()

    def send() -> None:
        for number in itertools.count():
            if stop.is_set():
                return
            deliveries.append(producer.send("orders", b"%d" % number, partition=number % PARTITIONS))
            if number % RECORDS_BETWEEN == RECORDS_BETWEEN - 1:
                enough.set()

    options = {"bootstrap_servers": broker.address, "compression_type": codec, "linger_ms": 1, "batch_size": 16_384}
    with barnabas.Producer(**options, buffer_memory=4_194_304) as producer:
        sender = threading.Thread(target=send)
        sender.start()
        for _ in range(KILLS):
            enough.clear()
            assert enough.wait(BOUND)
            broker.kill()
            broker.start()
        enough.clear()
        assert enough.wait(BOUND)
        stop.set()
        sender.join(BOUND)
        producer.flush(BOUND)

    acknowledged: dict[int, list[tuple[int, int]]] = {partition: [] for partition in range(PARTITIONS)}
    for number, delivery in enumerate(deliveries):
        found = delivery.result(0)
        acknowledged[found.partition].append((found.offset, number))
    with barnabas.Consumer(bootstrap_servers=broker.address, auto_offset_reset="earliest") as consumer:
        consumer.assign([TopicPartition("orders", partition) for partition in range(PARTITIONS)])
        records = read(consumer, len(deliveries), extra=0.3)
    assert len(records) == len(deliveries), "nothing is doubled"
    for partition in range(PARTITIONS):
        stored = [(record.offset, int(record.value)) for record in records if record.partition == partition]
        assert stored == acknowledged[partition]
        assert [number for _, number in stored] == sorted(number for _, number in stored)


def test_a_consumer_goes_on_after_its_broker_was_killed(broker):
    with barnabas.Admin(bootstrap_servers=broker.address) as admin:
        admin.create_topics([NewTopic("orders", 1)])
    options = {"bootstrap_servers": broker.address, "auto_offset_reset": "earliest", "heartbeat_interval_ms": 200}
    with (
        barnabas.Producer(bootstrap_servers=broker.address) as producer,
        barnabas.Consumer("orders", group_id="g", enable_auto_commit=False, **options) as consumer,
    ):
        seen = []
        for life in range(KILLS):
            if life:
                broker.kill()
                broker.start()
            producer.send_many("orders", [b"%d" % (life * 10 + number) for number in range(10)]).result(BOUND)
            deadline = time.monotonic() + BOUND
            while len(seen) < 10 * (life + 1):
                assert time.monotonic() < deadline
                seen += [int(value) for value in consumer.poll(timeout=0.5).values()]
            # A member that the new broker does not know joins again, and may then read again what was not committed.
            committed = False
            while not committed:
                assert time.monotonic() < deadline
                try:
                    consumer.commit()
                    committed = True
                except (errors.CommitFailedError, errors.RebalanceInProgressError):
                    consumer.poll(timeout=0.2)
        assert sorted(set(seen)) == list(range(10 * KILLS))
    with barnabas.Consumer(bootstrap_servers=broker.address, group_id="g") as consumer:
        assert consumer.committed([("orders", 0)])[TopicPartition("orders", 0)].offset == 10 * KILLS
