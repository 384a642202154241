"""The two sides of the suite, the codecs it talks through, and its recordings."""

import os
from collections.abc import Iterator

import pytest

from behaviour.cases import load
from behaviour.recordings import Recordings
from behaviour.wire import JavaCodec


@pytest.fixture(scope="session")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a broker of ours with the reference's options."""
    from reference_kafka import free_port, options  # noqa: PLC0415

    from barnabas import Broker  # noqa: PLC0415 (the suite is collected without it)

    # Port 0 would be one that the system chooses, but the reference knows none.
    config = options(tmp_path_factory.mktemp("behaviour"), free_port(), free_port())
    with Broker(config=config, embedded=False) as broker:
        yield broker.bootstrap_servers


@pytest.fixture(scope="session")
def theirs(request: pytest.FixtureRequest) -> str:
    """Address of the reference; `REFERENCE=host:port` names one that runs already."""
    return os.environ.get("REFERENCE") or request.getfixturevalue("kafka")


@pytest.fixture(scope="session")
def oracle() -> Iterator[JavaCodec]:
    """Kafka's own reading and writing of messages."""
    from reference_kafka import jars  # noqa: PLC0415

    codec = JavaCodec(jars())
    yield codec
    codec.close()


@pytest.fixture(scope="session")
def recordings() -> Iterator[Recordings]:
    """What the reference answered when it was last recorded; `RECORD=1 make interop` records anew what it plays."""
    found = Recordings()
    if "RECORD" in os.environ:
        found.forget(set(found.cases) - set(load()))
    yield found
    found.save()
