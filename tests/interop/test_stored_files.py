"""Kafka's own tool reads the files that our broker wrote."""

import re
from pathlib import Path

import pytest
from reference_kafka import java

import barnabas

COUNT = 300


@pytest.mark.interop
def test_dump_log_segments_reads_logs_indexes_and_committed_offsets(tmp_path: Path):
    options = {"offsets_topic_num_partitions": 1, "log_index_interval_bytes": 512}
    with barnabas.Broker(data_dir=tmp_path, **options) as broker:
        address = {"bootstrap_servers": broker.bootstrap_servers}
        with barnabas.Admin(**address) as admin:
            admin.create_topics([barnabas.NewTopic("dumped", num_partitions=1)])
        with barnabas.Producer(**address) as producer:
            for index in range(COUNT):
                producer.send("dumped", f"value {index}".encode(), key=b"key", timestamp=1_000 + index).result(10)
        with barnabas.Consumer("dumped", **address, group_id="dump", auto_offset_reset="earliest") as consumer:
            found = 0
            while found < COUNT:
                found += len(consumer.poll(timeout=10))
            consumer.commit()
    topic, offsets = tmp_path / "dumped-0", tmp_path / "__consumer_offsets-0"
    base = "0" * 20
    assert dump(topic / f"{base}.log", "--print-data-log", "--deep-iteration").count("payload: value ") == COUNT
    for index in ("index", "timeindex"):
        text = dump(topic / f"{base}.{index}", "--index-sanity-check")
        assert "passed sanity check" in text, text
    text = dump(offsets / f"{base}.log", "--offsets-decoder")
    assert re.search(r'"group":"dump".*"topic":"dumped".*"offset":300', text), text


def dump(file: Path, *options: str) -> str:
    """What DumpLogSegments prints of a file; it must not complain."""
    done = java("DumpLogSegments", "--files", str(file), *options)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr or done.stdout
    return done.stdout
