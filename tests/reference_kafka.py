"""Starts the reference Apache Kafka for tests and runs its Java tools; the jars come from Maven."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

POM = Path(__file__).parent / "interop" / "reference" / "pom.xml"
RELEASE = "4.3.0"
"""The release that the project names, and that everything is compared with unless another is asked for."""
CLUSTER_ID = "cmVmZXJlbmNlLWthZmthMA"
START_TIMEOUT = 60.0
COPIES = 20
Ignore = Callable[[str, list[str]], Iterable[str]]
NEEDLESS: Ignore = shutil.ignore_patterns(".lock", "*.tmp")
TOOLS = {
    "BrokerApiVersionsCommand": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "ClientCompatibilityTest": "org.apache.kafka.tools.ClientCompatibilityTest",
    "ConsoleConsumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "ConsoleProducer": "org.apache.kafka.tools.ConsoleProducer",
    "ConsumerGroupCommand": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "ConsumerPerformance": "org.apache.kafka.tools.ConsumerPerformance",
    "DeleteRecordsCommand": "org.apache.kafka.tools.DeleteRecordsCommand",
    "DumpLogSegments": "org.apache.kafka.tools.DumpLogSegments",
    "GetOffsetShell": "org.apache.kafka.tools.GetOffsetShell",
    "ProducerPerformance": "org.apache.kafka.tools.ProducerPerformance",
    "TopicCommand": "org.apache.kafka.tools.TopicCommand",
    "VerifiableConsumer": "org.apache.kafka.tools.VerifiableConsumer",
    "VerifiableProducer": "org.apache.kafka.tools.VerifiableProducer",
}


def fetched(pom: Path, name: str, *settings: str) -> Path:
    """Returns the directory with the jars that a project names, fetching them on first use."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "barnabas" / name
    stamp = cache / "pom.xml"
    if not stamp.exists() or stamp.read_text() != pom.read_text():
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True)
        goal = ["dependency:copy-dependencies", f"-DoutputDirectory={cache / 'libs'}", "-DincludeScope=runtime"]
        subprocess.run(["mvn", "-q", "-B", "-f", str(pom), *goal, *settings], check=True)
        shutil.copy(pom, stamp)
    return cache / "libs"


def jars(release: str = RELEASE) -> str:
    """Returns the class path of the reference, or of another release of Kafka."""
    if release == RELEASE:
        return str(fetched(POM, "reference-kafka") / "*")
    return str(fetched(POM, f"kafka-{release}", f"-Dkafka.version={release}") / "*")


def spark_connector_jars(spark_home: Path) -> list[Path]:
    """Returns the jars of Spark's own Kafka connector, without those that Spark brings."""
    project = POM.parents[1] / "spark_connector"
    libs = fetched(project / "pom.xml", "spark-connector")
    tokens = libs.parent / "tokens.jar"
    if not tokens.exists():
        sources, classes = map(str, (project / "tokens").glob("*.java")), libs.parent / "classes"
        class_path = f"{spark_home / 'jars' / '*'}{os.pathsep}{libs / '*'}"
        subprocess.run(["javac", "-cp", class_path, "-d", str(classes), *sources], check=True)
        subprocess.run(["jar", "--create", "--file", str(tokens), "-C", str(classes), "."], check=True)
    return [*_not_brought(libs, spark_home), tokens]


def spark_avro_jars(spark_home: Path) -> list[Path]:
    """Returns the jars of Spark's functions for Avro, without those that Spark brings."""
    return _not_brought(fetched(POM.parents[1] / "spark_avro" / "pom.xml", "spark-avro"), spark_home)


def _not_brought(libs: Path, spark_home: Path) -> list[Path]:
    brought = {_artifact(jar) for jar in (spark_home / "jars").glob("*.jar")}
    return [jar for jar in sorted(libs.glob("*.jar")) if _artifact(jar) not in brought]


def _artifact(jar: Path) -> str:
    return re.sub(r"-[0-9][0-9.-]*$", "", jar.stem)


def java(
    *arguments: str, stdin: str | None = None, timeout: float = 90.0, release: str = RELEASE
) -> subprocess.CompletedProcess[str]:
    """Runs a class of the reference (a short name of TOOLS, a full class name or a .java file) to its end."""
    name, *rest = arguments
    command = [
        "java",
        "-Xmx512m",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        "-cp",
        jars(release),
        TOOLS.get(name, name),
        *rest,
    ]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, timeout=timeout, check=False)


SETTINGS = {
    # A busy machine does not make the reference's controller fence its only broker, which changes the epochs of leaders.
    "broker.session.timeout.ms": "120000",
    "num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "5",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
}
"""Options of a single small node."""


def free_port() -> int:
    """Returns a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def options(directory: Path, port: int, controller_port: int) -> dict[str, str]:
    """Returns the options of one KRaft node, for the reference and for a broker that is compared with it."""
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@127.0.0.1:{controller_port}",
        "controller.listener.names": "CONTROLLER",
        "listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller_port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "log.dirs": str(directory / "data"),
        **SETTINGS,
    }


def properties(directory: Path, port: int, controller_port: int, given: Mapping[str, str] | None = None) -> str:
    """Returns them as a server.properties; `given` ones are set over them."""
    lines = {**options(directory, port, controller_port), **(given or {})}
    return "".join(f"{key}={value}\n" for key, value in lines.items())


@contextlib.contextmanager
def reference_kafka(
    directory: Path,
    given: Mapping[str, str] | None = None,
    *,
    is_killed: bool = False,
    may_change_voters: bool = False,
    release: str = RELEASE,
) -> Iterator[str]:
    """Runs one reference broker on loopback with its data in `directory`, found or formatted; yields its address.

    At the end it is stopped, or with `is_killed` ended by kill -9. With `may_change_voters` its metadata log has
    kraft.version 1.
    """
    directory.mkdir(parents=True, exist_ok=True)
    port, controller_port = free_port(), free_port()
    config = directory / "server.properties"
    if may_change_voters:
        servers = {
            "controller.quorum.voters": "",
            "controller.quorum.bootstrap.servers": f"127.0.0.1:{controller_port}",
        }
        given = {**servers, **(given or {})}
    config.write_text(properties(directory, port, controller_port, given))
    first_dir = Path((given or {}).get("log.dirs", str(directory / "data")).partition(",")[0])
    if not (first_dir / "meta.properties").exists():
        alone = ["--standalone"] if may_change_voters else []
        format_it = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(config), *alone]
        formatted = java(*format_it, release=release)
        if formatted.returncode != 0:
            raise RuntimeError(f"the reference could not format its storage: {formatted.stderr or formatted.stdout}")
    log = directory / "kafka.log"
    with server("kafka.Kafka", config, log, release=release, is_killed=is_killed) as process:
        wait_for_port(process, port, log)
        yield f"127.0.0.1:{port}"


@contextlib.contextmanager
def server(
    name: str, config: Path, log: Path, *, release: str = RELEASE, is_killed: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """Runs a server's class with its configuration, until the block is left."""
    command = [
        "java",
        "-Xmx512m",
        "-XX:+UseSerialGC",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
        "-Dzookeeper.admin.enableServer=false",
        "-cp",
        jars(release),
        name,
        str(config),
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        yield process
    finally:
        if is_killed:
            process.kill()
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def zookeeper_kafka(directory: Path, release: str) -> Iterator[str]:
    """Runs one broker of a release that keeps its metadata in ZooKeeper, and ZooKeeper; yields the broker's address."""
    directory.mkdir(parents=True, exist_ok=True)
    port, zookeeper_port = free_port(), free_port()
    zookeeper = directory / "zookeeper.properties"
    zookeeper.write_text(
        f"dataDir={directory / 'zookeeper'}\nclientPort={zookeeper_port}\nclientPortAddress=127.0.0.1\n"
    )
    lines = {
        "broker.id": "1",
        "zookeeper.connect": f"127.0.0.1:{zookeeper_port}",
        "zookeeper.session.timeout.ms": "120000",
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "log.dirs": str(directory / "data"),
        **SETTINGS,
    }
    config = directory / "server.properties"
    config.write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
    logs = directory / "zookeeper.log", directory / "kafka.log"
    main = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
    with server(main, zookeeper, logs[0], release=release) as process:
        wait_for_port(process, zookeeper_port, logs[0])
        with server("kafka.Kafka", config, logs[1], release=release) as broker:
            wait_for_port(broker, port, logs[1])
            yield f"127.0.0.1:{port}"


def copy_of_running(log_dir: Path | str, target: Path, ignore: Ignore = NEEDLESS) -> None:
    """Copies the files of a Kafka that goes on, as a kill -9 at one moment would leave them; again when some were deleted."""
    for _ in range(COPIES):
        shutil.rmtree(target, ignore_errors=True)
        try:
            shutil.copytree(log_dir, target, ignore=ignore)
        except (shutil.Error, FileNotFoundError) as error:
            last = error
        else:
            return
    raise last


def wait_for_port(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Waits until the process serves the port; raises with its log if it ends or takes too long."""
    deadline = time.monotonic() + START_TIMEOUT
    poll = threading.Event()
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the reference ended with {process.returncode}: {log.read_text()[-4000:]}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        poll.wait(0.05)
    raise RuntimeError(f"the reference did not serve port {port} in {START_TIMEOUT} s: {log.read_text()[-4000:]}")
