"""The proxy of `barnabas.testing`, and what an idempotent producer keeps through everything that it does to connections."""

import json
import os
import random
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from reading import read

import barnabas
from barnabas import NewTopic, Producer, TopicPartition, errors
from barnabas.testing import Proxy

FAST = {"retry_backoff_ms": 1, "retry_backoff_max_ms": 10, "reconnect_backoff_ms": 1, "reconnect_backoff_max_ms": 10}
SEEDS = int(os.environ.get("SEEDS", "3"))
PARTITIONS = 3


@pytest.fixture(scope="module")
def broker():
    with barnabas.Broker() as broker:
        yield broker


@pytest.fixture
def proxy(broker):
    with Proxy(broker.bootstrap_servers) as proxy:
        yield proxy


@pytest.fixture
def sender(proxy, stack):
    return stack.enter_context(Producer(bootstrap_servers=proxy.bootstrap_servers, **FAST, request_timeout_ms=500))


def test_everything_goes_through_it(broker, proxy, sender, unique):
    broker.requests.record()
    sender.send(unique, b"x").result(10)
    with barnabas.Consumer(
        unique, bootstrap_servers=proxy.bootstrap_servers, group_id=unique, auto_offset_reset="earliest"
    ) as consumer:
        assert [record.value for record in read(consumer, 1)] == [b"x"]
        ports = {info.leader.port for info in consumer.partitions_for(unique)}
    assert ports == {int(proxy.bootstrap_servers.rpartition(":")[2])}


@pytest.mark.parametrize(
    "fault",
    [
        {"cut": True},
        {"cut": True, "when": "response"},
        {"truncate": 30},
        {"truncate": 6, "when": "response"},
        {"black_hole": True},
        {"black_hole": True, "when": "response"},
        {"delay": 0.05},
        {"delay": 0.7, "when": "response"},
        {"throttle": 20_000.0},
    ],
)
def test_a_record_is_written_once_whatever_happens_to_its_request(proxy, sender, unique, fault):
    sender.send(unique, b"0").result(10)
    injected = proxy.inject("Produce", **fault)
    assert sender.send(unique, b"1" * 1_000).result(30).offset == 1
    assert injected.fired == 1
    assert sender.send(unique, b"2").result(30).offset == 2


def test_ending_under_open_connections_logs_nothing(broker, unique, caplog):
    with Proxy(broker.bootstrap_servers) as proxy:
        sender = Producer(bootstrap_servers=proxy.bootstrap_servers, **FAST)
        sender.send(unique, b"x").result(10)
    sender.close(0)
    assert not [record for record in caplog.records if record.name == "asyncio"]


def test_faults_are_counted_limited_and_taken_out(proxy, sender, unique):
    second = proxy.inject("Produce", cut=True, nth=2, times=1)
    never = proxy.inject("Produce", cut=True, share=0.0, times=None)
    assert sender.send(unique, b"0").result(10).offset == 0
    assert second.fired == 0
    assert sender.send(unique, b"1").result(10).offset == 1
    assert (second.fired, never.fired) == (1, 0)
    with proxy.inject(cut=True, times=None) as every:
        proxy.cut_all()
        with pytest.raises(errors.KafkaTimeoutError):
            sender.send(unique, b"2").result(0.2)
        assert every.fired > 0
    sender.flush(30)
    proxy.clear()


@pytest.mark.parametrize(
    "wrong", [{}, {"cut": True, "delay": 1}, {"delay": -1}, {"throttle": 0}, {"cut": True, "when": "later"},
              {"cut": True, "nth": 0}, {"cut": True, "share": 2}, {"api": "Prodduce", "cut": True}]
)  # fmt: skip
def test_what_makes_no_sense_is_refused(proxy, wrong):
    with pytest.raises(errors.ConfigError):
        proxy.inject(**wrong)


def test_it_leaves_no_thread_and_closes_twice(broker):
    proxy = Proxy(broker.bootstrap_servers)
    proxy.close()
    proxy.close()
    assert "barnabas-proxy" not in {thread.name for thread in threading.enumerate()}


def chaos(proxy):
    """Faults of every kind, rare enough that there is progress; by name."""
    return {
        "request cut": proxy.inject("Produce", cut=True, share=0.02, times=None),
        "response cut": proxy.inject("Produce", cut=True, when="response", share=0.03, times=None),
        "request truncated": proxy.inject("Produce", truncate=40, share=0.02, times=None),
        "response truncated": proxy.inject("Produce", truncate=7, when="response", share=0.02, times=None),
        "request delayed": proxy.inject("Produce", delay=0.004, share=0.05, times=None),
        "response delayed": proxy.inject("Produce", delay=0.004, when="response", share=0.05, times=None),
        "request throttled": proxy.inject("Produce", throttle=2e6, share=0.03, times=None),
        "response swallowed": proxy.inject("Produce", black_hole=True, when="response", share=0.003, times=None),
        "request swallowed": proxy.inject("Produce", black_hole=True, share=0.002, times=None),
        "metadata cut": proxy.inject("Metadata", cut=True, when="response", share=0.05, times=None),
        "producer id cut": proxy.inject("InitProducerId", cut=True, when="response", share=0.3, times=None),
    }


def one_run(address, topic, seed):
    """Sends records through chaos; how often each fault fired."""
    chance = random.Random(seed)  # noqa: S311 - chance, not secrecy
    with barnabas.Admin(bootstrap_servers=address) as admin:
        admin.create_topics([NewTopic(topic, num_partitions=PARTITIONS, replication_factor=1)])
    sent = {partition: [] for partition in range(PARTITIONS)}
    with Proxy(address, seed=seed) as proxy:
        faults = chaos(proxy)
        options = {**FAST, "request_timeout_ms": 150, "batch_size": 4_096, "linger_ms": 0}
        with Producer(bootstrap_servers=proxy.bootstrap_servers, delivery_timeout_ms=120_000, **options) as producer:
            for number in range(1_500):
                partition = chance.randrange(PARTITIONS)
                value = b"%d " % number * chance.randrange(1, 60)
                sent[partition].append((value, producer.send(topic, value, partition=partition)))
                if chance.random() < 0.002:
                    proxy.cut_all()
            producer.flush(120)
            offsets = {
                partition: [delivery.result(0).offset for _, delivery in records] for partition, records in sent.items()
            }
            retries = producer.metrics()["batch_retries"]
    with barnabas.Consumer(bootstrap_servers=address, auto_offset_reset="earliest") as reader:
        reader.assign([TopicPartition(topic, partition) for partition in range(PARTITIONS)])
        found = read(reader, 1_500, extra=0.05)
    for partition, records in sent.items():
        mine = [record for record in found if record.partition == partition]
        assert [record.value for record in mine] == [value for value, _ in records], f"seed {seed}, {topic}-{partition}"
        said = [(offset, record.offset) for offset, record in zip(offsets[partition], mine, strict=True)]
        # An acknowledgement of a batch that the broker had forgotten has no offset.
        assert all(offset in {-1, at} for offset, at in said), f"seed {seed}, {topic}-{partition}"
    return Counter({name: fault.fired for name, fault in faults.items()}) + Counter({"retries": retries})


def test_nothing_is_lost_doubled_or_reordered_with_five_in_flight(bootstrap_servers, unique):
    fresh = int(time.time()) % 1_000_000
    print("fresh seed", fresh)
    seeds = [*range(SEEDS - 1), fresh]
    total = Counter()
    for seed in seeds:
        total += one_run(bootstrap_servers, f"{unique}-{seed}", seed)
    assert total["retries"] > 0
    report = {"seeds": len(seeds), "records": 1_500 * len(seeds), "fired": dict(sorted(total.items()))}
    print(report)
    if "RESULTS" in os.environ:
        Path(os.environ["RESULTS"]).write_text(json.dumps(report, indent=1) + "\n")
