"""VARIANT columns against Spark's `parse_json` and `from_json`, to the byte, on documents made from seeds.

`SEEDS=50 pytest tests/spark/test_variant.py` runs more of them; `RESULTS=<file>` keeps the summary.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from documents import encode
from pyspark.errors import PySparkException
from pyspark.sql import Row
from pyspark.sql import functions as f
from pyspark.sql.types import VariantVal
from versions import SPARK, STREAMS_SINCE

from barnabas.columns import Records

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(7200)]
exact = pytest.mark.skipif(SPARK < STREAMS_SINCE, reason="older Sparks take half a surrogate pair for a character")

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

    import pyarrow as pa
    from pyspark.sql import DataFrame

DOCUMENTS_PER_SEED = 400
CORRUPT = "_corrupt_record"
FIELDS = "v variant, o struct<v:variant,l:bigint>, a array<variant>, m map<string,variant>, l bigint"

STRICT = {"allowSingleQuotes": "false", "allowNonNumericNumbers": "false"}
"""`parse_json` reads RFC 8259 and nothing else."""
NUMBERS = ["0", "-0", "127", "128", "-128", "-129", "32767", "32768", "-32769", "2147483647", "2147483648", "-2147483649",
           "9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1" * 38, "9" * 38,
           "1" * 39, "-" + "9" * 39, "1" * 400, "0.0", "-0.0", "1.0", "1.50", "-12.345", "0.000000001", "0.0000000001",
           "123456789.1", "1234567890.123456789", "0." + "0" * 37 + "1", "0." + "0" * 38 + "1", "0." + "1" * 38, "1." + "1" * 37,
           "1." + "1" * 38, "12345678901234567.8", "123456789012345678.9", "1e0", "1E+5", "-1.5e-7", "1e400", "-1e400", "4.9e-324",
           "1e-400", "0e5", "9007199254740993.0e0", "000", "01", "1.", ".5", "+1", "-", "1e", "NaN", "Infinity", "-INF"]  # fmt: skip
TEXTS = ['""', '"a"', '"é漢😀"', '"\\u00e9\\ud83d\\ude00"', '"a\\"b\\\\c\\/d\\b\\f\\n\\r\\t"', '"\\u0000"', '"\\u2028"', '"' + "x" * 63 + '"',
         '"' + "x" * 64 + '"', '"' + "é" * 32 + '"', '"' + "y" * 300 + '"', '"' + "z" * 70_000 + '"', '"\\ud83d"', '"\\udc00x"', '"\t"', '"a',
         "'q'", '"\\x"', '"\\u12g4"']  # fmt: skip
WORDS = ["true", "false", "null", "tru", "nulll", "undefined", ""]
NAMES = [
    "a",
    "b",
    "c",
    "",
    "é",
    "\\u0061",
    "\ue000",
    "\uffff",
    "\U0001f600",
    "\\ud83d\\ude00",
    "aa",
    "A",
    "z" * 70,
    "\\ud800",
    "1",
    " ",
]
WHOLE = [b"", b" ", b"\n\t ", b"null", b" 1", b"1 ", b"1 x", b"1x", b"1,", b"1]", b"1}", b"true,", b"truex", b'"a"b', b"{}x", b"[]]", b"[1,]", b"[,1]",
         b'{"a":1,}', b'{"a"}', b'{"a":}', b"{1:2}", b"{", b"[", b"]", b"}", b":", b"\xff", b'"\xff"', b'"\xe2\x82"', b'{"\xc3":1}', b"[[[[]]]]",
         b"[" * 1000 + b"]" * 1000, b"[" * 1001 + b"]" * 1001, b'{"a":' * 999 + b"[1]" + b"}" * 999, b'{"a":' * 1000 + b"[1]" + b"}" * 1000,
         b"[" + b",".join(b"%d" % n for n in range(300)) + b"]", b"[" + b"null," * 70_000 + b"0]",
         b"{" + b",".join(b'"k%d":%d' % (n * 7919 % 70_001, n) for n in range(300)) + b"}",
         b"{" + b",".join(b'"k%d":%d' % (n, n) for n in range(66_000)) + b"}",
         b'{"a":1,"a":2}', b'{"a":1,"\\u0061":2}', b'{"a":{"b":1},"b":{"a":1}}', b'["\\u00e9","\xc3\xa9"]', b"1" * 1000, b"1" * 1001,
         b'{"\\ud83d\\ude00":1,"\xf0\x9f\x98\x80":2}', b'{"x":"' + b"y" * 20_000_000 + b'"}']  # fmt: skip


def value(chance: random.Random, depth: int, broken: float) -> str:
    """Any value; one in a while is none, so that whole documents mostly are some."""
    kind = chance.random()
    if depth and kind < 0.25:
        count = 300 if chance.random() < 0.01 else chance.randint(0, 5)
        return "[" + ",".join(value(chance, depth - 1, broken) for _ in range(count)) + chance.choice(["]", " ]"])
    if depth and kind < 0.6:
        names = chance.sample(NAMES, chance.randint(0, 6))
        if chance.random() > broken:
            names = [name for name in names if name not in ("\\u0061", "\\ud800", "\\ud83d\\ude00")]
        entries = (f'"{name}":{chance.choice(["", " "])}{value(chance, depth - 1, broken)}' for name in names)
        return "{" + ", ".join(entries) + "}"
    if kind < 0.7:
        return chance.choice(
            [str(chance.randint(-(2**70), 2**70)), repr(chance.uniform(-1e9, 1e9)), f"{chance.uniform(-9, 9):.12f}"]
        )
    while True:
        found = chance.choice(chance.choice((NUMBERS, TEXTS, WORDS)))
        if chance.random() < broken or is_json(found):
            return found


def is_json(text: str) -> bool:
    return text not in ("NaN", "Infinity") and not is_refused(text.encode())


def documents(chance: random.Random) -> list[bytes]:
    """Values as records have them, most of them JSON."""
    found = []
    for _ in range(DOCUMENTS_PER_SEED):
        text = value(chance, chance.randint(0, 5), chance.choice([0, 0, 0.02, 0.2])).encode("utf-8", "surrogatepass")
        if text and chance.random() < 0.05:
            place = chance.randrange(len(text))
            text = text[:place] + bytes([chance.choice(b'{}[],:"\\0a \xff')]) + text[place + 1 :]
        found.append(text)
    return found


def ours(values: Iterable[bytes], schema: pa.Schema, mode: str = "PERMISSIVE", **options: str) -> pa.Table:
    return Records.from_bytes("t", 0, encode(list(values))).to_arrow(
        schema=schema, format="json", mode=mode, options=options
    )


def frame_of(spark, values):
    rows = [(number, bytearray(one)) for number, one in enumerate(values)]
    return spark.createDataFrame(rows, "row int, value binary").coalesce(1).selectExpr("row", "string(value) AS value")


def collected(frame: DataFrame) -> list[tuple[int, Any]]:
    """Rows in order; `toArrow` cannot have a null VARIANT."""
    return [(row[0], plain(row[1])) for row in sorted(frame.collect(), key=lambda row: row[0])]


def plain(found: object) -> object:
    """As pyarrow has it."""
    match found:
        case VariantVal():
            return {"value": found.value, "metadata": found.metadata}
        case Row():
            return {name: plain(value) for name, value in found.asDict().items()}
        case list():
            return [plain(element) for element in found]
        case dict():
            return [(name, plain(value)) for name, value in found.items()]
    return found


def arrow_schema(ddl: str) -> pa.Schema:
    from pyspark.sql.pandas.types import to_arrow_schema  # noqa: PLC0415
    from pyspark.sql.types import StructType  # noqa: PLC0415

    return to_arrow_schema(StructType.fromDDL(ddl), timezone="UTC")


@exact
def test_whole_values_are_those_of_parse_json(spark, summary, chance):
    count = summary("parse_json")
    values = WHOLE + documents(chance)
    schema = arrow_schema(f"v variant, {CORRUPT} binary")
    table = ours(values, schema, singleVariantColumn="v", **STRICT)
    wanted = collected(frame_of(spark, values).select("row", f.try_parse_json("value").alias("v")))
    rows = zip(values, table.column("v").to_pylist(), table.column(CORRUPT).to_pylist(), wanted, strict=True)
    for text, found, corrupt, (_, there) in rows:
        assert found == there, (text[:200], found, there)
        # A blank value is no value here, and nothing to complain of; to parse_json it is an error.
        assert (corrupt is None) == (found is not None or not text.strip(b" \t\r\n")), text[:200]
        count["documents"] += 1
        count["equal to the byte" if found else "refused by both"] += 1


@exact
def test_fields_are_those_of_from_json(spark, summary, chance):
    count = summary("from_json")
    values = [
        b"{" + b", ".join(chance.sample(entries(chance), chance.randint(0, 5))) + b"}"
        for _ in range(DOCUMENTS_PER_SEED)
    ]
    table = ours(values, arrow_schema(f"{FIELDS}, {CORRUPT} string"))
    parsed = f.from_json("value", f"{FIELDS}, {CORRUPT} string", {"columnNameOfCorruptRecord": CORRUPT})
    wanted = collected(frame_of(spark, values).select("row", parsed.alias("r")))
    for text, found, (_, there) in zip(values, table.to_pylist(), wanted, strict=True):
        assert (found.pop(CORRUPT) is None) == (there.pop(CORRUPT) is None), text
        count["documents"] += 1
        is_good = found == there
        if not is_good:
            # Where a value cannot be held Spark's parser stops inside of it, and reads on from there.
            assert is_refused(text), (text, found, there)
        count["equal to the byte" if is_good else "with a value that VARIANT cannot hold"] += 1


def entries(chance: random.Random) -> list[bytes]:
    """A field of each kind, and some that nobody asks for."""
    broken = chance.choice([0, 0, 0, 0.02])

    def one() -> str:
        return value(chance, 3, broken)

    found = [
        f'"v":{one()}',
        f'"o":{{"v":{one()},"l":{chance.randint(0, 9)}}}',
        f'"a":[{",".join(one() for _ in range(chance.randint(0, 3)))}]',
        f'"m":{{{",".join(f"{chr(34)}k{number}{chr(34)}:{one()}" for number in range(chance.randint(0, 3)))}}}',
        f'"l":{chance.randint(-9, 9)}',
        f'"x":{one()}',
    ]
    return [entry.encode("utf-8", "surrogatepass") for entry in found]


def is_refused(text: bytes) -> bool:
    """Whether a value in it is broken, or one that VARIANT cannot hold."""

    def unique(pairs):
        names = [name for name, _ in pairs]
        if len(set(names)) < len(names):
            raise ValueError("a name twice")
        return dict(pairs)

    try:
        json.dumps(json.loads(text, object_pairs_hook=unique), ensure_ascii=False).encode()
    except ValueError:
        return True
    return False


def test_a_topic_of_any_json_is_read_as_variants(read, producer, topic):
    values = [b'{"a": 1, "b": [1.50, "x", null]}', b"[true]", None, b"null", b"{", b'{"b": 2, "a": "t"}']
    producer.send_many(topic, values, partition=0).result(10)
    frame = read(singleVariantColumn="v", kafkaColumns="offset").load()
    assert frame.schema.simpleString() == "struct<offset:bigint,v:variant>"
    rows = frame.selectExpr(
        "offset", "v IS NULL", "to_json(v)", "variant_get(v, '$.a', 'string')", "schema_of_variant(v)"
    ).orderBy("offset")
    assert [tuple(row) for row in rows.collect()] == [
        (0, False, '{"a":1,"b":[1.5,"x",null]}', "1", "OBJECT<a: BIGINT, b: ARRAY<VARIANT>>"),
        (1, False, "[true]", None, "ARRAY<BOOLEAN>"),
        (2, True, None, None, None),
        (3, False, "null", None, "VOID"),
        (4, True, None, None, None),
        (5, False, '{"a":"t","b":2}', "t", "OBJECT<a: STRING, b: BIGINT>"),
    ]


def test_modes_hold_for_variants(read, producer, topic):
    producer.send_many(topic, [b'{"v": {"a": 1}}', b'{"v": {"a": 1, "a": 2}}', b"{"], partition=0).result(10)
    options = {"columnNameOfCorruptRecord": "bad"}
    rows = read(**options).schema("v variant, bad string, offset bigint").load().orderBy("offset")
    assert [tuple(row) for row in rows.selectExpr("to_json(v)", "bad").collect()] == [
        ('{"a":1}', None),
        (None, '{"v": {"a": 1, "a": 2}}'),
        (None, "{"),
    ]
    kept = read(mode="DROPMALFORMED").schema("v variant, offset bigint").load()
    assert [tuple(row) for row in kept.selectExpr("offset", "to_json(v)").collect()] == [(0, '{"a":1}')]
    with pytest.raises(PySparkException, match=r'offset 1: field "v" of the value does not fit'):
        read(mode="FAILFAST").schema("v variant").load().collect()
    with pytest.raises(
        PySparkException,
        match=r"offset 1: the value is no JSON: an object that has a name twice at byte 22",
    ):
        read(mode="FAILFAST", singleVariantColumn="v").load().collect()


def test_a_filter_and_many_batches_keep_variants(read, producer, topic):
    producer.send_many(
        topic, [b'{"n": %d, "v": [%d, "%s"]}' % (n, n, b"x" * (n % 70)) for n in range(100_000)], partition=0
    ).result(60)
    rows = read(filter="n >= 50000 AND v IS NOT NULL").schema("n bigint, v variant").load()
    wrong = rows.where("variant_get(v, '$[0]', 'bigint') != n OR length(variant_get(v, '$[1]', 'string')) != n % 70")
    assert (rows.count(), wrong.count()) == (50_000, 0)


def test_streams_have_variants(read_stream, producer, topic, tmp_path):
    producer.send_many(topic, [b'{"a": %d}' % number for number in range(10)]).result(10)
    found = []

    def keep(frame, _):
        found.extend(row[0] for row in frame.selectExpr("to_json(v)").collect())

    frame = read_stream(singleVariantColumn="v").load()
    query = frame.writeStream.foreachBatch(keep).option("checkpointLocation", str(tmp_path))
    query.trigger(availableNow=True).start().awaitTermination()
    assert sorted(found) == [f'{{"a":{number}}}' for number in range(10)]


@pytest.mark.parametrize(
    ("options", "schema", "message"),
    [
        ({"format": "csv"}, "v variant", "column v: type VARIANT is read from JSON, not from format=csv"),
        ({"format": "csv"}, "m map<string,variant>", "column m: type VARIANT is read from JSON"),
        ({"singleVariantColumn": "v"}, "v variant, w variant", "singleVariantColumn"),
        ({"singleVariantColumn": "v"}, "v string", "singleVariantColumn"),
        ({"singleVariantColumn": "v", "format": "csv"}, None, "no meaning with format=csv"),
        ({"singleVariantColumn": "v", "inferSchema": "true"}, None, "leave one of them out"),
        ({"singleVariantColumn": "offset", "kafkaColumns": "offset"}, None, "both name a column offset"),
    ],
)
def test_mistakes_are_named(read, options, schema, message):
    reader = read(**options)
    with pytest.raises(PySparkException, match=message):
        (reader.schema(schema) if schema else reader).load().collect()


def test_a_sink_refuses_variants(spark, bootstrap_servers, topic):
    rows = spark.sql("SELECT parse_json('1') AS v, named_struct('v', parse_json('1')) AS o")
    for column in ("v", "o"):
        writer = rows.select(column).write.format("barnabas").mode("append").option("format", "json")
        writer = writer.option("kafka.bootstrap.servers", bootstrap_servers).option("topic", topic)
        with pytest.raises(PySparkException, match=f"column {column}: type VARIANT is not written; use to_json"):
            writer.save()
