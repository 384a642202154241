"""Typed columns of Avro values against Spark's `from_avro`, on schemas, values and readers made from seeds.

`SEEDS=200 pytest -m interop tests/interop/test_avro_like_from_avro.py` runs more of them; `RESULTS=<file>` keeps the counts.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from avro_values import Schemas, damaged, evolved, value

from barnabas.columns import Records, batches

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.interop, pytest.mark.timeout(7200)]

SCHEMAS_PER_SEED = 4
VALUES_PER_SCHEMA = 60
DAMAGED = 0.15
FAILING_PER_SEED = 1
SEEDS = [*map(str, range(int(os.environ["SEEDS"])))] if "SEEDS" in os.environ else ["0", "1", "fresh"]


@pytest.fixture(scope="module")
def count():
    """What was compared, written to the file that RESULTS names."""
    counts: Counter[str] = Counter()
    yield counts
    if path := os.environ.get("RESULTS"):
        command = f"SEEDS={os.environ.get('SEEDS')} pytest -m interop tests/interop/test_avro_like_from_avro.py"
        Path(path).write_text(json.dumps({"command": command, "counts": dict(sorted(counts.items()))}, indent=1) + "\n")


def plain(array: pa.Array) -> list[Any]:
    """Values of an array with dates and times as numbers: not all of them are Python's."""
    if pa.types.is_map(array.type):
        pairs = [*zip(plain(array.keys), plain(array.items), strict=True)]
        # Java's map has an order of its own.
        return [None if one is None else sorted(one, key=lambda pair: pair[0]) for one in _slices(array, pairs)]
    if pa.types.is_list(array.type):
        return _slices(array, plain(array.values))
    if pa.types.is_struct(array.type):
        fields = [plain(array.field(number)) for number in range(array.type.num_fields)]
        rows = zip(*fields, strict=True) if fields else ((),) * len(array)
        return [row if valid else None for row, valid in zip(rows, array.is_valid().to_pylist(), strict=True)]
    if pa.types.is_temporal(array.type):
        array = array.cast(pa.int32() if pa.types.is_date32(array.type) else pa.int64())
    return array.to_pylist()


def _slices(array: pa.Array, values: list[Any]) -> list[Any]:
    valid, offsets = array.is_valid().to_pylist(), array.offsets.to_pylist()
    return [values[offsets[at] : offsets[at + 1]] if valid[at] else None for at in range(len(array))]


def rows(table: pa.Table) -> list[str]:
    """Rows as text, in which NaN is NaN and no zero is another."""
    columns = [plain(column.combine_chunks()) for column in table.columns]
    return [repr(row) for row in zip(*columns, strict=True)]


@dataclass
class Case:
    """Values of a schema, some of them damaged, and what they are read as."""

    values: list[bytes]
    writer: str
    reader: str

    @classmethod
    def drawn(cls, chance: random.Random) -> Case:
        schema = Schemas(chance).record()
        values = [value(chance, schema) for _ in range(VALUES_PER_SCHEMA)]
        values = [damaged(chance, one) if chance.random() < DAMAGED else one for one in values]
        writer = json.dumps(schema)
        return cls(values, writer, json.dumps(evolved(chance, schema)) if chance.random() < 0.5 else writer)

    def ours(self, mode: str, schema: pa.Schema | None = None) -> pa.Table:
        records = Records.from_bytes("t", 0, bytes(batches(self.values)[0]) if self.values else b"")
        options = {"avroSchema": self.reader, "jsonFormatSchema": self.writer}
        return records.to_arrow(schema=schema, format="avro", mode=mode, options=options)


def theirs(spark: SparkSession, cases: list[Case], mode: str) -> list[tuple[Any, list[str]]]:
    """The type of `from_avro`'s rows, and the rows, of each case; all in one query, which costs more than they do."""
    from pyspark.sql.avro.functions import from_avro  # noqa: PLC0415

    numbers = range(len(cases))
    columns = itertools.zip_longest(*(case.values for case in cases))
    rows_of_all = [(row, *values) for row, values in enumerate(columns)]
    schema = ", ".join(["row int", *(f"v{number} binary" for number in numbers)])
    frame = spark.createDataFrame(rows_of_all, schema).coalesce(1)
    parsed = frame.select(
        "row",
        *(
            from_avro(f"v{number}", case.writer, {"avroSchema": case.reader, "mode": mode}).alias(f"r{number}")
            for number, case in enumerate(cases)
        ),
    )
    types = [parsed.schema[f"r{number}"].dataType for number in numbers]
    # The rows of bad values have nulls, whatever the types say.
    nullable = [parsed[f"r{number}"].cast(types[number].simpleString()).alias(f"r{number}") for number in numbers]
    table = parsed.select("row", *nullable).orderBy("row").toArrow().combine_chunks()
    found = []
    for number, case in enumerate(cases):
        struct = table.column(f"r{number}").combine_chunks()[: len(case.values)]
        found.append((types[number], rows(pa.table(struct.flatten(), names=[field.name for field in struct.type]))))
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_are_those_of_from_avro(spark, count, seed):
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema  # noqa: PLC0415

    seed = str(time.time_ns() % 10**9) if seed == "fresh" else seed
    print(f"seed {seed}")
    chance = random.Random(int(seed))  # noqa: S311 (seeded on purpose)
    cases = [Case.drawn(chance) for _ in range(SCHEMAS_PER_SEED)]
    sound, broken = [], []
    for case, (expected_type, expected) in zip(cases, theirs(spark, cases, "PERMISSIVE"), strict=True):
        columns = from_arrow_schema(case.ours("PERMISSIVE").schema, prefer_timestamp_ntz=True)
        assert (columns.simpleString(), case.reader) == (expected_type.simpleString(), case.reader)
        schema = to_arrow_schema(columns, timezone="UTC")
        found = rows(case.ours("PERMISSIVE", schema))
        for one, row, wanted in zip(case.values, found, expected, strict=True):
            assert row == wanted, (case.writer, case.reader, one)
        told = case.ours("PERMISSIVE", schema.append(pa.field("_corrupt_record", pa.string())))
        is_bad = [one is not None for one in told.column("_corrupt_record").to_pylist()]
        good = [one for one, bad in zip(case.values, is_bad, strict=True) if not bad]
        sound.append((schema, replace(case, values=good)))
        broken += [(schema, replace(case, values=[one])) for one, bad in zip(case.values, is_bad, strict=True) if bad]
        count["schemas"] += 1
        count["of which read by another"] += case.reader != case.writer
        count["values"] += len(case.values)

    for (schema, case), (_, passed) in zip(sound, theirs(spark, [case for _, case in sound], "FAILFAST"), strict=True):
        assert rows(case.ours("FAILFAST", schema)) == passed
        count["good, passed by both under FAILFAST"] += len(case.values)
    for schema, case in broken:
        with pytest.raises(ValueError, match="t-0 at offset 0"):
            case.ours("FAILFAST", schema)
        count["bad, failed here under FAILFAST"] += 1
    for _, case in chance.sample(broken, min(FAILING_PER_SEED, len(broken))):
        with pytest.raises(Exception, match=r"(?i)malformed"):
            theirs(spark, [case], "FAILFAST")
        count["bad, failed in Spark under FAILFAST"] += 1
