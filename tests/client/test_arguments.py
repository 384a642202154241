"""What cannot be meant by an argument is refused by its name, before anything has changed."""

import asyncio
import inspect
import re

import pytest

import barnabas
from barnabas import OffsetAndMetadata, SubscriptionPattern, TopicPartition, errors

WRONG = [-1, -0.001, float("nan")]
NO_TIME = r"timeout must be at least 0 seconds, got (-|nan)"
NO_NUMBER = r"timeout is a number of seconds, got None"


@pytest.mark.parametrize("wrong", WRONG)
def test_a_negative_timeout_is_refused(bootstrap_servers, producer, consumer, topic, wrong):
    reader = consumer(group_id=topic)
    reader.assign([(topic, 0)])
    calls = [
        lambda: reader.poll(wrong),
        lambda: reader.position((topic, 0), wrong),
        lambda: reader.commit({(topic, 0): 0}, wrong),
        lambda: reader.committed(timeout=wrong),
        lambda: reader.beginning_offsets(timeout=wrong),
        lambda: reader.end_offsets(timeout=wrong),
        lambda: reader.offsets_for_times({(topic, 0): 0}, wrong),
        lambda: reader.partitions_for(topic, wrong),
        lambda: reader.list_topics(wrong),
        lambda: reader.close(wrong),
        lambda: producer.flush(wrong),
        lambda: producer.partitions_for(topic, wrong),
    ]
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        for call in [*calls, lambda: admin.list_topics(wrong), lambda: admin.close(wrong)]:
            with pytest.raises(ValueError, match=NO_TIME):
                call()
        assert topic in admin.list_topics(timeout=30)
    producer.send(topic, b"x", partition=0).result(timeout=30)
    assert reader.poll(timeout=30).values() == [b"x"]


@pytest.mark.parametrize("wrong", WRONG)
def test_asyncio_refuses_it_too(bootstrap_servers, topic, wrong):
    async def main():
        reader = barnabas.AsyncConsumer(bootstrap_servers=bootstrap_servers)
        reader.assign([(topic, 0)])
        async with barnabas.AsyncProducer(bootstrap_servers=bootstrap_servers) as sender:
            calls = [
                lambda: reader.poll(wrong),
                lambda: reader.end_offsets(timeout=wrong),
                lambda: reader.close(wrong),
                lambda: sender.flush(wrong),
                lambda: sender.partitions_for(topic, wrong),
            ]
            for call in calls:
                with pytest.raises(ValueError, match=NO_TIME):
                    await call()
            with pytest.raises(TypeError, match=NO_NUMBER):
                await reader.poll(None)
        await reader.close()

    asyncio.run(main())


PARTITION = r"a partition is TopicPartition\(topic, number\), or a tuple like it, got "
PARTITIONS = r"a partition is TopicPartition\(topic, number\), and here goes a list of them, got "
NOT_ASSIGNED = r"partition u-0 is not assigned to this consumer: assign\(\) it, or wait until poll\(\) has got it"
HERE = ("t", 0)
ELSEWHERE = ("u", 0)


def with_epoch(epoch):
    return OffsetAndMetadata(1, "", epoch)


MISTAKES = {
    "subscribe": [
        (("t",), TypeError, r"takes a list of topics: write subscribe\(\['t'\]\)"),
        ((b"t",), TypeError, r"takes a list of topics"),
        ((None,), TypeError, r"takes a list of topics, or a compiled pattern, got None"),
        (([None],), TypeError, r'a topic is a string that is not empty, such as "orders", got None'),
        (([""],), ValueError, r'a topic is a string that is not empty, such as "orders", got '),
        ((re.compile(b"t"),), TypeError, r"a pattern for topics is a string, got b't'"),
        ((re.compile(""),), ValueError, r"a pattern for topics must not be empty"),
        ((SubscriptionPattern(5),), TypeError, r"a pattern for topics is a string, got 5"),
        ((SubscriptionPattern(""),), ValueError, r"a pattern for topics must not be empty"),
        ((SubscriptionPattern("t"),), errors.IllegalStateError, r"use re\.compile\(\) with the classic protocol"),
        ((["t"], object()), TypeError, r"no rebalance listener: it has no on_partitions_assigned\(\)"),
        ((["t"],), errors.IllegalStateError, r"call unsubscribe\(\) before subscribe\(\)"),
    ],
    "assign": [
        (("t",), TypeError, PARTITIONS + "'t'"),
        ((TopicPartition("t", 0),), TypeError, PARTITIONS),
        ((None,), TypeError, PARTITIONS + "None"),
        ((["t"],), TypeError, PARTITION + "'t'"),
        (([("t", "0")],), TypeError, PARTITION),
        (([("", 0)],), ValueError, r'a topic is a string that is not empty, such as "orders", got '),
        (([("t", -1)],), ValueError, r"t has no partition -1: partitions count from 0"),
        (([("t", 2**31)],), ValueError, r"t has no partition 2147483648: .* have 31 bits"),
    ],
    "seek": [
        (("t", 0), TypeError, PARTITION + "'t'"),
        ((ELSEWHERE, 0), errors.IllegalStateError, NOT_ASSIGNED),
        ((HERE, None), TypeError, r"offset is a whole number, got None"),
        ((HERE, 1.5), TypeError, r"offset is a whole number, got 1\.5"),
        ((HERE, -1), ValueError, r"offset must be at least 0, got -1"),
        ((HERE, 2**63), ValueError, r"offset has 64 bits at most, got 9223372036854775808"),
        ((HERE, OffsetAndMetadata(-1)), ValueError, r"offset must be at least 0, got -1"),
        ((HERE, with_epoch("1")), TypeError, r"the leader epoch beside offset is a whole number, got '1'"),
    ],
    **{
        name: [
            (("t",), TypeError, PARTITIONS + "'t'"),
            ((5,), TypeError, PARTITIONS + "5"),
            (([None],), TypeError, PARTITION + "None"),
            (([HERE, ELSEWHERE],), errors.IllegalStateError, NOT_ASSIGNED),
        ]
        for name in ("seek_to_beginning", "seek_to_end", "pause", "resume")
    },
    **{
        name: [
            ((None,), TypeError, PARTITION + "None"),
            ((ELSEWHERE,), errors.IllegalStateError, NOT_ASSIGNED),
        ]
        for name in ("position", "lag")
    },
    "poll": [
        ((None,), TypeError, NO_NUMBER),
        ((0, 0), ValueError, r"max_records must be at least 1, got 0"),
        ((0, "5"), TypeError, r"max_records is a whole number, got '5'"),
    ],
    **{
        name: [
            (([HERE],), TypeError, r"offsets are a dict of partitions and offsets, got \[\('t', 0\)\]"),
            (({"t": 1},), TypeError, PARTITION + "'t'"),
            (({HERE: None},), TypeError, r"the offset of t-0 is a whole number, got None"),
            (({HERE: -1},), ValueError, r"the offset of t-0 must be at least 0, got -1"),
            (({HERE: 2**63},), ValueError, r"the offset of t-0 has 64 bits at most"),
            (({HERE: OffsetAndMetadata("1")},), TypeError, r"the offset of t-0 is a whole number, got '1'"),
            (
                ({HERE: OffsetAndMetadata(1, 5)},),
                TypeError,
                r"the metadata beside the offset of t-0 is a string, got 5",
            ),
            (({HERE: with_epoch(-2)},), ValueError, r"the leader epoch beside the offset of t-0 must be at least -1"),
        ]
        for name in ("commit", "commit_async")
    },
    **{
        name: [
            (("t",), TypeError, PARTITIONS + "'t'"),
            ((5,), TypeError, PARTITIONS + "5"),
            (([("t", -1)],), ValueError, r"t has no partition -1"),
        ]
        for name in ("committed", "beginning_offsets", "end_offsets")
    },
    "offsets_for_times": [
        (([HERE],), TypeError, r"timestamps are a dict of partitions and milliseconds, got \["),
        (({"t": 0},), TypeError, PARTITION + "'t'"),
        (({HERE: -1},), ValueError, r"the timestamp of t-0 must be at least 0, got -1"),
        (({HERE: 1.5},), TypeError, r"the timestamp of t-0 is a whole number, got 1\.5"),
    ],
    "partitions_for": [
        ((None,), TypeError, r'a topic is a string that is not empty, such as "orders", got None'),
        (("",), ValueError, r'a topic is a string that is not empty, such as "orders", got '),
        (("not valid",), errors.InvalidTopicError, r"not valid"),
    ],
    "enforce_rebalance": [((5,), TypeError, r"reason is a string, got 5")],
    "list_topics": [(("1",), TypeError, r"timeout is a number of seconds, got '1'")],
    "close": [((None,), TypeError, NO_NUMBER)],
}
mistakes = pytest.mark.parametrize("name", MISTAKES)


@mistakes
def test_a_mistake_in_an_argument_is_named_and_changes_nothing(consumer, unique, name):
    reader = consumer(group_id=unique)
    reader.assign([HERE])
    for arguments, error, told in MISTAKES[name]:
        with pytest.raises(error, match=told):
            getattr(reader, name)(*arguments)
    if name == "commit_async":
        with pytest.raises(TypeError, match="callback is called with offsets and an error or None, got 5"):
            reader.commit_async({HERE: 1}, 5)
    assert (reader.assignment(), reader.paused(), reader.subscription()) == ({HERE}, set(), set())


@mistakes
def test_asyncio_names_it_too(bootstrap_servers, unique, name):
    async def main():
        reader = barnabas.AsyncConsumer(bootstrap_servers=bootstrap_servers, group_id=unique, enable_auto_commit=False)
        reader.assign([HERE])
        for arguments, error, told in MISTAKES[name]:
            with pytest.raises(error, match=told):
                await reached(getattr(reader, name)(*arguments))
        assert (reader.assignment(), reader.paused(), reader.subscription()) == ({HERE}, set(), set())
        await reader.close()

    asyncio.run(main())


async def reached(outcome):
    return await outcome if inspect.isawaitable(outcome) else outcome


ARGUMENTS = {
    "subscribe": (["t"],),
    "assign": ([HERE],),
    "seek": (HERE, 0),
    "pause": ([HERE],),
    "resume": ([HERE],),
    "position": (HERE,),
    "lag": (HERE,),
    "commit": ({HERE: 1},),
    "commit_async": ({HERE: 1},),
    "committed": ([HERE],),
    "offsets_for_times": ({HERE: 0},),
    "partitions_for": ("t",),
}


@pytest.mark.parametrize("face", [barnabas.Consumer, barnabas.AsyncConsumer])
def test_whatever_is_called_after_close_says_so(bootstrap_servers, unique, face):
    async def main():
        reader = face(bootstrap_servers=bootstrap_servers, group_id=unique)
        await reached(reader.close())
        for name, method in inspect.getmembers(reader, callable):
            if not name.startswith("_") and name not in {"close", "wakeup"}:
                with pytest.raises(errors.IllegalStateError, match="this Consumer is closed: make a new one"):
                    await reached(method(*ARGUMENTS.get(name, ())))
        reader.wakeup()
        await reached(reader.close())

    asyncio.run(main())


def test_a_timeout_says_what_it_waited_for(consumer, topic):
    reader = consumer(group_id=topic)
    with pytest.raises(errors.KafkaTimeoutError, match=f"does not host this topic or partition .* {topic}-99"):
        reader.commit({(topic, 99): 1}, timeout=1)
    with pytest.raises(
        errors.KafkaTimeoutError, match=f"no leader has answered for {topic}-97, {topic}-98, {topic}-99, …"
    ):
        reader.end_offsets([(topic, 97), (topic, 98), (topic, 99), (topic, 100), (topic, 0)], timeout=1)
