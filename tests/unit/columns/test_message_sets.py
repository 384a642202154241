"""`Records.from_bytes` reads the formats 0 and 1 that brokers before 0.11 stored, as Kafka's decoder does."""

import json
from pathlib import Path

import pytest

from barnabas.columns import Records
from barnabas.columns.codecs import crc32c

GOLDEN = Path(__file__).parents[2] / "golden" / "records" / "java_legacy"
VECTORS = sorted(path.stem for path in GOLDEN.glob("*.bin"))


def described(field: bytes | None) -> object:
    """A key or value as the vectors describe it."""
    if field is None or len(field) <= 256:
        return None if field is None else field.hex()
    return {"length": len(field), "crc32c": crc32c(field)}


@pytest.mark.parametrize("name", VECTORS)
def test_message_sets_hold_what_kafkas_decoder_finds(name: str):
    records = Records.from_bytes("old", 0, (GOLDEN / f"{name}.bin").read_bytes())
    found = [
        (record.offset, record.timestamp, record.timestamp_type, described(record.key), described(record.value))
        for record in records
    ]
    expected = [
        (record["offset"], record["timestamp"], batch.get("timestamp_type", 0), record["key"], record["value"])
        for batch in json.loads((GOLDEN / f"{name}.json").read_text())["batches"]
        for record in batch["records"]
    ]
    assert found == expected
    assert len(found) >= 3
    table = records.to_arrow()
    assert table.column("offset").to_pylist() == [row[0] for row in expected]
    assert table.column("timestamp_type").to_pylist() == [row[2] for row in expected]
