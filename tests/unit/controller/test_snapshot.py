"""Snapshots of the metadata: the records of an image make the same image, whatever Kafka has put into it."""

from __future__ import annotations

from typing import Any

import pytest

from barnabas.controller.controller import record_version
from barnabas.controller.image import Image, UnknownRecord
from barnabas.controller.snapshot import image_records
from barnabas.protocol import codec
from barnabas.protocol.messages.access_control_entry_record import AccessControlEntryRecord
from barnabas.protocol.messages.broker_registration_change_record import BrokerRegistrationChangeRecord
from barnabas.protocol.messages.clear_elr_record import ClearElrRecord
from barnabas.protocol.messages.client_quota_record import ClientQuotaRecord
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.delegation_token_record import DelegationTokenRecord
from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
from barnabas.protocol.messages.partition_change_record import PartitionChangeRecord
from barnabas.protocol.messages.partition_record import PartitionRecord
from barnabas.protocol.messages.producer_ids_record import ProducerIdsRecord
from barnabas.protocol.messages.register_broker_record import RegisterBrokerRecord
from barnabas.protocol.messages.register_controller_record import RegisterControllerRecord
from barnabas.protocol.messages.remove_access_control_entry_record import RemoveAccessControlEntryRecord
from barnabas.protocol.messages.remove_delegation_token_record import RemoveDelegationTokenRecord
from barnabas.protocol.messages.topic_record import TopicRecord
from barnabas.protocol.messages.user_scram_credential_record import UserScramCredentialRecord
from barnabas.protocol.messages.zk_migration_state_record import ZkMigrationStateRecord

ID, OTHER, PLACE = b"i" * 16, b"o" * 16, b"p" * 16

LOG: list[Any] = [
    FeatureLevelRecord(name="share.version", feature_level=1),
    FeatureLevelRecord(name="metadata.version", feature_level=30),
    ZkMigrationStateRecord(zk_migration_state=0),
    RegisterBrokerRecord(
        broker_id=1,
        incarnation_id=ID,
        broker_epoch=5,
        end_points=[RegisterBrokerRecord.BrokerEndpoint(name="P", host="h", port=9)],
        features=[RegisterBrokerRecord.BrokerFeature(name="f", max_supported_version=3)],
        rack=None,
        log_dirs=[PLACE],
    ),
    BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=5, fenced=-1, in_controlled_shutdown=1),
    BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=5, log_dirs=[OTHER], cordoned_log_dirs=[PLACE]),
    RegisterControllerRecord(controller_id=1, incarnation_id=ID),
    TopicRecord(name="t", topic_id=ID),
    PartitionRecord(
        topic_id=ID,
        partition_id=0,
        replicas=[1, 2],
        isr=[1],
        removing_replicas=[2],
        adding_replicas=[3],
        leader=1,
        leader_recovery_state=1,
        leader_epoch=4,
        partition_epoch=6,
        directories=[PLACE, OTHER],
        eligible_leader_replicas=[2],
        last_known_elr=[3],
    ),
    PartitionChangeRecord(topic_id=ID, partition_id=0, isr=[1, 2], leader=2, directories=[OTHER, OTHER]),
    TopicRecord(name="u", topic_id=OTHER),
    PartitionRecord(topic_id=OTHER, partition_id=0, replicas=[1], isr=[], leader=-1, eligible_leader_replicas=[1]),
    ConfigRecord(resource_type=2, resource_name="t", name="flush.ms", value="1"),
    ConfigRecord(resource_type=16, resource_name="m", name="metrics", value="a"),
    ClientQuotaRecord(entity=[ClientQuotaRecord.EntityData(entity_type="user", entity_name=None)], key="k", value=1.5),
    ProducerIdsRecord(broker_id=1, broker_epoch=5, next_producer_id=3000),
    AccessControlEntryRecord(id=ID, principal="User:a"),
    AccessControlEntryRecord(id=OTHER, principal="User:b"),
    RemoveAccessControlEntryRecord(id=OTHER),
    UserScramCredentialRecord(name="u", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096),
    DelegationTokenRecord(owner="o", token_id="x"),  # noqa: S106 - its name
    DelegationTokenRecord(owner="o", token_id="y"),  # noqa: S106 - its name
    RemoveDelegationTokenRecord(token_id="y"),  # noqa: S106 - its name
]

FIELDS = [
    "topics",
    "topic_names",
    "configs",
    "brokers",
    "features",
    "next_producer_id",
    "quotas",
    "scram",
    "acls",
    "tokens",
    "controllers",
    "zk_migration",
]


def image_of(records: list[Any]) -> Image:
    image = Image()
    for offset, record in enumerate(records):
        image.replay(record, offset)
    return image


def replayed(records: list[Any]) -> Image:
    """Returns the image that records make, through their bytes."""
    image = Image()
    for offset, record in enumerate(records):
        data = codec.encode_metadata_record(record, record_version(record))
        image.replay(codec.decode_metadata_record(data)[0], offset)
    return image


def state(image: Image) -> dict[str, Any]:
    return {name: getattr(image, name) for name in FIELDS}


@pytest.mark.parametrize("end", range(len(LOG) + 1))
def test_the_records_of_an_image_make_the_same_image(end: int) -> None:
    before = image_of(LOG[:end])
    again = replayed(list(image_records(before.frozen())))
    assert state(again) == state(before)


def test_it_begins_with_the_version_of_the_metadata() -> None:
    image = image_of(LOG)
    names = [record.name for record in image_records(image) if isinstance(record, FeatureLevelRecord)]
    assert names == ["metadata.version", "share.version"]


def test_a_frozen_image_does_not_change() -> None:
    image = image_of(LOG)
    frozen = image.frozen()
    before = repr(state(frozen))
    for record in (
        BrokerRegistrationChangeRecord(broker_id=1, fenced=1),
        PartitionChangeRecord(topic_id=ID, partition_id=0, leader=1),
        ConfigRecord(resource_type=2, resource_name="t", name="flush.ms", value=None),
        ClientQuotaRecord(entity=[ClientQuotaRecord.EntityData(entity_type="user", entity_name=None)], key="j"),
        FeatureLevelRecord(name="share.version", feature_level=0),
        ClearElrRecord(topic_name="u"),
    ):
        image.replay(record, 99)
    assert repr(state(frozen)) == before
    assert state(image) != state(frozen)


def test_who_was_eligible_is_forgotten_for_one_topic_or_for_all() -> None:
    image = image_of(LOG)
    image.replay(ClearElrRecord(topic_name="u"), 99)
    assert image.topics["u"].partitions[0].elr == ()
    assert image.topics["t"].partitions[0].elr == (2,)
    image.replay(ClearElrRecord(topic_name=""), 99)
    assert (image.topics["t"].partitions[0].elr, image.topics["t"].partitions[0].last_elr) == ((), ())


def test_a_log_with_unknown_kinds_is_known_as_such() -> None:
    image = Image()
    image.replay(UnknownRecord(), 0)
    assert image.unknown_kinds
