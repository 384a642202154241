"""Snapshots of the metadata log, what is trimmed behind them, and what else lies beside the log."""

from __future__ import annotations

import json
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from raw_client import RawClient

from barnabas import Broker, errors
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OFTEN: dict[str, Any] = {
    "metadata.log.max.record.bytes.between.snapshots": 400,
    "metadata.max.retention.bytes": 3_000,
    "internal.metadata.log.segment.bytes": 1_000,
    "internal.metadata.delete.delay.millis": 0,
}
"""Snapshots after a few records, and a log that is trimmed soon."""
PATIENCE = 60.0


def create(client: RawClient, *names: str) -> None:
    for name in names:
        topic = CreateTopicsRequest.CreatableTopic(name=name, num_partitions=2, replication_factor=1)
        assert client.ask(CreateTopicsRequest(topics=[topic], timeout_ms=5_000)).topics[0].error_code == 0


def delete(client: RawClient, name: str) -> None:
    state = DeleteTopicsRequest.DeleteTopicState(name=name)
    assert client.ask(DeleteTopicsRequest(topics=[state], timeout_ms=5_000)).responses[0].error_code == 0


def until(is_true: Callable[[], object], what: str) -> None:
    """Waits for what other threads do."""
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline, what
        threading.Event().wait(0.01)


def snapshots(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.checkpoint"))


def trimmed(data: Path) -> set[str]:
    """Administers until the log's beginning is gone; returns the topics that are there."""
    directory = data / "__cluster_metadata-0"
    names: set[str] = set()
    with Broker(data_dir=data, config=OFTEN) as broker, RawClient(broker.bootstrap_servers) as client:
        for index in range(200):
            create(client, f"t{index}")
            names.add(f"t{index}")
            if index % 2:
                delete(client, f"t{index - 1}")
                names.discard(f"t{index - 1}")
            if index > 8 and not (directory / f"{0:020}.log").exists():
                break
        until(lambda: not (directory / f"{0:020}.log").exists(), "the log's beginning is there")
    assert snapshots(directory)
    return names


def test_a_trimmed_log_and_its_snapshot_say_everything(tmp_path: Path) -> None:
    names = trimmed(tmp_path)
    for _ in range(2):
        with Broker(data_dir=tmp_path, config=OFTEN) as broker, RawClient(broker.bootstrap_servers) as client:
            topics = client.topics()
            assert topics.keys() == names
            assert all(part.leader_id == 1 for topic in topics.values() for part in topic.partitions)
            names.add(f"later-{len(names)}")
            create(client, *(names - topics.keys()))


def test_without_the_snapshot_the_broker_does_not_start(tmp_path: Path) -> None:
    trimmed(tmp_path)
    for snapshot in snapshots(tmp_path / "__cluster_metadata-0"):
        snapshot.unlink()
    with pytest.raises(errors.IllegalStateError, match="no snapshot says what was before it"):
        Broker(data_dir=tmp_path)


def test_a_damaged_snapshot_is_passed_over_where_the_log_has_everything(tmp_path: Path) -> None:
    config = {**OFTEN, "metadata.max.retention.bytes": -1}
    directory = tmp_path / "__cluster_metadata-0"
    with Broker(data_dir=tmp_path, config=config) as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, *(f"t{index}" for index in range(6)))
        until(lambda: snapshots(directory), "there is no snapshot")
    for index, snapshot in enumerate(snapshots(directory)):
        data = bytearray(snapshot.read_bytes())
        if index % 2:
            data[len(data) // 2] ^= 1
        else:
            del data[-75:]
        snapshot.write_bytes(data)
    (directory / f"{7:020}-{1:010}.checkpoint.part").write_bytes(b"cut off")
    with Broker(data_dir=tmp_path, config=config) as broker, RawClient(broker.bootstrap_servers) as client:
        assert len(client.topics()) == 6
    assert not list(directory.glob("*.part"))


def test_time_alone_is_a_reason_for_a_snapshot(tmp_path: Path) -> None:
    config = {"metadata.log.max.snapshot.interval.ms": 600_000}
    directory = tmp_path / "__cluster_metadata-0"
    with Broker(data_dir=tmp_path, config=config) as broker, RawClient(broker.bootstrap_servers) as client:
        create(client, "a")
        assert not snapshots(directory)
        broker.clock.advance(601)
        until(lambda: snapshots(directory), "there is no snapshot")
    with Broker(data_dir=tmp_path) as broker, RawClient(broker.bootstrap_servers) as client:
        assert client.topics().keys() == {"a"}


def test_what_lies_beside_the_log_is_kafkas(tmp_path: Path) -> None:
    for epoch in (1, 2):
        with Broker(data_dir=tmp_path):
            state = json.loads((tmp_path / "__cluster_metadata-0" / "quorum-state").read_text())
            assert state == {
                "clusterId": "",
                "leaderId": 1,
                "leaderEpoch": epoch,
                "votedId": -1,
                "appliedOffset": 0,
                "currentVoters": [{"voterId": 1}],
                "data_version": 0,
            }
    assert (tmp_path / "bootstrap.checkpoint").stat().st_size > 200
    epochs = (tmp_path / "__cluster_metadata-0" / "leader-epoch-checkpoint").read_text().splitlines()[2:]
    assert [line.split()[0] for line in epochs] == ["1", "2"]


def test_an_epoch_that_only_its_file_knows_is_not_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "__cluster_metadata-0" / "quorum-state"
    with Broker(data_dir=tmp_path):
        pass
    path.write_text(path.read_text().replace('"leaderEpoch":1', '"leaderEpoch":41'))
    with Broker(data_dir=tmp_path):
        assert json.loads(path.read_text())["leaderEpoch"] == 42
