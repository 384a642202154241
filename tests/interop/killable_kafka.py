"""A reference broker that can be killed and started again, and what belongs to a partition's log."""

import shutil
import subprocess
from pathlib import Path

import confluent_kafka
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin import NewTopic as ForeignTopic
from reference_kafka import CLUSTER_ID, free_port, jars, java, properties, wait_for_port

BOUND = 60.0
# What a partition's log consists of; its identity stays the one of the directory that it is put into.
LOG_FILES = ("*.log", "*.index", "*.timeindex", "*.txnindex", "*.snapshot", "leader-epoch-checkpoint")
CHECKPOINTS = ("recovery-point-offset-checkpoint", "replication-offset-checkpoint", "log-start-offset-checkpoint")


class Reference:
    """A reference broker that can be killed and started again on the same data."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.data = directory / "data"
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None
        directory.mkdir(parents=True)
        self.config = directory / "server.properties"
        # No entry of an index may be missing for want of bytes.
        self.config.write_text(properties(directory, self.port, free_port()) + "log.index.interval.bytes=512\n")
        formatted = java("kafka.tools.StorageTool", "format", "-t", CLUSTER_ID, "-c", str(self.config))
        assert formatted.returncode == 0, formatted.stderr or formatted.stdout

    @property
    def address(self) -> dict[str, str]:
        return {"bootstrap.servers": f"127.0.0.1:{self.port}"}

    def start(self) -> None:
        log = self.directory / "kafka.log"
        options = ["-Xmx512m", "-XX:+UseSerialGC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"]
        command = ["java", *options, "-cp", jars(), "kafka.Kafka", str(self.config)]
        with log.open("ab") as output:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        wait_for_port(self.process, self.port, log)

    def end(self, how: int) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(BOUND)

    def create(self, topic: str, **options: str) -> None:
        admin = AdminClient(self.address)
        for future in admin.create_topics([ForeignTopic(topic, 1, 1, config=options)]).values():
            future.result(BOUND)

    def values(self, topic: str, count: int) -> list[bytes | None]:
        """The first `count` records of the topic."""
        options = {**self.address, "group.id": "reader", "auto.offset.reset": "earliest", "check.crcs": True}
        consumer = confluent_kafka.Consumer(options)
        consumer.assign([confluent_kafka.TopicPartition(topic, 0, 0)])
        found: list[bytes | None] = []
        while len(found) < count:
            messages = consumer.consume(count - len(found), BOUND)
            assert messages, f"{len(found)} of {count} records"
            for message in messages:
                assert message.error() is None, message.error()
                found.append(message.value())
        consumer.close()
        return found

    def put(self, partition: Path) -> None:
        """Puts a partition directory in the place of the one of that name, without what was known of the old one."""
        target = self.data / partition.name
        for pattern in LOG_FILES:
            for stale in target.glob(pattern):
                stale.unlink()
            for file in partition.glob(pattern):
                shutil.copy(file, target)
        for name in CHECKPOINTS:
            (self.data / name).unlink(missing_ok=True)
