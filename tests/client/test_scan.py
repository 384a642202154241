"""Scans: an offset range of a partition as Arrow batches."""

import json
from collections.abc import Callable

import pyarrow as pa
import pytest

import barnabas
from barnabas.columns import Scan, ScanClient, encode_avro

SCHEMA = pa.schema([("offset", pa.int64()), ("id", pa.int64())])
AVRO = {
    number: json.dumps({"type": "record", "name": "row", "fields": [{"name": "id", "type": kind}]})
    for number, kind in {7: "long", 8: "int"}.items()
}


@pytest.fixture
def scan(bootstrap_servers: str, topic: str, producer: barnabas.Producer) -> Callable[..., Scan]:
    """Scans of three values that name schemas 7 and 8, and one of an unknown schema."""
    for schema_id, ids in ((7, [1, 2]), (8, [3])):
        kind = pa.int64() if schema_id == 7 else pa.int32()
        values = encode_avro(pa.table({"id": pa.array(ids, kind)}), AVRO[schema_id], schema_id=schema_id)
        producer.send_many(topic, pa.table(values)["value"].to_pylist(), partition=0)
    producer.send_many(topic, [b"\0" + (9).to_bytes(4)], partition=0)
    producer.flush()
    client = ScanClient({"bootstrap.servers": bootstrap_servers})

    def start(*offsets: int, **options: object) -> Scan:
        return Scan(client, topic, 0, *offsets, SCHEMA, raw_columns=["offset"], format="avro", **options)  # type: ignore[arg-type]

    return start


def rows(found: Scan) -> list[tuple[int, int | None]]:
    table = pa.Table.from_batches([pa.record_batch(batch) for batch in found], SCHEMA)
    return [(row["offset"], row["id"]) for row in table.to_pylist()]


def test_a_resolver_gives_the_schemas_that_values_name(scan: Callable[..., Scan]):
    asked: list[int] = []

    def resolver(schema_id: int) -> str | None:
        asked.append(schema_id)
        return AVRO.get(schema_id)

    assert rows(scan(0, 4, resolver=resolver)) == [(0, 1), (1, 2), (2, 3), (3, None)]
    assert sorted(asked) == [7, 8, 9]
    asked.clear()
    assert rows(scan(2, 3, resolver=resolver)) == [(2, 3)]
    assert asked == [8]
    with pytest.raises(ValueError, match="offset 3: schema 9"):
        rows(scan(0, 4, resolver=resolver, fail_fast=True))


def test_what_a_resolver_raises_ends_the_scan(scan: Callable[..., Scan]):
    def failing(_: int) -> str:
        raise ConnectionError("the registry is down")

    found = scan(0, 4, resolver=failing)
    with pytest.raises(ConnectionError, match="down"):
        next(found)
    with pytest.raises(ValueError, match="down"):
        next(found)
    assert list(found) == []
    with pytest.raises(TypeError):
        rows(scan(0, 4, resolver=lambda _: 7))


def test_without_a_resolver_the_options_have_the_schema(scan: Callable[..., Scan]):
    with pytest.raises(ValueError, match="avroSchema"):
        scan(0, 4)
    # Behind the five bytes that no resolver reads, the values are not of the schema.
    found = scan(3, 4, options={"avroSchema": AVRO[8], "refuseTrailingBytes": True})
    assert rows(found) == [(3, None)]
