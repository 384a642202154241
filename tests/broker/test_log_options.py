"""Options of logs from the outside: what CreateTopics judges, what retention deletes, which data directories are taken."""

from __future__ import annotations

import shutil
import time
from typing import TYPE_CHECKING

import pytest

from barnabas import Admin, Broker, Consumer, NewTopic, Producer, TopicPartition, errors

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 20.0


def wait_for(what: str, happened: object) -> None:
    """Asks again and again until a deadline: what is waited for happens on a thread of the broker."""
    deadline = time.monotonic() + PATIENCE_S
    while not happened():  # type: ignore[operator]
        assert time.monotonic() < deadline, what


def test_create_topics_judges_every_option_as_kafka_does() -> None:
    with Broker() as broker, Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
        for name, value, text in (
            ("retention.ms", "-2", "Invalid value -2 for configuration retention.ms: Value must be at least -1"),
            (
                "compression.gzip.level",
                "0",
                "Invalid value 0 for configuration compression.gzip.level: Value must be between 1 and 9 or equal to -1",
            ),
            ("cleanup.policy", "forget", "String must be one of: compact, delete"),
            ("remote.storage.enable", "true", "Tiered Storage functionality is disabled in the broker"),
            ("segment.size", "1", "Unknown topic config name: segment.size"),
        ):
            with pytest.raises(errors.InvalidConfigError) as caught:
                admin.create_topics([NewTopic("refused", num_partitions=1, configs={name: value})])
            assert text in str(caught.value)
        assert "refused" not in admin.list_topics()
        every = {"compression.type": "zstd", "retention.bytes": "1", "segment.jitter.ms": "9", "preallocate": "false"}
        admin.create_topics([NewTopic("taken", num_partitions=1, configs=every)])


def test_old_records_go_and_the_offsets_go_on(tmp_path: Path) -> None:
    options = {"log_retention_check_interval_ms": 10, "log_retention_minutes": 1, "log_segment_delete_delay_ms": 0}
    # Written where nothing is too old, so that all of a topic is in one segment when retention comes by.
    with Broker(tmp_path) as broker:
        servers = broker.bootstrap_servers
        with Admin(bootstrap_servers=servers) as admin:
            admin.create_topics([NewTopic("old"), NewTopic("kept", configs={"retention.ms": "-1"})])
        hour_ago = int(time.time() * 1000) - 3_600_000
        with Producer(bootstrap_servers=servers) as producer:
            for topic in ("old", "kept"):
                for _ in range(3):
                    producer.send(topic, b"x", partition=0, timestamp=hour_ago).result(PATIENCE_S)
    with Broker(tmp_path, **options) as broker:
        with Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
            old, kept = TopicPartition("old", 0), TopicPartition("kept", 0)
            wait_for("retention", lambda: consumer.beginning_offsets([old])[old] == 3)
            assert consumer.end_offsets([old, kept]) == {old: 3, kept: 3}
            assert consumer.beginning_offsets([kept]) == {kept: 0}
        wait_for("removal", lambda: not list((tmp_path / "old-0").glob("*.deleted")))
        # It is counted when retention has been to all logs.
        wait_for("count", lambda: broker.metrics()["barnabas_log_segments_deleted_total"] > 0)
        assert broker.metrics()["barnabas_log_segments_deleted_total"] == 1
    # The defaults of the broker that starts now have no say before the topics' own are known.
    with Broker(tmp_path, **options) as broker, Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        assert consumer.end_offsets([old, kept]) == {old: 3, kept: 3}
        assert consumer.beginning_offsets([kept]) == {kept: 0}


def test_records_are_stored_in_the_topics_own_codec() -> None:
    with Broker(compression_type="gzip") as broker:
        servers = broker.bootstrap_servers
        with Producer(bootstrap_servers=servers, compression_type="zstd") as producer:
            producer.send_many("mixed", [b"value %d" % index for index in range(100)], partition=0)
            producer.flush()
        with Consumer(bootstrap_servers=servers, auto_offset_reset="earliest") as consumer:
            consumer.assign([TopicPartition("mixed", 0)])
            values: list[bytes | None] = []
            while len(values) < 100:
                values += consumer.poll(timeout=PATIENCE_S).values()
        assert values == [b"value %d" % index for index in range(100)]


def test_logs_that_lost_their_meta_properties_are_refused(tmp_path: Path) -> None:
    with Broker(tmp_path):
        pass
    (tmp_path / "meta.properties").unlink()
    with pytest.raises(errors.ConfigError, match=r"has partition logs but no meta\.properties"):
        Broker(tmp_path)


def test_a_directory_of_another_node_is_refused(tmp_path: Path) -> None:
    with Broker(tmp_path):
        pass
    with pytest.raises(errors.ConfigError, match="belongs to node 1; this one is 2"):
        Broker(tmp_path, node_id=2)


def test_a_meta_properties_of_any_bytes_is_told_as_damaged(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_bytes(b"\xff\xfe=1\n")
    with pytest.raises(errors.KafkaStorageError, match=r"meta\.properties is damaged"):
        Broker(tmp_path)


def test_a_directory_that_is_none_any_more_takes_only_its_partitions_along(tmp_path: Path) -> None:
    dirs = [tmp_path / "one", tmp_path / "two"]
    joined = ",".join(map(str, dirs))
    with Broker(log_dirs=joined) as broker, Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
        for topic in ("a", "b"):
            producer.send(topic, b"x").result(PATIENCE_S)
    (lost,) = dirs[1].glob("?-0")
    shutil.rmtree(dirs[1])
    dirs[1].write_text("no directory")
    offline, online = (TopicPartition(topic, 0) for topic in sorted("ab", key=lambda topic: f"{topic}-0" != lost.name))
    with Broker(log_dirs=joined) as broker, Consumer(bootstrap_servers=broker.bootstrap_servers) as consumer:
        assert broker.metrics()["barnabas_log_dirs_offline"] == 1
        consumer.assign([offline, online])
        consumer.seek_to_beginning()
        polled = consumer.poll(timeout=PATIENCE_S)
        assert [(record.topic, record.offset) for record in polled] == [(online.topic, 0)]


def test_partitions_spread_over_several_directories(tmp_path: Path) -> None:
    dirs = [tmp_path / "one", tmp_path / "two"]
    joined = ",".join(map(str, dirs))
    for _ in range(2):
        with Broker(log_dirs=joined) as broker:
            with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
                for _ in range(2):
                    producer.send("spread", b"x").result(PATIENCE_S)
            assert broker.metrics()["barnabas_log_dirs_offline"] == 0
    ids = {(directory / "meta.properties").read_text().partition("directory.id=")[2].split()[0] for directory in dirs}
    assert len(ids) == 2
