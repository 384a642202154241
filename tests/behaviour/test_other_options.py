"""What the reference's recorded answers say about our broker with options that the reference does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from barnabas.protocol.releases import RELEASES
from behaviour.cases import CASES, load
from behaviour.differences import DIFFERENCES, HEADERS_ONLY
from behaviour.normal import Normal, different
from behaviour.play import Connection, Play, Step
from behaviour.test_behaviour import told
from behaviour.wire import KEYS, OwnCodec

if TYPE_CHECKING:
    from behaviour.recordings import Recordings

load()
LEFT_OUT = sorted({difference.cases for difference in DIFFERENCES if difference.limit == HEADERS_ONLY})
SAY_WHAT_IS_SERVED = frozenset({"ApiVersions"})

BrokerWith = Callable[..., str]


@pytest.fixture
def broker_with(tmp_path: Any) -> Iterator[BrokerWith]:
    """Starts brokers of ours with the reference's options and further ones; gives their addresses."""
    from reference_kafka import free_port, options  # noqa: PLC0415

    from barnabas import Broker  # noqa: PLC0415 (the suite is collected without it)

    with ExitStack() as stack:

        def start(**more: str) -> str:
            config = {**options(tmp_path, free_port(), free_port()), **more}
            return stack.enter_context(Broker(config=config, embedded=False)).bootstrap_servers

        yield start


# Every answer is the reference's, those too that differ, as declared, without the option.
@pytest.mark.parametrize("name", LEFT_OUT)
def test_a_broker_that_checks_everything_leaves_nothing_out(
    name: str, broker_with: BrokerWith, recordings: Recordings
) -> None:
    recorded = recordings.cases[name]
    with Play(name, broker_with(**{"barnabas.validation": "full"}), OwnCodec(), recorded=recorded) as play:
        CASES[name](play)
    pairs = zip(recorded.steps, play.recording().steps, strict=True)
    wrong = [
        told(index, theirs, *found)
        for index, (theirs, ours) in enumerate(pairs)
        for found in different(theirs.answer, ours.answer, as_far=True)
    ]
    assert not wrong, "\n".join(wrong)


# What a release knows is answered as the reference does today; for anything newer the connection is closed.
@pytest.mark.parametrize("release", sorted(RELEASES))
def test_older_releases_answer_what_they_know_as_ever(
    release: str, broker_with: BrokerWith, recordings: Recordings
) -> None:
    served, _ = RELEASES[release]
    address = broker_with(**{"barnabas.api.versions.as": release})
    names = {cluster_id(address): "<cluster id>"}
    compared = refused = 0
    for case, recorded in sorted(recordings.cases.items()):
        if not case.startswith("defaults-"):
            continue
        for index, step in enumerate(recorded.steps):
            if step.api in SAY_WHAT_IS_SERVED or step.raw:
                continue
            low, high = served.get(KEYS[step.api], (0, -1))
            response = asked(address, step)
            if not low <= step.version <= high:
                assert response is None, f"{step.api} v{step.version} is served"
                refused += 1
            elif step.response:
                assert response is not None, f"{step.api} v{step.version} is not served"
                answer = OwnCodec().response(step.api, step.version, response)
                normal = Normal(recorded.names | names, int(address.rpartition(":")[2]))
                found = different(step.answer, normal(step.api, answer), as_far=True)
                assert not found, told(index, step, *found[0])
                compared += 1
    assert compared > 50
    assert refused > 10


def cluster_id(address: str) -> str:
    """Every release serves the version of Metadata that tells it first."""
    with Play("cluster-id", address, OwnCodec()) as play:
        return str(play.quiet("Metadata", 2, topics=[])["clusterId"])


def asked(address: str, step: Step) -> bytes | None:
    connection = Connection(address)
    try:
        connection.send(step.request)
        return connection.receive()
    finally:
        connection.close()
