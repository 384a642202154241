"""The examples for consumers do what they say: each is run as it stands, and where it promises something, put to it."""

import importlib.util
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import barnabas
from barnabas import NewTopic, TopicPartition

EXAMPLES = Path(__file__).parents[2] / "examples" / "consumer"
DEADLINE = 60.0


def load(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_time(condition):
    deadline = time.monotonic() + DEADLINE

    def check(*arguments):
        assert time.monotonic() < deadline
        return condition(*arguments)

    return check


@pytest.fixture
def topic(our_broker, unique):
    with barnabas.Admin(bootstrap_servers=our_broker) as admin:
        admin.create_topics([NewTopic(unique, num_partitions=3)])
    return unique


@pytest.fixture
def producer(our_broker):
    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        yield producer


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_the_example_runs_as_it_stands(name):
    command = [sys.executable, EXAMPLES / f"{name}.py"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE, check=False)
    assert done.returncode == 0, done.stderr
    expected = {
        "worker_pool": "100 jobs done",
        "back_pressure": "20000 records through the sink",
        "dead_letters": "[2.0] [b'no json', b'{\"total\": 0}']",
        "offsets_in_sqlite": "[(b'apples', 50), (b'pears', 50)]",
        "replay": "[b'new', b'new', b'new']",
    }
    assert expected[name] in done.stdout


def test_workers_keep_the_order_of_partitions_and_commit_only_what_is_finished(our_broker, producer, topic):
    pool = load("worker_pool")
    for partition in range(3):
        producer.send_many(topic, [b"%d" % number for number in range(200)], partition=partition)
    producer.flush(30)
    seen: dict[int, list[int]] = {0: [], 1: [], 2: []}
    threads = set()

    def work(record):
        threads.add(threading.get_ident())
        seen[record.partition].append(int(record.value))

    pool.run(our_broker, topic, topic, work, in_time(lambda: sum(map(len, seen.values())) == 600))
    assert seen == {number: list(range(200)) for number in range(3)}
    assert threading.get_ident() not in threads
    with barnabas.Consumer(bootstrap_servers=our_broker, group_id=topic) as consumer:
        committed = consumer.committed([TopicPartition(topic, number) for number in range(3)])
    assert [offset.offset for offset in committed.values()] == [200, 200, 200]


def test_a_worker_that_fails_commits_nothing_of_its_batch(our_broker, producer, topic):
    pool = load("worker_pool")
    producer.send_many(topic, [b"1"] * 10, partition=0).result(30)

    def work(record):
        if record.offset == 5:
            raise RuntimeError("failed")

    with pytest.raises(RuntimeError, match="failed"):
        pool.run(our_broker, topic, topic, work, in_time(lambda: False))
    with barnabas.Consumer(bootstrap_servers=our_broker, group_id=topic) as consumer:
        assert consumer.committed([TopicPartition(topic, 0)])[TopicPartition(topic, 0)] is None


def test_back_pressure_bounds_what_waits(our_broker, producer, topic):
    example = load("back_pressure")
    producer.send_many(topic, [b"v" * 50] * 12_000).result(30)
    seen = []
    most = example.run(our_broker, topic, topic, lambda _: seen.append(1), in_time(lambda: len(seen) == 12_000))
    assert most <= example.HIGH + example.LOW


def test_results_and_offsets_survive_a_crash_together(our_broker, producer, topic, tmp_path):
    example = load("offsets_in_sqlite")
    producer.send_many(topic, [b"1"] * 300, keys=[b"%d" % (number % 7) for number in range(300)]).result(30)
    path = tmp_path / "totals.db"
    sums = []

    def crash(database):
        total = database.execute("select sum(total) from totals").fetchone()[0] or 0
        sums.append(total)
        if total > 0:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        example.run(path, our_broker, topic, topic, in_time(crash))
    assert 0 < sums[-1] <= 300
    producer.send_many(topic, [b"1"] * 100, keys=[b"%d" % (number % 7) for number in range(100)]).result(30)

    def complete(database):
        return database.execute("select sum(total) from totals").fetchone()[0] == 400

    example.run(path, our_broker, topic, topic, in_time(complete))
    with sqlite3.connect(path) as database:
        assert database.execute("select sum(next) from positions").fetchone() == (400,)
    # Nothing was committed to the group: the database alone knows.
    with barnabas.Consumer(bootstrap_servers=our_broker, group_id=topic) as consumer:
        assert set(consumer.committed([TopicPartition(topic, n) for n in range(3)]).values()) == {None}


def test_a_replay_begins_at_its_time_and_ends_at_what_was_there(our_broker, producer, topic):
    example = load("replay")
    for partition in range(2):
        times = list(range(1_000, 2_000, 100))
        producer.send_many(topic, [b"%d" % at for at in times], timestamps=times, partition=partition).result(30)
    found = []
    for record in example.replay(our_broker, topic, 1_500):
        if not found:
            producer.send(topic, b"later", partition=0).result(30)
        found.append((record.partition, int(record.value)))
    assert sorted(found) == [(partition, at) for partition in range(2) for at in range(1_500, 2_000, 100)]
    assert list(example.replay(our_broker, topic, 10**15)) == []
