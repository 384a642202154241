"""What changes under a running consumer: topics made anew, partitions that are added, brokers that go, rebalances."""

import contextlib
import gc
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from functools import partial
from pathlib import Path

import pytest
from raw_client import RawClient
from reading import read
from test_kill import BrokerProcess

import barnabas
from barnabas import NewTopic, OffsetAndMetadata, SubscriptionPattern, TopicPartition, errors
from barnabas.assignors import RebalanceProtocol
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest

DEADLINE = 60.0
PROTOCOLS = ["classic", pytest.param("consumer", marks=pytest.mark.needs("4.0"))]


def poll_until(consumer, condition):
    found = []
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline
        found += consumer.poll(timeout=0.05)
    return found


def is_made_anew(admin, name, topic_id):
    topic = admin.list_topics().get(name)
    return topic is not None and topic.topic_id != topic_id


def make(address, group, **options):
    return barnabas.Consumer(
        bootstrap_servers=address, group_id=group, auto_offset_reset="earliest", enable_auto_commit=False, **options
    )


# Topics have ids, and a deletion that was answered is done, which it is not with ZooKeeper.
@pytest.mark.needs("3.0")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_topic_that_is_deleted_and_made_again_is_read_from_its_beginning(bootstrap_servers, unique, stack, protocol):
    admin = stack.enter_context(barnabas.Admin(bootstrap_servers=bootstrap_servers))
    admin.create_topics([NewTopic(unique)])
    options = {"group_protocol": protocol, "metadata_max_age_ms": 200, "allow_auto_create_topics": False}
    consumer = stack.enter_context(make(bootstrap_servers, unique, **options))
    consumer.subscribe([unique])
    for life in range(3):
        values = [b"%d-%d" % (life, number) for number in range(5 - life)]
        with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
            producer.send_many(unique, values).result(30)
        assert [record.value for record in read(consumer, len(values))] == values
        old = admin.list_topics()[unique].topic_id
        admin.delete_topics([unique])
        consumer.poll(timeout=0.1)
        admin.create_topics([NewTopic(unique)])
        # The broker that is asked may learn of it after the controller has answered.
        assert poll_until(consumer, partial(is_made_anew, admin, unique, old)) == []


# The request to add them is made at its newest version.
@pytest.mark.needs("2.8")
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_hundred_partitions_that_are_added_are_read(bootstrap_servers, unique, stack, protocol):
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.create_topics([NewTopic(unique, num_partitions=2)])
    consumer = stack.enter_context(make(bootstrap_servers, unique, group_protocol=protocol, metadata_max_age_ms=200))
    consumer.subscribe([unique])
    poll_until(consumer, lambda: len(consumer.assignment()) == 2)
    with RawClient(bootstrap_servers) as client:
        topic = CreatePartitionsRequest.CreatePartitionsTopic(name=unique, count=102, assignments=None)
        answer = client.ask(CreatePartitionsRequest(topics=[topic], timeout_ms=30_000))
        assert answer.results[0].error_code == 0
    with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
        deadline = time.monotonic() + DEADLINE
        while len(producer.partitions_for(unique)) < 102:
            assert time.monotonic() < deadline
    with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
        for partition in range(102):
            producer.send(unique, b"%d" % partition, partition=partition)
        producer.flush(30)
    # Without commits a rebalance reads again what was read before it.
    found = set()
    deadline = time.monotonic() + DEADLINE
    while len(found) < 102:
        assert time.monotonic() < deadline
        found |= {int(record.value) for record in consumer.poll(timeout=0.5)}
    assert len(consumer.assignment()) == 102


def test_a_committed_position_counts_where_nobody_can_be_asked_about_epochs(stack, unique):
    """Commits keep epochs since Kafka 2.1, consumers may ask what they are worth since 2.3 (KIP-320)."""
    broker = stack.enter_context(barnabas.Broker(barnabas_api_versions_as="2.1"))
    address, zero = broker.bootstrap_servers, TopicPartition(unique, 0)
    with barnabas.Producer(bootstrap_servers=address) as producer:
        producer.send_many(unique, [b"0", b"1", b"2"]).result(30)
    first = stack.enter_context(make(address, unique))
    first.assign([zero])
    first.poll(timeout=30, max_records=1)
    first.commit()
    assert first.committed()[zero] == OffsetAndMetadata(1, "", 0)
    second = stack.enter_context(make(address, unique))
    second.assign([zero])
    assert [record.value for record in read(second, 2)] == [b"1", b"2"]


def test_a_static_member_of_a_group_that_knows_none_is_told(stack, unique):
    broker = stack.enter_context(barnabas.Broker(barnabas_api_versions_as="2.1"))
    consumer = stack.enter_context(make(broker.bootstrap_servers, unique, group_instance_id="till-7"))
    consumer.subscribe([unique])
    with pytest.raises(errors.UnsupportedVersionError):
        poll_until(consumer, consumer.assignment)


@pytest.mark.needs("4.1")
def test_a_pattern_that_the_coordinator_evaluates(bootstrap_servers, unique, stack):
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.create_topics([NewTopic(f"{unique}-{name}") for name in ("a", "b", "other")])
        consumer = stack.enter_context(make(bootstrap_servers, unique, group_protocol="consumer"))
        consumer.subscribe(SubscriptionPattern(f"{unique}-[a-c]"))
        poll_until(consumer, lambda: len(consumer.assignment()) == 2)
        assert consumer.subscription() == {f"{unique}-a", f"{unique}-b"}
        with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
            producer.send(f"{unique}-b", b"x").result(30)
        assert read(consumer, 1)[0].topic == f"{unique}-b"
        consumer.subscribe([f"{unique}-other"])
        poll_until(consumer, lambda: consumer.assignment() == {TopicPartition(f"{unique}-other", 0)})
        consumer.subscribe(SubscriptionPattern(f"{unique}-(a|other)"))
        poll_until(consumer, lambda: len(consumer.assignment()) == 2)
        consumer.subscribe(SubscriptionPattern("(broken"))
        with pytest.raises(errors.InvalidRegularExpressionError):
            poll_until(consumer, lambda: False)


def test_a_pattern_for_the_coordinator_needs_a_group_that_knows_it(bootstrap_servers, unique, stack):
    consumer = stack.enter_context(make(bootstrap_servers, unique))
    with pytest.raises(errors.IllegalStateError, match="group_protocol='consumer'"):
        consumer.subscribe(SubscriptionPattern("a"))


class LastTakesAll:
    """An assignor of a user's own: the member with the greatest id gets everything."""

    name = "last-takes-all"
    protocols = (RebalanceProtocol.EAGER,)

    def __init__(self):
        self.seen = []

    def user_data(self, topics, owned, generation_id):
        return b"%d topics" % len(topics)

    def assign(self, partitions, members):
        self.seen.append({member.user_data for member in members.values()})
        everything = [TopicPartition(info.topic, info.partition) for infos in partitions.values() for info in infos]
        return {max(members): everything}


def test_an_assignor_of_ones_own_divides(bootstrap_servers, unique, stack):
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.create_topics([NewTopic(unique, num_partitions=4)])
    assignors = [LastTakesAll(), LastTakesAll()]
    members = [
        stack.enter_context(
            make(bootstrap_servers, unique, partition_assignment_strategy=[assignor], heartbeat_interval_ms=100)
        )
        for assignor in assignors
    ]
    for member in members:
        member.subscribe([unique])
    deadline = time.monotonic() + DEADLINE
    generations = set()
    while len(generations) < 2 or sorted(len(member.assignment()) for member in members) != [0, 4]:
        assert time.monotonic() < deadline
        for member in members:
            member.poll(timeout=0.05)
        generations = {member._group.membership.generation.member_id for member in members} - {""}
    assert {data for assignor in assignors for seen in assignor.seen for data in seen} == {b"1 topics"}


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda _, __: {"nobody": []}, "no member 'nobody'"),
        (lambda _, members: {next(iter(members)): [TopicPartition("other", 0)]}, "does not exist"),
        (lambda _, __: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_an_assignor_does_wrong_is_told_and_the_member_tries_again(
    bootstrap_servers, unique, stack, made, message
):
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.create_topics([NewTopic(unique)])
    assignor = LastTakesAll()
    good = assignor.assign
    assignor.assign = made
    consumer = stack.enter_context(make(bootstrap_servers, unique, partition_assignment_strategy=[assignor]))
    consumer.subscribe([unique])
    with pytest.raises(errors.KafkaError, match=message):
        poll_until(consumer, consumer.assignment)
    assignor.assign = good
    poll_until(consumer, consumer.assignment)


def test_assignors_that_are_none_are_refused(bootstrap_servers):
    for wrong in ([], ["range", "range"], [object()], ["unknown"]):
        with pytest.raises(errors.ConfigError, match=r"partition\.assignment\.strategy"):
            make(bootstrap_servers, "g", partition_assignment_strategy=wrong)


@pytest.fixture
def broker(tmp_path, stack):
    broker = BrokerProcess(tmp_path)
    stack.callback(broker.stop)
    broker.start()
    return broker


def test_closing_ends_soon_when_nobody_can_be_reached(broker):
    consumer = barnabas.Consumer("orders", bootstrap_servers=broker.address, group_id="g", auto_offset_reset="earliest")
    with barnabas.Producer(bootstrap_servers=broker.address) as producer:
        producer.send("orders", b"x").result(30)
    read(consumer, 1)
    broker.kill()
    started = time.monotonic()
    consumer.close(timeout=60)
    assert time.monotonic() - started < 30


def client_threads():
    """I/O threads of clients in this process, where a broker of other tests starts and ends its own."""
    found = 0
    for task in Path("/proc/self/task").iterdir():
        # It may end while it is looked at.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found += (task / "comm").read_text() == "barnabas-client\n"
    return found


REBALANCES = int(os.environ.get("SEEDS", "20")) * 10


def test_rebalances_leave_nothing_behind(broker):
    """A thousand of them with SEEDS=100. Objects, descriptors and threads after them are those of before; the broker's are its own process's."""
    consumer = make(broker.address, "g", partition_assignment_strategy=["cooperative-sticky"])
    with barnabas.Admin(bootstrap_servers=broker.address) as admin:
        admin.create_topics([NewTopic("orders", num_partitions=8)])
    consumer.subscribe(["orders"])
    poll_until(consumer, lambda: len(consumer.assignment()) == 8)

    def rebalance(count):
        membership = consumer._group.membership
        for _ in range(count):
            before = membership.generation.generation_id
            membership.enforce_rejoin("a test wants it")
            poll_until(consumer, lambda: membership.joined and membership.generation.generation_id > before)  # noqa: B023

    def state():
        gc.collect()
        return len(gc.get_objects()), sum(1 for _ in Path("/proc/self/fd").iterdir()), client_threads()

    rebalance(50)
    objects, descriptors, threads = state()
    rebalance(REBALANCES)
    later_objects, later_descriptors, later_threads = state()
    # Fewer is possible: what earlier tests of this process left may end meanwhile.
    assert later_descriptors <= descriptors
    assert later_threads <= threads
    assert later_objects - objects < REBALANCES / 10
    assert len(consumer.assignment()) == 8
    consumer.close()


IN_A_REBALANCE = """
    import os, sys, time
    import barnabas
    address = sys.argv[1]
    with barnabas.Admin(bootstrap_servers=address) as admin:
        admin.create_topics([barnabas.NewTopic("orders", num_partitions=2)])
    options = dict(bootstrap_servers=address, group_id="g", session_timeout_ms=60_000, heartbeat_interval_ms=100)
    first = barnabas.Consumer("orders", **options)
    while not first.assignment():
        first.poll(timeout=0.1)
    second = barnabas.Consumer("orders", **options)
    # The first member does not poll any more, so the second one's JoinGroup is held back.
    second.poll(timeout=0.5)
    assert second._group.membership.rebalancing
    print("waiting", flush=True)
"""


def in_a_rebalance(address, ending):
    code = textwrap.dedent(IN_A_REBALANCE) + textwrap.dedent(ending)
    return subprocess.Popen([sys.executable, "-c", code, address], stdout=subprocess.PIPE, text=True, env=os.environ)


def test_an_interrupt_in_the_middle_of_a_rebalance(broker):
    ending = """
        try:
            second.poll(timeout=60)
        except KeyboardInterrupt:
            second.close(2)
            print("interrupted", flush=True)
        first.close(2)
    """
    process = in_a_rebalance(broker.address, ending)
    try:
        assert process.stdout.readline() == "waiting\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.stdout.close()


def test_a_fork_in_the_middle_of_a_rebalance(broker):
    ending = """
        import warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
        if child == 0:
            try:
                second.poll(timeout=1)
            except barnabas.errors.ForkedClientError:
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
        deadline = time.monotonic() + 60
        while len(first.assignment()) != 1 or len(second.assignment()) != 1:
            assert time.monotonic() < deadline
            first.poll(timeout=0.05)
            second.poll(timeout=0.05)
        second.close(5); first.close(5)
        print("shared", flush=True)
    """
    process = in_a_rebalance(broker.address, ending)
    try:
        assert [process.stdout.readline(), process.stdout.readline()] == ["waiting\n", "shared\n"]
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.stdout.close()


HELD_SECONDS = float(os.environ.get("GIL_SECONDS", "7"))

HOLDING = """
    import itertools, json, sys, time
    import barnabas
    address, protocol, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    begin = time.monotonic()
    sum(itertools.repeat(1, 20_000_000))
    rate = 20_000_000 / (time.monotonic() - begin)
    heard = []

    class Listener:
        def on_partitions_assigned(self, partitions): heard.append(["assigned", len(partitions)])
        def on_partitions_revoked(self, partitions): heard.append(["revoked", len(partitions)])
        def on_partitions_lost(self, partitions): heard.append(["lost", len(partitions)])

    session = {} if protocol == "consumer" else {"session_timeout_ms": 6_000, "heartbeat_interval_ms": 500}
    with barnabas.Consumer(bootstrap_servers=address, group_id="g", group_protocol=protocol, **session) as consumer:
        consumer.subscribe(["orders"], Listener())
        while not consumer.assignment():
            consumer.poll(timeout=0.1)
        began = time.monotonic()
        while time.monotonic() - began < seconds:
            # One call into C: no other thread of this interpreter runs before it returns.
            sum(itertools.repeat(1, int(rate * min(seconds, 60) * 1.05)))
        held = time.monotonic() - began
        for _ in range(5):
            consumer.poll(timeout=0.2)
        print(json.dumps({"held": held, "heard": heard, "owned": len(consumer.assignment())}), flush=True)
"""


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
def test_a_thread_that_holds_the_gil_does_not_lose_membership(tmp_path, stack, protocol):
    """GIL_SECONDS=60 for the whole proof; the group's session is six seconds long."""
    broker = BrokerProcess(tmp_path)
    stack.callback(broker.stop)
    broker.start()
    with barnabas.Admin(bootstrap_servers=broker.address) as admin:
        admin.create_topics([NewTopic("orders", num_partitions=3)])
    command = [sys.executable, "-c", textwrap.dedent(HOLDING), broker.address, protocol, str(HELD_SECONDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HELD_SECONDS * 10 + 60, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["heard"] == [["assigned", 3]]
    assert said["owned"] == 3
    assert said["held"] >= HELD_SECONDS
    report = os.environ.get("REPORT")
    if report:
        path = Path(report)
        found = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(found | {protocol: {"session_timeout_s": 6, **said}}, indent=1) + "\n")
