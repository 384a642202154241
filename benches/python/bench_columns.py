"""What records and columns cost through the wheel, beside rivals that do the same work in the same run.

`python benches/python/run.py` runs it and writes benches/results/python.json. Time is the thread's CPU time. `per` says how
many items one round handles; `group` joins what is to be compared.
"""

from __future__ import annotations

import io
import json
import random
import struct
import time
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from barnabas.columns import Records, batches, crc32c

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 10_000
TIMESTAMP = 1_700_000_000_000
RANDOM = random.Random(42)  # noqa: S311 (seeded: every run works on the same bytes)
VALUES = [RANDOM.randbytes(100) for _ in range(COUNT)]
LARGE = [RANDOM.randbytes(1024) for _ in range(1024)]
BATCH = b"".join(bytes(batch) for batch in batches(VALUES, batch_size=4 << 20, timestamp=TIMESTAMP))
RECORDS = Records.from_bytes("topic", 0, BATCH)

FIELDS = pa.schema(
    [
        ("id", pa.int64()),
        ("symbol", pa.string()),
        ("price", pa.float64()),
        ("quantity", pa.int32()),
        ("side", pa.string()),
        ("venue", pa.string()),
        ("time", pa.timestamp("us", tz="UTC")),
        ("active", pa.bool_()),
    ]
)


def trade(index: int) -> dict[str, Any]:
    return {
        "id": index,
        "symbol": f"SYM{RANDOM.randrange(500):03}",
        "price": RANDOM.randrange(100_000) / 100,
        "quantity": RANDOM.randrange(10_000),
        "side": RANDOM.choice(["buy", "sell"]),
        "venue": "XNYS",
        "time": f"2013-01-{RANDOM.randrange(1, 29):02}T10:{RANDOM.randrange(60):02}:00Z",
        "active": RANDOM.random() < 0.5,
    }


TRADES = [trade(index) for index in range(COUNT)]
DOCUMENTS = [json.dumps(row).encode() for row in TRADES]
JSON_RECORDS = Records.from_bytes("topic", 0, bytes(batches(DOCUMENTS, batch_size=8 << 20)[0]))
LINES = b"\n".join(DOCUMENTS)


def measure(benchmark: Any, group: str, work: Callable[[], Any], *, per: int = COUNT, **info: Any) -> Any:
    benchmark.group = group
    benchmark.extra_info.update(per=per, **info)
    return benchmark.pedantic(work, rounds=40, iterations=1, warmup_rounds=5)


def aiokafka_batch(data: bytes) -> Any:
    from aiokafka.record.memory_records import MemoryRecords

    return MemoryRecords(data).next_batch()


# CRC-32C


@pytest.mark.parametrize("size", [100, 16_384])
@pytest.mark.parametrize("who", ["barnabas", "crc32c", "memcpy"])
def test_checksum(benchmark, size, who):
    data = RANDOM.randbytes(size)
    if who == "crc32c":
        import crc32c as other

        work = other.crc32c
    elif who == "memcpy":
        work = bytearray
    else:
        work = crc32c
    rounds = 20_000
    # The call itself, on nothing, is subtracted: the figure is the checksum's, as a batch pays it.
    empty = b""

    def run(argument: bytes) -> None:
        for _ in range(rounds):
            work(argument)

    best = min(timed(lambda: run(empty)) for _ in range(10))
    measure(
        benchmark, f"CRC-32C of {size} B", lambda: run(data), per=rounds, bytes=size, call_ns=best / rounds, who=who
    )


def timed(work: Callable[[], Any]) -> int:
    start = time.thread_time_ns()
    work()
    return time.thread_time_ns() - start


# Values in


def test_list_to_batch_barnabas(benchmark):
    measure(benchmark, "list of bytes to a batch", lambda: batches(VALUES, batch_size=4 << 20), who="barnabas")


def test_list_to_batch_aiokafka(benchmark):
    from aiokafka.record.default_records import DefaultRecordBatchBuilder

    def work() -> bytes:
        builder = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, 4 << 20)
        for index, value in enumerate(VALUES):
            builder.append(index, timestamp=TIMESTAMP, key=None, value=value, headers=[])
        return builder.build()

    measure(benchmark, "list of bytes to a batch", work, who="aiokafka (C)")


def test_list_to_batch_kafka_python(benchmark):
    from kafka.record.default_records import DefaultRecordBatchBuilder

    def work() -> bytes:
        builder = DefaultRecordBatchBuilder(
            magic=2,
            compression_type=0,
            is_transactional=False,
            producer_id=-1,
            producer_epoch=-1,
            base_sequence=-1,
            batch_size=4 << 20,
        )
        for index, value in enumerate(VALUES):
            builder.append(index, TIMESTAMP, None, value, [])
        return builder.build()

    measure(benchmark, "list of bytes to a batch", work, who="kafka-python")


# Values out


def test_values_barnabas(benchmark):
    assert measure(benchmark, "values out", RECORDS.values, who="barnabas values()") == VALUES


def test_values_with_crc_barnabas(benchmark):
    def work() -> list:
        return Records.from_bytes("topic", 0, BATCH).values()

    measure(benchmark, "values out", work, who="barnabas from_bytes (CRC), values()")


def test_values_making_the_objects(benchmark):
    """What no reader can avoid: as many new bytes objects of this size, in a list."""
    layout = struct.Struct("100s" * COUNT)
    data = b"".join(VALUES)
    measure(benchmark, "values out", lambda: list(layout.unpack(data)), who="making the objects (struct.unpack)")


def test_iterate_barnabas(benchmark):
    def work() -> None:
        for record in RECORDS:
            record.value  # noqa: B018

    measure(benchmark, "iterate records, reading .value", work, who="barnabas")


def test_iterate_aiokafka(benchmark):
    def work() -> None:
        for record in aiokafka_batch(BATCH):
            record.value  # noqa: B018

    measure(benchmark, "iterate records, reading .value", work, who="aiokafka (C)")


def test_iterate_kafka_python(benchmark):
    from kafka.record.memory_records import MemoryRecords

    def work() -> None:
        for record in MemoryRecords(BATCH).next_batch():
            record.value  # noqa: B018

    measure(benchmark, "iterate records, reading .value", work, who="kafka-python")


def test_iterate_python_objects(benchmark):
    """Reading one attribute of ready objects: what a reader that makes all objects beforehand still pays."""

    class Slotted:
        __slots__ = ("value",)

        def __init__(self, value: bytes) -> None:
            self.value = value

    def work() -> None:
        for value in VALUES:
            Slotted(value).value  # noqa: B018

    measure(benchmark, "iterate records, reading .value", work, who="a Python object with one slot per record")


# Arrow


def test_to_arrow_binary(benchmark):
    measure(benchmark, "records to Arrow", lambda: RECORDS.to_arrow(["value"]), who="barnabas, value, binary")


def test_to_arrow_views(benchmark):
    measure(
        benchmark, "records to Arrow", lambda: RECORDS.to_arrow(["value"], views=True), who="barnabas, value, views"
    )


def test_to_arrow_all(benchmark):
    measure(benchmark, "records to Arrow", RECORDS.to_arrow, who="barnabas, all 8 columns")


def test_to_arrow_spark(benchmark):
    columns = ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]
    measure(
        benchmark,
        "records to Arrow",
        lambda: RECORDS.to_arrow(columns, dialect="spark"),
        who="barnabas, Spark's 7 columns",
    )


def test_to_arrow_from_bytes(benchmark):
    def work() -> pa.Table:
        return Records.from_bytes("topic", 0, BATCH).to_arrow(["value"])

    measure(benchmark, "records to Arrow", work, who="barnabas, from_bytes (CRC), value, binary")


def test_to_arrow_aiokafka(benchmark):
    def work() -> pa.Array:
        return pa.array([record.value for record in aiokafka_batch(BATCH)], pa.binary())

    measure(benchmark, "records to Arrow", work, who="aiokafka (C), pyarrow.array")


def test_to_arrow_memcpy(benchmark):
    data = b"".join(VALUES)
    measure(benchmark, "records to Arrow", lambda: bytearray(data), who="memcpy of the values")


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary_view", "dictionary", "headers, keys, timestamps"])
def test_from_arrow(benchmark, kind):
    binary = pa.array(VALUES, pa.binary())
    if kind == "dictionary":
        table = pa.table({"value": pa.array(VALUES[:100] * (COUNT // 100)).dictionary_encode()})
    elif kind == "headers, keys, timestamps":
        headers = pa.array([[("trace", b"0123456789")]] * COUNT, pa.map_(pa.string(), pa.binary()))
        times = pa.array([TIMESTAMP] * COUNT, pa.timestamp("ms"))
        table = pa.table({"value": binary, "key": binary, "headers": headers, "timestamp": times})
    else:
        table = pa.table({"value": binary.cast(getattr(pa, kind)())})
    measure(
        benchmark, "Arrow column to a sealed batch", lambda: batches(table, batch_size=4 << 20), who=f"barnabas, {kind}"
    )


def test_from_arrow_aiokafka(benchmark):
    from aiokafka.record.default_records import DefaultRecordBatchBuilder

    table = pa.table({"value": pa.array(VALUES, pa.binary())})

    def work() -> bytes:
        builder = DefaultRecordBatchBuilder(2, 0, False, -1, -1, -1, 4 << 20)
        for index, value in enumerate(table["value"].to_pylist()):
            builder.append(index, timestamp=TIMESTAMP, key=None, value=value, headers=[])
        return builder.build()

    measure(benchmark, "Arrow column to a sealed batch", work, who="aiokafka (C), to_pylist")


def test_from_arrow_large(benchmark):
    table = pa.table({"value": pa.array(LARGE, pa.binary())})
    measure(
        benchmark,
        "Arrow column of 1 KiB values to a sealed batch",
        lambda: batches(table, batch_size=4 << 20),
        per=len(LARGE),
        who="barnabas",
    )


def test_from_arrow_large_floor(benchmark):
    data = b"".join(LARGE)
    room = bytearray(len(data))

    def work() -> int:
        room[:] = data
        return crc32c(data)

    measure(
        benchmark,
        "Arrow column of 1 KiB values to a sealed batch",
        work,
        per=len(LARGE),
        who="memcpy into a reused buffer and CRC",
    )


# Typed columns


def test_json_barnabas(benchmark):
    measure(benchmark, "JSON, 8 fields", lambda: JSON_RECORDS.to_arrow(schema=FIELDS), who="barnabas")


def test_json_three_barnabas(benchmark):
    three = pa.schema([FIELDS.field(name) for name in ("id", "price", "side")])
    measure(benchmark, "JSON, 3 of 8 fields", lambda: JSON_RECORDS.to_arrow(schema=three), who="barnabas")


@pytest.mark.parametrize("fields", [8, 3])
def test_json_pyarrow(benchmark, fields):
    from pyarrow import json as reader

    names = FIELDS.names if fields == 8 else ["id", "price", "side"]
    schema = pa.schema([FIELDS.field(name) for name in names])
    parse = reader.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    read = reader.ReadOptions(use_threads=False, block_size=len(LINES) + 1)

    def work() -> pa.Table:
        return reader.read_json(io.BytesIO(LINES), read_options=read, parse_options=parse)

    assert work().num_rows == COUNT
    group = "JSON, 8 fields" if fields == 8 else "JSON, 3 of 8 fields"
    measure(benchmark, group, work, who="pyarrow.json, one thread")


def test_json_orjson(benchmark):
    import orjson

    schema = FIELDS.set(6, pa.field("time", pa.string()))

    def work() -> pa.Table:
        return pa.Table.from_pylist([orjson.loads(document) for document in DOCUMENTS], schema=schema)

    measure(benchmark, "JSON, 8 fields", work, who="orjson, Table.from_pylist (times stay strings)")


AVRO_SCHEMA = {
    "type": "record",
    "name": "trade",
    "fields": [
        {"name": "id", "type": "long"},
        {"name": "symbol", "type": "string"},
        {"name": "price", "type": "double"},
        {"name": "quantity", "type": "int"},
        {"name": "side", "type": "string"},
        {"name": "venue", "type": "string"},
        {"name": "time", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "active", "type": "boolean"},
    ],
}


def avro_values() -> list[bytes]:
    import datetime as dt

    import fastavro

    schema = fastavro.parse_schema(AVRO_SCHEMA)
    values = []
    for row in TRADES:
        out = io.BytesIO()
        time = dt.datetime.fromisoformat(row["time"])
        fastavro.schemaless_writer(out, schema, {**row, "time": time})
        values.append(out.getvalue())
    return values


def test_avro_barnabas(benchmark):
    records = Records.from_bytes("topic", 0, bytes(batches(avro_values(), batch_size=8 << 20)[0]))
    options = {"avroSchema": json.dumps(AVRO_SCHEMA)}

    def work() -> pa.Table:
        return records.to_arrow(schema=FIELDS, format="avro", options=options)

    assert work().num_rows == COUNT
    measure(benchmark, "Avro, 8 fields", work, who="barnabas")


def test_avro_fastavro(benchmark):
    import fastavro

    schema = fastavro.parse_schema(AVRO_SCHEMA)
    values = avro_values()

    def work() -> pa.Table:
        rows = [fastavro.schemaless_reader(io.BytesIO(value), schema, None) for value in values]
        return pa.Table.from_pylist(rows, schema=FIELDS)

    measure(benchmark, "Avro, 8 fields", work, who="fastavro, Table.from_pylist")
