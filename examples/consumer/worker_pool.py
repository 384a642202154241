"""Worker threads behind one consumer: partitions in parallel, each in order, commits only of what is finished.

A batch of one partition goes to a worker while the partition is paused, so that the consumer keeps polling (and stays
in its group) however long the work takes. When a partition goes to another member, what is under way is finished first.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from barnabas import Broker, Consumer, Producer, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from barnabas.client import Record


class Workers:
    """Hands batches to threads and commits in the order of each partition. It is the consumer's rebalance listener."""

    def __init__(self, consumer: Consumer, work: Callable[[Record], None], threads: int) -> None:
        self.consumer = consumer
        self.work = work
        self.pool = ThreadPoolExecutor(threads)
        self.under_way: dict[TopicPartition, Future[int]] = {}

    def run_once(self) -> None:
        """One poll: starts what has come, commits what is finished."""
        for partition, records in self.consumer.poll(timeout=0.1).by_partition().items():
            self.consumer.pause([partition])
            self.under_way[partition] = self.pool.submit(self._work_through, list(records))
        self._collect([partition for partition, batch in self.under_way.items() if batch.done()])

    def _work_through(self, records: Sequence[Record]) -> int:
        for record in records:
            self.work(record)
        return records[-1].offset + 1

    def _collect(self, finished: Sequence[TopicPartition]) -> None:
        offsets = {partition: self.under_way.pop(partition).result() for partition in finished}
        if offsets:
            self.consumer.commit(offsets)
            self.consumer.resume(offsets)

    def on_partitions_assigned(self, partitions: Sequence[TopicPartition]) -> None:
        """Nothing is to be done."""

    def on_partitions_revoked(self, partitions: Sequence[TopicPartition]) -> None:
        """Finishes what is under way, so that the next owner goes on behind it."""
        mine = [partition for partition in partitions if partition in self.under_way]
        wait([self.under_way[partition] for partition in mine])
        self._collect(mine)

    def on_partitions_lost(self, partitions: Sequence[TopicPartition]) -> None:
        """Others have them already: what is under way will be done twice."""
        for partition in partitions:
            self.under_way.pop(partition, None)


def run(
    bootstrap_servers: str, topic: str, group: str, work: Callable[[Record], None], is_done: Callable[[], bool]
) -> None:
    """Works until told to stop."""
    with Consumer(
        bootstrap_servers=bootstrap_servers, group_id=group, auto_offset_reset="earliest", enable_auto_commit=False
    ) as consumer:
        workers = Workers(consumer, work, threads=4)
        consumer.subscribe([topic], workers)
        with workers.pool:
            while not is_done():
                workers.run_once()


if __name__ == "__main__":
    with Broker() as broker:
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            producer.send_many("jobs", [b"%d" % number for number in range(100)])
        found: list[bytes | None] = []
        run(
            broker.bootstrap_servers,
            "jobs",
            "workers",
            lambda record: found.append(record.value),
            lambda: len(found) == 100,
        )
        print(f"{len(found)} jobs done")
