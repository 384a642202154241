"""The records that make an image: what a snapshot holds, in the order in which Kafka writes them.

Replayed in this order into an empty image they make the same one. Kinds that this version does not act on are among
them: whoever reads the snapshot later may.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from barnabas.protocol.messages.client_quota_record import ClientQuotaRecord
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.feature_level_record import FeatureLevelRecord
from barnabas.protocol.messages.partition_record import PartitionRecord
from barnabas.protocol.messages.producer_ids_record import ProducerIdsRecord
from barnabas.protocol.messages.topic_record import TopicRecord

if TYPE_CHECKING:
    from collections.abc import Iterator

    from barnabas.controller.image import Image, PartitionImage

__all__ = ["image_records"]

METADATA_VERSION_NAME = "metadata.version"
NOBODY = -1


def image_records(image: Image) -> Iterator[Any]:
    """Yields the records of an image. It must not change meanwhile: take `Image.frozen`."""
    yield from _features(image)
    for broker in image.brokers.values():
        yield broker.registration
    yield from image.controllers.values()
    yield from _topics(image)
    yield from _configs(image)
    yield from _quotas(image)
    if image.next_producer_id:
        yield ProducerIdsRecord(broker_id=NOBODY, broker_epoch=NOBODY, next_producer_id=image.next_producer_id)
    yield from chain(image.acls.values(), image.scram.values(), image.tokens.values())


def _features(image: Image) -> Iterator[Any]:
    """The version of the metadata comes first, because it says how the rest is to be read."""
    for name in sorted(image.features, key=lambda name: (name != METADATA_VERSION_NAME, name)):
        yield FeatureLevelRecord(name=name, feature_level=image.features[name])
    if image.zk_migration is not None:
        yield image.zk_migration


def _topics(image: Image) -> Iterator[Any]:
    for topic in image.topics.values():
        yield TopicRecord(name=topic.name, topic_id=topic.topic_id)
        for _, partition in sorted(topic.partitions.items()):
            yield _partition(topic.topic_id, partition)


def _partition(topic_id: bytes, partition: PartitionImage) -> PartitionRecord:
    return PartitionRecord(
        partition_id=partition.partition,
        topic_id=topic_id,
        replicas=list(partition.replicas),
        isr=list(partition.isr),
        removing_replicas=list(partition.removing),
        adding_replicas=list(partition.adding),
        leader=partition.leader,
        leader_recovery_state=partition.recovery,
        leader_epoch=partition.leader_epoch,
        partition_epoch=partition.partition_epoch,
        directories=list(partition.directories),
        eligible_leader_replicas=list(partition.elr) or None,
        last_known_elr=list(partition.last_elr) or None,
    )


def _configs(image: Image) -> Iterator[Any]:
    for (kind, resource), configs in image.configs.items():
        for name, value in configs.items():
            yield ConfigRecord(resource_type=kind, resource_name=resource, name=name, value=value)


def _quotas(image: Image) -> Iterator[Any]:
    shape = ClientQuotaRecord
    for entity, values in image.quotas.items():
        parts = [shape.EntityData(entity_type=kind, entity_name=name) for kind, name in entity]
        for key, value in values.items():
            yield shape(entity=parts, key=key, value=value)
