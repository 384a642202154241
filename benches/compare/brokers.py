"""The two kinds of broker that `broker.py` measures, each a process of its own: `barnabas broker` and the reference Kafka.

Both run with their defaults: the reference with the heap and collector of Kafka's own start script. Its jars come from
Maven, as in the tests.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Self

from broker_clients import Client, is_led, metadata_frame

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from reference_kafka import CLUSTER_ID, free_port, jars, java, properties  # noqa: E402

START_TIMEOUT = 60.0
# As in Kafka's kafka-server-start.sh and kafka-run-class.sh.
JVM_OPTIONS = ["-Xmx1G", "-Xms1G", "-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20"]
JVM_OPTIONS += ["-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExplicitGCInvokesConcurrent", "-Djava.awt.headless=true"]
# Linux: the clock that counts all CPU time of a process, also of its threads that have ended.
CPU_CLOCK_OF_PROCESS = 2
MIB = 1 << 20


class Broker:
    """A broker process with its data in a new directory."""

    name = ""

    def __init__(self, parent: Path, options: dict[str, str] | None = None) -> None:
        self._directory = tempfile.TemporaryDirectory(prefix=f"{self.name}-", dir=parent)
        self.directory = Path(self._directory.name)
        self.data = self.directory / "data"
        self.options = options or {}
        self.prepare()
        begin = time.perf_counter()
        self.process, self.address = self.launch()
        self.wait_until_it_serves()
        self.start_ms = (time.perf_counter() - begin) * 1e3

    def prepare(self) -> None:
        """What has to be done once before the first start."""

    def launch(self) -> tuple[subprocess.Popen[bytes], str]:
        """Starts the process; its port is known before it serves."""
        raise NotImplementedError

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_until_it_serves(self) -> None:
        """Until a request for metadata is answered."""
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            if self.process.poll() is not None:
                raise SystemExit(f"{self.name} ended with {self.process.returncode}: {self.log_tail()}")
            with contextlib.suppress(OSError), contextlib.closing(Client(self.address)) as client:
                client.send(metadata_frame())
                client.receive()
                return
            if time.monotonic() > deadline:
                raise SystemExit(f"{self.name} did not serve in {START_TIMEOUT} s: {self.log_tail()}")
            time.sleep(0.002)

    def log_tail(self) -> str:
        return (self.directory / "broker.log").read_text()[-3000:]

    def cpu_s(self) -> float:
        """CPU time of the process so far."""
        return time.clock_gettime((~self.pid << 3) | CPU_CLOCK_OF_PROCESS)

    def resident_mib(self) -> float:
        pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 2**20

    def read_bytes(self) -> int:
        """Bytes that the process had the disk read."""
        fields = dict(line.split(": ") for line in Path(f"/proc/{self.pid}/io").read_text().splitlines())
        return int(fields["read_bytes"])

    def create_topic(self, topic: str, partitions: int, **configs: str) -> None:
        from barnabas import Admin, NewTopic

        # What a run has written is removed soon after it: the disk and the page cache are the next run's.
        configs = {"file.delete.delay.ms": "0", **{name.replace("_", "."): value for name, value in configs.items()}}
        with Admin(bootstrap_servers=self.address) as admin:
            admin.create_topics([NewTopic(topic, num_partitions=partitions, configs=configs)], timeout=300)
        deadline = time.monotonic() + START_TIMEOUT
        while not is_led(self.address, topic, partitions):
            if time.monotonic() > deadline:
                raise SystemExit(f"{self.name} does not serve its new topic {topic}")
            time.sleep(0.02)

    def delete_topic(self, topic: str) -> None:
        from barnabas import Admin

        with Admin(bootstrap_servers=self.address) as admin:
            admin.delete_topics([topic])

    def drop_from_cache(self, topic: str) -> None:
        """Has a topic's log on the disk only."""
        for path in self.data.glob(f"{topic}-*/*.log"):
            descriptor = os.open(path, os.O_RDONLY)
            try:
                os.fsync(descriptor)
                os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(descriptor)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._directory.cleanup()

    def _spawn(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.directory / "broker.log").open("wb") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


class Barnabas(Broker):
    """`barnabas broker`."""

    name = "barnabas"

    def launch(self) -> tuple[subprocess.Popen[bytes], str]:
        port = free_port()
        command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(self.data)]
        command += ["--listen", f"127.0.0.1:{port}"]
        for name, value in self.options.items():
            command += ["--set", f"{name}={value}"]
        return self._spawn(command), f"127.0.0.1:{port}"


class Reference(Broker):
    """Apache Kafka."""

    name = "reference"

    def prepare(self) -> None:
        self.port = free_port()
        self.config = self.directory / "server.properties"
        options = "".join(f"{name}={value}\n" for name, value in self.options.items())
        self.config.write_text(properties(self.directory, self.port, free_port()) + options)
        formatted = java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(self.config))
        if formatted.returncode != 0:
            raise SystemExit(f"the reference could not format its storage: {formatted.stderr or formatted.stdout}")

    def launch(self) -> tuple[subprocess.Popen[bytes], str]:
        command = ["java", *JVM_OPTIONS, "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", jars()]
        return self._spawn([*command, "kafka.Kafka", str(self.config)]), f"127.0.0.1:{self.port}"


class Spinning:
    """A barnabas broker embedded in a Python process one of whose threads spins: it holds the GIL all the time."""

    def __init__(self) -> None:
        command = [sys.executable, str(ROOT / "benches/compare/embedded.py"), "spin"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        import json

        assert self.process.stdout is not None
        self.address = json.loads(self.process.stdout.readline())["address"]
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate(timeout=60)


def warm_page_cache(directory: Path, size: int) -> float:
    """Has this much page cache in use and free again; returns what a written byte cost the second time, in ns of CPU.

    In a virtual machine whose host takes free memory back, the first write to a page costs ten times as much as the copy,
    whoever writes it, and hides what a broker costs. What a broker writes in the next second finds pages that were in use
    a moment ago, as on a machine with memory of its own.
    """
    piece = b"\1" * MIB
    took = 0.0
    for _ in range(2):
        with tempfile.TemporaryFile(dir=directory) as file:
            begin = time.thread_time()
            for _ in range(size // MIB):
                os.write(file.fileno(), piece)
            took = time.thread_time() - begin
    return took * 1e9 / size
