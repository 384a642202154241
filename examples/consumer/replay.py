"""Reads a topic again from a point in time up to where it ends now, beside the groups that use it.

`offsets_for_times` finds the first record at or after the time in each partition; no group is joined and nothing is
committed, so nobody else notices.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas import Broker, Consumer, Producer, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Iterator

    from barnabas.client import Record


def replay(bootstrap_servers: str, topic: str, since_ms: int) -> Iterator[Record]:
    """The records from a time on, each partition in its order, up to the ends that the partitions have at the start."""
    with Consumer(bootstrap_servers=bootstrap_servers) as consumer:
        partitions = [TopicPartition(topic, info.partition) for info in consumer.partitions_for(topic)]
        starts = consumer.offsets_for_times(dict.fromkeys(partitions, since_ms))
        ends = consumer.end_offsets(partitions)
        left = {
            partition: ends[partition]
            for partition, start in starts.items()
            if start is not None and start.offset < ends[partition]
        }
        if not left:
            return
        consumer.assign(left)
        for partition in left:
            start = starts[partition]
            assert start is not None  # noqa: S101 - those without are not in `left`
            consumer.seek(partition, start.offset)
        while left:
            for record in consumer.poll(timeout=1.0):
                if record.offset < ends[TopicPartition(record.topic, record.partition)]:
                    yield record
            left = {partition: end for partition, end in left.items() if consumer.position(partition) < end}


if __name__ == "__main__":
    with Broker() as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many("log", [b"old"] * 5, timestamps=[1_000] * 5)
            producer.send_many("log", [b"new"] * 3, timestamps=[2_000] * 3)
        print([record.value for record in replay(broker.bootstrap_servers, "log", 1_500)])
