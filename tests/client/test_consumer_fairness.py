"""Many partitions take turns: none waits for long while others are read, whoever has the most."""

import time

import pytest
from test_consumer_changes import DEADLINE

import barnabas
from barnabas import NewTopic, TopicPartition

PARTITIONS = 1000
PARTITIONS_OF_KAFKA = 200
"""Kafka takes 40 ms for making one."""
ROUNDS = 4
BATCH = 8
"""Records of one batch. Every partition has as many batches as there are rounds."""
HOT = 50
"""The first partition has so many times as many."""
VALUE = bytes(1000)
BATCH_BYTES = BATCH * (len(VALUE) + 50)
RECORDS_PER_POLL = 5 * BATCH


@pytest.fixture
def partitions(request):
    is_ours = request.node.callspec.params["bootstrap_servers"].startswith("barnabas")
    return PARTITIONS if is_ours else PARTITIONS_OF_KAFKA


@pytest.fixture
def filled(bootstrap_servers, unique, partitions):
    with (
        barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin,
        barnabas.Producer(bootstrap_servers=bootstrap_servers, batch_size=BATCH_BYTES) as producer,
    ):
        admin.create_topics([NewTopic(unique, num_partitions=partitions, replication_factor=1)], timeout=120)
        for partition in range(partitions):
            count = ROUNDS * BATCH * (HOT if partition == 0 else 1)
            producer.send_many(unique, [VALUE] * count, partition=partition)
        producer.flush(120)
    return unique


@pytest.mark.timeout(300)
def test_a_thousand_partitions_take_turns(bootstrap_servers, filled, partitions):
    """Fetched in small pieces and handed out in small polls, every partition is served as often as any other."""
    options = {
        "max_partition_fetch_bytes": BATCH_BYTES,
        "fetch_max_bytes": 1 << 20,
        "barnabas_fetch_buffer_bytes": 2 << 20,
        "auto_offset_reset": "earliest",
    }
    left = dict.fromkeys(range(partitions), ROUNDS * BATCH) | {0: HOT * ROUNDS * BATCH}
    served = dict.fromkeys(left, 0)
    last_poll = dict.fromkeys(left, 0)
    polls, spread, longest = 0, 0, 0
    with barnabas.Consumer(bootstrap_servers=bootstrap_servers, **options) as consumer:
        consumer.assign([TopicPartition(filled, partition) for partition in left])
        deadline = time.monotonic() + DEADLINE
        while left:
            assert time.monotonic() < deadline
            records = consumer.poll(timeout=1, max_records=RECORDS_PER_POLL)
            if not records:
                continue
            polls += 1
            for partition, mine in records.by_partition().items():
                number = partition.partition
                served[number] += len(mine)
                left[number] -= len(mine)
                longest = max(longest, polls - last_poll[number])
                last_poll[number] = polls
                if not left[number]:
                    del left[number]
            if len(left) > 1:
                waiting = [served[number] for number in left]
                spread = max(spread, max(waiting) - min(waiting))
    # A partition may have two fetches more than another one: what waits to be polled, and what is on its way.
    assert spread <= 3 * BATCH
    # A round through all partitions, and what the others had in the buffer.
    assert longest <= 3 * partitions * BATCH / RECORDS_PER_POLL
