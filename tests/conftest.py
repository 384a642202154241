"""Fixtures that every part of the suite shares: a broker of ours, the reference Kafka, and both in turn."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


# Tests write records with times of long ago, which retention would take away when it comes by.
NO_RETENTION = {"log.retention.check.interval.ms": "86400000", "log.initial.task.delay.ms": "86400000"}


@pytest.fixture(scope="session")
def our_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of one broker of ours that the session's tests share: take topics and groups of your own."""
    from barnabas import Broker  # noqa: PLC0415 (the suite is collected without it)

    with Broker(
        data_dir=tmp_path_factory.mktemp("broker"),
        config=NO_RETENTION,
    ) as broker:
        yield broker.bootstrap_servers


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of one reference Kafka that the session's interop tests share."""
    from reference_kafka import reference_kafka  # noqa: PLC0415

    with reference_kafka(tmp_path_factory.mktemp("kafka")) as address:
        yield address


@pytest.fixture(params=["barnabas", pytest.param("kafka", marks=pytest.mark.interop)])
def bootstrap_servers(request: pytest.FixtureRequest) -> str:
    """Address of our broker, and of the reference where interop tests run: the same behaviour is expected of both."""
    return request.getfixturevalue({"barnabas": "our_broker", "kafka": "kafka"}[request.param])


@pytest.fixture
def unique(request: pytest.FixtureRequest) -> str:
    """A name for this test's topics and groups, legal in Kafka."""
    return "".join(character if character.isalnum() or character in "._-" else "-" for character in request.node.name)[
        :200
    ]
