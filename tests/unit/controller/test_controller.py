"""The controller: requests to records and answers, records to the image, the image to what the data plane is told."""

from __future__ import annotations

from typing import Any

import pytest

from barnabas import errors
from barnabas.controller.controller import Controller, record_version
from barnabas.controller.image import Image
from barnabas.controller.requests import AllocateProducerIds, NewTopics, RegisterBroker, TopicsToDelete
from barnabas.controller.settings import ControllerSettings
from barnabas.machine import Caller, Moment
from barnabas.protocol import codec
from barnabas.protocol.messages.begin_transaction_record import BeginTransactionRecord
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.create_topics import CreateTopicsRequest, CreateTopicsResponse
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.end_transaction_record import EndTransactionRecord
from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
from barnabas.protocol.messages.partition_record import PartitionRecord
from barnabas.protocol.messages.remove_topic_record import RemoveTopicRecord
from barnabas.protocol.messages.topic_record import TopicRecord

ENDPOINTS = [("PLAINTEXT", "localhost", 9092)]
NOW = Moment(0.0, 1_700_000_000_000)


class VirtualController:
    """The controller under the runtime's rules, with its log in a list."""

    def __init__(self, nodes: tuple[int, ...] = (1,), **settings: Any) -> None:
        self.settings = ControllerSettings(**settings)
        self.controller = Controller(self.settings)
        self.log: list[Any] = []
        self.append(self.controller.loaded(NOW).records)
        for node in nodes:
            self.ask(RegisterBroker(node, bytes([node] * 16), ENDPOINTS, None, len(self.log)))
        self.image.take_delta()

    @property
    def image(self) -> Image:
        return self.controller.image

    def ask(self, request: Any) -> Any:
        result = self.controller.handle(Caller(1, 0), request, NOW)
        self.append(result.records)
        (reply,) = result.replies
        return reply.message

    def append(self, records: list[Any]) -> None:
        for record in records:
            self.controller.replay(record, len(self.log))
            self.log.append(record)

    def create(self, *topics: CreateTopicsRequest.CreatableTopic, validate_only: bool = False) -> list[Any]:
        ids = [bytes([len(self.log), index] * 8) for index in range(len(topics))]
        response = self.ask(NewTopics(CreateTopicsRequest(topics=list(topics), validate_only=validate_only), ids))
        return list(response.topics)

    def delete(self, *topics: DeleteTopicsRequest.DeleteTopicState) -> list[Any]:
        return list(self.ask(TopicsToDelete(DeleteTopicsRequest(topics=list(topics)))))


def topic(name: str, partitions: int = -1, factor: int = -1, **fields: Any) -> CreateTopicsRequest.CreatableTopic:
    configs = [
        CreateTopicsRequest.CreatableTopicConfig(name=key, value=value)
        for key, value in fields.pop("configs", {}).items()
    ]
    assignments = [
        CreateTopicsRequest.CreatableReplicaAssignment(partition_index=index, broker_ids=list(nodes))
        for index, nodes in fields.pop("assignments", [])
    ]
    return CreateTopicsRequest.CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=factor,
        configs=configs,
        assignments=assignments,
    )


def test_an_empty_log_begins_as_kafkas_and_one_that_is_not_goes_on() -> None:
    virtual = VirtualController()
    assert virtual.log[:6] == [
        BeginTransactionRecord(name="Bootstrap records"),
        FeatureLevelRecord(name="metadata.version", feature_level=30),
        FeatureLevelRecord(name="eligible.leader.replicas.version", feature_level=1),
        FeatureLevelRecord(name="group.version", feature_level=1),
        ConfigRecord(resource_type=4, resource_name="", name="min.insync.replicas", value="1"),
        EndTransactionRecord(),
    ]
    kinds = ["RegisterBrokerRecord", "BrokerRegistrationChangeRecord"]
    assert [type(record).__name__ for record in virtual.log[6:]] == kinds
    assert virtual.controller.loaded(NOW).records == []
    epoch = virtual.ask(RegisterBroker(1, bytes(16), ENDPOINTS, "r1", len(virtual.log)))
    assert epoch == 8 == virtual.image.brokers[1].epoch
    assert not virtual.image.brokers[1].fenced
    assert virtual.image.take_delta() == [("broker", 1, "r1", ENDPOINTS)]
    assert len(virtual.log) == 10


def test_a_bootstrap_that_was_cut_off_is_given_up_and_begun_again() -> None:
    controller = Controller(
        ControllerSettings(), lambda: [FeatureLevelRecord(name="metadata.version", feature_level=25)]
    )
    for record in (BeginTransactionRecord(), FeatureLevelRecord(name="metadata.version", feature_level=9)):
        controller.replay(record, 0)
    records = controller.loaded(NOW).records
    assert [type(record).__name__ for record in records] == [
        "AbortTransactionRecord",
        "BeginTransactionRecord",
        "FeatureLevelRecord",
        "EndTransactionRecord",
    ]
    for record in records:
        controller.replay(record, 0)
    assert controller.image.features == {"metadata.version": 25}
    assert controller.image.configs == {}, "no eligible replicas, and nothing that they would need"


def test_created_topic_has_records_an_answer_and_a_delta() -> None:
    virtual = VirtualController()
    start = len(virtual.log)
    (created,) = virtual.create(topic("orders", 2, 1, configs={"retention.ms": "1000"}))
    topic_id = created.topic_id
    assert (created.error_code, created.num_partitions, created.replication_factor) == (0, 2, 1)
    settings = {config.name: (config.value, config.config_source) for config in created.configs}
    assert settings["retention.ms"] == ("1000", 1)
    assert settings["cleanup.policy"] == ("delete", 5)
    assert virtual.log[start:] == [
        TopicRecord(name="orders", topic_id=topic_id),
        ConfigRecord(resource_type=2, resource_name="orders", name="retention.ms", value="1000"),
        *(
            PartitionRecord(
                partition_id=index,
                topic_id=topic_id,
                replicas=[1],
                isr=[1],
                leader=1,
                leader_epoch=0,
                partition_epoch=0,
                directories=[bytes(16)],
            )
            for index in range(2)
        ),
    ]
    partitions = [(0, 1, 0, [1], [1], ([], [])), (1, 1, 0, [1], [1], ([], []))]
    assert virtual.image.take_delta() == [
        ("topic", "orders", topic_id, False, partitions, {"retention.ms": "1000"}),
    ]
    assert virtual.image.take_delta() == []


def test_minus_one_means_the_brokers_defaults() -> None:
    virtual = VirtualController(partition_count=3, static_options={"log.retention.ms": "5"})
    (created,) = virtual.create(topic("orders"))
    assert (created.num_partitions, created.replication_factor) == (3, 1)
    assert {c.name: (c.value, c.config_source) for c in created.configs}["retention.ms"] == ("5", 4)


def test_replicas_are_spread_over_the_brokers() -> None:
    virtual = VirtualController(nodes=(1, 2, 3))
    virtual.create(topic("orders", 3, 2))
    replicas = [partition.replicas for partition in virtual.image.topics["orders"].partitions.values()]
    assert sorted(nodes[0] for nodes in replicas) == [1, 2, 3]
    assert all(len(set(nodes)) == 2 for nodes in replicas)


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        (topic(""), errors.InvalidTopicError, "Topic name is invalid: the empty string is not allowed"),
        (topic(".."), errors.InvalidTopicError, "Topic name is invalid: '..' is not allowed"),
        (
            topic("no spaces"),
            errors.InvalidTopicError,
            (
                "Topic name is invalid: 'no spaces' contains one or more characters other than ASCII alphanumerics, '.', "
                "'_' and '-'"
            ),
        ),
        (
            topic("x" * 250),
            errors.InvalidTopicError,
            f"Topic name is invalid: the length of '{'x' * 250}' is longer than the max allowed length 249",
        ),
        (topic("there"), errors.TopicAlreadyExistsError, "Topic 'there' already exists."),
        (topic("a_b"), errors.InvalidTopicError, "Topic 'a_b' collides with existing topic: a.b"),
        (
            topic("__cluster_metadata"),
            errors.InvalidRequestError,
            "Creation of internal topic __cluster_metadata is prohibited.",
        ),
        (
            topic("t", 0),
            errors.InvalidPartitionsError,
            "Number of partitions was set to an invalid non-positive value.",
        ),
        (
            topic("t", 1, 0),
            errors.InvalidReplicationFactorError,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        ),
        (
            topic("t", 1, 2),
            errors.InvalidReplicationFactorError,
            (
                "Unable to replicate the partition 2 time(s): The target replication factor of 2 cannot be reached because "
                "only 1 broker(s) are registered or some brokers have all their log directories cordoned."
            ),
        ),
        (topic("t", configs={"no.such": "1"}), errors.InvalidConfigError, "Unknown topic config name: no.such"),
        (
            topic("t", configs={"retention.ms": "x"}),
            errors.InvalidConfigError,
            "Invalid value x for configuration retention.ms: Not a number of type LONG",
        ),
        (
            topic("t", configs={"segment.bytes": "1"}),
            errors.InvalidConfigError,
            "Invalid value 1 for configuration segment.bytes: Value must be at least 1048576",
        ),
        (
            topic("t", configs={"retention.ms": None}),
            errors.InvalidConfigError,
            "Null value not supported for topic configs: retention.ms",
        ),
        (
            topic("t", 1, assignments=[(0, [1])]),
            errors.InvalidRequestError,
            "A manual partition assignment was specified, but numPartitions was not set to -1.",
        ),
        (
            topic("t", -1, 1, assignments=[(0, [1])]),
            errors.InvalidRequestError,
            "A manual partition assignment was specified, but replication factor was not set to -1.",
        ),
        (
            topic("t", assignments=[(0, [1]), (0, [1])]),
            errors.InvalidReplicaAssignmentError,
            "Found multiple manual partition assignments for partition 0",
        ),
        (
            topic("t", assignments=[(1, [1])]),
            errors.InvalidReplicaAssignmentError,
            "partitions should be a consecutive 0-based integer sequence",
        ),
        (
            topic("t", assignments=[(0, [9])]),
            errors.InvalidReplicaAssignmentError,
            "The manual partition assignment includes broker 9, but no such broker is registered.",
        ),
        (
            topic("t", assignments=[(0, [1, 1])]),
            errors.InvalidReplicaAssignmentError,
            "The manual partition assignment includes the broker 1 more than once.",
        ),
        (
            topic("t", assignments=[(0, [])]),
            errors.InvalidReplicaAssignmentError,
            "The manual partition assignment includes an empty replica list.",
        ),
        (
            topic("t", 10_001),
            errors.PolicyViolationError,
            "Excessively large number of partitions per request: at most 10000.",
        ),
    ],
)
def test_topics_that_are_refused(wanted: Any, error: type[errors.KafkaError], message: str) -> None:
    virtual = VirtualController()
    virtual.create(topic("there"), topic("a.b"))
    count = len(virtual.log)
    assert virtual.create(wanted) == [
        CreateTopicsResponse.CreatableTopicResult(name=wanted.name, error_code=error.code, error_message=message),
    ]
    assert len(virtual.log) == count


def test_one_bad_topic_does_not_hinder_the_others() -> None:
    virtual = VirtualController()
    codes = [result.error_code for result in virtual.create(topic("good"), topic("bad!"), topic("also.good"))]
    assert codes == [0, errors.InvalidTopicError.code, 0]
    assert set(virtual.image.topics) == {"good", "also.good"}


def test_names_in_one_request_may_not_repeat() -> None:
    virtual = VirtualController()
    results = virtual.create(topic("twice"), topic("twice"), topic("once"))
    assert [(result.name, result.error_code, result.error_message) for result in results] == [
        ("once", 0, None),
        ("twice", errors.InvalidRequestError.code, "Duplicate topic name."),
    ]


def test_validate_only_changes_nothing() -> None:
    virtual = VirtualController()
    count = len(virtual.log)
    (created,) = virtual.create(topic("orders", 2), validate_only=True)
    assert (created.error_code, created.num_partitions) == (0, 2)
    assert len(virtual.log) == count


def test_manual_assignment_is_kept() -> None:
    virtual = VirtualController(nodes=(1, 2))
    virtual.create(topic("orders", assignments=[(1, [1, 2]), (0, [2, 1])]))
    partitions = virtual.image.topics["orders"].partitions
    assert {index: (part.leader, part.replicas) for index, part in partitions.items()} == {
        0: (2, (2, 1)),
        1: (1, (1, 2)),
    }


def test_topics_are_deleted_by_name_and_by_id() -> None:
    virtual = VirtualController()
    by_name, by_id = virtual.create(topic("a", configs={"retention.ms": "1"}), topic("b"))
    virtual.image.take_delta()
    state = DeleteTopicsRequest.DeleteTopicState
    results = virtual.delete(state(name="a"), state(name=None, topic_id=by_id.topic_id))
    assert [(result.name, result.topic_id, result.error_code) for result in results] == [
        ("a", by_name.topic_id, 0),
        ("b", by_id.topic_id, 0),
    ]
    assert virtual.log[-2:] == [
        RemoveTopicRecord(topic_id=by_name.topic_id),
        RemoveTopicRecord(topic_id=by_id.topic_id),
    ]
    assert (virtual.image.topics, virtual.image.topic_config("a")) == ({}, {})
    assert virtual.image.take_delta() == [("remove_topic", by_name.topic_id), ("remove_topic", by_id.topic_id)]


def test_deletions_that_are_refused() -> None:
    virtual = VirtualController()
    (created,) = virtual.create(topic("a"))
    state = DeleteTopicsRequest.DeleteTopicState
    results = virtual.delete(
        state(name="missing"),
        state(name=None, topic_id=bytes([9] * 16)),
        state(name="a", topic_id=created.topic_id),
        state(name=None),
    )
    assert [result.error_code for result in results] == [
        errors.UnknownTopicOrPartitionError.code,
        errors.UnknownTopicIdError.code,
        errors.InvalidRequestError.code,
        errors.InvalidRequestError.code,
    ]
    for twice in (
        [state(name="a"), state(name="a")],
        [state(name=None, topic_id=created.topic_id), state(name=None, topic_id=created.topic_id)],
        [state(name="a"), state(name=None, topic_id=created.topic_id)],
    ):
        assert {result.error_code for result in virtual.delete(*twice)} == {errors.InvalidRequestError.code}
    assert set(virtual.image.topics) == {"a"}
    disabled = VirtualController(delete_topic_enable=False)
    disabled.create(topic("a"))
    assert disabled.delete(state(name="a"))[0].error_code == errors.TopicDeletionDisabledError.code


def test_topic_created_again_is_another_topic() -> None:
    virtual = VirtualController()
    (old,) = virtual.create(topic("a"))
    virtual.image.take_delta()
    virtual.delete(DeleteTopicsRequest.DeleteTopicState(name="a"))
    (new,) = virtual.create(topic("a"))
    assert [(*change[:1], change[1] if len(change) == 2 else change[2]) for change in virtual.image.take_delta()] == [
        ("remove_topic", old.topic_id),
        ("topic", new.topic_id),
    ]


def test_producer_ids_come_in_blocks_that_are_never_given_twice() -> None:
    virtual = VirtualController()
    assert virtual.ask(AllocateProducerIds(1)) == (0, 1000)
    assert virtual.ask(AllocateProducerIds(1)) == (1000, 1000)
    again = Controller(virtual.settings)
    for offset, record in enumerate(virtual.log):
        again.replay(record, offset)
    assert again.image.next_producer_id == 2000


def test_replay_rebuilds_the_image() -> None:
    virtual = VirtualController()
    virtual.create(topic("a", 2), topic("b", configs={"cleanup.policy": "compact"}), topic("c"))
    virtual.delete(DeleteTopicsRequest.DeleteTopicState(name="a"))
    virtual.ask(AllocateProducerIds(1))
    again = Image()
    for offset, record in enumerate(virtual.log):
        again.replay(record, offset)
    for name in ("topics", "topic_names", "configs", "brokers", "features", "next_producer_id"):
        assert getattr(again, name) == getattr(virtual.image, name)


def test_records_are_written_in_the_versions_of_kafka_4_3() -> None:
    virtual = VirtualController()
    virtual.create(topic("a"))
    assert {type(record).__name__: record_version(record) for record in virtual.log} == {
        "BeginTransactionRecord": 0,
        "BrokerRegistrationChangeRecord": 0,
        "ConfigRecord": 0,
        "EndTransactionRecord": 0,
        "FeatureLevelRecord": 0,
        "RegisterBrokerRecord": 4,
        "TopicRecord": 0,
        "PartitionRecord": 2,
    }


@pytest.mark.parametrize(("level", "versions"), [(7, (0, 1)), (8, (0, 2)), (17, (1, 3)), (23, (2, 3)), (30, (2, 4))])
def test_records_are_written_as_the_metadata_version_of_the_cluster_wants(
    level: int, versions: tuple[int, int]
) -> None:
    virtual = VirtualController()
    virtual.append([FeatureLevelRecord(name="metadata.version", feature_level=level)])
    virtual.ask(RegisterBroker(1, bytes(16), ENDPOINTS, None, 9, [bytes([5] * 16)]))
    virtual.create(topic("a"))
    records = {type(record).__name__: record for record in virtual.log}
    wanted = dict(zip(("PartitionRecord", "RegisterBrokerRecord"), versions, strict=True))
    for name, version in wanted.items():
        assert record_version(records[name], level) == version
        assert codec.decode_metadata_record(codec.encode_metadata_record(records[name], version)) == (
            records[name],
            version,
        )
    assert records["PartitionRecord"].directories == ([bytes([5] * 16)] if versions[0] else [])
