"""What cannot be meant by an argument is refused by its name, before anything has changed."""

import asyncio

import pytest

import barnabas

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


def test_what_is_no_time_and_what_is_no_partition_is_named(consumer, topic):
    reader = consumer()
    reader.assign([(topic, 0)])
    with pytest.raises(TypeError, match=NO_NUMBER):
        reader.poll(None)
    for call in (reader.pause, reader.resume, reader.seek_to_end, reader.end_offsets):
        with pytest.raises(TypeError, match=r"here goes a list of them, got 't'"):
            call("t")
    for call in (reader.position, reader.lag, lambda wrong: reader.seek(wrong, 0), lambda wrong: reader.pause([wrong])):
        with pytest.raises(TypeError, match=r"a partition is TopicPartition\(topic, number\), .* got 't'"):
            call("t")
    reader.pause([(topic, 0)])
    assert reader.paused() == {(topic, 0)}
