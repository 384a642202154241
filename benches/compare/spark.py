"""Compares the Spark connector with Spark's own: `python benches/compare/spark.py [NAME …] [--rows N] [--runs N] [--quick]`.

`raw`      sum(length(value)) of all columns and of the value alone, the JVM connector also with its fetch options tuned
`typed`    JSON values, 8 of 8 and 3 of 8 fields, aggregated: decoded by us, and by `from_json`
`small`    a topic of 500 partitions with few records
`write`    rows made by Spark, raw and typed (`to_json` on the JVM side)
`trigger`  the time of a micro-batch of a few rows, no sink
`install`  from an empty environment to a first count(): packages, files, jars, seconds (needs the wheel of `make wheel`)

One Spark session with both connectors on two cores, one broker process of ours beside it, alternating runs; medians. CPU is
that of Spark: the driver, its JVM and Python workers. Raw results go to benches/results/spark.json.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import sys
import time
import uuid
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import spark_install
from figures import MEASURED, Measurement, Row, at_least, at_most, report
from run import RESULTS, Server, cpu_seconds, create_topic

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from reference_kafka import spark_connector_jars

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame, SparkSession

KEY = "string(id) AS key"
VALUE = (
    "to_json(struct(id, concat('SYM', id % 500) AS symbol, id % 97 / 8.0 AS price, id % 1000 AS quantity, "
    "if(id % 2 = 0, 'buy', 'sell') AS side, concat('venue-', id % 7) AS venue, id % 3 = 0 AS is_live, "
    "1700000000000 + id AS at)) AS value"
)
SCHEMA = (
    "id bigint, symbol string, price double, quantity bigint, side string, venue string, is_live boolean, at bigint"
)
SUMS = [
    "sum(id)", "max(symbol)", "sum(price)", "sum(quantity)", "max(side)", "max(venue)", "count_if(is_live)", "max(at)",
]  # fmt: skip
FEW = ["sum(price)", "sum(quantity)", "max(symbol)"]
TUNED = {
    "kafka.max.poll.records": "20000",
    "kafka.max.partition.fetch.bytes": str(8 << 20),
    "kafka.fetch.max.bytes": str(64 << 20),
    "kafka.receive.buffer.bytes": str(2 << 20),
}
PARTITIONS = 8
QUICK_ROWS = 100_000
TRIGGERS, WARM_UP = 40, 10


def tree_cpu(root: int) -> float:
    """CPU seconds of a process and all below it, those that have ended included."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rsplit(") ", 1)[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = (int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK"))
    total, wanted = 0.0, {root}
    for pid in sorted(parents):
        parent, seconds = parents[pid]
        if pid == root or parent in wanted:
            wanted.add(pid)
            total += seconds
    return total


class Bench:
    """A session with both connectors, when it is asked for, a broker, and a filled topic."""

    def __init__(self, rows: int, runs: int) -> None:
        self.rows, self.runs = rows, runs
        self.server = Server()
        self.jars = spark_connector_jars(Path(pyspark.__file__).parent)

    @functools.cached_property
    def spark(self) -> SparkSession:
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.jars", ",".join(map(str, self.jars)))
            .config("spark.driver.memory", "4g")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        session.sparkContext.setLogLevel("OFF")
        return session

    def close(self) -> None:
        if "spark" in self.__dict__:
            self.spark.stop()
        self.server.close()

    def options(self, topic: str) -> dict[str, str]:
        return {"kafka.bootstrap.servers": self.server.address, "subscribe": topic}

    def filled(self, topic: str, partitions: int, rows: int) -> None:
        create_topic(self.server.address, topic, partitions)
        frame = self.spark.range(rows).repartition(2).selectExpr(KEY, VALUE)
        writer = frame.write.format("barnabas").option("kafka.bootstrap.servers", self.server.address)
        writer.option("topic", topic).mode("append").save()

    def read(self, source: str, topic: str, schema: str | None = None, **options: str) -> DataFrame:
        reader = self.spark.read.format(source).options(**self.options(topic), **options)
        return (reader.schema(schema) if schema else reader).load()

    def timed(
        self, names: dict[str, Callable[[], object]], rows: int, runs: int | None = None
    ) -> dict[str, list[dict[str, float]]]:
        """Runs them alternately, after a first round that does not count."""
        samples: dict[str, list[dict[str, float]]] = {name: [] for name in names}
        for turn in range((runs or self.runs) + 1):
            for name, work in names.items():
                cpu, broker, begin = tree_cpu(os.getpid()), cpu_seconds(self.server.process.pid), time.perf_counter()
                work()
                seconds = time.perf_counter() - begin
                sample = {
                    "seconds": seconds,
                    "mrows_per_s": rows / seconds / 1e6,
                    "cpu_s_per_mrow": (tree_cpu(os.getpid()) - cpu) / rows * 1e6,
                    "broker_cpu_s_per_mrow": (cpu_seconds(self.server.process.pid) - broker) / rows * 1e6,
                }
                if turn:
                    samples[name].append(sample)
                print(".", end="", flush=True)
        return samples


def median(samples: list[dict[str, float]], key: str) -> float:
    return statistics.median(sample[key] for sample in samples)


def rows_of(
    what: str,
    pair: tuple[list[dict[str, float]], list[dict[str, float]]],
    speed: float,
    cpu: float | None = None,
    least: float | None = None,
) -> list[Row]:
    """How ours compares with theirs: times the speed, at most this share of the CPU, at least so many rows."""
    ours, theirs = pair
    rate, rival = median(ours, "mrows_per_s"), median(theirs, "mrows_per_s")
    cost, rival_cost = median(ours, "cpu_s_per_mrow"), median(theirs, "cpu_s_per_mrow")
    rows = [at_least(what, "times the JVM connector's rows/s", rate / rival, speed)]
    rows.append(at_least(what, "M rows/s", rate, least, rival) if least else Row(what, "M rows/s", rate, rival))
    if cpu is not None:
        rows.append(at_most(what, "of the JVM connector's CPU", cost / rival_cost, cpu))
    rows.append(Row(what, "CPU s per million rows", cost, rival_cost))
    return rows


def topic_of(bench: Bench) -> str:
    topic = f"filled-{uuid.uuid4().hex[:8]}"
    bench.filled(topic, PARTITIONS, bench.rows)
    return topic


def share(bench: Bench, topic: str) -> list[dict[str, float]]:
    """What our part of the raw read costs: the tasks' work, fetch to Arrow, in this process, which runs no Spark."""
    from pyspark.sql.types import StructType

    from barnabas.spark.source import BarnabasDataSource

    source = BarnabasDataSource(bench.options(topic))
    schema = source.schema()
    reader = source.reader(schema if isinstance(schema, StructType) else StructType.fromDDL(schema))
    samples = []
    for _ in range(bench.runs + 1):
        begin = time.process_time()
        rows = sum(batch.num_rows for partition in reader.partitions() for batch in reader.read(partition))
        samples.append({"cpu_s_per_mrow": (time.process_time() - begin) / rows * 1e6})
    return samples[1:]


def raw(bench: Bench) -> tuple[MEASURED, list[Row]]:
    topic, count = topic_of(bench), ["sum(length(value))"]
    samples = bench.timed(
        {
            "ours": lambda: bench.read("barnabas", topic).selectExpr(*count).collect(),
            "ours, value only": lambda: bench.read("barnabas", topic, "value binary").selectExpr(*count).collect(),
            "jvm": lambda: bench.read("kafka", topic).selectExpr(*count).collect(),
            "jvm, tuned": lambda: bench.read("kafka", topic, **TUNED).selectExpr(*count).collect(),
        },
        bench.rows,
    )
    samples["ours, fetch and decode alone"] = share(bench, topic)
    rows = rows_of("raw columns", (samples["ours"], samples["jvm"]), 2)
    ours = median(samples["ours, fetch and decode alone"], "cpu_s_per_mrow")
    rows.append(at_most("raw columns, fetch and decode", "CPU s per million rows", ours, 0.12))
    rows += rows_of("raw columns, its fetch options tuned", (samples["ours"], samples["jvm, tuned"]), 1.5)
    return samples, rows + rows_of("value only", (samples["ours, value only"], samples["jvm"]), 3)


def typed(bench: Bench) -> tuple[MEASURED, list[Row]]:
    topic = topic_of(bench)
    few = "symbol string, price double, quantity bigint"

    def theirs(schema: str, sums: list[str]) -> object:
        parsed = bench.read("kafka", topic).selectExpr(f"from_json(string(value), '{schema}') AS r").select("r.*")
        return parsed.selectExpr(*sums).collect()

    samples = bench.timed(
        {
            "ours, 8 of 8": lambda: bench.read("barnabas", topic, SCHEMA).selectExpr(*SUMS).collect(),
            "jvm, 8 of 8": lambda: theirs(SCHEMA, SUMS),
            "ours, 3 of 8": lambda: bench.read("barnabas", topic, few).selectExpr(*FEW).collect(),
            "jvm, 3 of 8": lambda: theirs(few, FEW),
        },
        bench.rows,
    )
    rows = rows_of("typed JSON, 8 of 8", (samples["ours, 8 of 8"], samples["jvm, 8 of 8"]), 3, 1 / 3, 1.0)
    return samples, rows + rows_of(
        "typed JSON, 3 of 8", (samples["ours, 3 of 8"], samples["jvm, 3 of 8"]), 3, 1 / 3, 1.7
    )


def small(bench: Bench) -> tuple[MEASURED, list[Row]]:
    topic, partitions = f"small-{uuid.uuid4().hex[:8]}", 500
    bench.filled(topic, partitions, partitions * 20)
    rows = partitions * 20
    samples = bench.timed(
        {
            "barnabas": lambda: bench.read("barnabas", topic).count(),
            "a task each": lambda: bench.read("barnabas", topic, minPartitions=str(partitions)).count(),
        },
        rows,
    )
    # Its tasks wait half a second each, for a fetch of the last one's consumer: minutes a run, so one has to do.
    samples |= bench.timed({"kafka": lambda: bench.read("kafka", topic).count()}, rows, runs=1)
    ours = median(samples["barnabas"], "seconds")
    return samples, [
        at_least("500 partitions", "times as fast as a task each", median(samples["a task each"], "seconds") / ours, 5),
        Row("500 partitions", "s", ours, median(samples["kafka"], "seconds")),
    ]


def write(bench: Bench) -> tuple[MEASURED, list[Row]]:
    rows = bench.rows
    made = bench.spark.range(0, rows, 1, 2)
    plain = made.selectExpr("string(id) AS key", "rpad(string(id), 100, 'x') AS value")
    columns = made.selectExpr(
        "id",
        "concat('SYM', id % 500) AS symbol",
        "id / 8 AS price",
        "id % 9 AS quantity",
        "id % 2 = 0 AS is_buy",
        "id AS at",
    )
    topics = iter(range(10_000))

    def save(frame: DataFrame, source: str, **options: str) -> None:
        topic = f"written-{next(topics)}"
        create_topic(bench.server.address, topic, PARTITIONS)
        writer = frame.write.format(source).option("kafka.bootstrap.servers", bench.server.address)
        writer.options(topic=topic, **options).mode("append").save()

    tuned = {"kafka.batch.size": str(1 << 20), "kafka.linger.ms": "20"}
    samples = bench.timed(
        {
            "ours, raw": lambda: save(plain, "barnabas"),
            "jvm, raw": lambda: save(plain, "kafka"),
            "jvm, raw, tuned": lambda: save(plain, "kafka", **tuned),
            "ours, typed": lambda: save(columns, "barnabas", format="json"),
            "jvm, typed": lambda: save(columns.selectExpr("to_json(struct(*)) AS value"), "kafka"),
        },
        rows,
    )
    found = rows_of("writing raw rows", (samples["ours, raw"], samples["jvm, raw"]), 1)
    found += rows_of("writing raw rows, its producer tuned", (samples["ours, raw"], samples["jvm, raw, tuned"]), 1)
    return samples, found + rows_of("writing typed rows", (samples["ours, typed"], samples["jvm, typed"]), 1.2)


def trigger(bench: Bench) -> tuple[MEASURED, list[Row]]:
    from barnabas import Producer

    samples: MEASURED = {}
    cpu_ms: dict[str, float] = {}
    for source in ("barnabas", "kafka"):
        topic = f"fed-{source}"
        create_topic(bench.server.address, topic, 2)
        reader = bench.spark.readStream.format(source).options(**bench.options(topic), minPartitions="2")
        writer = reader.option("startingOffsets", "earliest").load().writeStream.format("noop").queryName(topic)
        checkpoint = Path(bench.server.directory.name) / f"checkpoint-{source}"
        query = writer.option("checkpointLocation", str(checkpoint)).trigger(processingTime="0 seconds").start()
        with Producer(bootstrap_servers=bench.server.address) as producer:
            times: list[dict[str, float]] = []
            last = -1
            while len(times) < TRIGGERS:
                producer.send_many(topic, [b"8 bytes."] * 2, partition=0)
                producer.send_many(topic, [b"8 bytes."] * 2, partition=1).result(30)
                query.processAllAvailable()
                progress = query.lastProgress
                if progress["batchId"] > last and progress["numInputRows"]:
                    last = progress["batchId"]
                    times.append(dict(progress["durationMs"]))
                    if len(times) == WARM_UP:
                        begin = tree_cpu(os.getpid())
        cpu_ms[source] = (tree_cpu(os.getpid()) - begin) * 1000 / (TRIGGERS - WARM_UP)
        query.stop()
        samples[source] = times[WARM_UP:]
    ours, theirs = (statistics.median(one["triggerExecution"] for one in times) for times in samples.values())
    what = "a micro-batch of 4 rows, 2 tasks, no sink"
    cpu = Row(what, "ms of Spark's CPU", cpu_ms["barnabas"], cpu_ms["kafka"])
    return {**samples, "cpu_ms": cpu_ms}, [at_most(what, "ms", ours, 250, theirs), cpu]


def install(bench: Bench) -> tuple[MEASURED, list[Row]]:
    from barnabas import Producer

    topic = f"counted-{uuid.uuid4().hex[:8]}"
    create_topic(bench.server.address, topic, 2)
    with Producer(bootstrap_servers=bench.server.address) as producer:
        producer.send_many(topic, [b"8 bytes."] * spark_install.RECORDS).result(30)
    return spark_install.measure((bench.server.address, topic), bench.jars, bench.runs)


MEASUREMENTS = {"raw": raw, "typed": typed, "small": small, "write": write, "trigger": trigger, "install": install}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[], help=f"some of {', '.join(MEASUREMENTS)}")
    parser.add_argument("--rows", type=int, default=3_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="few rows, once: whether it runs, not how fast")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.rows, arguments.runs = QUICK_ROWS, 1
    if unknown := set(arguments.names) - set(MEASUREMENTS):
        parser.error(f"no measurement {min(unknown)}")
    bench = Bench(arguments.rows, arguments.runs)
    try:
        for name in arguments.names or MEASUREMENTS:
            measurement = Measurement(["benches/compare/spark.py", *sys.argv[1:]])
            results, rows = MEASUREMENTS[name](bench)
            if not arguments.quick:
                measurement.keep(RESULTS / "spark.json", name, {"rows": arguments.rows, "samples": results}, rows)
            report(name, rows)
    finally:
        bench.close()


if __name__ == "__main__":
    main()
