"""A model of administration: random requests, late and failed commits, refused appends, reloads; at any point.

Snapshots come every few hundred bytes, are stored late, not at all or only begun, and the log is trimmed behind them;
the records that are gone are kept here, and what is loaded from a snapshot has to be what all of them say.

Invariants: the image is what its records say, read back through the codec; an answered change is in every later image;
a change whose append failed is in none; the data plane, which sees deltas only, has the topics and options of the image;
an answer leaves after its records are committed. `MUTANTS` are seeded defects that the model must catch.
`SEEDS=` chooses how many histories, `REPORT=` writes how often each thing happened.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fake_data_plane import FakeDataPlane

from barnabas.broker.deadlines import Deadlines
from barnabas.broker.metadata import ClusterMetadata
from barnabas.broker.metadata_snapshots import SnapshotFiles, SnapshotId, SnapshotOptions, Snapshots
from barnabas.broker.runtime import Failed, ReplicaState
from barnabas.controller import image as images
from barnabas.controller import snapshot
from barnabas.controller.image import Image
from barnabas.controller.requests import Administer, AllocateProducerIds, NewTopics, RegisterBroker, TopicsToDelete
from barnabas.controller.settings import ControllerSettings
from barnabas.machine import Moment
from barnabas.protocol import codec
from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.incremental_alter_configs import IncrementalAlterConfigsRequest
from barnabas.protocol.messages.update_features import UpdateFeaturesRequest

if TYPE_CHECKING:
    from collections.abc import Callable

SEEDS = int(os.environ.get("SEEDS", "24"))
STEPS = 120
NAMES = [f"t{index}" for index in range(6)]
COUNTS: Counter[str] = Counter()
"""How often each thing happened, and how often each invariant was at stake."""


class Plane(FakeDataPlane):
    """A data plane that keeps what was published, and may lose what was not committed."""

    def __init__(self) -> None:
        super().__init__()
        self.topics: dict[bytes, tuple[str, int, dict[str, str]]] = {}
        self.tokens: dict[int, int] = {}

    def publish(self, delta: list[tuple[Any, ...]], offset: int, epoch: int) -> None:
        assert offset <= self.committed, "published what is not committed"
        for change in delta:
            if change[0] == "topic":
                _, name, topic_id, _, partitions, options = change
                self.topics[topic_id] = name, len(partitions), options
            elif change[0] == "remove_topic":
                self.topics.pop(change[1], None)


class Files(SnapshotFiles):
    """Snapshots in the data plane's memory; a disk may fail."""

    def __init__(self, plane: Plane, chance: random.Random) -> None:
        super().__init__(plane, [])  # type: ignore[arg-type]
        self.plane = plane
        self.chance = chance

    def ids(self) -> list[SnapshotId]:
        parts = (name.removesuffix(".checkpoint").split("-") for name in self.plane.files)
        return sorted(SnapshotId(int(end), int(epoch)) for end, epoch in parts)

    def read(self, snapshot: SnapshotId, size: int = -1) -> bytes:
        del size
        return self.plane.files[snapshot.name]

    def size(self, snapshot: SnapshotId) -> int:
        return len(self.plane.files[snapshot.name])

    def write(self, snapshot: SnapshotId, data: bytes) -> None:
        assert snapshot.end_offset <= self.plane.committed, "a snapshot of what is not committed"
        self._may_fail()
        COUNTS["snapshot written"] += 1
        super().write(snapshot, data)

    def remove(self, snapshot: SnapshotId) -> None:
        self._may_fail()
        COUNTS["snapshot removed"] += 1
        del self.plane.files[snapshot.name]

    def remove_unfinished(self) -> None:
        """Nothing is half written in memory."""

    def _may_fail(self) -> None:
        if self.chance.random() < 0.1:
            COUNTS["disk failed"] += 1
            raise OSError("the disk failed")


class History:
    """One random history of one controller."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a history is to be had again by its seed
        self.plane = Plane()
        self.clock = 0.0
        self.deadlines = Deadlines()
        self.metadata = self._controller()
        self.answered: dict[str, tuple[bool, int]] = {}
        """Topic -> (is there, log's end when that was answered), as told to clients last."""
        self.metadata.replica.load(self.now())
        self.ask(RegisterBroker(1, bytes(16), [("PLAINTEXT", "h", 9092)], None, 0), lambda _answer: None)
        self.commit()

    def _controller(self) -> ClusterMetadata:
        options = SnapshotOptions(bytes_between=self.random.choice([200, 800, 3_000]), retention_bytes=1_000)
        metadata = ClusterMetadata(self.plane, self.deadlines, 1, ControllerSettings(node_id=1), options)  # type: ignore[arg-type]
        metadata.snapshots.files = Files(self.plane, self.random)
        metadata.snapshots.spawn = lambda work: work()
        return metadata

    def now(self) -> Moment:
        return Moment(self.clock, 1_700_000_000_000)

    @property
    def replica(self) -> Any:
        return self.metadata.replica

    def ask(self, request: Any, told: Callable[[Any], None]) -> None:
        end: list[int] = []

        def answer(response: Any) -> None:
            if isinstance(response, Failed):
                COUNTS["refused or lost"] += 1
                return
            COUNTS["answered"] += 1
            # Answered within the request: all that was appended by then had to be committed.
            needed = end[0] if end else len(self.plane.records)
            assert self.plane.committed >= needed, "answered before its records were committed"
            told(response)

        self.metadata.submit(request, self.now(), answer)
        end.append(len(self.plane.records))

    # What may happen.

    def commit(self) -> None:
        if self.replica.state is ReplicaState.ACTIVE and self.plane.committed < len(self.plane.records):
            self.plane.committed = len(self.plane.records)
            COUNTS["committed"] += 1
            self.replica.on_appended(self.plane.committed - 1, 0, self.now())

    def write_snapshot(self) -> None:
        """The control thread goes on with a snapshot; it may be stopped in the middle at any time."""
        if self.metadata.snapshots.wants_slice:
            COUNTS["snapshot sliced"] += 1
            self.metadata.snapshots.run_slice(self.now())

    def fail(self) -> None:
        """The append fails behind its back: what is not committed is gone."""
        if self.replica.state is ReplicaState.ACTIVE and self.plane.committed < len(self.plane.records):
            COUNTS["append failed"] += 1
            del self.plane.records[self.plane.committed :]
            self.replica.on_appended(self.plane.committed, 56, self.now())
            self.reload()

    def refuse(self) -> None:
        """The next append is refused at once."""
        self.plane.refuses = True
        self.administer()
        self.plane.refuses = False
        if self.replica.state is ReplicaState.LOADING:
            COUNTS["append refused"] += 1
            del self.plane.records[self.plane.committed :]
            self.reload()

    def reload(self) -> None:
        """Loads again, with what the disk has."""
        before = describe(self._replayed(self.plane.committed))
        if self.plane.log_start:
            COUNTS["loaded from a snapshot after trimming"] += 1
        self.clock += 60_000
        self.replica.load(self.now())
        while self.replica.state is ReplicaState.LOADING:
            if self.replica.wants_slice:
                self.replica.run_slice(self.now())
                continue
            token, offset = self.plane.reads[-1]
            assert self.replica.owns_read(token)
            end = min(len(self.plane.records), offset + self.random.randint(1, 40))
            self.replica.on_read(0, f"{offset}-{end}".encode(), end, self.now())
        COUNTS["loaded again"] += 1
        assert describe(self.metadata.image) == before

    def restart(self) -> None:
        """The process dies: what is not committed may be on disk or not."""
        keep = self.random.choice([self.plane.committed, len(self.plane.records)])
        del self.plane.records[keep:]
        self.plane.committed = keep
        self.plane.topics.clear()
        self.replica.drop(self.now(), "the process died")
        self.deadlines = Deadlines()
        self.metadata = self._controller()
        COUNTS["restarted"] += 1
        self.reload()

    def administer(self) -> None:
        self.random.choice(
            [
                self.create,
                self.create,
                self.delete,
                self.add_partitions,
                self.change_topic,
                self.change_broker,
                self.change_group,
                self.quota,
                self.credential,
                self.feature,
                self.producer_ids,
            ]
        )()

    def create(self) -> None:
        name = self.random.choice(NAMES)
        configs = [("retention.ms", "5"), ("nope", "1"), ("max.message.bytes", "77"), None]
        chosen = self.random.choice(configs)
        topic = CreateTopicsRequest.CreatableTopic(
            name=name,
            num_partitions=self.random.choice([1, 2, 3, 0]),
            replication_factor=self.random.choice([1, 1, 1, 2]),
            configs=[]
            if chosen is None
            else [CreateTopicsRequest.CreatableTopicConfig(name=chosen[0], value=chosen[1])],
        )
        topic_id = self.random.randbytes(16)
        message = CreateTopicsRequest(topics=[topic], validate_only=self.random.random() < 0.1)

        def told(response: Any) -> None:
            if response.topics[0].error_code == 0 and not message.validate_only:
                COUNTS["topic created"] += 1
                self.answered[name] = True, self.plane.committed

        self.ask(NewTopics(message, [topic_id]), told)

    def delete(self) -> None:
        name = self.random.choice(NAMES)
        message = DeleteTopicsRequest(topics=[DeleteTopicsRequest.DeleteTopicState(name=name)])

        def told(results: Any) -> None:
            if results[0].error_code == 0:
                COUNTS["topic deleted"] += 1
                self.answered[name] = False, self.plane.committed

        self.ask(TopicsToDelete(message), told)

    def add_partitions(self) -> None:
        topic = CreatePartitionsRequest.CreatePartitionsTopic(
            name=self.random.choice(NAMES), count=self.random.randint(0, 6), assignments=None
        )
        self.ask(Administer(CreatePartitionsRequest(topics=[topic])), lambda _answer: None)

    def _change(self, kind: int, name: str, option: str, value: str | None) -> None:
        shape = IncrementalAlterConfigsRequest
        config = shape.AlterableConfig(name=option, value=value, config_operation=0 if value is not None else 1)
        resource = shape.AlterConfigsResource(resource_type=kind, resource_name=name, configs=[config])
        self.ask(Administer(shape(resources=[resource])), lambda _answer: COUNTS.update(["options changed"]))

    def change_topic(self) -> None:
        value = self.random.choice(["1", "2", "x", None])
        self._change(2, self.random.choice(NAMES), self.random.choice(["retention.ms", "flush.ms"]), value)

    def change_broker(self) -> None:
        option = self.random.choice(["log.retention.ms", "message.max.bytes", "log.cleaner.threads", "node.id"])
        self._change(4, self.random.choice(["", "1"]), option, self.random.choice(["1", "2", None]))

    def change_group(self) -> None:
        value = self.random.choice(["50000", "1", None])
        self._change(32, self.random.choice(["g", "h"]), "consumer.session.timeout.ms", value)

    def quota(self) -> None:
        shape = AlterClientQuotasRequest
        entity = [shape.EntityData(entity_type="user", entity_name=self.random.choice(["u", None]))]
        op = shape.OpData(
            key="producer_byte_rate", value=float(self.random.randint(0, 3)), remove=self.random.random() < 0.3
        )
        entry = shape.EntryData(entity=entity, ops=[op])
        self.ask(Administer(shape(entries=[entry])), lambda _answer: COUNTS.update(["quota changed"]))

    def credential(self) -> None:
        shape = AlterUserScramCredentialsRequest
        put = shape.ScramCredentialUpsertion(name="u", mechanism=1, iterations=4096, salt=b"s", salted_password=b"p")
        gone = shape.ScramCredentialDeletion(name="u", mechanism=1)
        message = self.random.choice([shape(upsertions=[put]), shape(deletions=[gone])])
        self.ask(Administer(message), lambda _answer: COUNTS.update(["credential changed"]))

    def feature(self) -> None:
        level = self.random.choice([0, 1, 2])
        update = UpdateFeaturesRequest.FeatureUpdateKey(
            feature="group.version", max_version_level=level, upgrade_type=self.random.choice([1, 2])
        )
        self.ask(Administer(UpdateFeaturesRequest(feature_updates=[update])), lambda _answer: None)

    def producer_ids(self) -> None:
        self.ask(AllocateProducerIds(1), lambda _answer: None)

    # Invariants.

    def _replayed(self, end: int) -> Image:
        """Returns the image that records make, read back from their bytes; also of those that the log has no more."""
        image = Image()
        for offset, (_, value) in enumerate(self.plane.records[:end]):
            if offset not in self.plane.controls:
                image.replay(codec.decode_metadata_record(value or b"")[0], offset)
        return image

    def check(self) -> None:
        if self.replica.state is not ReplicaState.ACTIVE:
            return
        COUNTS["image compared"] += 1
        assert describe(self.metadata.image) == describe(self._replayed(len(self.plane.records)))
        committed = self._replayed(self.plane.committed)
        for name, (is_there, end) in self.answered.items():
            at_answer = self._replayed(end)
            assert (name in at_answer.topics) == is_there, f"{name} was answered otherwise"
        if self.plane.committed == len(self.plane.records):
            COUNTS["data plane compared"] += 1
            told = {name: (count, options) for name, count, options in self.plane.topics.values()}
            expected = {
                name: (len(topic.partitions), with_defaults(committed, name))
                for name, topic in committed.topics.items()
            }
            assert told == expected

    def run(self) -> None:
        for _ in range(STEPS):
            step = self.random.choices(
                [self.administer, self.commit, self.write_snapshot, self.fail, self.refuse, self.restart],
                [60, 30, 20, 4, 4, 2],
            )[0]
            step()
            self.check()
        self.commit()
        self.check()


def with_defaults(image: Image, name: str) -> dict[str, str]:
    """Returns a topic's options as logs are told them, put together here in another way than by the broker."""
    told = {"min.insync.replicas": "1"}
    for level in ("", "1"):
        for option, topic_option in (("log.retention.ms", "retention.ms"), ("message.max.bytes", "max.message.bytes")):
            value = image.configs.get((4, level), {}).get(option)
            if value is not None:
                told[topic_option] = value
    return {**told, **image.topic_config(name)}


def describe(image: Image) -> dict[str, Any]:
    """Returns everything that an image says."""
    return {
        "topics": {name: (topic.topic_id, topic.partitions) for name, topic in image.topics.items()},
        "names": dict(image.topic_names),
        "configs": {key: dict(configs) for key, configs in image.configs.items()},
        "brokers": dict(image.brokers),
        "features": dict(image.features),
        "producer ids": image.next_producer_id,
        "quotas": {entity: dict(values) for entity, values in image.quotas.items()},
        "scram": {key: repr(record) for key, record in image.scram.items()},
    }


@pytest.mark.parametrize("block", range(4))
def test_random_administration(block: int) -> None:
    for seed in range(block, SEEDS, 4):
        try:
            History(seed).run()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
    report = os.environ.get("REPORT")
    if report:
        path = Path(report)
        known = Counter(json.loads(path.read_text())["counts"]) if path.exists() and block else Counter()
        known.update(COUNTS)
        path.write_text(
            json.dumps({"seeds": SEEDS, "steps": STEPS, "counts": dict(sorted(known.items()))}, indent=1) + "\n"
        )
        COUNTS.clear()


def _keeps_configs(image: Image, record: Any, _offset: int) -> None:
    topic = image.topic_by_id(record.topic_id)
    if topic is not None:
        del image.topics[topic.name], image.topic_names[topic.topic_id]


def _changes_nothing_on_logs(image: Image, record: Any, _offset: int) -> None:
    key = (record.resource_type, record.resource_name)
    config = image.configs.setdefault(key, {})
    if record.value is None:
        config.pop(record.name, None)
    else:
        config[record.name] = record.value
    if not config:
        del image.configs[key]


MUTANTS: dict[str, tuple[str, Callable[..., None]]] = {
    "a deleted topic stays in the data plane": ("_remove_topic", _keeps_configs),
    "changed options do not reach the data plane": ("_config", _changes_nothing_on_logs),
}


@pytest.mark.parametrize("name", sorted(MUTANTS))
def test_seeded_defects_are_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    method, defect = MUTANTS[name]
    monkeypatch.setattr(images.Image, method, defect)
    assert is_caught()


def test_a_snapshot_that_forgets_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "_configs", lambda _image: iter(()))
    assert is_caught()


def test_a_snapshot_of_what_is_not_committed_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Snapshots.appended

    def appended(self: Any, image: Any, end_offset: int, epoch: int) -> None:
        original(self, image, end_offset, epoch)
        self.committed(end_offset)

    monkeypatch.setattr(Snapshots, "appended", appended)
    assert is_caught()


def test_answers_that_do_not_wait_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    import barnabas.controller.controller as controllers  # noqa: PLC0415

    original = controllers.Reply
    monkeypatch.setattr(controllers, "Reply", lambda token, message: original(token, message, waits=False))
    assert is_caught()


def test_a_handler_that_changes_the_image_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    import barnabas.controller.controller as controllers  # noqa: PLC0415

    original = controllers.Controller._allocate_producer_ids

    def allocate(self: Any, request: Any) -> Any:
        answer = original(self, request)
        self.image.features["touched"] = 1
        return answer

    monkeypatch.setattr(controllers.Controller, "_allocate_producer_ids", allocate)
    assert is_caught()


def is_caught() -> bool:
    for seed in range(20):
        try:
            History(seed).run()
        except (AssertionError, KeyError):
            return True
    return False
