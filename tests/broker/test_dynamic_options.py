"""Options that are changed while the broker runs take effect without a restart, and are there after one."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch

from barnabas import Broker, Producer, errors
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PATIENCE_S = 20.0
TOPIC, BROKER, LOGGER = 2, 4, 8


def change(client: RawClient, kind: int, name: str, option: str, value: str | None) -> None:
    shape = IncrementalAlterConfigsRequest
    config = shape.AlterableConfig(name=option, config_operation=0 if value is not None else 1, value=value)
    resource = shape.AlterConfigsResource(resource_type=kind, resource_name=name, configs=[config])
    (result,) = client.ask(shape(resources=[resource])).responses
    assert (result.error_code, result.error_message) == (0, None)


def value(client: RawClient, kind: int, name: str, option: str) -> str:
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=kind, resource_name=name, configuration_keys=[option]
    )
    (entry,) = client.ask(DescribeConfigsRequest(resources=[resource])).results[0].configs
    return str(entry.value)


def new_topic(client: RawClient, name: str, configs: Mapping[str, str] | None = None) -> bytes:
    shape = CreateTopicsRequest
    given = [shape.CreatableTopicConfig(name=key, value=text) for key, text in (configs or {}).items()]
    topic = shape.CreatableTopic(name=name, num_partitions=1, replication_factor=1, configs=given)
    (result,) = client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=5_000)).topics
    assert result.error_code == 0
    return bytes(result.topic_id)


@pytest.mark.parametrize(
    ("kind", "name", "option"),
    [(TOPIC, "t", "max.message.bytes"), (BROKER, "1", "message.max.bytes"), (BROKER, "", "message.max.bytes")],
)
def test_the_largest_batch_changes_at_once(kind: int, name: str, option: str) -> None:
    batch = record_batch([b"x" * 500])
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = new_topic(client, "t")
        assert client.produce("t", topic_id, 0, batch) == (0, 0)
        change(client, kind, name, option, "100")
        assert client.produce("t", topic_id, 0, batch)[0] == errors.MessageTooLargeError.code
        change(client, kind, name, option, None)
        assert client.produce("t", topic_id, 0, batch) == (0, 1)


def test_changed_options_are_there_after_a_restart(tmp_path: Path) -> None:
    batch = record_batch([b"x" * 500])
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = new_topic(client, "t")
        change(client, BROKER, "", "message.max.bytes", "100")
        change(client, TOPIC, "t", "retention.ms", "12345678")
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        assert value(client, TOPIC, "t", "retention.ms") == "12345678"
        assert value(client, TOPIC, "t", "max.message.bytes") == "100"
        assert client.produce("t", topic_id, 0, batch)[0] == errors.MessageTooLargeError.code


# Every option of a log that may change at run time, with a value that is not its default. What each does at once is in the
# log crate's tests; with one replica nothing is left to decide for `unclean.leader.election.enable`, which is kept and told.
LOG_OPTIONS = {
    "cleanup.policy": "compact,delete",
    "compression.type": "zstd",
    "compression.gzip.level": "7",
    "compression.lz4.level": "12",
    "compression.zstd.level": "-5",
    "delete.retention.ms": "1001",
    "file.delete.delay.ms": "1002",
    "flush.messages": "1003",
    "flush.ms": "1004",
    "index.interval.bytes": "1005",
    "max.compaction.lag.ms": "1006",
    "max.message.bytes": "1007",
    "message.timestamp.type": "LogAppendTime",
    "message.timestamp.before.max.ms": "1008",
    "message.timestamp.after.max.ms": "1009",
    "min.cleanable.dirty.ratio": "0.25",
    "min.compaction.lag.ms": "900",
    "min.insync.replicas": "2",
    "preallocate": "true",
    "retention.bytes": "1010",
    "retention.ms": "1011",
    "segment.bytes": "1048577",
    "segment.index.bytes": "1012",
    "segment.jitter.ms": "1013",
    "segment.ms": "1014",
    "unclean.leader.election.enable": "true",
}


def test_every_option_of_a_log_is_changed_kept_and_put_back(tmp_path: Path) -> None:
    def all_values(client: RawClient) -> dict[str, str]:
        return {option: value(client, TOPIC, "t", option) for option in LOG_OPTIONS}

    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        new_topic(client, "t")
        before = all_values(client)
        assert not before.items() & LOG_OPTIONS.items()
        for option, text in LOG_OPTIONS.items():
            change(client, TOPIC, "t", option, text)
        assert all_values(client) == LOG_OPTIONS
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        assert all_values(client) == LOG_OPTIONS
        for option in LOG_OPTIONS:
            change(client, TOPIC, "t", option, None)
        assert all_values(client) == before


def test_a_topic_that_is_created_later_goes_by_the_changed_options() -> None:
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        change(client, BROKER, "", "message.max.bytes", "100")
        topic_id = new_topic(client, "later")
        assert client.produce("later", topic_id, 0, record_batch([b"x" * 500]))[0] == errors.MessageTooLargeError.code


def threads_called(name: str) -> int:
    """How many threads of this process have a name that begins so."""
    count = 0
    for task in Path("/proc/self/task").iterdir():
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            count += (task / "comm").read_text().startswith(name)
    return count


def cleaner_threads() -> int:
    """How many threads of this process compact logs."""
    return threads_called("barnabas-cleane")


def wait_for(what: str, happened: Callable[[], object]) -> None:
    """Asks again and again until a deadline: what is waited for happens on a thread of the broker."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < deadline, what


def test_the_cleaner_goes_by_changed_options(tmp_path: Path) -> None:
    options = {"log_cleaner_backoff_ms": 3_600_000, "log_cleaner_io_max_bytes_per_second": 1}
    cleaner = {"min.cleanable.dirty.ratio": "0.01", "segment.ms": "1", "cleanup.policy": "compact"}
    others = cleaner_threads()  # of brokers that other tests left running in this process
    with Broker(tmp_path, **options) as broker, RawClient(broker.bootstrap_servers) as client:

        def rounds() -> float:
            return broker.metrics()["barnabas_cleaner_rounds_total"]

        new_topic(client, "t", cleaner)
        now = int(time.time() * 1000)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for number in range(10):
                producer.send("t", b"x" * 100, key=b"k", partition=0, timestamp=now + 10 * number).result(PATIENCE_S)
        # The thread has found nothing to do and would rest for an hour.
        change(client, BROKER, "", "log.cleaner.backoff.ms", "10")
        # Its round has begun, or will, and would take a quarter of an hour.
        assert rounds() == 0
        change(client, BROKER, "1", "log.cleaner.io.max.bytes.per.second", "1e9")
        wait_for("a round", rounds)
        change(client, BROKER, "", "log.cleaner.threads", "2")
        wait_for("a second thread", lambda: cleaner_threads() - others == 2)
        change(client, BROKER, "", "log.cleaner.threads", "1")
        wait_for("one thread", lambda: cleaner_threads() - others == 1)
        change(client, BROKER, "", "log.cleaner.threads", "2")
    with Broker(tmp_path, **options) as broker, RawClient(broker.bootstrap_servers) as client:
        wait_for("two threads after a restart", lambda: cleaner_threads() - others == 2)
        change(client, BROKER, "", "log.cleaner.threads", None)
        wait_for("the one of the start", lambda: cleaner_threads() - others == 1)


# The map of the smaller buffer holds the keys of one segment and a part of the other's, that of the larger one all.
@pytest.mark.parametrize(("changed_to", "rounds"), [(None, 2), (8 << 20, 1)], ids=["as it was", "changed"])
def test_the_cleaners_memory_changes_while_it_works(tmp_path: Path, changed_to: int | None, rounds: int) -> None:
    keys = 30_000
    options = {
        "log_cleaner_backoff_ms": 3_600_000,
        "log_cleaner_io_max_bytes_per_second": 1,
        "log_cleaner_dedupe_buffer_size": (1 << 20) + 1,
    }
    configs = {"min.cleanable.dirty.ratio": "0.01", "segment.ms": "1", "cleanup.policy": "compact"}
    with Broker(tmp_path, **options) as broker, RawClient(broker.bootstrap_servers) as client:
        new_topic(client, "t", configs)
        now = int(time.time() * 1000)
        with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
            for segment, count in enumerate((keys, keys, 1)):
                names = [b"%d %d" % (segment, number) for number in range(count)]
                times = [now + 1000 * segment] * count
                producer.send_many("t", names, keys=names, partition=0, timestamps=times).result(PATIENCE_S)

        def cleaned() -> float:
            return broker.metrics()["barnabas_cleaner_rounds_total"]

        # A round begins, or will, which would take days.
        change(client, BROKER, "", "log.cleaner.backoff.ms", "10")
        if changed_to is not None:
            change(client, BROKER, "", "log.cleaner.dedupe.buffer.size", str(changed_to))
        assert cleaned() == 0
        change(client, BROKER, "", "log.cleaner.io.max.bytes.per.second", "1e9")
        wait_for("rounds", lambda: cleaned() >= rounds)
        assert (tmp_path / "cleaner-offset-checkpoint").read_text().splitlines()[2:] == [f"t 0 {2 * keys}"]
        assert cleaned() == rounds


@pytest.mark.parametrize(
    ("option", "given"),
    [("log.cleaner.threads", "3"), ("log.cleaner.threads", "0"), ("log.cleaner.dedupe.buffer.size", "1048576")],
)
def test_a_cleaner_that_could_not_work_is_refused(option: str, given: str) -> None:
    shape = IncrementalAlterConfigsRequest
    config = shape.AlterableConfig(name=option, config_operation=0, value=given)
    resource = shape.AlterConfigsResource(resource_type=BROKER, resource_name="", configs=[config])
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        (result,) = client.ask(shape(resources=[resource])).responses
        assert result.error_code == errors.InvalidRequestError.code


def test_idle_producers_are_forgotten_after_the_changed_time() -> None:
    fenced = errors.InvalidProducerEpochError.code
    with Broker(log_flush_offset_checkpoint_interval_ms=100) as broker, RawClient(broker.bootstrap_servers) as client:
        topic_id = new_topic(client, "t")
        batches = {epoch: record_batch([b"x"], 7, epoch, 0) for epoch in (4, 5)}

        def produce(epoch: int) -> tuple[int, int]:
            return client.produce("t", topic_id, 0, batches[epoch])

        assert produce(5) == (0, 0)
        assert produce(4) == (fenced, -1)
        # Kafka's default is a day.
        broker.clock.advance(2 * 3600)
        assert produce(4) == (fenced, -1)
        change(client, BROKER, "", "producer.id.expiration.ms", "3600000")
        wait_for("expiry", lambda: produce(4) == (0, 1))


def test_reactors_become_more_while_the_broker_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    others = threads_called("barnabas-net-")  # of brokers that other tests left running in this process

    def reactors() -> int:
        return threads_called("barnabas-net-") - others

    with Broker(tmp_path, num_network_threads=2) as broker, RawClient(broker.bootstrap_servers) as client:
        assert reactors() == 2
        change(client, BROKER, "", "num.network.threads", "3")
        wait_for("a third reactor", lambda: reactors() == 3)
        # No more than there are cores for.
        change(client, BROKER, "1", "num.network.threads", "6")
        wait_for("a fourth reactor", lambda: reactors() == 4)
        with contextlib.ExitStack() as stack:
            for _ in range(8):
                more = stack.enter_context(RawClient(broker.bootstrap_servers))
                assert value(more, BROKER, "1", "num.network.threads") == "6"
    with Broker(tmp_path, num_network_threads=2) as broker, RawClient(broker.bootstrap_servers) as client:
        wait_for("four after a restart", lambda: reactors() == 4)


def test_loggers_change_their_level(caplog: Any) -> None:
    del caplog  # It puts the levels back.
    with Broker() as broker, RawClient(broker.bootstrap_servers) as client:
        change(client, LOGGER, "1", "barnabas.broker", "DEBUG")
        assert value(client, LOGGER, "1", "barnabas.broker") == "DEBUG"
        change(client, LOGGER, "1", "barnabas.broker", None)
        assert value(client, LOGGER, "1", "barnabas.broker") == value(client, LOGGER, "1", "root")
