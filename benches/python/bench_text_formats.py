"""Nested JSON, CSV, and JSON from columns, through the wheel; beside pyarrow's readers and orjson.

`python benches/python/run.py` runs it with the others and writes benches/results/python.json.
"""

from __future__ import annotations

import io
import json
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from bench_columns import COUNT, FIELDS, TRADES, measure

from barnabas.columns import Records, batches, encode_json

if TYPE_CHECKING:
    from collections.abc import Callable

RANDOM = random.Random(43)  # noqa: S311 (seeded on purpose)
ORDERS = [
    {
        "id": index,
        "customer": {"name": f"Zoë {RANDOM.randrange(1000):03}", "country": "CH", "tier": RANDOM.randrange(4)},
        "lines": [
            {"sku": f"SKU-{RANDOM.randrange(50_000):05}", "quantity": line + 1, "price": round(RANDOM.random() * 500, 2), "gift": line == 2}
            for line in range(RANDOM.randrange(1, 4))
        ],
        "note": None,
    }
    for index in range(COUNT)
]  # fmt: skip
LINE = pa.struct([("sku", pa.string()), ("quantity", pa.int32()), ("price", pa.float64()), ("gift", pa.bool_())])
ORDER_FIELDS = pa.schema(
    [
        ("id", pa.int64()),
        ("customer", pa.struct([("name", pa.string()), ("country", pa.string()), ("tier", pa.int32())])),
        ("lines", pa.list_(pa.field("element", LINE))),
        ("note", pa.string()),
    ]
)
ORDER_DOCUMENTS = [json.dumps(order).encode() for order in ORDERS]
CSV_LINES = [",".join(str(value) for value in trade.values()).encode() for trade in TRADES]


def records(values: list[bytes]) -> Records:
    return Records.from_bytes("topic", 0, bytes(batches(values, batch_size=32 << 20)[0]))


def test_nested_barnabas(benchmark):
    orders = records(ORDER_DOCUMENTS)
    measure(benchmark, "JSON, nested", lambda: orders.to_arrow(schema=ORDER_FIELDS, mode="FAILFAST"), who="barnabas")


def test_nested_pyarrow(benchmark):
    from pyarrow import json as reader

    lines = b"\n".join(ORDER_DOCUMENTS)
    parse = reader.ParseOptions(explicit_schema=ORDER_FIELDS, unexpected_field_behavior="ignore")
    read = reader.ReadOptions(use_threads=False, block_size=len(lines) + 1)
    work = lambda: reader.read_json(io.BytesIO(lines), read_options=read, parse_options=parse)  # noqa: E731
    assert work().to_pylist() == records(ORDER_DOCUMENTS).to_arrow(schema=ORDER_FIELDS).to_pylist()
    measure(benchmark, "JSON, nested", work, who="pyarrow.json, one thread")


def test_csv_barnabas(benchmark):
    lines = records(CSV_LINES)
    measure(benchmark, "CSV, 8 fields", lambda: lines.to_arrow(schema=FIELDS, format="csv"), who="barnabas")


def test_csv_pyarrow(benchmark):
    from pyarrow import csv as reader

    lines = b"\n".join(CSV_LINES)
    read = reader.ReadOptions(use_threads=False, block_size=len(lines) + 1, column_names=FIELDS.names)
    convert = reader.ConvertOptions(column_types=FIELDS)

    def work() -> pa.Table:
        return reader.read_csv(io.BytesIO(lines), read_options=read, convert_options=convert)

    assert work().num_rows == COUNT
    measure(benchmark, "CSV, 8 fields", work, who="pyarrow.csv, one thread")


def encoded(benchmark: Any, group: str, table: pa.Table) -> None:
    measure(benchmark, group, lambda: encode_json(table), who="barnabas")


def by_orjson(benchmark: Any, group: str, table: pa.Table) -> None:
    import orjson

    def work() -> pa.Array:
        return pa.array([orjson.dumps(row) for row in table.to_pylist()], pa.binary())

    measure(benchmark, group, work, who="orjson, Table.to_pylist")


def tables() -> dict[str, Callable[[], pa.Table]]:
    trades = [json.dumps(trade).encode() for trade in TRADES]
    return {
        "JSON from columns, 8 fields": lambda: records(trades).to_arrow(schema=FIELDS),
        "JSON from columns, nested": lambda: records(ORDER_DOCUMENTS).to_arrow(schema=ORDER_FIELDS),
    }


def pytest_generate_tests(metafunc: Any) -> None:
    if "table" in metafunc.fixturenames:
        metafunc.parametrize(("group", "table"), tables().items(), ids=["flat", "nested"])


def test_encode_barnabas(benchmark, group, table):
    encoded(benchmark, group, table())


def test_encode_orjson(benchmark, group, table):
    by_orjson(benchmark, group, table())
