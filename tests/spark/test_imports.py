"""What the processes of an executor load: each begins with nothing of it, and every one pays for what it does not need."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest
from pyspark.serializers import CloudPickleSerializer

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark")]

TASK = """
import gc, pickle, sys
import pyspark.worker
if sys.argv[1:] == ["in a task"]:
    pyspark.TaskContext._setTaskContext(pyspark.TaskContext())
before = set(sys.modules)
reader, partitions = pickle.loads(sys.stdin.buffer.read())
rows = sum(batch.num_rows for partition in partitions for batch in reader.read(partition))
loaded = set(sys.modules) - before
print(rows, gc.get_freeze_count(), *sorted(loaded))
"""
"""What a worker process does for its first task."""
OF_CLIENTS = ("barnabas.client.consumer", "barnabas.client.producer", "barnabas.client.admin", "barnabas.client.group")
OF_THE_DRIVER = ("barnabas.spark.reporter", "barnabas.spark.inference", "barnabas.spark.foreach_batch")
NOT_TO_READ = (
    *OF_CLIENTS,
    *OF_THE_DRIVER,
    "barnabas.assignors",
    "barnabas.protocol",
    "barnabas.spark.sink",
    "pyarrow.compute",
)
NOT_TO_WRITE = (
    "barnabas.client.consumer",
    "barnabas.client.admin",
    *OF_THE_DRIVER,
    "barnabas.assignors",
    "barnabas.aio",
)


def unwanted(loaded, names):
    return [module for module in loaded if any(f"{module}.".startswith(f"{name}.") for name in names)]


MODULES_HAVE = 10_000
"""Fewer objects than the modules of a worker have."""


@pytest.fixture
def first_task(bootstrap_servers, topic, producer):
    """Runs the task of a batch of five records in a process; returns how many objects are not looked at any more, and what was loaded."""
    from barnabas.spark.options import ReadOptions  # noqa: PLC0415
    from barnabas.spark.reader import BatchReader  # noqa: PLC0415
    from barnabas.spark.schemas import Decoding, schema_without_fields  # noqa: PLC0415

    producer.send_many(topic, [b"x"] * 5).result(30)
    given = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": topic}
    options = ReadOptions.parse(given, streaming=False)
    reader = BatchReader(options, Decoding.choose(schema_without_fields(given), options))
    task = CloudPickleSerializer().dumps((reader, reader.partitions()))

    def run(*arguments):
        command = [sys.executable, "-c", TASK, *arguments]
        done = subprocess.run(command, input=task, capture_output=True, check=True, timeout=60)
        rows, settled, *loaded = done.stdout.decode().split()
        assert int(rows) == 5
        return int(settled), loaded

    return run


def test_a_task_that_reads_loads_no_clients_of_python(first_task):
    _, loaded = first_task("in a task")
    assert "barnabas.spark.reader" in loaded
    assert unwanted(loaded, NOT_TO_READ) == []


def test_what_a_worker_has_loaded_is_not_looked_at_after_every_task(first_task):
    settled, _ = first_task("in a task")
    assert settled > MODULES_HAVE
    settled, _ = first_task()
    assert settled == 0


@pytest.mark.parametrize(
    ("module", "names"),
    [("pyspark_barnabas", NOT_TO_READ), ("barnabas.spark.stream", NOT_TO_READ), ("barnabas.spark.stream_writer", NOT_TO_WRITE)],
)  # fmt: skip
def test_what_a_task_imports_first_loads_nothing_that_it_does_not_need(module, names):
    program = (
        f"import sys, pyspark.worker; before = set(sys.modules); import {module}; print(*set(sys.modules) - before)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60)
    assert module in done.stdout.split()
    assert unwanted(done.stdout.split(), names) == []


def test_the_modules_that_are_not_wanted_are_there():
    assert [name for name in (*NOT_TO_READ, *NOT_TO_WRITE) if find_spec(name) is None] == []


@pytest.mark.parametrize("package", ["barnabas.client", "barnabas.spark"])
def test_the_packages_names_are_all_there(package):
    program = f"import {package}; print(*dir({package}))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, timeout=60)
    module = import_module(package)
    # Those too that are loaded when they are asked for.
    assert set(module.__all__) <= set(done.stdout.split())
    for name in module.__all__:
        assert getattr(module, name).__name__.removeprefix("barnabas.") == name
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Nothing'"):
        _ = module.Nothing
