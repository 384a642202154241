"""A cluster of Apache Kafka from Maven whose brokers can be killed and started again: one controller, two brokers."""

import contextlib
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from reference_kafka import CLUSTER_ID, SETTINGS, free_port, jars, java, wait_for_port

BOUND = 60.0
CONTROLLER = 1
BROKERS = (2, 3)
# A broker that was killed is noticed soon, one that waits for a core is not taken for dead.
NOTICED = {"broker.session.timeout.ms": "6000", "broker.heartbeat.interval.ms": "500"}
# Groups outlive a broker.
KEPT = {"offsets.topic.replication.factor": "2"}
NEAR = {"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"}
"""Consumers may read from the replica in their own rack, `rack-2` or `rack-3`."""
REQUESTS = ["-Dorg.slf4j.simpleLogger.log.kafka.request.logger=debug"]
"""Every request is a line of its broker's log."""


class Cluster:
    """The nodes of a cluster; each is a process of its own."""

    def __init__(
        self,
        directory: Path,
        release: str,
        options: Mapping[str, str] | None = None,
        java_options: list[str] | None = None,
    ) -> None:
        self.directory, self.release = directory, release
        self.options, self.java_options = options or {}, java_options or []
        self.ports = {node: free_port() for node in (CONTROLLER, *BROKERS)}
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        for node in self.ports:
            self._format(node)

    @property
    def bootstrap_servers(self) -> list[str]:
        return [f"127.0.0.1:{self.ports[node]}" for node in BROKERS]

    def _config(self, node: int) -> Path:
        return self.directory / f"{node}.properties"

    def _format(self, node: int) -> None:
        is_controller = node == CONTROLLER
        lines = {
            **SETTINGS,
            **NOTICED,
            **KEPT,
            "process.roles": "controller" if is_controller else "broker",
            "node.id": str(node),
            "controller.quorum.voters": f"{CONTROLLER}@127.0.0.1:{self.ports[CONTROLLER]}",
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "listeners": f"{'CONTROLLER' if is_controller else 'PLAINTEXT'}://127.0.0.1:{self.ports[node]}",
            "log.dirs": str(self.directory / str(node)),
            "broker.rack": f"rack-{node}",
            **self.options,
        }
        self._config(node).write_text("".join(f"{key}={value}\n" for key, value in lines.items()))
        given = ["kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(self._config(node))]
        formatted = java(*given, release=self.release)
        if formatted.returncode != 0:
            raise RuntimeError(f"node {node} could not format its storage: {formatted.stderr or formatted.stdout}")

    def start(self, *nodes: int) -> None:
        """Starts nodes and waits until each serves its port."""
        options = ["-Xmx384m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
        for node in nodes:
            command = [
                "java",
                *options,
                *self.java_options,
                "-cp",
                jars(self.release),
                "kafka.Kafka",
                str(self._config(node)),
            ]
            with self.log(node).open("ab") as log:
                self.processes[node] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        for node in nodes:
            wait_for_port(self.processes[node], self.ports[node], self.log(node))

    def log(self, node: int) -> Path:
        """What a node says."""
        return self.directory / f"{node}.log"

    def end(self, node: int, how: int) -> None:
        """Sends a signal and waits for the end."""
        self.processes[node].send_signal(how)
        self.processes[node].wait(BOUND)


@contextlib.contextmanager
def kafka_cluster(
    directory: Path, release: str, options: Mapping[str, str] | None = None, java_options: list[str] | None = None
) -> Iterator[Cluster]:
    """Runs a cluster until the block is left."""
    cluster = Cluster(directory, release, options, java_options)
    try:
        cluster.start(CONTROLLER, *BROKERS)
        yield cluster
    finally:
        for process in cluster.processes.values():
            process.kill()
            process.wait(BOUND)
