"""Option schemaResolver: Avro values that name their schemas by ids."""

from __future__ import annotations

import json
import sys

import pyarrow as pa
import pytest
from pyspark.errors import PySparkException

from barnabas.columns import encode_avro
from barnabas.errors import ConfigError
from barnabas.spark.options import ReadOptions
from barnabas.spark.resolvers import resolver

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

FIELDS = {7: [("id", "long")], 8: [("id", "int"), ("name", "string")]}
SCHEMAS = {
    number: json.dumps(
        {"type": "record", "name": "row", "fields": [{"name": name, "type": kind} for name, kind in fields]}
    )
    for number, fields in FIELDS.items()
}
MODULE = f"""
SCHEMAS = {SCHEMAS!r}
asked = []

class Registry:
    @staticmethod
    def schema_of(schema_id):
        asked.append(schema_id)
        if schema_id == 500:
            raise ConnectionError("the registry is down")
        return SCHEMAS.get(schema_id)
"""


@pytest.fixture
def module(tmp_path, monkeypatch, unique):
    """The name of a module with a resolver, which this process can import, and its file."""
    name = "m" + "".join(letter for letter in unique if letter.isalnum())
    path = tmp_path / f"{name}.py"
    path.write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name, path


def test_a_resolver_is_asked_once_for_each_schema(module):
    name, _ = module
    resolve = resolver(f"{name}:Registry.schema_of")
    assert [resolve(7), resolve(8), resolve(7), resolve(9), resolve(9)] == [
        SCHEMAS[7],
        SCHEMAS[8],
        SCHEMAS[7],
        None,
        None,
    ]
    # What the registry did not have may come.
    assert sys.modules[name].asked == [7, 8, 9, 9]
    assert resolver(f"{name}:Registry.schema_of") is resolve


def test_what_a_resolver_raises_says_for_which_schema():
    with pytest.raises(TypeError) as caught:
        resolver("json:loads")(7)
    assert caught.value.__notes__ == ["raised by json:loads of option schemaResolver, asked for schema 7"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("schema_of", "names a function, as my_package.registry:schema_of; got 'schema_of'"),
        (":schema_of", "names a function"),
        ("no_such_module:f", "No module named 'no_such_module'; the module must be where the driver"),
        ("json:loads_all", "has no attribute 'loads_all'"),
        ("json:__name__", "cannot be called"),
    ],
)
def test_what_names_no_function(text, message):
    with pytest.raises(ConfigError, match=message):
        resolver(text)


def test_a_resolver_is_for_avro_whose_values_name_their_schemas():
    for given in ({}, {"format": "json"}, {"format": "avro", "jsonFormatSchema": SCHEMAS[7]}):
        options = {"kafka.bootstrap.servers": "x:1", "subscribe": "t", "schemaResolver": "a:b"} | given
        with pytest.raises(ConfigError, match="schemaResolver is for format=avro without jsonFormatSchema"):
            ReadOptions.parse(options, streaming=False)


def test_values_of_several_schemas_are_read(spark, read, producer, topic, module):
    name, path = module
    spark.sparkContext.addPyFile(str(path))
    for schema_id, columns in ((7, {"id": [1, 2]}), (8, {"id": [3], "name": ["x"]})):
        table = pa.table(columns).cast(pa.schema([(n, {"long": pa.int64(), "int": pa.int32(), "string": pa.string()}[k]) for n, k in FIELDS[schema_id]]))  # fmt: skip
        framed = pa.table(encode_avro(table, SCHEMAS[schema_id], schema_id=schema_id))
        producer.send_table(topic, framed, partition=0).result(10)
    producer.send(topic, b"\0" + (9).to_bytes(4), partition=0).result(10)

    def rows(**options):
        found = read(format="avro", schemaResolver=f"{name}:Registry.schema_of", **options)
        return [
            tuple(row)
            for row in found.schema("id bigint, name string, offset bigint").load().orderBy("offset").collect()
        ]

    known = [(1, None, 0), (2, None, 1), (3, "x", 2)]
    assert rows() == [*known, (None, None, 3)]
    assert rows(mode="DROPMALFORMED") == known
    with pytest.raises(PySparkException, match=f"{topic}-0 at offset 3: schema 9"):
        rows(mode="FAILFAST")
    producer.send(topic, b"\0" + (500).to_bytes(4), partition=0).result(10)
    with pytest.raises(PySparkException, match="the registry is down"):
        rows()
    with pytest.raises(PySparkException, match="No module named 'no_such_module'"):
        read(format="avro", schemaResolver="no_such_module:f").schema("id bigint").load().collect()
