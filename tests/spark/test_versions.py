"""What each version of Spark has of the connector, and what is said where it lacks something."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from versions import SPARK

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

SINCE = {"streaming writes": (4, 1), "streaming reads": (4, 2)}


def streaming_write(spark, servers, topic, checkpoint):
    rows = spark.readStream.format("rate").load().selectExpr("string(value) AS value")
    writer = rows.writeStream.format("barnabas").option("kafka.bootstrap.servers", servers).option("topic", topic)
    writer.option("checkpointLocation", checkpoint).trigger(availableNow=True).start().awaitTermination()


def streaming_read(spark, servers, topic, checkpoint):
    rows = spark.readStream.format("barnabas").option("kafka.bootstrap.servers", servers).option("subscribe", topic)
    writer = rows.load().writeStream.format("noop").option("checkpointLocation", checkpoint)
    writer.trigger(availableNow=True).start().awaitTermination()


@pytest.mark.parametrize(("what", "run"), [("streaming writes", streaming_write), ("streaming reads", streaming_read)])
def test_streams_run_or_the_version_that_they_need_is_named(spark, bootstrap_servers, topic, tmp_path, what, run):
    since = SINCE[what]
    if since <= SPARK:
        run(spark, bootstrap_servers, topic, str(tmp_path))
        return
    with pytest.raises(PySparkException, match=f"{what} need Spark {since[0]}.{since[1]} or newer"):
        run(spark, bootstrap_servers, topic, str(tmp_path))
