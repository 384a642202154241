"""Callbacks of deliveries: on a thread of their own, in the order of the records, and never in anybody's way."""

import gc
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import barnabas
from barnabas import errors


def test_callbacks_come_in_order_once_each_on_one_thread(our_broker, unique):
    seen = []
    threads = set()

    def callback(delivery):
        threads.add(threading.current_thread().name)
        seen.append(delivery.result(0).offset)

    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        for _ in range(3_000):
            producer.send(unique, b"x", partition=0).add_done_callback(callback)
    assert seen == list(range(3_000))
    assert threads == {"barnabas-callbacks"}


def test_a_record_that_is_done_calls_back_too_and_a_failed_one_says_why(our_broker, unique):
    found = []
    with barnabas.Producer(bootstrap_servers=our_broker, max_request_size=5_000_000) as producer:
        delivery = producer.send(unique, b"x")
        delivery.result(10)
        delivery.add_done_callback(found.append)
        large = producer.send(unique, b"x" * 2_000_000)
        large.add_done_callback(found.append)
    assert found == [delivery, large]
    try:
        large.result(0)
    except errors.MessageTooLargeError:
        found.clear()
    assert not found
    # The producer is gone: there is no thread any more, and nothing to wait for.
    del producer
    gc.collect()
    delivery.add_done_callback(found.append)
    assert found == [delivery]


def test_a_callback_that_raises_is_logged_and_the_others_are_called(our_broker, unique, caplog):
    called = []

    def broken(delivery):
        raise ZeroDivisionError("on purpose")

    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        producer.send(unique, b"x", partition=0).add_done_callback(broken)
        producer.send(unique, b"x", partition=0).add_done_callback(called.append)
    assert len(called) == 1
    assert "on purpose" in caplog.text


def test_a_callback_may_send_and_close(our_broker, unique):
    done = threading.Event()
    producer = barnabas.Producer(bootstrap_servers=our_broker)

    def again(delivery):
        if delivery.result(0).offset < 3:
            producer.send(unique, b"x", partition=0).add_done_callback(again)
        else:
            producer.close()
            done.set()

    producer.send(unique, b"x", partition=0).add_done_callback(again)
    assert done.wait(30)


def test_eight_threads_share_a_producer_and_each_keeps_its_order(our_broker, unique):
    count, threads = 3_000, 8
    with barnabas.Admin(bootstrap_servers=our_broker) as admin:
        admin.create_topics([barnabas.NewTopic(unique, num_partitions=threads)])
    offsets = [[] for _ in range(threads)]
    deliveries = [[] for _ in range(threads)]

    def work(number):
        mine = offsets[number]
        for index in range(count):
            if index % 3:
                delivery = producer.send(unique, b"%d" % index, partition=number)
                delivery.add_done_callback(lambda done: mine.append(done.result().offset))
                deliveries[number].append(delivery)
            else:
                producer.send_many(unique, [b"%d" % index], partition=number)

    options = {"buffer_memory": 1 << 20, "batch_size": 1 << 15}
    with barnabas.Producer(bootstrap_servers=our_broker, **options) as producer:
        workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        producer.flush(60)
        metrics = producer.metrics()
    assert (metrics["records_acknowledged"], metrics["records_failed"]) == (count * threads, 0)
    expected = [index for index in range(count) if index % 3]
    assert offsets == [expected] * threads
    assert [[delivery.result().offset for delivery in mine] for mine in deliveries] == [expected] * threads


def test_nothing_of_a_callback_is_left(our_broker, unique):
    class Kept:
        def __call__(self, delivery):
            pass

    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        callback = Kept()
        kept = weakref.ref(callback)
        producer.send(unique, b"x").add_done_callback(callback)
        del callback
        producer.flush(10)
        deadline = time.monotonic() + 10
        while kept() is not None:
            assert time.monotonic() < deadline
            gc.collect()


def test_a_dropped_producer_ends_its_callback_thread(our_broker, unique):
    def named():
        return {thread for thread in threading.enumerate() if thread.name == "barnabas-callbacks"}

    others = named()
    producer = barnabas.Producer(bootstrap_servers=our_broker)
    delivery = producer.send(unique, b"x")
    delivery.add_done_callback(lambda _: None)
    delivery.result(10)
    (thread,) = named() - others
    del producer
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()


def test_an_unclosed_producer_with_callbacks_does_not_delay_the_exit(our_broker, unique):
    code = """
        import sys, time
        import barnabas
        producer = barnabas.Producer(bootstrap_servers=sys.argv[1], linger_ms=60_000, delivery_timeout_ms=120_000)
        producer.send(sys.argv[2], b"x").add_done_callback(lambda delivery: None)
        producer.send(sys.argv[2], b"x").result(10)
        for _ in range(1000):
            producer.send(sys.argv[2], b"x").add_done_callback(lambda delivery: None)
        print(time.monotonic(), flush=True)
        """
    command = [sys.executable, "-c", textwrap.dedent(code), our_broker, unique]
    found = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    ended = time.monotonic()
    assert (found.returncode, found.stderr) == (0, "")
    # Five seconds are what a thread that nobody wakes was waited for.
    assert ended - float(found.stdout) < 4
