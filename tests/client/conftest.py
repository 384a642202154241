"""Topics, clients and records for the client's tests; each test has its own topic and group."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

import barnabas

DEADLINE = 30.0
"""Seconds after which a test that waits for something has failed."""


@pytest.fixture
def topic(bootstrap_servers: str, unique: str) -> str:
    """A topic of three partitions."""
    with barnabas.Admin(bootstrap_servers=bootstrap_servers) as admin:
        admin.create_topics([barnabas.NewTopic(unique, num_partitions=3, replication_factor=1)])
    return unique


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def producer(bootstrap_servers: str, stack: ExitStack) -> barnabas.Producer:
    return stack.enter_context(barnabas.Producer(bootstrap_servers=bootstrap_servers))


@pytest.fixture
def consumer(bootstrap_servers: str, stack: ExitStack) -> Callable[..., barnabas.Consumer]:
    """Makes consumers that start at the beginning and are closed when the test ends."""

    def make(*topics: str, **options: Any) -> barnabas.Consumer:
        options = {"auto_offset_reset": "earliest", "enable_auto_commit": False} | options
        if options.get("group_id") is None:
            options.pop("enable_auto_commit")
        return stack.enter_context(barnabas.Consumer(*topics, bootstrap_servers=bootstrap_servers, **options))

    return make
