"""Feature levels that are raised on a log of an older release, and a node that is told to forget itself: the reference, and our
broker on a copy of what the reference wrote. Each then starts on what the other has made of it."""

from __future__ import annotations

import json
import re
import shutil
import time
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient, record_batch, record_values
from reference_kafka import CLUSTER_ID, free_port, java, options, properties, reference_kafka
from stored_groups import wait_until_served

from barnabas import Broker
from barnabas.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from barnabas.protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from barnabas.protocol.messages.update_features import UpdateFeaturesRequest
from behaviour import unregistered
from behaviour.quorum import NONE, levels, quorum, set_level, voters

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.interop
BOUND = 60.0
RELEASE = "3.8"
ELR = "eligible.leader.replicas.version"
UPGRADE, SAFE, UNSAFE = 1, 2, 3
KIP_848 = (68, 69)


def update(client: RawClient, *wanted: tuple[str, int, int]) -> tuple[int, str | None]:
    """The answer to a change of several levels."""
    key = UpdateFeaturesRequest.FeatureUpdateKey
    updates = [key(feature=name, max_version_level=level, upgrade_type=kind) for name, level, kind in wanted]
    answer = client.ask(UpdateFeaturesRequest(feature_updates=updates, timeout_ms=5_000))
    return answer.error_code, answer.error_message


def levels_come_to(client: RawClient, **wanted: int) -> dict[str, int]:
    """The levels, as soon as they are as wanted: the reference's broker hears of a change a moment after its controller."""
    expected = {name.replace("_", "."): level for name, level in wanted.items()}
    deadline = time.monotonic() + BOUND
    while (found := levels(client)) != expected and time.monotonic() < deadline:
        pass
    return found


def raised(client: RawClient) -> Iterator[tuple[str, Any]]:
    """Raises one level after the other, and what is said then."""
    yield "levels at first", levels(client)
    yield "voters at first", [bytes(one.replica_directory_id) for one in quorum(client).current_voters]
    yield "eligible replicas too early", update(client, (ELR, 1, UPGRADE))
    yield "groups and something too early", update(client, ("group.version", 1, UPGRADE), (ELR, 1, UPGRADE))
    yield "only looked at", set_level(client, 1, UPGRADE, validate_only=True)
    for kind in (SAFE, UNSAFE):
        yield f"the quorum, by {kind}", set_level(client, 1, kind)
    yield "levels then", levels(client)
    said = ConsumerGroupHeartbeatRequest(
        group_id="g", member_id="m", member_epoch=0, rebalance_timeout_ms=9_000, subscribed_topic_names=["t"],
        topic_partitions=[],
    )  # fmt: skip
    yield "a member of KIP-848 without its groups", client.ask(said).error_code
    yield (
        "a description of such groups",
        [one.error_code for one in client.ask(ConsumerGroupDescribeRequest(group_ids=["g"])).groups],
    )
    yield "what is served", sorted(key for key in client.versions() if key in KIP_848)
    yield "the quorum", set_level(client, 1, UPGRADE)
    yield "levels with voters", levels_come_to(client, metadata_version=20, kraft_version=1)
    yield from voters(client)
    yield "groups", update(client, ("group.version", 1, UPGRADE))
    yield "metadata and eligible replicas", update(client, (ELR, 1, UPGRADE), ("metadata.version", 30, UPGRADE))
    expected = {"metadata_version": 30, "kraft_version": 1, "group_version": 1}
    yield "levels at the end", levels_come_to(client, **expected, eligible_leader_replicas_version=1)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directories of all brokers."""
    return tmp_path_factory.mktemp("raised")


@pytest.fixture(scope="module")
def told(root: Path) -> list[dict[str, Any]]:
    """What the reference says, and what our broker says."""
    found: list[dict[str, Any]] = []

    def ask(address: str) -> None:
        with RawClient(address, timeout=BOUND) as client:
            found.append(dict(raised(client)))
            topic_id = unregistered.fill(client)
            found[-1].update(unregistered.unregistered(client, topic_id))

    config = root / "format.properties"
    for name in ("theirs", "ours"):
        (root / name).mkdir()
    config.write_text(properties(root / "theirs", 9092, 9093))
    chosen = ["--release-version", RELEASE]
    done = java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config), *chosen)
    assert done.returncode == 0, done.stderr
    shutil.copytree(root / "theirs" / "data", root / "ours" / "data")
    with reference_kafka(root / "theirs") as address:
        ask(address)
    with Broker(config=options(root / "ours", free_port(), free_port()), embedded=False) as broker:
        ask(broker.bootstrap_servers)
    return found


@pytest.mark.timeout(180)
def test_levels_are_raised_as_the_reference_raises_them(told: list[dict[str, Any]]) -> None:
    theirs, ours = told
    assert theirs["levels at first"] == {"metadata.version": 20}
    assert theirs["levels with voters"] == {"metadata.version": 20, "kraft.version": 1}
    assert theirs["voters at first"] == [NONE]
    assert theirs["voters"][0][1] != NONE
    assert theirs["unregistered"] == (0, "")
    different = {name: (said, ours[name]) for name, said in theirs.items() if ours[name] != said}
    # Its broker serves what it was the last to lead, to whoever asks; ours has no leader to read from.
    assert different.pop("Fetch")[0][0] == 0
    assert different == {}, different


def written(data: Path) -> tuple[list[Any], list[Any]]:
    """What a log says of levels and voters, in order, and how the node's partitions and the node go, as Kafka's tool reads it."""
    log = data / "__cluster_metadata-0" / f"{0:020}.log"
    done = java("DumpLogSegments", "--cluster-metadata-decoder", "--files", str(log))
    assert done.returncode == 0, done.stderr
    assert "isvalid: false" not in done.stdout
    quorum_told: list[Any] = []
    gone: list[Any] = []
    for line in done.stdout.splitlines():
        kind, _, record = line.partition(" headerKeys: [] ")[2].partition(" ")
        if kind in {"KRaftVersion", "KRaftVoters"}:
            quorum_told.append((kind, re.sub('"port":[0-9]+', "", record)))
        elif kind == "payload:":
            told = json.loads(record)
            fields = told["data"]
            if told["type"] == "FEATURE_LEVEL_RECORD" or fields.get("name") == "min.insync.replicas":
                quorum_told.append((told["type"], told["version"], fields))
            elif told["type"] in {"PARTITION_CHANGE_RECORD", "UNREGISTER_BROKER_RECORD"}:
                made_up = {"topicId": None, "brokerEpoch": None}
                gone.append(
                    (told["type"], told["version"], {**fields, **{k: v for k, v in made_up.items() if k in fields}})
                )
    return quorum_told, sorted(gone, key=str)


def test_what_is_written_is_what_the_reference_writes(told: list[dict[str, Any]], root: Path) -> None:
    assert len(told) == 2
    theirs, ours = written(root / "theirs" / "data"), written(root / "ours" / "data")
    controls = [kind for kind, *_ in theirs[0] if kind.startswith("KRaft")]
    assert controls == ["KRaftVersion", "KRaftVoters"]
    # A level that is asked for again is written again by the reference.
    assert ours[0] == [one for index, one in enumerate(theirs[0]) if one not in theirs[0][:index]]
    assert ours[1] == theirs[1]
    assert [kind for kind, *_ in ours[1]].count("PARTITION_CHANGE_RECORD") == 7


def goes_on(client: RawClient, told: dict[str, Any]) -> None:
    """A broker has found what another one left: levels, voters, its registration, leaders, records."""
    assert levels(client) == told["levels at the end"]
    own = [(one.replica_id, bytes(one.replica_directory_id)) for one in quorum(client).current_voters]
    assert own == told["voters"]
    while any(one.leader_id != 1 for one in client.topics(unregistered.TOPIC)[unregistered.TOPIC].partitions):
        pass
    topic_id = client.topics(unregistered.TOPIC)[unregistered.TOPIC].topic_id
    for index in range(2):
        assert record_values(client.fetch(topic_id, index, 0)[1]) == [b"x"]
        assert client.produce(unregistered.TOPIC, topic_id, index, record_batch([b"y"])) == (0, 1)
    wait_until_served(client, unregistered.GROUP)


@pytest.mark.timeout(180)
def test_the_reference_goes_on_where_our_broker_stopped(told: list[dict[str, Any]], root: Path) -> None:
    with reference_kafka(root / "ours") as address, RawClient(address, timeout=BOUND) as client:
        goes_on(client, told[1])


def test_our_broker_goes_on_where_the_reference_stopped(told: list[dict[str, Any]], root: Path) -> None:
    data = root / "theirs" / "data"
    with Broker(data_dir=data) as broker, RawClient(broker.bootstrap_servers) as client:
        goes_on(client, told[0])
    state = json.loads((data / "__cluster_metadata-0" / "quorum-state").read_text())
    assert state["data_version"] == 1
