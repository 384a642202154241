"""A metadata log whose beginning was trimmed, as Kafka trims it behind a snapshot; and what lies beside the log."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING

import pytest
from raw_client import RawClient

from barnabas import Broker, errors
from barnabas.protocol.messages.create_topics import CreateTopicsRequest

if TYPE_CHECKING:
    from pathlib import Path


def create(client: RawClient, *names: str) -> None:
    for name in names:
        topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=2, replication_factor=1)
        assert client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=5_000)).topics[0].error_code == 0


def batches(data: bytes) -> list[tuple[int, bytes]]:
    """Returns (base offset, bytes) of each batch of a segment."""
    found = []
    while data:
        base, length = struct.unpack_from(">qi", data)
        found.append((base, data[: 12 + length]))
        data = data[12 + length :]
    return found


def trim(directory: Path, kept: int) -> Path:
    """Moves all but the last batches of the log into a snapshot, and returns it."""
    segment = directory / f"{0:020}.log"
    found = batches(segment.read_bytes())
    for path in directory.glob(f"{0:020}.*"):
        path.unlink()
    begin = found[-kept][0]
    (directory / f"{begin:020}.log").write_bytes(b"".join(data for _, data in found[-kept:]))
    snapshot = directory / f"{begin:020}-{1:010}.checkpoint"
    snapshot.write_bytes(b"".join(data for _, data in found[:-kept]))
    return snapshot


def test_what_was_trimmed_is_in_the_snapshot(tmp_path: Path) -> None:
    names = {"a", "b", "c", "d"}
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, *sorted(names))
    trim(tmp_path / "__cluster_metadata-0", kept=2)
    for _ in range(2):
        with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
            topics = client.topics()
            assert topics.keys() == names
            assert all(part.leader_id == 1 for topic in topics.values() for part in topic.partitions)
            names.add(f"later-{len(names)}")
            create(client, *(names - topics.keys()))


def test_without_the_snapshot_the_broker_does_not_start(tmp_path: Path) -> None:
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, "a", "b")
    trim(tmp_path / "__cluster_metadata-0", kept=1).unlink()
    with pytest.raises(errors.IllegalStateError, match="no snapshot says what was before it"):
        Broker(data_dir=tmp_path)


def test_kafkas_file_of_the_last_election_is_kept(tmp_path: Path) -> None:
    with Broker(data_dir=tmp_path):
        pass
    path = tmp_path / "__cluster_metadata-0" / "quorum-state"
    state = json.loads(path.read_text())
    assert state["leaderId"] == 1
    assert state["currentVoters"] == [{"voterId": 1}]
    path.unlink()
    with Broker(data_dir=tmp_path):
        assert json.loads(path.read_text()) == state
