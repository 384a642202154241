"""Groups: members in one process and in several, rebalances, commits, leaving, failing."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from reading import read, values

import barnabas
from barnabas import ConsumerGroupMetadata, NewTopic, TopicPartition, errors

DEADLINE = 30.0


class Listener:
    def __init__(self) -> None:
        self.events: list[tuple[str, set[int]]] = []

    def on_partitions_assigned(self, partitions) -> None:
        self.events.append(("assigned", {partition.partition for partition in partitions}))

    def on_partitions_revoked(self, partitions) -> None:
        self.events.append(("revoked", {partition.partition for partition in partitions}))

    def on_partitions_lost(self, partitions) -> None:
        self.events.append(("lost", {partition.partition for partition in partitions}))


class ListenerOfTwo:
    """Has the methods alone that Java's interface has no default of."""

    def __init__(self) -> None:
        self.events: list[tuple[str, set[int]]] = []

    on_partitions_assigned = Listener.on_partitions_assigned
    on_partitions_revoked = Listener.on_partitions_revoked


def partitions_of(consumer) -> set[int]:
    return {partition.partition for partition in consumer.assignment()}


def poll_all(consumers, condition) -> list[barnabas.client.Record]:
    """Polls several members in turn until a condition holds; returns what came."""
    found = []
    deadline = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < deadline, [partitions_of(consumer) for consumer in consumers]
        for consumer in consumers:
            found += consumer.poll(timeout=0.05)
    return found


def test_a_single_member_gets_everything(consumer, producer, topic):
    producer.send_many(topic, [b"%d" % number for number in range(99)], keys=[b"%d" % n for n in range(99)])
    producer.flush(10)
    listener = Listener()
    member = consumer(group_id=topic)
    member.subscribe([topic], listener)
    assert sorted(int(value) for value in values(read(member, 99))) == list(range(99))
    assert listener.events == [("assigned", {0, 1, 2})]
    member.close()
    assert listener.events[1:] == [("revoked", {0, 1, 2})]


def test_cooperative_members_keep_what_they_have_and_read_on_while_others_join(consumer, producer, topic):
    first_heard, second_heard = Listener(), Listener()
    options = {"group_id": topic, "heartbeat_interval_ms": 100, "partition_assignment_strategy": ["cooperative-sticky"]}
    first, second = consumer(**options), consumer(**options)
    first.subscribe([topic], first_heard)
    poll_all([first], lambda: partitions_of(first) == {0, 1, 2})
    second.subscribe([topic], second_heard)
    poll_all([first, second], lambda: sorted(map(len, map(partitions_of, [first, second]))) == [1, 2])
    moved = partitions_of(second)
    assert partitions_of(first) | moved == {0, 1, 2}
    # Whoever had partitions was told of what went and of nothing else; the last event may still be under way.
    assert first_heard.events[:2] == [("assigned", {0, 1, 2}), ("assigned", set())] or (
        first_heard.events[1] == ("revoked", moved)
    )
    assert [event for event in first_heard.events if event[0] == "revoked"] == [("revoked", moved)]
    assert [event for event in second_heard.events if event[1]] == [("assigned", moved)]
    for partition in range(3):
        producer.send_many(topic, [b"%d" % partition] * 10, partition=partition)
    producer.flush(10)
    found = []
    found += poll_all([first, second], lambda: sum(map(committable, [first, second])) == 30)
    assert sorted(record.value for record in found) == sorted(
        b"%d" % partition for partition in range(3) for _ in range(10)
    )
    second.close()
    poll_all([first], lambda: partitions_of(first) == {0, 1, 2})
    assert not [event for event in first_heard.events if event[0] == "lost"]


def committable(consumer) -> int:
    """How far the consumer has come in all its partitions."""
    return sum(consumer.position(partition) for partition in consumer.assignment())


def test_two_members_share_and_one_takes_over_when_the_other_leaves(consumer, producer, topic):
    first_heard, second_heard = Listener(), Listener()
    first = consumer(group_id=topic, heartbeat_interval_ms=100)
    second = consumer(group_id=topic, heartbeat_interval_ms=100)
    first.subscribe([topic], first_heard)
    poll_all([first], lambda: partitions_of(first) == {0, 1, 2})
    second.subscribe([topic], second_heard)
    poll_all([first, second], lambda: sorted(map(len, map(partitions_of, [first, second]))) == [1, 2])
    assert partitions_of(first) | partitions_of(second) == {0, 1, 2}
    assert first_heard.events[:2] == [("assigned", {0, 1, 2}), ("revoked", {0, 1, 2})]

    for partition in range(3):
        producer.send_many(topic, [b"%d" % partition] * 10, partition=partition)
    producer.flush(10)
    got = {first: [], second: []}
    deadline = time.monotonic() + DEADLINE
    while sum(map(len, got.values())) < 30:
        assert time.monotonic() < deadline
        for member, records in got.items():
            records.extend(member.poll(timeout=0.05))
    for member, records in got.items():
        assert {record.partition for record in records} == partitions_of(member)
        member.commit()

    second.close()
    found = poll_all([first], lambda: partitions_of(first) == {0, 1, 2})
    assert found == []
    assert second_heard.events[-1][0] == "revoked"
    assert not first.poll(timeout=0.3), "nothing that the other member committed is read again"


def test_a_committed_position_survives_its_members(consumer, producer, topic):
    producer.send_many(topic, [b"%d" % number for number in range(20)], partition=0).result(10)
    first = consumer(topic, group_id=topic)
    found = []
    while len(found) < 12:
        found += first.poll(timeout=1, max_records=4)
    first.commit()
    first.close()
    second = consumer(topic, group_id=topic)
    assert values(read(second, 8, extra=0.2)) == [b"%d" % number for number in range(12, 20)]


def test_auto_commit_hands_over_in_a_rebalance_without_reading_twice(consumer, producer, topic):
    options = {"group_id": topic, "heartbeat_interval_ms": 100, "enable_auto_commit": True}
    options["auto_commit_interval_ms"] = 3_600_000
    for partition in range(3):
        producer.send_many(topic, [b"%d-%d" % (partition, number) for number in range(100)], partition=partition)
    producer.flush(10)
    first = consumer(topic, **options)
    found = read(first, 300)
    second = consumer(topic, **options)
    found += poll_all([first, second], lambda: sorted(map(len, map(partitions_of, [first, second]))) == [1, 2])
    found += first.poll(timeout=0.2)
    found += second.poll(timeout=0.2)
    assert len(found) == 300


@pytest.mark.needs("4.0")
def test_members_of_a_consumer_group_share_and_take_over(consumer, producer, topic):
    """KIP-848: the coordinator divides, and who has something keeps reading it while others come."""
    first_heard, second_heard = Listener(), Listener()
    first, second = [consumer(group_id=topic, group_protocol="consumer") for _ in range(2)]
    first.subscribe([topic], first_heard)
    poll_all([first], lambda: partitions_of(first) == {0, 1, 2})
    second.subscribe([topic], second_heard)
    poll_all([first, second], lambda: sorted(map(len, map(partitions_of, [first, second]))) == [1, 2])
    moved = partitions_of(second)
    assert partitions_of(first) | moved == {0, 1, 2}
    assert [event for event in first_heard.events if event[0] == "revoked"] == [("revoked", moved)]
    for partition in range(3):
        producer.send_many(topic, [b"%d" % partition] * 10, partition=partition)
    producer.flush(10)
    found = poll_all([first, second], lambda: sum(map(committable, [first, second])) == 30)
    assert len(found) == 30
    first.commit()
    second.commit()
    second.close()
    poll_all([first], lambda: partitions_of(first) == {0, 1, 2})
    assert sum(map(committable, [first])) == 30
    assert not [event for event in first_heard.events if event[0] == "lost"]


def test_options_that_a_group_protocol_makes_useless_are_refused(consumer):
    with pytest.raises(errors.ConfigError, match=r"session\.timeout\.ms has no effect with group\.protocol=consumer"):
        consumer(group_id="g", group_protocol="consumer", session_timeout_ms=10_000)
    with pytest.raises(errors.ConfigError, match=r"choose group\.protocol=consumer"):
        consumer(group_id="g", group_remote_assignor="uniform")
    with pytest.raises(errors.ConfigError, match=r"group\.instance\.id='a b'"):
        consumer(group_id="g", group_instance_id="a b")


@pytest.mark.needs("2.3")
def test_a_static_member_that_comes_back_finds_its_partitions_without_a_rebalance(consumer, producer, topic):
    heard = Listener()
    options = {"group_id": topic, "heartbeat_interval_ms": 100}
    other, first = consumer(**options), consumer(group_instance_id="till-7", **options)
    other.subscribe([topic], heard)
    first.subscribe([topic])
    poll_all([other, first], lambda: sorted(map(len, map(partitions_of, [other, first]))) == [1, 2])
    had, before = partitions_of(first), len(heard.events)
    first.close()
    again = consumer(group_instance_id="till-7", **options)
    again.subscribe([topic])
    poll_all([other, again], lambda: partitions_of(again) == had)
    assert heard.events[before:] == []


def test_a_pattern_takes_the_topics_that_match_now_and_later(bootstrap_servers, stack, consumer, topic):
    admin = stack.enter_context(barnabas.Admin(bootstrap_servers=bootstrap_servers))
    names = [f"{topic}.{number}" for number in range(3)]
    admin.create_topics([NewTopic(names[0]), NewTopic(names[1]), NewTopic(f"other.{topic}.9")])
    member = consumer(group_id=topic, metadata_max_age_ms=200)
    member.subscribe(re.compile(re.escape(topic) + r"\.\d"))
    poll_all([member], lambda: {partition.topic for partition in member.assignment()} == set(names[:2]))
    assert member.subscription() == frozenset(names[:2])
    admin.create_topics([NewTopic(names[2])])
    poll_all([member], lambda: {partition.topic for partition in member.assignment()} == set(names))
    member.subscribe([names[0]])
    poll_all([member], lambda: {partition.topic for partition in member.assignment()} == {names[0]})


def test_seeking_in_the_listener_decides_where_reading_starts(consumer, producer, topic):
    producer.send_many(topic, [b"%d" % number for number in range(10)], partition=1).result(10)
    member = consumer(group_id=topic)

    class Seeking(Listener):
        def on_partitions_assigned(self, partitions) -> None:
            for partition in partitions:
                member.seek(partition, 7 if partition.partition == 1 else 0)

    member.subscribe([topic], Seeking())
    assert values(read(member, 3, extra=0.2)) == [b"7", b"8", b"9"]


def test_a_listener_may_commit_what_is_being_revoked(consumer, producer, topic):
    producer.send_many(topic, [b"%d" % number for number in range(10)], partition=0).result(10)
    member = consumer(group_id=topic)

    class Committing(Listener):
        def on_partitions_revoked(self, partitions) -> None:
            member.commit()

    member.subscribe([topic], Committing())
    read(member, 10)
    member.close()
    reader = consumer(group_id=topic)
    assert reader.committed([(topic, 0)])[TopicPartition(topic, 0)].offset == 10


def test_a_listener_that_raises_is_heard_and_the_member_goes_on(consumer, producer, topic):
    producer.send(topic, b"x", partition=0).result(10)
    member = consumer(group_id=topic)
    calls = []

    class Broken(Listener):
        def on_partitions_assigned(self, partitions) -> None:
            calls.append(partitions)
            raise RuntimeError("broken listener")

    member.subscribe([topic], Broken())
    with pytest.raises(RuntimeError, match="broken listener"):
        read(member, 1)
    assert values(read(member, 1)) == [b"x"]
    assert len(calls) == 1


def test_another_subscription_changes_what_is_assigned(bootstrap_servers, consumer, topic):
    other = topic + "-other"
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.create_topics([NewTopic(other, 2, 1)])
    member = consumer(topic, group_id=topic)
    poll_all([member], lambda: len(member.assignment()) == 3)
    member.subscribe([topic, other])
    poll_all([member], lambda: len(member.assignment()) == 5)
    member.subscribe([other])
    poll_all([member], lambda: {partition.topic for partition in member.assignment()} == {other})
    member.unsubscribe()
    assert member.assignment() == frozenset()


def test_a_topic_that_appears_later_is_read(consumer, producer, unique):
    member = consumer(unique, group_id=unique, metadata_max_age_ms=300, allow_auto_create_topics=False)
    assert not member.poll(timeout=1.0)
    producer.send(unique, b"x").result(20)
    assert values(read(member, 1)) == [b"x"]


@pytest.mark.parametrize(("kind", "told"), [(Listener, "lost"), (ListenerOfTwo, "revoked")])
def test_a_member_that_polls_too_late_leaves_and_comes_back(consumer, producer, topic, kind, told):
    listener = kind()
    options = {"max_poll_interval_ms": 500, "heartbeat_interval_ms": 100, "session_timeout_ms": 6_000}
    slow = consumer(group_id=topic, **options)
    slow.subscribe([topic], listener)
    poll_all([slow], lambda: len(slow.assignment()) == 3)
    other = consumer(topic, group_id=topic, heartbeat_interval_ms=100)
    producer.send(topic, b"x", partition=0).result(10)
    # The slow member does not poll, so the other one gets everything, but not before the interval is over.
    assert values(read(other, 1)) == [b"x"]
    assert partitions_of(other) == {0, 1, 2}
    with pytest.raises(errors.CommitFailedError):
        slow.commit({TopicPartition(topic, 0): 1})
    poll_all([slow, other], lambda: slow.assignment() and other.assignment() and len(slow.assignment()) < 3)
    assert listener.events[:2] == [("assigned", {0, 1, 2}), (told, {0, 1, 2})]


def test_closing_in_the_middle_of_a_rebalance_is_quick(consumer, topic):
    first = consumer(topic, group_id=topic)
    poll_all([first], lambda: len(first.assignment()) == 3)
    second = consumer(topic, group_id=topic)
    # The first member does not poll, so the coordinator holds the second one's JoinGroup back.
    assert not second.poll(timeout=0.5)
    started = time.monotonic()
    second.close()
    assert time.monotonic() - started < 5
    poll_all([first], lambda: len(first.assignment()) == 3)


def test_a_commit_that_was_not_waited_for_is_there_after_close(consumer, producer, topic):
    producer.send_many(topic, [b"x"] * 10, partition=0).result(10)
    seen = []
    member = consumer(topic, group_id=topic)
    read(member, 10)
    member.commit_async(callback=lambda _, error: seen.append(error))
    member.close()
    assert seen == [None]
    assert consumer(group_id=topic).committed([(topic, 0)])[TopicPartition(topic, 0)].offset == 10


def test_a_member_that_enforces_a_rebalance_joins_again(bootstrap_servers, consumer, topic):
    listener = Listener()
    member = consumer(group_id=topic, partition_assignment_strategy=["range"])
    assert member.group_metadata() == ConsumerGroupMetadata(topic)
    member.subscribe([topic], listener)
    poll_all([member], lambda: partitions_of(member) == {0, 1, 2})
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        ids = [each.member_id for each in admin.describe_groups([topic])[topic].members]
    first = member.group_metadata()
    assert [first] == [ConsumerGroupMetadata(topic, first.generation_id, member_id) for member_id in ids]
    member.enforce_rebalance("the weights have changed")
    assert member.group_metadata() == first
    second = first._replace(generation_id=first.generation_id + 1)
    # What the coordinator has answered is known before the listener is told, by the next poll.
    poll_all([member], lambda: member.group_metadata() == second and len(listener.events) > 2)
    assert listener.events == [("assigned", {0, 1, 2}), ("revoked", {0, 1, 2}), ("assigned", {0, 1, 2})]
    member.unsubscribe()
    assert member.group_metadata() == second


@pytest.mark.needs("4.0")
def test_a_member_of_a_consumer_group_cannot_enforce_a_rebalance(consumer, topic, caplog):
    listener = Listener()
    member = consumer(group_id=topic, group_protocol="consumer", group_instance_id="one")
    assert member.group_metadata() == ConsumerGroupMetadata(topic, group_instance_id="one")
    member.subscribe([topic], listener)
    poll_all([member], lambda: partitions_of(member) == {0, 1, 2})
    before = member.group_metadata()
    assert before == ConsumerGroupMetadata(topic, before.generation_id, before.member_id, "one")
    assert before.generation_id > 0
    assert before.member_id
    member.enforce_rebalance()
    said = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert [line.partition(",")[0] for line in said] == [
        f"group {topic}: enforce_rebalance() does nothing with group_protocol='consumer'"
    ]
    member.poll(timeout=0.2)
    assert (member.group_metadata(), listener.events) == (before, [("assigned", {0, 1, 2})])
    member.unsubscribe()
    assert member.group_metadata() == ConsumerGroupMetadata(topic, group_instance_id="one")


def test_a_consumer_without_a_group_has_none_to_tell_of(consumer):
    reader = consumer()
    with pytest.raises(errors.IllegalStateError, match=r"group_metadata\(\) needs a group_id to have a group"):
        reader.group_metadata()
    with pytest.raises(errors.IllegalStateError, match=r"enforce_rebalance\(\) needs a group_id"):
        reader.enforce_rebalance()


def test_a_thread_that_holds_the_interpreter_does_not_lose_membership(bootstrap_servers, consumer, topic):
    listener = Listener()
    member = consumer(group_id=topic, session_timeout_ms=6_000, heartbeat_interval_ms=500)
    member.subscribe([topic], listener)
    poll_all([member], lambda: len(member.assignment()) == 3)
    started = time.monotonic()
    while time.monotonic() - started < 8:
        sum(range(1_000_000))
    member.poll(timeout=0.5)
    assert listener.events == [("assigned", {0, 1, 2})]


# Members in processes of their own


heard = threading.Condition()
"""Notified when any of them says something."""


class Process:
    def __init__(self, *arguments: str) -> None:
        script = Path(__file__).with_name("member.py")
        self.process = subprocess.Popen(
            [sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True, env=os.environ
        )
        self.said: list[dict] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        for line in self.process.stdout:
            with heard:
                self.said.append(json.loads(line))
                heard.notify_all()

    @property
    def partitions(self) -> set[int]:
        held: set[int] = set()
        for said in list(self.said):
            if "assigned" in said:
                held = {partition for _, partition in said["assigned"]}
            elif "revoked" in said or "lost" in said:
                held = set()
        return held

    @property
    def records(self) -> list[tuple[int, int, str]]:
        return [tuple(record) for said in list(self.said) for record in said.get("records", ())]

    def stop(self, with_signal: int = signal.SIGINT) -> int:
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        code = self.process.wait(20)
        self._reader.join(20)
        self.process.stdout.close()
        return code


@pytest.fixture
def member(bootstrap_servers, topic, stack: ExitStack):
    def make(*options: str) -> Process:
        process = Process(bootstrap_servers, topic, topic, "heartbeat.interval.ms=200", *options)
        stack.callback(process.stop, signal.SIGKILL)
        return process

    return make


def wait_for(condition) -> None:
    with heard:
        assert heard.wait_for(condition, DEADLINE)


def test_two_processes_share_a_topic_and_hand_over(member, producer, topic):
    def send(first: int) -> None:
        for number in range(first, first + 300):
            producer.send(topic, b"%d" % number, partition=number % 3)
        producer.flush(10)

    send(0)
    first = member()
    wait_for(lambda: len(first.records) == 300)
    second = member()
    wait_for(lambda: len(first.partitions) + len(second.partitions) == 3 and first.partitions and second.partitions)
    assert not first.partitions & second.partitions
    send(300)
    wait_for(lambda: len(first.records) + len(second.records) == 600)
    assert first.stop() == 0
    assert first.said[-1] == {"closed": True}
    wait_for(lambda: second.partitions == {0, 1, 2})
    send(600)
    wait_for(lambda: len(first.records) + len(second.records) >= 900)
    second.stop()
    found = first.records + second.records
    assert sorted(int(value) for _, _, value in found) == list(range(900))
    for partition in range(3):
        for process in (first, second):
            offsets = [offset for number, offset, _ in process.records if number == partition]
            assert offsets == sorted(offsets)


def test_a_killed_member_is_replaced_when_its_session_ends(member, producer, topic):
    first = member("session.timeout.ms=6000")
    wait_for(lambda: first.partitions == {0, 1, 2})
    first.stop(signal.SIGKILL)
    second = member("session.timeout.ms=6000")
    producer.send(topic, b"1", partition=0).result(10)
    wait_for(lambda: second.partitions == {0, 1, 2} and second.records)
    second.stop()


def test_offsets_of_a_deleted_topic_are_gone_when_it_is_made_again(bootstrap_servers, consumer, producer, topic):
    producer.send(topic, b"old", partition=0).result(10)
    member = consumer(group_id=topic)
    member.assign([TopicPartition(topic, 0)])
    values(read(member, 1))
    member.commit()
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.delete_topics([topic])
        deadline = time.monotonic() + DEADLINE
        while admin.list_consumer_group_offsets(topic):
            assert time.monotonic() < deadline
