"""The Spark example of the README runs."""

import re
from pathlib import Path

import pytest

import barnabas

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

README = Path(__file__).parents[2] / "README.md"


def test_the_readmes_stream_has_typed_columns(spark, our_broker, tmp_path):
    fences = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.MULTILINE | re.DOTALL)
    (source,) = [fence for fence in fences if "spark." in fence]
    with barnabas.Producer(bootstrap_servers=our_broker) as producer:
        producer.send("flights", b'{"origin": "EWR", "hour": 5, "dep_delay": 2.5}').result(30)
    names = {"spark": spark}
    exec(compile(source.replace("127.0.0.1:9092", our_broker), "README.md", "exec"), names)  # noqa: S102 (our own text)
    writer = names["flights"].writeStream.format("memory").queryName("documented").trigger(availableNow=True)
    writer.option("checkpointLocation", str(tmp_path)).start().awaitTermination(120)
    assert [tuple(row) for row in spark.table("documented").collect()] == [("EWR", 5, 2.5)]
