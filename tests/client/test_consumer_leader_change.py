"""Groups that read while leaders and coordinators are killed, stopped and come back: `make kafka-matrix MATRIX=cluster-4.3.0`."""

import signal
from contextlib import ExitStack

import pytest
from kafka_cluster import BROKERS, kafka_cluster
from test_leader_change import DEADLINE, PARTITIONS, RELEASES, Sending, until

import barnabas
from barnabas import NewTopic, TopicPartition

TOPIC = "led"
PROTOCOLS = ("classic", "consumer")
QUICK = {"retry_backoff_ms": 10, "reconnect_backoff_ms": 10, "reconnect_backoff_max_ms": 200}


class Reader:
    """A group of two members that commits what it has read; it is polled by the thread of the test."""

    def __init__(self, address, protocol, stack):
        self.protocol = protocol
        self.records = {}
        self.again = 0
        self.committed = {}
        self.commits = {"taken": 0, "refused": 0}
        options = {"group_id": f"group-{protocol}", "group_protocol": protocol, "auto_offset_reset": "earliest"}
        self.members = [
            stack.enter_context(
                barnabas.Consumer(TOPIC, bootstrap_servers=address, enable_auto_commit=False, **options, **QUICK)
            )
            for _ in range(2)
        ]

    def poll(self):
        for member in self.members:
            for record in member.poll(timeout=0.02):
                place = TopicPartition(record.topic, record.partition), record.offset
                # What the group has committed nobody reads again.
                assert record.offset >= self.committed.get(place[0], 0), place
                self.again += place in self.records
                assert self.records.setdefault(place, record.value) == record.value
            member.commit_async(callback=self.heard)

    def heard(self, offsets, error):
        self.commits["taken" if error is None else "refused"] += 1
        if error is None:
            for partition, at in offsets.items():
                self.committed[partition] = max(at.offset, self.committed.get(partition, 0))

    def has_read(self, ends):
        return all((TopicPartition(TOPIC, number), end - 1) in self.records for number, end in enumerate(ends))


def read_on(readers, sending, count):
    """Polls until every group has what is acknowledged in every partition from now on, `count` records of it."""
    first = [len(deliveries) for deliveries in sending.deliveries]
    ends = [None] * PARTITIONS

    def is_read():
        for reader in readers:
            reader.poll()
        assert sending.error is None
        for number, (deliveries, at) in enumerate(zip(sending.deliveries, first, strict=True)):
            if ends[number] is None and len(deliveries) > at + count and deliveries[at + count].done():
                # A batch that the broker had forgotten was acknowledged without its offset; a later one will tell.
                offset = deliveries[at + count].result(0).offset
                if offset < 0:
                    first[number] = len(deliveries)
                else:
                    ends[number] = offset + 1
        return None not in ends and all(reader.has_read(ends) for reader in readers)

    until(is_read, f"not everything is read: {ends}")


@pytest.mark.timeout(500)
@pytest.mark.parametrize("name", RELEASES)
def test_no_record_is_left_out_while_leaders_and_coordinators_change(tmp_path, name):
    with ExitStack() as stack:
        cluster = stack.enter_context(kafka_cluster(tmp_path, name.removeprefix("cluster-")))
        address = cluster.bootstrap_servers
        admin = stack.enter_context(barnabas.Admin(bootstrap_servers=address, **QUICK))
        until(lambda: len(admin.describe_cluster().nodes) == len(BROKERS), "the brokers do not find each other")
        admin.create_topics([NewTopic(TOPIC, num_partitions=PARTITIONS, replication_factor=2)])
        readers = [Reader(address, protocol, stack) for protocol in PROTOCOLS]

        def partitions():
            return [
                info for listing in admin.list_topics(include_internal=True).values() for info in listing.partitions
            ]

        def are_in_sync():
            return all(len(info.in_sync_replicas) == len(BROKERS) for info in partitions())

        producer = stack.enter_context(
            barnabas.Producer(bootstrap_servers=address, delivery_timeout_ms=120_000, linger_ms=1, **QUICK)
        )
        sending = Sending(producer, TOPIC)
        sending.start()
        try:
            read_on(readers, sending, 100)
            until(are_in_sync, "the topics are not there")
            for node, how in zip((*BROKERS, BROKERS[0]), (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM), strict=True):
                (other,) = set(BROKERS) - {node}
                cluster.end(node, how)
                # Of the partitions of groups' offsets too: every coordinator is on the broker that is left.
                until(
                    lambda left=other: {info.leader and info.leader.id for info in partitions()} == {left},
                    "no other broker leads",
                )
                read_on(readers, sending, 100)
                cluster.start(node)
                until(are_in_sync, "the broker does not catch up")
            read_on(readers, sending, 100)
        finally:
            sending.is_over.set()
            sending.join(DEADLINE)
        producer.flush(DEADLINE)
        sent = {
            (TopicPartition(TOPIC, number), offset): b"%d" % offset
            for number, deliveries in enumerate(sending.deliveries)
            for offset in range(len(deliveries))
        }
        for reader in readers:

            def has_all(reader=reader):
                reader.poll()
                return len(reader.records) >= len(sent)

            until(has_all, "not everything is read")
            assert reader.records == sent
            assert all(len(member.assignment()) == PARTITIONS // 2 for member in reader.members)
            print({"group": reader.protocol, "records": len(sent), "read again": reader.again, **reader.commits})
