"""The Spark examples of the README and of the guide run."""

import json
import re
from pathlib import Path

import pytest

import barnabas

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[2]


def fences(document):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / document).read_text(), re.MULTILINE | re.DOTALL)


def test_the_readmes_stream_has_typed_columns(spark, bootstrap_servers, tmp_path):
    (source,) = [fence for fence in fences("README.md") if "spark." in fence]
    with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
        producer.send("flights", b'{"origin": "EWR", "hour": 5, "dep_delay": 2.5}').result(30)
    names = {"spark": spark}
    exec(compile(source.replace("127.0.0.1:9092", bootstrap_servers), "README.md", "exec"), names)  # noqa: S102 (our own text)
    writer = names["flights"].writeStream.format("memory").queryName("documented").trigger(availableNow=True)
    writer.option("checkpointLocation", str(tmp_path)).start().awaitTermination(120)
    assert [tuple(row) for row in spark.table("documented").collect()] == [("EWR", 5, 2.5)]


def test_the_guides_examples_follow_each_other(spark, bootstrap_servers):
    with barnabas.Producer(bootstrap_servers=bootstrap_servers) as producer:
        for value in (b'{"origin": "JFK", "dep_delay": 1.5}', b'{"origin": "LGA"}', b"not json"):
            producer.send("flights", value).result(30)
        for key, value in (
            (b"1", b'{"name": "Ann"}'),
            (b"2", b'{"name": "Bob"}'),
            (b"1", None),
            (b"2", b'{"city": "Bonn"}'),
        ):
            producer.send("customers", value, key).result(30)
    names = {"spark": spark}
    for source in fences("docs/spark.md"):
        text = source.replace("127.0.0.1:9092", bootstrap_servers)
        exec(compile(text, "docs/spark.md", "exec"), names)  # noqa: S102 (our own text)
    try:
        assert {"JFK", "LGA"} <= {row.origin for row in names["flights"].collect()}
        values = [json.loads(row.value) for row in names["once"].collect()]
        assert {"origin": "LGA", "count": 1} in values
        assert [tuple(row) for row in names["customers"].collect()] == [(b"2", None, "Bonn")]
        assert {"offset", "origin", "dep_delay", "_corrupt_record"} <= set(names["found"].columns)
    finally:
        spark.streams.removeListener(names["reporter"])
        names["reporter"].close()


def test_the_flights_of_the_guide_become_a_table(spark, bootstrap_servers):
    names = {"spark": spark}
    for source in fences("docs/spark-guide.md"):
        text = source.replace("127.0.0.1:9092", bootstrap_servers)
        exec(compile(text, "docs/spark-guide.md", "exec"), names)  # noqa: S102 (our own text)
    found = [(row.origin, str(row.day), row.departures, row.mean_delay) for row in names["table"].collect()]
    assert sorted(found) == [("EWR", "2013-01-01", 2, 3.0), ("JFK", "2013-01-02", 1, None)]
