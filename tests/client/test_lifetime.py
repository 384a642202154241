"""What becomes of clients when processes fork, are interrupted, end, or forget to close."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

import barnabas


def run(code: str, *arguments: str, timeout: float = 30) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=os.environ,
        check=False,
    )


def test_importing_the_package_loads_little():
    found = run("""
        import sys
        import barnabas
        print(sorted(name for name in sys.modules if name.startswith("barnabas")))
        """)
    assert found.stdout.strip() == "['barnabas', 'barnabas.lazy']"


def test_the_packages_names_are_all_there():
    for name in barnabas.__all__:
        assert getattr(barnabas, name) is not None
    assert set(barnabas.__all__) <= set(dir(barnabas))
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = barnabas.Nothing


def test_a_forked_child_is_told_to_make_new_clients(our_broker, unique):
    found = run(
        """
        import os, sys, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        import barnabas
        address, topic = sys.argv[1:]
        producer = barnabas.Producer(bootstrap_servers=address)
        consumer = barnabas.Consumer(topic, bootstrap_servers=address, group_id=topic)
        admin = barnabas.Admin(bootstrap_servers=address)
        producer.send(topic, b"parent").result(10)
        child = os.fork()
        if child == 0:
            kinds = set()
            calls = [
                lambda: producer.send(topic, b"x"),
                lambda: producer.flush(1),
                lambda: consumer.poll(timeout=1),
                lambda: next(iter(consumer)),
                lambda: admin.list_topics(),
            ]
            for call in calls:
                try:
                    call()
                    kinds.add("nothing")
                except barnabas.errors.ForkedClientError as error:
                    kinds.add("forked" if "in the child" in str(error) else str(error))
            producer.close()
            consumer.close()
            with barnabas.Producer(bootstrap_servers=address) as fresh:
                offset = fresh.send(topic, b"child").result(10).offset
            print(kinds, offset, flush=True)
            sys.exit(0)
        _, status = os.waitpid(child, 0)
        print(status, producer.send(topic, b"parent again").result(10).offset)
        consumer.close(); producer.close(); admin.close()
        """,
        our_broker,
        unique,
    )
    assert found.stdout.splitlines() == ["{'forked'} 1", "0 2"], found.stderr


def test_a_forked_child_does_not_wait_for_records_that_its_parent_sends(our_broker, unique):
    found = run(
        """
        import os, sys, warnings
        warnings.simplefilter("ignore", DeprecationWarning)
        import barnabas
        address, topic = sys.argv[1:]
        producer = barnabas.Producer(bootstrap_servers=address, linger_ms=60_000)
        known = producer.send(topic, b"acknowledged")
        known.result(10)
        waiting = producer.send(topic, b"lingers")
        many = producer.send_many(topic, [b"linger"] * 3)
        if os.fork() == 0:
            print(known.result().offset)
            for handle in (waiting, many):
                try:
                    handle.result()
                except barnabas.errors.ForkedClientError as error:
                    print("only the parent" in str(error))
            sys.exit(0)
        os.wait()
        print(waiting.result(10).offset, len(many.result(10)))
        producer.close()
        """,
        our_broker,
        unique,
    )
    assert found.stdout.splitlines() == ["0", "True", "True", "1 3"], found.stderr


@pytest.mark.parametrize(
    "waiting",
    [
        "consumer.poll(timeout=60)",
        "next(iter(consumer))",
        "producer.send(topic, b'x').result(60)",
        "admin.list_topics(timeout=60)",
        "consumer.end_offsets([(topic, 0)], timeout=60)",
    ],
)
def test_an_interrupt_ends_every_wait_quickly(waiting):
    code = f"""
        import sys, time
        import barnabas
        address, topic = "127.0.0.1:1", "orders"
        producer = barnabas.Producer(bootstrap_servers=address)
        consumer = barnabas.Consumer(bootstrap_servers=address)
        admin = barnabas.Admin(bootstrap_servers=address)
        consumer.assign([(topic, 0)])
        print("waiting", flush=True)
        try:
            {waiting}
        except KeyboardInterrupt:
            print(time.monotonic(), flush=True)
        consumer.close(0); producer.close(0); admin.close(0)
        """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    try:
        assert process.stdout.readline() == "waiting\n"
        # The wait begins a moment after the line; an interrupt that comes before it ends the program the same way.
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        line = process.stdout.readline()
        assert float(line) - sent < 0.25
        assert process.wait(10) == 0
    finally:
        process.kill()
        process.stdout.close()


@pytest.mark.parametrize("closing", ["", "producer.close(0); consumer.close(0)"])
def test_the_interpreter_ends_cleanly_with_open_clients(our_broker, unique, closing):
    found = run(
        f"""
        import sys
        import barnabas
        address, topic = sys.argv[1:]
        producer = barnabas.Producer(bootstrap_servers=address)
        consumer = barnabas.Consumer(topic, bootstrap_servers=address, group_id=topic, auto_offset_reset="earliest")
        producer.send(topic, b"x").result(10)
        while not consumer.poll(timeout=1):
            pass
        producer.send_many(topic, [b"y"] * 1000)
        {closing}
        """,
        our_broker,
        unique,
    )
    assert (found.returncode, found.stderr) == (0, "")


COUNTING = """
    import os, sys, time
    import barnabas
    address, name = sys.argv[1:]

    def count():
        return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))

    def end_with(wanted):
        # A thread that was joined is in the list for as long as the system takes to remove it.
        deadline = time.monotonic() + 10
        while count() != wanted and time.monotonic() < deadline:
            os.sched_yield()
        print(count() == wanted, count(), wanted)
    """
"""Counts threads and descriptors of a process of its own: none but the clients that are tested can start or end one."""


def left(code: str, *arguments: str) -> tuple[bool, str]:
    """Whether nothing is left of what the code did, and what the process said."""
    found = run(textwrap.dedent(COUNTING) + textwrap.dedent(code), *arguments)
    return found.stdout.startswith("True"), found.stdout + found.stderr


def test_clients_leave_no_threads_and_no_descriptors(our_broker, unique):
    is_clean, said = left(
        """
        def use():
            with barnabas.Producer(bootstrap_servers=address) as producer:
                producer.send(name, b"x").result(10)
            options = {"bootstrap_servers": address, "group_id": name, "auto_offset_reset": "earliest"}
            with barnabas.Consumer(name, **options) as consumer:
                while not consumer.assignment():
                    consumer.poll(timeout=0.5)
            with barnabas.Admin(bootstrap_servers=address) as admin:
                admin.list_topics()

        before = count()
        for _ in range(21):
            use()
        end_with(before)
        """,
        our_broker,
        unique,
    )
    assert is_clean, said


def test_a_thousand_clients_leave_no_memory(our_broker, unique):
    is_clean, said = left(
        """
        def resident():
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def use(times):
            for _ in range(times):
                with barnabas.Producer(bootstrap_servers=address) as producer:
                    producer.send(name, b"x").result(10)
                with barnabas.Consumer(bootstrap_servers=address) as consumer:
                    consumer.partitions_for(name)

        use(100)
        before, then = count(), resident()
        use(500)
        grown = resident() - then
        print(f"{grown} bytes more", file=sys.stderr)
        end_with(before if grown < 1_048_576 else "less memory")
        """,
        our_broker,
        unique,
    )
    assert is_clean, said


def test_a_consumer_that_was_never_made_leaves_nothing(our_broker, unique):
    is_clean, said = left(
        """
        # Modules are loaded.
        barnabas.Consumer(bootstrap_servers=address).close()
        before = 1, count()[1]
        for make in (
            lambda: barnabas.Consumer("orders", bootstrap_servers=address),
            lambda: barnabas.Producer(bootstrap_servers=address, linger="5"),
        ):
            try:
                make()
            except (barnabas.errors.IllegalStateError, barnabas.errors.ConfigError) as error:
                print(type(error).__name__, file=sys.stderr)
        end_with(before)
        """,
        our_broker,
        unique,
    )
    assert is_clean, said
    assert said.splitlines()[1:] == ["IllegalStateError", "ConfigError"]
