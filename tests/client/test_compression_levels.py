"""The producer compresses at the level that its options name, within Kafka's bounds."""

from pathlib import Path

import pytest

import barnabas

VALUES = [b'{"row":%d,"name":"%x","flag":%d}' % (row, row * row, row % 3) for row in range(4000)]


def stored_bytes(tmp_path: Path, **options: object) -> int:
    """How large the log is after the values were sent with these options."""
    with barnabas.Broker(data_dir=tmp_path) as broker:
        address = {"bootstrap_servers": broker.bootstrap_servers}
        with barnabas.Admin(**address) as admin:
            admin.create_topics([barnabas.NewTopic("levels", num_partitions=1)])
        with barnabas.Producer(**address, linger_ms=1000, **options) as producer:
            producer.send_many("levels", VALUES, timestamps=[1_000] * len(VALUES))
            producer.flush(30)
        with barnabas.Consumer(**address, auto_offset_reset="earliest") as consumer:
            consumer.assign([barnabas.TopicPartition("levels", 0)])
            values: list[bytes | None] = []
            while len(values) < len(VALUES):
                values += consumer.poll(timeout=10).values()
        assert values == VALUES
        return (tmp_path / "levels-0" / f"{0:020}.log").stat().st_size


@pytest.mark.parametrize(("codec", "low", "high"), [("gzip", 1, 9), ("lz4", 9, 12), ("zstd", -5, 19)])
def test_a_level_that_saves_bytes_does(tmp_path: Path, codec: str, low: int, high: int):
    sizes = [
        stored_bytes(tmp_path / str(level), compression_type=codec, **{f"compression_{codec}_level": level})
        for level in (low, high)
    ]
    assert sizes[1] < sizes[0] < sum(map(len, VALUES))


@pytest.mark.parametrize(("codec", "level"), [("gzip", 0), ("gzip", 10), ("lz4", 0), ("lz4", 18), ("zstd", 23)])
def test_levels_outside_of_kafkas_bounds_are_refused(codec: str, level: int):
    options = {"compression_type": codec, f"compression_{codec}_level": level}
    with pytest.raises(barnabas.errors.ConfigError, match=rf"compression[._]{codec}[._]level"):
        barnabas.Producer(bootstrap_servers="127.0.0.1:1", **options)
