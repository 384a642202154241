"""One Spark for all tests of this directory, and topics to read and write."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from versions import FILTERS_SINCE, SPARK, STREAMS_SINCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrameReader, SparkSession
    from pyspark.sql.streaming import DataStreamReader

    from barnabas import Admin, Producer


# py4j waits for calls from the JVM by select(), which knows no descriptor above 1023, and other tests of this process may
# have more files open than that by the time that Spark starts.
LOW_DESCRIPTOR = os.open(os.devnull, os.O_RDONLY)

collect_ignore = []
if SPARK < STREAMS_SINCE:
    collect_ignore += [
        "test_planning.py",
        "test_stream.py",
        "test_connect.py",
        "test_documented.py",
        "test_departures.py",
        "test_replay.py",
        "test_imports.py",
    ]
if SPARK < FILTERS_SINCE:
    collect_ignore.append("test_filters.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what belongs elsewhere.

    What reads streams where Spark cannot: test_versions.py looks at what is said there instead. And the reference, unless
    SERVERS names it: a process that has begun a Spark keeps its class path, so these tests and those with Spark's own
    connector are not for one process.
    """
    left_out = [item for item in items if Path(__file__).parent in item.path.parents and _is_for_another_run(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def _is_for_another_run(item: pytest.Item) -> bool:
    needs_streams = "read_stream" in getattr(item, "fixturenames", ())
    server = item.callspec.params.get("bootstrap_servers") if hasattr(item, "callspec") else None
    return (needs_streams and SPARK < STREAMS_SINCE) or server == "kafka"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """Spark on two cores; its executors run this Python with this path."""
    from pyspark.java_gateway import ensure_callback_server_started  # noqa: PLC0415 (the suite is collected without it)
    from pyspark.sql import SparkSession  # noqa: PLC0415

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    os.close(LOW_DESCRIPTOR)
    ensure_callback_server_started(session.sparkContext._gateway)
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def admin(bootstrap_servers: str) -> Iterator[Admin]:
    from barnabas import Admin  # noqa: PLC0415

    with Admin(bootstrap_servers=bootstrap_servers) as admin:
        yield admin


@pytest.fixture
def producer(bootstrap_servers: str) -> Iterator[Producer]:
    from barnabas import Producer  # noqa: PLC0415

    with Producer(bootstrap_servers=bootstrap_servers) as producer:
        yield producer


@pytest.fixture
def topic(admin: Admin, unique: str) -> str:
    """A new topic of this test's own with two partitions."""
    from barnabas import NewTopic  # noqa: PLC0415

    # Some tests write records that are older than topics of the reference keep them.
    admin.create_topics([NewTopic(unique, num_partitions=2, configs={"retention.ms": "-1"})])
    return unique


@pytest.fixture
def read(spark: SparkSession, bootstrap_servers: str, topic: str) -> Callable[..., DataFrameReader]:
    """A reader of the test's topic; keywords are options, None takes one away."""

    def reader(**options: str | None) -> DataFrameReader:
        all_options = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": topic} | options
        return spark.read.format("barnabas").options(**{k: v for k, v in all_options.items() if v is not None})

    return reader


@pytest.fixture
def read_stream(spark: SparkSession, bootstrap_servers: str, topic: str) -> Callable[..., DataStreamReader]:
    """A stream reader of the test's topic from its start; keywords are options."""

    def reader(**options: str) -> DataStreamReader:
        always = {"kafka.bootstrap.servers": bootstrap_servers, "subscribe": topic, "startingOffsets": "earliest"}
        return spark.readStream.format("barnabas").options(**always | options)

    return reader


def seeds() -> list[str]:
    """As many as asked for, or those of a list; else a fixed one and a fresh one."""
    asked = os.environ.get("SEEDS", "")
    if "," in asked:
        return [seed for seed in asked.split(",") if seed]
    return [str(seed) for seed in range(int(asked))] if asked else ["0", "fresh"]


@pytest.fixture(params=seeds())
def chance(request: pytest.FixtureRequest) -> random.Random:
    """Randomness from a seed; the fresh one is chosen here, so that all workers collect the same tests."""
    seed = time.time_ns() % 10**9 if request.param == "fresh" else int(request.param)
    print(f"SEEDS={seed},")
    return random.Random(seed)  # noqa: S311 (seeded on purpose)


@pytest.fixture(scope="module")
def summary(request: pytest.FixtureRequest) -> Iterator[Callable[[str], Counter[str]]]:
    """Counts of what the tests of a module compared, by name, written to the file that RESULTS names."""
    counts: dict[str, Counter[str]] = {}
    yield lambda name: counts.setdefault(name, Counter())
    if path := os.environ.get("RESULTS"):
        result = {
            "command": f"SEEDS={os.environ.get('SEEDS')} pytest tests/spark/{request.path.name}",
            "counts": {name: dict(sorted(count.items())) for name, count in counts.items()},
        }
        Path(path).write_text(json.dumps(result, indent=1) + "\n")
