"""Partitions, leaders, features, quotas and credentials: requests to records, records to the image."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest
from test_alter_configs import Cluster

from barnabas import errors
from barnabas.controller.image import Image
from barnabas.controller.requests import Administer, RegisterBroker
from barnabas.protocol.messages.abort_transaction_record import AbortTransactionRecord
from barnabas.protocol.messages.alter_client_quotas import AlterClientQuotasRequest
from barnabas.protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
from barnabas.protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
from barnabas.protocol.messages.begin_transaction_record import BeginTransactionRecord
from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
from barnabas.protocol.messages.describe_client_quotas import DescribeClientQuotasRequest
from barnabas.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest
from barnabas.protocol.messages.elect_leaders import ElectLeadersRequest
from barnabas.protocol.messages.end_transaction_record import EndTransactionRecord
from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
from barnabas.protocol.messages.partition_change_record import PartitionChangeRecord
from barnabas.protocol.messages.unregister_broker import UnregisterBrokerRequest
from barnabas.protocol.messages.update_features import UpdateFeaturesRequest


def ask(cluster: Cluster, message: Any) -> Any:
    return cluster.ask(Administer(message))


def more(name: str, count: int, assignments: list[list[int]] | None = None) -> CreatePartitionsRequest:
    shape = CreatePartitionsRequest
    some = (
        None if assignments is None else [shape.CreatePartitionsAssignment(broker_ids=nodes) for nodes in assignments]
    )
    return shape(topics=[shape.CreatePartitionsTopic(name=name, count=count, assignments=some)])


def test_partitions_are_added_behind_those_that_are_there() -> None:
    cluster = Cluster()
    (result,) = ask(cluster, more("t", 3)).results
    assert result.error_code == 0
    partitions = cluster.controller.image.topics["t"].partitions
    assert {number: partition.leader for number, partition in partitions.items()} == {0: 1, 1: 1, 2: 1}
    (change,) = cluster.take_delta()
    assert [partition[0] for partition in change[4]] == [0, 1, 2]


@pytest.mark.parametrize(
    ("message", "error"),
    [
        (more("u", 2), errors.UnknownTopicOrPartitionError),
        (more("t", 1), errors.InvalidPartitionsError),
        (more("t", 0), errors.InvalidPartitionsError),
        (more("t", 2, [[9]]), errors.InvalidReplicaAssignmentError),
        (more("t", 2, [[]]), errors.InvalidReplicaAssignmentError),
        (more("t", 2, [[1], [1]]), errors.InvalidReplicaAssignmentError),
        (more("t", 100_000), errors.UnknownServerError),
    ],
)
def test_partitions_that_cannot_be_added(message: Any, error: type[errors.KafkaError]) -> None:
    cluster = Cluster()
    before = len(cluster.log)
    (result,) = ask(cluster, message).results
    assert result.error_code == error.code
    assert len(cluster.log) == before


def test_a_leader_that_leads_is_not_elected() -> None:
    cluster = Cluster()
    wanted = [ElectLeadersRequest.TopicPartitions(topic="t", partitions=[0, 5])]
    (result,) = ask(cluster, ElectLeadersRequest(topic_partitions=wanted)).replica_election_results
    assert [part.error_code for part in result.partition_result] == [84, 3]


def test_cancelling_without_a_reassignment() -> None:
    cluster = Cluster()
    shape = AlterPartitionReassignmentsRequest
    partition = shape.ReassignablePartition(partition_index=0, replicas=None)
    topics = [shape.ReassignableTopic(name="t", partitions=[partition])]
    (result,) = ask(cluster, shape(topics=topics)).responses
    assert result.partitions[0].error_code == errors.NoReassignmentInProgressError.code


def update(*changes: tuple[str, int, int]) -> UpdateFeaturesRequest:
    return UpdateFeaturesRequest(
        feature_updates=[
            UpdateFeaturesRequest.FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind)
            for name, level, kind in changes
        ]
    )


def test_features_change_together_or_not_at_all() -> None:
    cluster = Cluster()
    assert ask(cluster, update(("group.version", 0, 2), ("nope", 1, 1))).error_code == 95
    assert cluster.controller.image.features["group.version"] == 1
    assert ask(cluster, update(("group.version", 0, 2))).error_code == 0
    assert "group.version" not in cluster.controller.image.features
    assert ask(cluster, update(("group.version", 1, 2))).error_code == 95
    assert ask(cluster, update(("group.version", 1, 1))).error_code == 0
    assert cluster.controller.image.features["group.version"] == 1


def test_voters_come_with_their_feature_and_stay() -> None:
    cluster = Cluster()
    image = cluster.controller.image
    assert ask(cluster, update(("kraft.version", 2, 1))).error_code == 95
    assert ask(cluster, update(("group.version", 0, 2), ("kraft.version", 1, 1))).error_code == 0
    assert [type(record).__name__ for record in cluster.log[-3:]] == [
        "KRaftVersionRecord", "VotersRecord", "FeatureLevelRecord",
    ]  # fmt: skip
    assert image.kraft_version == 1
    assert image.voters is not None
    assert [voter.voter_id for voter in image.voters.voters] == [1]
    before = len(cluster.log)
    assert ask(cluster, update(("kraft.version", 1, 1))).error_code == 0
    assert ask(cluster, update(("kraft.version", 0, 2))).error_code == 95
    assert len(cluster.log) == before


def test_eligible_replicas_go_by_one_value_for_all_brokers() -> None:
    cluster = Cluster(min_insync_replicas="2")
    level = "eligible.leader.replicas.version"
    assert ask(cluster, update((level, 0, 2))).error_code == 0
    assert cluster.change(4, "1", ("min.insync.replicas", 0, "3")) == 0
    assert cluster.change(4, "", ("min.insync.replicas", 1, None)) == 0
    assert ask(cluster, update((level, 1, 1))).error_code == 0
    assert cluster.controller.image.configs[4, ""] == {"min.insync.replicas": "2"}
    assert (4, "1") not in cluster.controller.image.configs


def test_a_broker_that_is_unregistered_leads_nothing_until_it_registers_again() -> None:
    cluster = Cluster()
    image = cluster.controller.image
    assert ask(cluster, UnregisterBrokerRequest(broker_id=2)).error_code == errors.BrokerIdNotRegisteredError.code
    assert ask(cluster, UnregisterBrokerRequest(broker_id=1)).error_code == 0
    assert ("remove_broker", 1) in cluster.take_delta()
    partition = image.topics["t"].partitions[0]
    assert (image.brokers, partition.leader, partition.isr, partition.elr) == ({}, -1, (), (1,))
    assert ask(cluster, UnregisterBrokerRequest(broker_id=1)).error_code == errors.BrokerIdNotRegisteredError.code
    cluster.ask(RegisterBroker(1, bytes(16), [("PLAINTEXT", "localhost", 9092)], None, 0))
    partition = image.topics["t"].partitions[0]
    assert (partition.leader, partition.isr, partition.elr) == (1, (1,), ())


def quota(parts: dict[str, str | None], key: str, value: float | None) -> AlterClientQuotasRequest:
    shape = AlterClientQuotasRequest
    entity = [shape.EntityData(entity_type=kind, entity_name=name) for kind, name in parts.items()]
    op = shape.OpData(key=key, value=value or 0.0, remove=value is None)
    return shape(entries=[shape.EntryData(entity=entity, ops=[op])])


def test_quotas_are_stored_told_and_removed() -> None:
    cluster = Cluster()
    entity: dict[str, str | None] = {"user": "u", "client-id": None}
    (result,) = ask(cluster, quota(entity, "producer_byte_rate", 10.0)).entries
    assert result.error_code == 0
    (entry,) = ask(cluster, DescribeClientQuotasRequest(components=[])).entries
    assert {part.entity_type: part.entity_name for part in entry.entity} == entity
    assert [(value.key, value.value) for value in entry.values] == [("producer_byte_rate", 10.0)]
    before = len(cluster.log)
    ask(cluster, quota(entity, "producer_byte_rate", 10.0))
    ask(cluster, quota(entity, "consumer_byte_rate", None))
    assert len(cluster.log) == before
    ask(cluster, quota(entity, "producer_byte_rate", None))
    assert cluster.controller.image.quotas == {}


@pytest.mark.parametrize("value", [0.0, -1.0, 1.5, float("nan"), float("inf"), 1e30])
def test_quotas_that_nobody_can_have(value: float) -> None:
    cluster = Cluster()
    (result,) = ask(cluster, quota({"user": "u"}, "producer_byte_rate", value)).entries
    assert result.error_code == errors.InvalidRequestError.code
    assert cluster.controller.image.quotas == {}


def test_credentials_are_kept_without_the_password() -> None:
    cluster = Cluster()
    shape = AlterUserScramCredentialsRequest
    wanted = shape.ScramCredentialUpsertion(
        name="u", mechanism=1, iterations=4096, salt=b"s", salted_password=b"secret"
    )
    (result,) = ask(cluster, shape(upsertions=[wanted])).results
    assert result.error_code == 0
    record = cluster.controller.image.scram["u", 1]
    client_key = hmac.new(b"secret", b"Client Key", "sha256").digest()
    assert record.stored_key == hashlib.sha256(client_key).digest()
    (described,) = ask(cluster, DescribeUserScramCredentialsRequest(users=None)).results
    assert [(info.mechanism, info.iterations) for info in described.credential_infos] == [(1, 4096)]
    gone = shape.ScramCredentialDeletion(name="u", mechanism=1)
    ask(cluster, shape(deletions=[gone]))
    assert cluster.controller.image.scram == {}


def test_records_between_a_beginning_and_an_end_count_together() -> None:
    image = Image()
    level = FeatureLevelRecord(name="metadata.version", feature_level=30)
    for record in (BeginTransactionRecord(name="x"), level, AbortTransactionRecord()):
        image.replay(record, 0)
    assert image.features == {}
    for record in (BeginTransactionRecord(name="x"), level):
        image.replay(record, 0)
    assert image.features == {}
    image.replay(EndTransactionRecord(), 0)
    assert image.features == {"metadata.version": 30}


def test_a_partition_changes_in_what_its_record_names() -> None:
    cluster = Cluster()
    image = cluster.controller.image
    before = image.topics["t"].partitions[0]
    topic_id = image.topics["t"].topic_id
    image.replay(PartitionChangeRecord(partition_id=0, topic_id=topic_id, leader=-2, isr=[1]), 0)
    assert image.topics["t"].partitions[0] == before._replace(partition_epoch=1)
    image.replay(PartitionChangeRecord(partition_id=0, topic_id=topic_id, leader=1), 0)
    assert image.topics["t"].partitions[0] == before._replace(partition_epoch=2, leader_epoch=1)
