"""One Spark for all tests of this directory, and topics to read and write."""

from __future__ import annotations

import os
import sys
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
    ]
if SPARK < FILTERS_SINCE:
    collect_ignore.append("test_filters.py")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what reads streams where Spark cannot: test_versions.py looks at what is said there instead."""
    if SPARK < STREAMS_SINCE:
        without = [item for item in items if "read_stream" not in getattr(item, "fixturenames", ())]
        config.hook.pytest_deselected(items=[item for item in items if item not in without])
        items[:] = without


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


@pytest.fixture(scope="session")
def admin(our_broker: str) -> Iterator[Admin]:
    from barnabas import Admin  # noqa: PLC0415

    with Admin(bootstrap_servers=our_broker) as admin:
        yield admin


@pytest.fixture(scope="session")
def producer(our_broker: str) -> Iterator[Producer]:
    from barnabas import Producer  # noqa: PLC0415

    with Producer(bootstrap_servers=our_broker) as producer:
        yield producer


@pytest.fixture
def topic(admin: Admin, unique: str) -> str:
    """A new topic of this test's own with two partitions."""
    from barnabas import NewTopic  # noqa: PLC0415

    admin.create_topics([NewTopic(unique, num_partitions=2)])
    return unique


@pytest.fixture
def read(spark: SparkSession, our_broker: str, topic: str) -> Callable[..., DataFrameReader]:
    """A reader of the test's topic; keywords are options, None takes one away."""

    def reader(**options: str | None) -> DataFrameReader:
        all_options = {"kafka.bootstrap.servers": our_broker, "subscribe": topic} | options
        return spark.read.format("barnabas").options(**{k: v for k, v in all_options.items() if v is not None})

    return reader


@pytest.fixture
def read_stream(spark: SparkSession, our_broker: str, topic: str) -> Callable[..., DataStreamReader]:
    """A stream reader of the test's topic from its start; keywords are options."""

    def reader(**options: str) -> DataStreamReader:
        always = {"kafka.bootstrap.servers": our_broker, "subscribe": topic, "startingOffsets": "earliest"}
        return spark.readStream.format("barnabas").options(**always | options)

    return reader
