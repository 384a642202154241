"""Reading from the replica in one's own rack (KIP-392) of Apache Kafka: `make kafka-matrix MATRIX=cluster-4.3.0`."""

import signal
from contextlib import ExitStack

import pytest
from kafka_cluster import BROKERS, NEAR, REQUESTS, kafka_cluster
from test_leader_change import RELEASES, until

import barnabas
from barnabas import NewTopic, TopicPartition

TOPIC = "near"
QUICK = {"retry_backoff_ms": 10, "reconnect_backoff_ms": 10, "reconnect_backoff_max_ms": 200}


@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", RELEASES)
def test_the_replica_in_ones_own_rack_is_read_from_until_it_is_gone(tmp_path, name):
    with ExitStack() as stack:
        cluster = stack.enter_context(kafka_cluster(tmp_path, name.removeprefix("cluster-"), NEAR, REQUESTS))
        address = cluster.bootstrap_servers
        admin = stack.enter_context(barnabas.Admin(bootstrap_servers=address, **QUICK))
        until(lambda: len(admin.describe_cluster().nodes) == len(BROKERS), "the brokers do not find each other")
        admin.create_topics([NewTopic(TOPIC, num_partitions=1, replication_factor=2)])

        def partitions():
            listed = admin.list_topics()
            return listed[TOPIC].partitions if TOPIC in listed else ()

        until(
            lambda: [len(info.in_sync_replicas) for info in partitions()] == [len(BROKERS)],
            "the replicas are not in sync",
        )
        leader = partitions()[0].leader.id
        (follower,) = set(BROKERS) - {leader}
        producer = stack.enter_context(barnabas.Producer(bootstrap_servers=address, **QUICK))
        consumer = stack.enter_context(
            barnabas.Consumer(
                bootstrap_servers=address,
                auto_offset_reset="earliest",
                client_id="reader-nearby",
                client_rack=f"rack-{follower}",
                **QUICK,
            )
        )
        consumer.assign([TopicPartition(TOPIC, 0)])
        sent, read = [], []

        def read_on(count):
            for _ in range(count):
                sent.append(b"%d" % len(sent))
                producer.send(TOPIC, sent[-1]).result(60)

                def is_read():
                    read.extend(consumer.poll(timeout=0.05).values())
                    return len(read) >= len(sent)

                until(is_read, "a record was not read")

        def fetches(node):
            lines = cluster.log(node).read_text(errors="replace").splitlines()
            return sum("reader-nearby" in line and '"requestApiKeyName":"FETCH"' in line for line in lines)

        read_on(50)
        until(lambda: fetches(follower) >= 50, "the follower was not read from")
        assert fetches(leader) < 10
        cluster.end(follower, signal.SIGKILL)
        read_on(20)
        assert fetches(leader) >= 20
        assert read == sent
