"""Typed columns against Spark's `from_json`, `from_csv` and `to_json`, on documents made from seeds.

`SEEDS=200 pytest tests/spark/test_text_formats.py` runs more of them; `RESULTS=<file>` keeps the summary.
"""

from __future__ import annotations

import json
import math
import re
import struct
from typing import TYPE_CHECKING, Any

import pytest
from documents import CSV_SCHEMA, JSON_SCHEMA, WHOLE_DOCUMENTS, csv_line, encode, json_document
from pyspark.sql import functions as f

from barnabas.columns import Records, encode_json

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(7200)]

if TYPE_CHECKING:
    from collections import Counter

    import pyarrow as pa
    from pyspark.sql import SparkSession

DOCUMENTS_PER_SEED = 400
FAILING_PER_SEED = 3
CORRUPT = "_corrupt_record"


def rows_of(table: pa.Table) -> list[dict[str, Any]]:
    """Rows with dates and times as numbers: not all of them are Python's."""
    import pyarrow as pa  # noqa: PLC0415

    columns = []
    for column in table.columns:
        if pa.types.is_date(column.type):
            columns.append(column.cast(pa.int32()))
        elif pa.types.is_timestamp(column.type) or pa.types.is_duration(column.type):
            columns.append(column.cast(pa.int64()))
        else:
            columns.append(column)
    return pa.table(columns, names=table.column_names).to_pylist()


def ours(texts: list[str], schema: pa.Schema, form: str, mode: str, **options: str) -> pa.Table:
    records = Records.from_bytes("t", 0, encode([text.encode() for text in texts]))
    return records.to_arrow(schema=schema, format=form, mode=mode, options=options)


def theirs(spark: SparkSession, texts: list[str], schema: str, parse: Any, **options: str) -> pa.Table:
    frame = spark.createDataFrame(list(enumerate(texts)), "row int, value string").coalesce(1)
    parsed = frame.select(
        "row", parse(f.col("value"), schema, {"columnNameOfCorruptRecord": CORRUPT, **options}).alias("r")
    )
    return parsed.orderBy("row").select("r.*").toArrow()


def same(one: object, other: object) -> bool:
    """Equal, or the same JSON written in two ways: `from_json` writes what is no string anew."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, str) and isinstance(other, str) and one != other:
        return rewritten(one) == rewritten(other)
    return repr(one) == repr(other)


def rewritten(text: str) -> object:
    """What a text that is JSON says, in whatever way it is written; of other text the text itself."""
    plain = re.sub(r"[+](INF|Infinity)", "Infinity", text.replace("-INF", "-Infinity"))
    plain = re.sub(r"'([^'\n]*)'", lambda quoted: '"' + quoted[1].replace('"', '\\"') + '"', plain)
    try:
        return repr(json.loads(plain, strict=False, parse_constant=str, parse_float=_float))
    except ValueError:
        return text


def _float(text: str) -> float | str:
    value = float(text)
    return value if math.isfinite(value) else "-Infinity" if value < 0 else "Infinity"


def is_plain_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def arrow_schema(spark: SparkSession, ddl: str) -> pa.Schema:
    return spark.createDataFrame([], ddl).toArrow().schema


def compare(count: Counter[str], texts: list[str], found: list[dict], wanted: list[dict]) -> None:
    assert len(found) == len(wanted) == len(texts)
    for text, row, expected in zip(texts, found, wanted, strict=True):
        is_bad, is_bad_there = row.pop(CORRUPT) is not None, expected.pop(CORRUPT) is not None
        assert is_bad == is_bad_there, (text, row, expected)
        count["documents"] += 1
        count["bad"] += is_bad
        count["values that fit"] += sum(value is not None for value in row.values())
        if is_bad and not is_plain_json(text) and all(value is None for value in row.values()):
            count["broken, null here"] += 1
            count["of which Spark keeps fields"] += any(value is not None for value in expected.values())
            continue
        differing = {name: (row[name], expected[name]) for name in row if not same(row[name], expected[name])}
        assert not differing, (text, differing)


def test_json_rows_are_those_of_from_json(spark, summary, chance):
    count = summary("from_json")
    texts = WHOLE_DOCUMENTS + [json_document(chance) for _ in range(DOCUMENTS_PER_SEED)]
    schema = arrow_schema(spark, JSON_SCHEMA)
    table = ours(texts, schema, "json", "PERMISSIVE")
    compare(count, texts, rows_of(table), rows_of(theirs(spark, texts, JSON_SCHEMA, f.from_json, mode="PERMISSIVE")))
    check_fail_fast(count, spark, chance, texts, table, JSON_SCHEMA, "json", f.from_json)


def test_csv_rows_are_those_of_from_csv(spark, summary, chance):
    count = summary("from_csv")
    # An empty line and a comment are bad, but Spark has no text for them.
    texts = [" ", ",", '"', '""', "#", *(csv_line(chance) for _ in range(DOCUMENTS_PER_SEED))]
    options = chance.choice(
        [
            {},
            {"nullValue": "-"},
            {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true"},
            {"escape": '"'},
        ]
    )
    schema = arrow_schema(spark, CSV_SCHEMA)
    table = ours(texts, schema, "csv", "PERMISSIVE", **options)
    compare_csv(count, texts, table, theirs(spark, texts, CSV_SCHEMA, f.from_csv, mode="PERMISSIVE", **options))
    check_fail_fast(count, spark, chance, texts, table, CSV_SCHEMA, "csv", f.from_csv, **options)


def compare_csv(count: Counter[str], texts: list[str], found: pa.Table, wanted: pa.Table) -> None:
    for text, row, expected in zip(texts, rows_of(found), rows_of(wanted), strict=True):
        row[CORRUPT], expected[CORRUPT] = row[CORRUPT] is not None, expected[CORRUPT] is not None
        if not text:
            # It is bad for both, but Spark has no text for it.
            expected[CORRUPT] = True
        count["lines"] += 1
        count["bad"] += row[CORRUPT]
        differing = {name: (row[name], expected[name]) for name in row if repr(row[name]) != repr(expected[name])}
        assert not differing, (text, differing)


def check_fail_fast(count, spark, chance, texts, table, ddl, form, parse, **options):
    """What is good passes under FAILFAST, what is bad fails in both readers."""
    schema = table.schema.remove(table.schema.get_field_index(CORRUPT))
    ddl = ddl.rsplit(", ", 1)[0]
    is_bad = [value.is_valid for value in table.column(CORRUPT)]
    good = [text for text, bad in zip(texts, is_bad, strict=True) if not bad]
    bad = [text for text, bad in zip(texts, is_bad, strict=True) if bad]
    there = rows_of(theirs(spark, good, ddl, parse, mode="FAILFAST", **options))
    assert all(map(same, rows_of(ours(good, schema, form, "FAILFAST", **options)), there))
    count["good, passed under FAILFAST"] += len(good)
    for text in bad:
        with pytest.raises(ValueError, match="t-0 at offset 0"):
            ours([text], schema, form, "FAILFAST", **options)
    count["bad, failed here under FAILFAST"] += len(bad)
    for text in chance.sample(bad, min(FAILING_PER_SEED, len(bad))):
        with pytest.raises(Exception, match=r"(?i)malformed"):
            theirs(spark, [text], ddl, parse, mode="FAILFAST", **options)
        count["bad, failed in Spark under FAILFAST"] += 1


def test_json_is_written_as_to_json_writes_it(spark, summary, chance):
    count = summary("to_json")
    texts = [json_document(chance) for _ in range(DOCUMENTS_PER_SEED)]
    options = chance.choice(
        [{}, {"ignoreNullFields": "false"}, {"timeZone": "+02:00"}, {"writeNonAsciiCharacterAsCodePoint": "true"}]
    )
    frame = spark.createDataFrame(list(enumerate(texts)), "row int, value string").coalesce(1)
    parsed = (
        frame.select("row", f.from_json("value", JSON_SCHEMA.rsplit(", ", 1)[0]).alias("r"))
        .where("r is not null")
        .orderBy("row")
    )
    columns = parsed.select("r.*").toArrow()
    written = encode_json(columns, options=options)
    import pyarrow as pa  # noqa: PLC0415

    found = [value.decode() for value in pa.table(written).column("value").to_pylist()]
    wanted = [row.j for row in parsed.select(f.to_json("r", options).alias("j")).collect()]
    assert len(found) == len(wanted)
    for one, other in zip(found, wanted, strict=True):
        count["rows"] += 1
        if one == other:
            count["equal to the byte"] += 1
        else:
            # Java 17 does not always write the fewest digits.
            count["equal but for the digits of floating-point numbers"] += 1
            assert single(json.loads(one)) == single(json.loads(other)), (one, other)


def single(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its field of single precision as its bits."""
    number = row.get("f")
    return row | {"f": struct.pack("f", number) if isinstance(number, float) else number}
