"""An idempotent producer while real leaders are killed, stopped and come back: `make kafka-matrix MATRIX=cluster-4.3.0`."""

import os
import signal
import threading
import time

import pytest
from kafka_cluster import BROKERS, kafka_cluster
from reading import read

import barnabas
from barnabas import NewTopic, Producer, TopicPartition

DEADLINE = 90.0
PARTITIONS = 4
RELEASES = [name for name in os.environ.get("SERVERS", "").split() if name.startswith("cluster-")]


def until(condition, what):
    deadline = time.monotonic() + DEADLINE
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, what
        pause.wait(0.1)


class Sending(threading.Thread):
    """Sends numbered records to every partition, one after the other, until it is told to end."""

    def __init__(self, producer, topic):
        super().__init__()
        self.producer, self.topic = producer, topic
        self.deliveries = [[] for _ in range(PARTITIONS)]
        self.is_over = threading.Event()
        self.error = None

    def run(self):
        try:
            number = 0
            while not self.is_over.is_set():
                partition = number % PARTITIONS
                value = b"%d" % (number // PARTITIONS)
                self.deliveries[partition].append(self.producer.send(self.topic, value, partition=partition))
                number += 1
                if number % 50 == 0:
                    self.is_over.wait(0.002)
        except BaseException as error:
            self.error = error
            raise

    def wait_for_more(self, count):
        """Until records that were sent from now on are acknowledged in every partition."""
        first = [len(deliveries) for deliveries in self.deliveries]
        for deliveries, at in zip(self.deliveries, first, strict=True):
            until(lambda found=deliveries, least=at + count: self.error or len(found) > least, "no more is sent")
            assert self.error is None
            deliveries[at + count].result(DEADLINE)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", RELEASES)
def test_nothing_is_lost_doubled_or_reordered_while_leaders_change(tmp_path, name):
    with kafka_cluster(tmp_path, name.removeprefix("cluster-")) as cluster:
        address = cluster.bootstrap_servers
        topic = "led"
        with barnabas.Admin(bootstrap_servers=address) as admin:
            until(lambda: len(admin.describe_cluster().nodes) == len(BROKERS), "the brokers do not find each other")
            admin.create_topics([NewTopic(topic, num_partitions=PARTITIONS, replication_factor=2)])
        options = {"retry_backoff_ms": 10, "reconnect_backoff_ms": 10, "reconnect_backoff_max_ms": 200, "linger_ms": 1}
        with Producer(bootstrap_servers=address, delivery_timeout_ms=120_000, **options) as producer:

            def leaders():
                return {info.leader.id for info in producer.partitions_for(topic) if info.leader is not None}

            def are_in_sync():
                return all(len(info.in_sync_replicas) == len(BROKERS) for info in producer.partitions_for(topic))

            until(lambda: are_in_sync() and len(producer.partitions_for(topic)) == PARTITIONS, "the topic is not there")
            sending = Sending(producer, topic)
            sending.start()
            try:
                sending.wait_for_more(100)
                # Killed, one after the other, then told to stop, which hands its partitions on before it goes.
                for node, how in zip(
                    (*BROKERS, BROKERS[0]), (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM), strict=True
                ):
                    (other,) = set(BROKERS) - {node}
                    cluster.end(node, how)
                    until(lambda left=other: leaders() == {left}, "no other broker leads")
                    sending.wait_for_more(100)
                    cluster.start(node)
                    until(are_in_sync, "the broker does not catch up")
                sending.wait_for_more(100)
            finally:
                sending.is_over.set()
                sending.join(DEADLINE)
            producer.flush(DEADLINE)
            retries = producer.metrics()["batch_retries"]
        assert retries > 0
        with barnabas.Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as reader:
            reader.assign([TopicPartition(topic, partition) for partition in range(PARTITIONS)])
            found = read(reader, sum(map(len, sending.deliveries)), extra=0.5)
    for partition, deliveries in enumerate(sending.deliveries):
        mine = [record for record in found if record.partition == partition]
        assert [record.value for record in mine] == [b"%d" % number for number in range(len(deliveries))]
        said = [delivery.result(0).offset for delivery in deliveries]
        # An acknowledgement of a batch that the broker had forgotten has no offset.
        assert all(offset in {-1, record.offset} for offset, record in zip(said, mine, strict=True))
    print({"records": len(found), "batches sent again": retries})
