"""Fixtures that every part of the suite shares: a broker of ours, the reference Kafka, and both in turn."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
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


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], str]]:
    """Addresses of brokers by name: `kafka-3.9.1`, `kafka-2.8.2` (with ZooKeeper), `barnabas-2.1` (ours as if it were one)."""
    from reference_kafka import reference_kafka, zookeeper_kafka  # noqa: PLC0415

    from barnabas import Broker  # noqa: PLC0415

    addresses: dict[str, str] = {}
    with ExitStack() as stack:

        def address(name: str) -> str:
            if name not in addresses:
                kind, _, release = name.partition("-")
                directory = tmp_path_factory.mktemp(name)
                if kind == "barnabas":
                    options = {"data_dir": directory, "barnabas_api_versions_as": release, "config": NO_RETENTION}
                    addresses[name] = stack.enter_context(Broker(**options)).bootstrap_servers
                elif int(release.partition(".")[0]) < FIRST_WITHOUT_ZOOKEEPER:
                    addresses[name] = stack.enter_context(zookeeper_kafka(directory, release))
                else:
                    addresses[name] = stack.enter_context(reference_kafka(directory, release=release))
            return addresses[name]

        yield address


FIRST_WITHOUT_ZOOKEEPER = 3
SERVERS = os.environ.get("SERVERS", "").split()
"""Other brokers that tests run against, instead of ours and the reference: `make kafka-matrix`."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what a server of `SERVERS` is too old for."""
    too_old = {item for item in items if _is_too_old(item)}
    config.hook.pytest_deselected(items=list(too_old))
    items[:] = [item for item in items if item not in too_old]


def _is_too_old(item: pytest.Item) -> bool:
    server = getattr(item, "callspec", None) and item.callspec.params.get("bootstrap_servers", "")
    _, _, release = (server or "").partition("-")
    needs = [_release(marker.args[0]) for marker in item.iter_markers("needs")]
    return bool(release) and any(_release(release) < needed for needed in needs)


def _release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


@pytest.fixture(
    params=[name for name in SERVERS if not name.startswith("cluster-")]
    or ["barnabas", pytest.param("kafka", marks=pytest.mark.interop)]
)
def bootstrap_servers(request: pytest.FixtureRequest) -> str:
    """Address of our broker, and of the reference where interop tests run: the same behaviour is expected of both."""
    if "-" in request.param:
        return request.getfixturevalue("server")(request.param)
    return request.getfixturevalue({"barnabas": "our_broker", "kafka": "kafka"}[request.param])


@pytest.fixture
def unique(request: pytest.FixtureRequest) -> str:
    """A name for this test's topics and groups, legal in Kafka."""
    return "".join(character if character.isalnum() or character in "._-" else "-" for character in request.node.name)[
        :200
    ]


COMPARED = ("answers", "differences")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints how many answers were compared, and how many declared differences occurred."""
    counts = dict.fromkeys(COMPARED, 0)
    cases = 0
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        found = dict(getattr(report, "user_properties", ()))
        if report.when == "call" and "answers" in found:
            cases += 1
            for name in COMPARED:
                counts[name] += found[name]
    if cases:
        told = f"behaviour: {cases} cases, {counts['answers']} answers, {counts['differences']} declared differences"
        terminalreporter.write_line(told)
