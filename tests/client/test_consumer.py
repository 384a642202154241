"""The consumer without a group's rebalancing: positions, seeks, pauses, commits, iteration, closing."""

import itertools
import threading
import time

import pytest
from reading import poll_until, read, values

import barnabas
from barnabas import OffsetAndMetadata, TopicPartition, errors
from barnabas.testing import Proxy


@pytest.fixture
def filled(producer, topic) -> str:
    """The topic with records 0..9 in each of its partitions; timestamps are 1000, 1100, …"""
    for partition in range(3):
        producer.send_many(
            topic,
            [b"%d" % number for number in range(10)],
            timestamps=[1_000 + 100 * number for number in range(10)],
            partition=partition,
        )
    producer.flush(10)
    return topic


@pytest.fixture
def zero(filled) -> TopicPartition:
    return TopicPartition(filled, 0)


TEN = [b"%d" % number for number in range(10)]


# What to read


def test_assigned_partitions_are_read_from_their_beginning(consumer, filled):
    reader = consumer()
    reader.assign([TopicPartition(filled, 0), (filled, 2)])
    found = read(reader, 20, extra=0.2)
    assert len(found) == 20
    for partition in (0, 2):
        assert values([record for record in found if record.partition == partition]) == TEN
    assert reader.assignment() == {TopicPartition(filled, 0), TopicPartition(filled, 2)}
    assert reader.subscription() == frozenset()


def test_by_default_reading_starts_at_the_end(consumer, producer, filled, zero):
    reader = consumer(auto_offset_reset="latest")
    reader.assign([zero])
    assert reader.position(zero) == 10
    producer.send(filled, b"new", partition=0)
    assert values(read(reader, 1)) == [b"new"]


def test_without_a_start_and_a_rule_polling_raises_until_a_seek(consumer, zero):
    reader = consumer(auto_offset_reset="none")
    reader.assign([zero])
    with pytest.raises(errors.NoOffsetForPartitionError):
        reader.poll(timeout=5)
    reader.seek(zero, 8)
    assert values(read(reader, 2)) == TEN[8:]


def test_subscribe_and_assign_exclude_each_other(consumer, topic):
    reader = consumer(topic, group_id=topic)
    with pytest.raises(errors.IllegalStateError, match=r"call unsubscribe\(\) before assign\(\)"):
        reader.assign([TopicPartition(topic, 0)])
    assert reader.subscription() == {topic}
    reader.unsubscribe()
    reader.assign([TopicPartition(topic, 0)])
    with pytest.raises(errors.IllegalStateError, match=r"call unsubscribe\(\) before subscribe\(\)"):
        reader.subscribe([topic])
    reader.assign([])
    with pytest.raises(errors.IllegalStateError, match=r"call subscribe\(\) or assign\(\)"):
        reader.poll(timeout=0)


def test_mistakes_in_subscribe_are_named(bootstrap_servers, consumer, topic):
    with pytest.raises(errors.IllegalStateError, match="needs a group_id"):
        barnabas.Consumer(topic, bootstrap_servers=bootstrap_servers)
    reader = consumer(group_id=topic)
    with pytest.raises(TypeError, match=r"takes a list of topics"):
        reader.subscribe(topic)
    with pytest.raises(TypeError, match="a topic is a string"):
        reader.subscribe([b"orders"])
    with pytest.raises(TypeError, match=r"no rebalance listener: it has no on_partitions_assigned\(\)"):
        reader.subscribe([topic], object())
    with pytest.raises(TypeError, match=r"write Consumer\(config=\{\.\.\.\}\)"):
        barnabas.Consumer({"bootstrap.servers": bootstrap_servers})
    with pytest.raises(TypeError, match=r"write Consumer\('orders', 'payments'\)"):
        barnabas.Consumer([topic], bootstrap_servers=bootstrap_servers)


def test_mistakes_in_partitions_and_offsets_are_named(consumer, zero):
    reader = consumer(group_id=zero.topic)
    for wrong in (zero, [zero.topic], [(zero.topic, "0")], [(5, 0)]):
        with pytest.raises(TypeError, match="a partition is TopicPartition"):
            reader.assign(wrong)
    with pytest.raises(ValueError, match="has no partition -1"):
        reader.assign([(zero.topic, -1)])
    reader.assign([zero])
    for offset in (1.5, "1"):
        with pytest.raises(TypeError, match="is a whole number"):
            reader.seek(zero, offset)
        with pytest.raises(TypeError, match="is a whole number"):
            reader.commit({zero: offset})
    with pytest.raises(ValueError, match="64 bits"):
        reader.seek(zero, 2**63)
    with pytest.raises(TypeError, match="a dict of partitions and offsets"):
        reader.commit([(zero, 1)])
    assert values(read(reader, 10)) == TEN


def test_a_new_assignment_keeps_positions_of_what_stays(consumer, filled, zero):
    reader = consumer()
    reader.assign([zero])
    read(reader, 10)
    reader.assign([zero, TopicPartition(filled, 1)])
    assert {record.partition for record in read(reader, 10, extra=0.2)} == {1}


# Positions


def test_positions_follow_what_was_given_out(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    assert reader.position(zero) == 0
    assert len(reader.poll(timeout=10, max_records=4)) == 4
    assert reader.position(zero) == 4
    assert values(read(reader, 6)) == TEN[4:]
    assert reader.position(zero) == 10
    assert reader.lag(zero) == 0


def test_seeks_go_back_and_forth(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    read(reader, 10)
    reader.seek(zero, 3)
    assert reader.position(zero) == 3
    assert values(read(reader, 7, extra=0.2)) == TEN[3:]
    reader.seek_to_beginning()
    assert values(read(reader, 10)) == TEN
    reader.seek_to_beginning([zero])
    reader.seek_to_end([zero])
    assert reader.position(zero) == 10
    assert not reader.poll(timeout=0.2)


def test_a_seek_counts_although_a_reset_is_under_way(bootstrap_servers, zero):
    with Proxy(bootstrap_servers) as proxy:
        asked = proxy.inject("ListOffsets", delay=0.3)
        with barnabas.Consumer(bootstrap_servers=proxy.bootstrap_servers, auto_offset_reset="latest") as reader:
            reader.assign([zero])
            while not asked.fired:
                reader.poll(0.01)
            reader.seek_to_beginning()
            assert values(read(reader, 10)) == TEN


def test_a_partition_that_is_not_there_keeps_no_others_waiting(consumer, filled, zero, unique):
    reader = consumer()
    reader.assign([(f"{unique}-nowhere", 0), (filled, 99), zero])
    assert values(read(reader, 10)) == TEN
    reader.assign([zero, (filled, 1)])
    assert len(read(reader, 10)) == 10


def test_a_topic_that_is_not_there_is_named_in_the_log(consumer, unique, caplog):
    reader = consumer(group_id=unique, client_id="reader", allow_auto_create_topics=False)
    reader.subscribe([unique])
    told = f"reader: topic {unique}: it does not exist: create it, or look at the name; the cluster is asked for it"
    poll_until(reader, lambda: any(record.getMessage().startswith(told) for record in caplog.records))


def test_a_topic_whose_name_is_not_valid_is_an_error(consumer, zero, unique):
    reader = consumer(group_id=unique)
    reader.assign([("not valid", 0), zero])
    assert len(poll_until_error(reader, errors.InvalidTopicError)) in {0, 10}
    with pytest.raises(errors.InvalidTopicError, match="not valid"):
        reader.end_offsets([("not valid", 0)], timeout=5)
    reader.unsubscribe()
    reader.subscribe(["not valid"])
    poll_until_error(reader, errors.InvalidTopicError)


def poll_until_error(reader, expected) -> list:
    """What polls give out before one raises."""
    found = []
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            found += reader.poll(0.1)
        except expected:
            return found
    raise AssertionError(f"no {expected.__name__}")


def test_seeking_what_is_not_assigned_is_refused(consumer, filled, zero):
    reader = consumer()
    reader.assign([zero])
    with pytest.raises(errors.IllegalStateError, match="-1 is not assigned"):
        reader.seek((filled, 1), 0)
    with pytest.raises(ValueError, match="-5"):
        reader.seek(zero, -5)


@pytest.mark.parametrize(("rule", "expected"), [("earliest", TEN), ("latest", [])])
def test_an_offset_beyond_the_log_is_reset_by_the_rule(consumer, zero, rule, expected):
    reader = consumer(auto_offset_reset=rule)
    reader.assign([zero])
    reader.seek(zero, 1_000)
    if expected:
        assert values(read(reader, 10)) == expected
    else:
        poll_until(reader, lambda: reader.position(zero) == 10)


def test_a_duration_begins_at_the_first_record_that_is_younger(consumer, producer, zero):
    producer.send(zero.topic, b"of now", partition=0).result(10)
    reader = consumer(auto_offset_reset="by_duration:PT1H")
    reader.assign([zero])
    assert values(read(reader, 1)) == [b"of now"]
    reader.seek(zero, 1_000)
    assert values(read(reader, 1)) == [b"of now"]


def test_a_duration_in_which_nothing_came_begins_at_the_end(consumer, producer, zero):
    reader = consumer(auto_offset_reset="by_duration:PT1H")
    reader.assign([zero])
    assert reader.position(zero) == 10
    producer.send(zero.topic, b"next", partition=0).result(10)
    assert values(read(reader, 1)) == [b"next"]


def test_an_offset_beyond_the_log_without_a_rule_raises(consumer, zero):
    reader = consumer(auto_offset_reset="none")
    reader.assign([zero])
    reader.seek(zero, 1_000)
    with pytest.raises(errors.OffsetOutOfRangeError, match=r"offset 1000 is not in the log"):
        read(reader, 1)


def test_paused_partitions_wait_and_lose_nothing(consumer, filled, zero):
    reader = consumer()
    other = TopicPartition(filled, 1)
    reader.assign([zero, other])
    reader.pause([zero])
    assert reader.paused() == {zero}
    assert {record.partition for record in read(reader, 10, extra=0.2)} == {1}
    reader.resume([zero])
    assert reader.paused() == frozenset()
    assert values(read(reader, 10)) == TEN


def test_what_is_assigned_sought_or_resumed_does_not_wait_behind_a_fetch_that_finds_nothing(consumer, filled, zero):
    one = TopicPartition(filled, 1)
    reader = consumer(fetch_max_wait_ms=600_000)
    reader.assign([zero])
    read(reader, 10)
    fetches = reader.metrics()["fetch_requests"]
    poll_until(reader, lambda: reader.metrics()["fetch_requests"] > fetches or reader.lag(zero) == 0)
    reader.assign([zero, one])
    assert values(read(reader, 10)) == TEN
    reader.seek(zero, 8)
    assert values(read(reader, 2)) == TEN[8:]
    reader.pause([one])
    reader.seek(one, 9)
    reader.resume([one])
    assert values(read(reader, 1)) == TEN[9:]


def test_max_records_bounds_a_poll(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    sizes = [len(reader.poll(timeout=10, max_records=3)) for _ in range(4)]
    assert sizes == [3, 3, 3, 1]
    with pytest.raises(ValueError, match="at least 1"):
        reader.poll(max_records=0)


def test_what_the_logs_have(consumer, filled, zero):
    reader = consumer()
    where = [TopicPartition(filled, partition) for partition in range(3)]
    assert reader.beginning_offsets(where) == dict.fromkeys(where, 0)
    assert reader.end_offsets(where) == dict.fromkeys(where, 10)
    found = reader.offsets_for_times({where[0]: 1_250, where[1]: 99_999})
    assert found[where[0]][:2] == (3, 1_300)
    assert found[where[1]] is None
    with pytest.raises(ValueError, match="must be at least 0, got -1"):
        reader.offsets_for_times({zero: -1})
    assert [info.partition for info in reader.partitions_for(filled)] == [0, 1, 2]
    assert filled in reader.list_topics()


def test_topics_are_listed_with_their_partitions_and_leaders(consumer, topic):
    reader = consumer()
    partitions = reader.partitions_for(topic)
    assert [(info.topic, info.partition) for info in partitions] == [(topic, 0), (topic, 1), (topic, 2)]
    assert all(info.leader is not None for info in partitions)
    assert reader.list_topics()[topic] == partitions
    assert f"no-{topic}" not in reader.list_topics()


def test_the_offsets_of_a_missing_topic_are_a_timeout(consumer, unique):
    with pytest.raises(errors.KafkaTimeoutError, match="end_offsets took longer"):
        consumer().end_offsets([(unique + "-missing", 0)], timeout=0.5)


# Iteration


def test_iterating_gives_records_and_counts_them_as_consumed(consumer, zero):
    reader = consumer(group_id=zero.topic)
    reader.assign([zero])
    for record in reader:
        assert reader.position(zero) == record.offset + 1
        reader.commit()
        if record.offset == 4:
            break
    assert reader.committed([zero])[zero].offset == 5
    assert values(list(itertools.islice(reader, 5))) == TEN[5:]


def test_polling_in_the_middle_of_an_iteration_goes_on_with_the_next_record(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    for record in reader:
        if record.offset == 2:
            break
    assert values(read(reader, 7, extra=0.2)) == TEN[3:]


def test_a_seek_inside_an_iteration_takes_effect_at_once(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    seen = []
    for record in reader:
        seen.append(record.offset)
        if seen == [0, 1, 2]:
            reader.seek(zero, 8)
        if len(seen) == 5:
            break
    assert seen == [0, 1, 2, 8, 9]


def test_an_iteration_ends_when_the_consumer_is_closed(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    seen = []
    for record in reader:
        seen.append(record.offset)
        reader.close()
    assert seen == [0]


def test_iteration_takes_max_poll_records_at_a_time(consumer, zero):
    reader = consumer(max_poll_records=4)
    reader.assign([zero])
    assert [record.offset for record in itertools.islice(reader, 10)] == list(range(10))


# Commits


def test_a_commit_is_where_the_next_consumer_goes_on(consumer, filled, zero):
    first = consumer(group_id=filled)
    first.assign([zero])
    first.poll(timeout=10, max_records=4)
    assert first.committed() == {zero: None}
    first.commit()
    assert first.committed() == {zero: OffsetAndMetadata(4, "", 0)}
    first.close()
    second = consumer(group_id=filled)
    second.assign([zero])
    assert values(read(second, 6)) == TEN[4:]


def test_commits_of_given_offsets(consumer, zero):
    reader = consumer(group_id=zero.topic)
    reader.assign([zero])
    reader.commit({zero: 7})
    assert reader.committed([zero])[zero].offset == 7
    reader.commit({zero: OffsetAndMetadata(8, "half way")})
    assert reader.committed([zero])[zero][:2] == (8, "half way")
    with pytest.raises(ValueError, match="must be at least 0, got -1"):
        reader.commit({zero: -1})


def test_commits_without_waiting_call_back_by_a_later_poll(consumer, zero):
    reader = consumer(group_id=zero.topic)
    reader.assign([zero])
    seen = []
    reader.poll(timeout=10, max_records=3)
    reader.commit_async(callback=lambda offsets, error: seen.append((offsets, error)))
    assert seen == []
    deadline = time.monotonic() + 10
    while not seen and time.monotonic() < deadline:
        reader.poll(timeout=0.05, max_records=1)
    ((offsets, error),) = seen
    assert error is None
    assert offsets[zero].offset == 3
    assert reader.committed([zero])[zero].offset == 3


def test_a_failed_commit_calls_back_with_the_error(consumer, zero):
    reader = consumer(group_id=zero.topic)
    reader.assign([zero])
    seen = []
    reader.commit_async({zero: OffsetAndMetadata(1, "x" * 10_000)}, lambda _, error: seen.append(error))
    reader.commit()
    poll_until_seen = time.monotonic() + 10
    while not seen and time.monotonic() < poll_until_seen:
        reader.poll(timeout=0.05)
    assert [type(error) for error in seen] == [errors.OffsetMetadataTooLargeError]
    with pytest.raises(errors.OffsetMetadataTooLargeError):
        reader.commit({zero: OffsetAndMetadata(1, "x" * 10_000)})


def test_without_a_group_there_is_nothing_to_commit_to(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    for call in (reader.commit, reader.commit_async, reader.committed):
        with pytest.raises(errors.IllegalStateError, match="needs a group_id"):
            call()


def test_auto_commit_happens_at_close(consumer, zero):
    first = consumer(group_id=zero.topic, enable_auto_commit=True, auto_commit_interval_ms=3_600_000)
    first.assign([zero])
    first.poll(timeout=10, max_records=4)
    first.close()
    assert consumer(group_id=zero.topic).committed([zero])[zero].offset == 4


def test_auto_commit_happens_by_interval_and_only_for_what_an_earlier_poll_gave_out(consumer, zero):
    reader = consumer(group_id=zero.topic, enable_auto_commit=True, auto_commit_interval_ms=1)
    other = consumer(group_id=zero.topic)
    reader.assign([zero])
    reader.poll(timeout=10, max_records=4)
    reader.pause([zero])
    deadline = time.monotonic() + 10
    while (found := other.committed([zero])[zero]) is None or found.offset < 4:
        assert time.monotonic() < deadline
        reader.poll(timeout=0.05)
    assert found.offset == 4


def test_leaving_the_with_block_by_an_exception_commits_only_what_was_finished(bootstrap_servers, consumer, zero):
    options = {"bootstrap_servers": bootstrap_servers, "group_id": zero.topic, "auto_offset_reset": "earliest"}
    with pytest.raises(RuntimeError), barnabas.Consumer(**options) as reader:  # noqa: PT012 - what a user would write
        reader.assign([zero])
        for record in reader:
            if record.offset == 3:
                raise RuntimeError("cannot handle record 3")
    assert consumer(group_id=zero.topic).committed([zero])[zero].offset == 3

    with pytest.raises(RuntimeError), barnabas.Consumer(**options) as reader:  # noqa: PT012 - what a user would write
        reader.assign([zero])
        assert reader.poll(timeout=10, max_records=2)[0].offset == 3
        raise RuntimeError("cannot handle what the last poll gave")
    assert consumer(group_id=zero.topic).committed([zero])[zero].offset == 3


# One thread, waking, closing


def test_a_second_thread_is_refused(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    read(reader, 10)
    polling = threading.Event()
    caught = []

    def poll() -> None:
        polling.set()
        try:
            reader.poll(timeout=10)
        except errors.WakeupError as error:
            caught.append(error)

    thread = threading.Thread(target=poll)
    thread.start()
    polling.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            reader.position(zero)
        except errors.ConcurrentUseError as refused:
            message = str(refused)
            break
    else:
        pytest.fail("the second thread was let in")
    assert "another thread" in message
    started = time.monotonic()
    reader.wakeup()
    thread.join(10)
    assert time.monotonic() - started < 1
    assert len(caught) == 1


def test_an_iteration_over_a_closed_consumer_is_empty(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    reader.close()
    assert list(reader) == []


def test_records_outlive_their_consumer(consumer, zero):
    reader = consumer()
    reader.assign([zero])
    found = reader.poll(timeout=10)
    reader.close()
    assert found.values() == TEN


def test_an_empty_poll_takes_its_time_and_is_falsy(consumer, producer, topic):
    producer.send(topic, b"x", partition=0).result(10)
    reader = consumer()
    reader.assign([TopicPartition(topic, 1)])
    reader.position((topic, 1))
    started = time.monotonic()
    found = reader.poll(timeout=0.3)
    assert 0.25 <= time.monotonic() - started < 5
    assert not found
    assert len(found) == 0
    assert found.by_partition() == {}
