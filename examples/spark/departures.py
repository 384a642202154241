"""Departures by day: a stream from a topic to a topic, read back as a table, checked, and drawn.

Runs as a script (`python examples/spark/departures.py --plot departures.svg`), or cell by cell in an editor that knows
`# %%`.
docs/spark-guide.md goes through it.
"""

# %% What it needs: a broker, here one in this process, and the flights of January 2013 from New York, as JSON.
from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from barnabas import Admin, Broker, NewTopic, Producer
from barnabas.spark import writer

sys.path.insert(0, str(Path(__file__).parents[1] / "flights"))
import data

JANUARY = 27_004
FLIGHT = "origin string, time_hour timestamp, dep_delay double"
DAY = "origin string, day date, departures bigint, mean_delay double"


def produce(servers: str, flights: int) -> None:
    """Every flight becomes a record, keyed by its aircraft."""
    with Admin(bootstrap_servers=servers) as admin:
        admin.create_topics([NewTopic("flights", 6), NewTopic("departures", 2, configs={"cleanup.policy": "compact"})])
    with Producer(bootstrap_servers=servers, compression_type="lz4") as producer:
        keys, values = zip(*data.flights(flights), strict=True)
        producer.send_many("flights", list(values), list(keys)).result(60)


# %% The stream: departures and mean delay by airport and day. Each micro-batch writes the days that it changed.
def stream(spark: SparkSession, servers: str, checkpoint: Path) -> int:
    """Runs over what is there; returns how many flights were read."""
    flights = (
        spark.readStream.format("barnabas")
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", "flights")
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", 10_000)
        .schema(FLIGHT)  # decoded from JSON in the executors, these three fields and no others
        .load()
    )
    days = (
        flights.withWatermark("time_hour", "7 days")
        .groupBy("origin", f.window("time_hour", "1 day"))
        .agg(f.count("*").alias("departures"), f.avg("dep_delay").alias("mean_delay"))
        .select(
            f.concat_ws("/", "origin", f.to_date("window.start")).alias("key"),
            "origin",
            f.to_date("window.start").alias("day"),
            "departures",
            "mean_delay",
        )
    )
    write = writer(topic="departures", format="json", **{"kafka.bootstrap.servers": servers})
    query = (
        days.writeStream.outputMode("update")
        .foreachBatch(write)
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return sum(progress["numInputRows"] for progress in query.recentProgress)


# %% The table: the topic has a record for each change; the latest of each key is what counts.
def table(spark: SparkSession, servers: str) -> pd.DataFrame:
    """Departures by airport and day, read as a batch."""
    days = (
        spark.read.format("barnabas")
        .option("kafka.bootstrap.servers", servers)
        .option("subscribe", "departures")
        .option("latestPerKey", "true")
        .schema(DAY)
        .load()
    )
    return days.orderBy("origin", "day").toPandas()


# %% The check: pandas comes to the same on the source file.
def expected(flights: int) -> pd.DataFrame:
    """What the table has to be."""
    found = data.expected_flights(flights)
    found["day"] = pd.to_datetime(found.time_hour).dt.date
    days = found.groupby(["origin", "day"]).agg(departures=("origin", "size"), mean_delay=("dep_delay", "mean"))
    return days.reset_index()


# %% The plot.
def plot(days: pd.DataFrame, path: Path) -> None:
    """Mean delay by day, a line for each airport, as SVG."""
    import matplotlib as mpl  # noqa: PLC0415 - only the plot needs it
    import matplotlib.pyplot  # noqa: PLC0415, ICN001

    mpl.use("svg")
    mpl.rcParams.update({"svg.hashsalt": "departures", "svg.fonttype": "none"})
    figure = mpl.pyplot.figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.add_subplot()
    for origin, rows in days.groupby("origin"):
        axes.plot(rows.day, rows.mean_delay, label=origin, marker=".")
    axes.set_ylabel("mean delay at departure, minutes")
    axes.set_title("Flights from New York, January 2013")
    axes.legend()
    figure.autofmt_xdate()
    figure.savefig(path, metadata={"Date": None})


# %% All of it.
def run(flights: int, directory: Path) -> pd.DataFrame:
    """Produces, streams, reads back and checks; returns the table."""
    os.environ["PYSPARK_PYTHON"] = sys.executable  # executors run this interpreter
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    with Broker(data_dir=directory / "broker") as broker:
        produce(broker.bootstrap_servers, flights)
        read = stream(spark, broker.bootstrap_servers, directory / "checkpoint")
        days = table(spark, broker.bootstrap_servers)
    if read != flights:
        raise ValueError(f"the stream read {read} of {flights} flights")
    pd.testing.assert_frame_equal(days, expected(flights), check_exact=True)
    return days


def main() -> None:
    """Runs the example."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flights", type=int, default=JANUARY, help="how many (default: those of January)")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the mean delays as SVG; needs matplotlib")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        days = run(arguments.flights, Path(directory))
    print(days.to_string())
    if arguments.plot:
        plot(days, arguments.plot)


if __name__ == "__main__":
    main()
