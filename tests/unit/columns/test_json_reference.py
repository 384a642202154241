"""Typed columns against Python's own json, on documents that it wrote."""

from __future__ import annotations

import json
import math

import pyarrow as pa
from aiokafka.record.default_records import _DefaultRecordBatchBuilderPy
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas._core import Records

SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("whole", pa.int64()),
        ("number", pa.float64()),
        ("flag", pa.bool_()),
        ("list", pa.list_(pa.field("element", pa.string()))),
        ("inner", pa.struct([("text", pa.string()), ("whole", pa.int64())])),
    ]
)

_text = st.text(st.characters(exclude_categories=["Cs"]))
_whole = st.integers(-(2**63), 2**63 - 1)
documents = st.fixed_dictionaries(
    {},
    optional={
        "text": st.none() | _text,
        "whole": st.none() | _whole,
        "number": st.none() | st.floats(allow_subnormal=True),
        "flag": st.none() | st.booleans(),
        "list": st.none() | st.lists(st.none() | _text, max_size=4),
        "inner": st.none() | st.fixed_dictionaries({}, optional={"text": _text, "whole": _whole}),
        "else": st.recursive(_text | _whole | st.none(), lambda inner: st.lists(inner, max_size=3), max_leaves=5),
    },
)


def encode(values: list[bytes]) -> bytes:
    builder = _DefaultRecordBatchBuilderPy(
        magic=2,
        compression_type=0,
        is_transactional=False,
        producer_id=-1,
        producer_epoch=-1,
        base_sequence=-1,
        batch_size=1 << 24,
    )
    for index, value in enumerate(values):
        assert builder.append(index, 0, None, value, []) is not None
    return bytes(builder.build())


def expected(document: dict) -> dict:
    row = {name: document.get(name) for name in SCHEMA.names}
    if row["inner"] is not None:
        row["inner"] = {"text": row["inner"].get("text"), "whole": row["inner"].get("whole")}
    return row


def same(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return one == other or (math.isnan(one) and math.isnan(other))
    return one == other and type(one) is type(other)


@settings(deadline=None)
@given(st.lists(documents, min_size=1, max_size=20), st.booleans(), st.sampled_from([(", ", ": "), (",", ":")]))
def test_columns_hold_what_python_wrote(rows, ascii_only, separators):
    values = [json.dumps(row, ensure_ascii=ascii_only, separators=separators).encode() for row in rows]
    found = Records.from_bytes("t", 0, encode(values)).to_arrow(schema=SCHEMA, mode="FAILFAST").to_pylist()
    assert len(found) == len(rows)
    for row, document in zip(found, rows, strict=True):
        wanted = expected(document)
        assert all(same(row[name], wanted[name]) for name in SCHEMA.names), (row, wanted)
