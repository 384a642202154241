"""kill -9 of a broker during administration: what was answered is there, what was not is whole or absent.

The metadata log gets a snapshot every few changes and is trimmed behind it, so that kills hit those steps, too.
`SEEDS=n` kills n times, `SEED=s` repeats one run of random moments; `REPORT=file` takes the counts.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent / "broker"))

from raw_client import RawClient

from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from barnabas.protocol.messages.describe_configs import DescribeConfigsRequest
from barnabas.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest

KILLS_BY_DEFAULT = 4
BOUND = 60.0
PARTITIONS = 7
NAMES = [f"topic-{index}" for index in range(12)]

OFTEN = {
    "metadata.log.max.record.bytes.between.snapshots": "3000",
    "metadata.max.retention.bytes": "30000",
    "internal.metadata.log.segment.bytes": "10000",
    "internal.metadata.delete.delay.millis": "0",
}
"""Snapshots and a trimmed log all the time."""

Known = dict[str, Any]
"""Topic -> None if it is not there, else (partitions, value of both options)."""


class Broker:
    """`barnabas broker` on one data directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.process: subprocess.Popen[bytes] | None = None
        self.address = ""

    def start(self) -> None:
        ready = self.directory / "ready"
        ready.unlink(missing_ok=True)
        command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(self.directory / "data")]
        command += ["--listen", "127.0.0.1:0", "--ready-file", str(ready)]
        command += [part for name, value in OFTEN.items() for part in ("--set", f"{name}={value}")]
        with (self.directory / "broker.log").open("ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + BOUND
        while not (ready.exists() and ready.read_text().strip()):
            assert self.process.poll() is None, (self.directory / "broker.log").read_text()[-3000:]
            assert time.monotonic() < deadline, "the broker did not start"
            threading.Event().wait(0.01)
        self.address = ready.read_text().strip()

    def look(self, counts: Counter[str]) -> None:
        """Counts what a kill has left of snapshots."""
        directory = self.directory / "data" / "__cluster_metadata-0"
        counts["snapshots found after a kill"] += len(list(directory.glob("*.checkpoint")))
        counts["snapshots found half written"] += len(list(directory.glob("*.checkpoint.tmp")))
        begins = [int(path.stem) for path in directory.glob("*.log")]
        counts["logs found trimmed"] += bool(begins) and min(begins) > 0

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait(BOUND)
            self.process = None


class Administrator:
    """One client that changes things at random, and knows what it was told."""

    def __init__(self, chance: random.Random, counts: Counter[str]) -> None:
        self.chance = chance
        self.counts = counts
        self.topics: Known = dict.fromkeys(NAMES)
        self.quotas: dict[str, float | None] = {}
        self.credentials: dict[str, int | None] = {}
        self.open: tuple[str, str, Any] | None = None
        """What was asked and not answered: (kind, name, what it would be)."""

    def run(self, address: str, stop: threading.Event) -> None:
        # The broker goes while a request is under way: that is what this is about.
        with contextlib.suppress(OSError), RawClient(address, timeout=BOUND) as client:
            while not stop.is_set():
                self.step(client)

    def step(self, client: RawClient) -> None:
        name = self.chance.choice(NAMES)
        known = self.topics[name]
        kind = self.chance.choice(["topic", "topic", "options", "partitions", "quota", "credential"])
        if kind == "quota":
            value = float(self.chance.randint(1, 1_000_000))
            self._ask("quota", name, value, lambda: self._quota(client, name, value))
        elif kind == "credential":
            iterations = self.chance.randint(4_096, 16_384)
            self._ask("credential", name, iterations, lambda: self._credential(client, name, iterations))
        elif known is None:
            self._ask("topic", name, (PARTITIONS, "1000"), lambda: self._create(client, name))
        elif kind == "topic":
            self._ask("topic", name, None, lambda: self._delete(client, name))
        elif kind == "options":
            value = str(self.chance.randint(1_000, 9_999))
            self._ask("topic", name, (known[0], value), lambda: self._options(client, name, value))
        else:
            count = known[0] + self.chance.randint(1, 5)
            self._ask("topic", name, (count, known[1]), lambda: self._partitions(client, name, count))

    def _ask(self, kind: str, name: str, after: Any, ask: Any) -> None:
        self.open = kind, name, after
        code = ask()
        assert code == 0, (kind, name, code)
        self.counts[f"{kind} changes answered"] += 1
        if kind == "quota":
            self.quotas[name] = after
        elif kind == "credential":
            self.credentials[name] = after
        else:
            self.topics[name] = after
        self.open = None

    @staticmethod
    def _create(client: RawClient, name: str) -> int:
        shape = CreateTopicsRequest
        topic = shape.CreatableTopic(
            name=name,
            num_partitions=PARTITIONS,
            replication_factor=1,
            configs=[shape.CreatableTopicConfig(name=key, value="1000") for key in ("retention.ms", "flush.ms")],
        )
        return int(client.ask(shape(topics=[topic], timeout_ms=30_000)).topics[0].error_code)

    @staticmethod
    def _delete(client: RawClient, name: str) -> int:
        state = DeleteTopicsRequest.DeleteTopicState(name=name)
        return int(client.ask(DeleteTopicsRequest(topics=[state], timeout_ms=30_000)).responses[0].error_code)

    @staticmethod
    def _options(client: RawClient, name: str, value: str) -> int:
        shape = IncrementalAlterConfigsRequest
        configs = [shape.AlterableConfig(name=key, value=value) for key in ("retention.ms", "flush.ms")]
        resource = shape.AlterConfigsResource(resource_type=2, resource_name=name, configs=configs)
        return int(client.ask(shape(resources=[resource])).responses[0].error_code)

    @staticmethod
    def _partitions(client: RawClient, name: str, count: int) -> int:
        topic = CreatePartitionsRequest.CreatePartitionsTopic(name=name, count=count, assignments=None)
        return int(client.ask(CreatePartitionsRequest(topics=[topic], timeout_ms=30_000)).results[0].error_code)

    @staticmethod
    def _quota(client: RawClient, name: str, value: float) -> int:
        shape = AlterClientQuotasRequest
        entity = [shape.EntityData(entity_type="user", entity_name=name)]
        entry = shape.EntryData(entity=entity, ops=[shape.OpData(key="producer_byte_rate", value=value)])
        return int(client.ask(shape(entries=[entry])).entries[0].error_code)

    @staticmethod
    def _credential(client: RawClient, name: str, iterations: int) -> int:
        shape = AlterUserScramCredentialsRequest
        wanted = shape.ScramCredentialUpsertion(
            name=name, mechanism=1, iterations=iterations, salt=b"salt", salted_password=b"p"
        )
        return int(client.ask(shape(upsertions=[wanted])).results[0].error_code)

    def check(self, address: str) -> None:
        """What was answered is there; what was not is there as a whole, or not at all."""
        with RawClient(address, timeout=BOUND) as client:
            topics = {name: state(client, name, found) for name, found in client.topics().items()}
            entries = client.ask(DescribeClientQuotasRequest(components=[])).entries
            users = client.ask(DescribeUserScramCredentialsRequest(users=None)).results
        credentials = {user.user: user.credential_infos[0].iterations for user in users}
        quotas = {entry.entity[0].entity_name: entry.values[0].value for entry in entries}
        for name, known in self.topics.items():
            self._judge("topic", name, known, topics.get(name))
            self.topics[name] = topics.get(name)
        for name in NAMES:
            self._judge("quota", name, self.quotas.get(name), quotas.get(name))
            self.quotas[name] = quotas.get(name)
            self._judge("credential", name, self.credentials.get(name), credentials.get(name))
            self.credentials[name] = credentials.get(name)
        self.open = None

    def _judge(self, kind: str, name: str, known: Any, found: Any) -> None:
        self.counts["states compared"] += 1
        if self.open is not None and self.open[:2] == (kind, name):
            assert found in (known, self.open[2]), f"{kind} {name}: {found} is neither {known} nor {self.open[2]}"
            self.counts["unanswered and whole" if found == self.open[2] else "unanswered and absent"] += 1
        else:
            assert found == known, f"{kind} {name}: {found} is there, {known} was answered"


def state(client: RawClient, name: str, found: Any) -> tuple[int, str]:
    """Returns (partitions, value of both options) of a topic."""
    assert all(part.error_code == 0 and part.leader_id == 1 for part in found.partitions)
    assert sorted(part.partition_index for part in found.partitions) == list(range(len(found.partitions)))
    resource = DescribeConfigsRequest.DescribeConfigsResource(
        resource_type=2, resource_name=name, configuration_keys=["retention.ms", "flush.ms"]
    )
    values = {entry.value for entry in client.ask(DescribeConfigsRequest(resources=[resource])).results[0].configs}
    assert len(values) == 1, f"{name}: its options were changed together and are {values}"
    return len(found.partitions), values.pop()


def test_a_killed_broker_keeps_what_it_answered(tmp_path: Path) -> None:
    kills = int(os.environ.get("SEEDS", KILLS_BY_DEFAULT))
    seed = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))
    print(f"SEED={seed}")
    chance = random.Random(seed)  # noqa: S311 - moments that are to be had again
    counts: Counter[str] = Counter()
    broker = Broker(tmp_path)
    administrator = Administrator(random.Random(seed + 1), counts)  # noqa: S311
    try:
        for _ in range(kills):
            broker.start()
            administrator.check(broker.address)
            stop = threading.Event()
            thread = threading.Thread(target=administrator.run, args=(broker.address, stop), daemon=True)
            thread.start()
            threading.Event().wait(chance.uniform(0.05, 0.6))
            broker.kill()
            broker.look(counts)
            stop.set()
            thread.join(BOUND)
            assert not thread.is_alive()
            counts["kills"] += 1
            if "REPORT" in os.environ:
                # After each kill: a run that is ended early has been what it says.
                known = {"seed": seed, **dict(sorted(counts.items()))}
                Path(os.environ["REPORT"]).write_text(json.dumps(known, indent=1) + "\n")
        broker.start()
        administrator.check(broker.address)
    finally:
        broker.kill()
    assert counts["topic changes answered"] > 0
