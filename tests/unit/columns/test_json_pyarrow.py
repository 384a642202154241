"""Typed columns against pyarrow.json, on documents that Python wrote, in both ways of escaping."""

from __future__ import annotations

import datetime as dt
import io
import json
import os

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import json as reader
from test_json_reference import encode

from barnabas.columns import Records, encode_json

PAIR = pa.struct([("text", pa.string()), ("number", pa.float64())])
SCHEMA = pa.schema(
    [
        ("text", pa.string()),
        ("whole", pa.int64()),
        ("small", pa.int16()),
        ("number", pa.float64()),
        ("flag", pa.bool_()),
        ("at", pa.timestamp("us")),
        ("list", pa.list_(pa.field("element", pa.int64()))),
        ("pair", PAIR),
        ("pairs", pa.list_(pa.field("element", PAIR))),
    ]
)

_text = st.text(st.characters(exclude_categories=["Cs"]))
_whole = st.integers(-(2**63), 2**63 - 1)
_number = st.floats(allow_nan=False, allow_infinity=False)
# Without a zone, as in the column.
_first, _last = dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)  # noqa: DTZ001
_at = st.datetimes(_first, _last).map(lambda at: at.isoformat(" ", "microseconds"))
_pair = st.fixed_dictionaries({}, optional={"text": st.none() | _text, "number": _number})
FIELDS = {
    "text": _text,
    "whole": _whole,
    "small": st.integers(-(2**15), 2**15 - 1),
    "number": _number,
    "flag": st.booleans(),
    "at": _at,
    "list": st.lists(st.none() | _whole, max_size=4),
    "pair": _pair,
    "pairs": st.lists(st.none() | _pair, max_size=3),
    "else": st.recursive(
        _text | _whole, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_text, inner), max_leaves=6
    ),
}
documents = st.fixed_dictionaries({}, optional={name: st.none() | values for name, values in FIELDS.items()})
shuffled = documents.flatmap(lambda row: st.permutations(list(row.items())).map(dict))


@settings(deadline=None, max_examples=int(os.environ.get("SEEDS", "150")))
@given(
    st.lists(shuffled, min_size=1, max_size=20),
    st.booleans(),
    st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", " : ")]),
)
def test_columns_are_those_of_pyarrow(rows, ascii_only, separators):
    lines = [json.dumps(row, ensure_ascii=ascii_only, separators=separators).encode() for row in rows]
    parse = reader.ParseOptions(explicit_schema=SCHEMA, unexpected_field_behavior="ignore")
    expected = reader.read_json(io.BytesIO(b"\n".join(lines)), parse_options=parse)
    found = Records.from_bytes("t", 0, encode(lines)).to_arrow(schema=SCHEMA, mode="FAILFAST")
    assert found.to_pylist() == expected.to_pylist()
    options = {"timestampNTZFormat": "yyyy-MM-dd HH:mm:ss.SSSSSS"}
    written = pa.table(encode_json(found, options=options)).column("value").to_pylist()
    again = reader.read_json(io.BytesIO(b"\n".join(written)), parse_options=parse)
    assert again.to_pylist() == expected.to_pylist()
