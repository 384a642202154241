"""The log that keeps committed offsets is compacted like any other, and what is read back from it is whole."""

import time

from barnabas import Admin, Broker, Consumer, NewTopic, TopicPartition

PATIENCE_S = 60.0
PARTITIONS = 200
OPTIONS = {
    "offsets_topic_num_partitions": 1,
    "offsets_topic_segment_bytes": 1 << 20,
    "log_cleaner_backoff_ms": 50,
    "log_cleaner_min_cleanable_ratio": 0.01,
}


def test_committed_offsets_outlive_compaction_and_a_restart(tmp_path):
    def first_segment():
        return min((tmp_path / "__consumer_offsets-0").glob("*.log")).stat().st_size

    partitions = [TopicPartition("t", number) for number in range(PARTITIONS)]
    with Broker(data_dir=tmp_path, **OPTIONS) as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.create_topics([NewTopic("t", num_partitions=PARTITIONS)])
        with Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g") as consumer:
            deadline = time.monotonic() + PATIENCE_S
            number = largest = left = 0
            # It grows until it is closed; then what of it was overwritten goes.
            while largest <= 1 << 19 or left > largest / 4:
                assert time.monotonic() < deadline, (largest, left)
                number += 1
                consumer.commit(dict.fromkeys(partitions, number))
                left = first_segment()
                largest = max(largest, left)
        # A round is counted when it is over, a moment after its segment is there.
        while broker.metrics()["barnabas_cleaner_rounds_total"] == 0:
            assert time.monotonic() < deadline
    with (
        Broker(data_dir=tmp_path, **OPTIONS) as broker,
        Consumer(bootstrap_servers=broker.bootstrap_servers, group_id="g") as consumer,
    ):
        found = consumer.committed(partitions)
        assert {partition: committed.offset for partition, committed in found.items()} == dict.fromkeys(
            partitions, number
        )
