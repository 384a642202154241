"""Creating and deleting topics: (image, request) -> (records, response). Topic ids are given by the caller."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.controller.broker_configs import BrokerConfigs
from barnabas.controller.configs import broker_topic_defaults, effective_topic_config, invalid_topic_config
from barnabas.controller.image import METADATA_TOPIC, TOPIC_RESOURCE, Image, TopicImage
from barnabas.controller.names import collision_key, invalid_topic_name
from barnabas.controller.refusal import Refused
from barnabas.errors import (
    InvalidConfigError,
    InvalidPartitionsError,
    InvalidReplicaAssignmentError,
    InvalidReplicationFactorError,
    InvalidRequestError,
    InvalidTopicError,
    PolicyViolationError,
    TopicAlreadyExistsError,
    TopicDeletionDisabledError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from barnabas.protocol.messages.config_record import ConfigRecord
from barnabas.protocol.messages.create_topics import CreateTopicsResponse
from barnabas.protocol.messages.delete_topics import DeleteTopicsResponse
from barnabas.protocol.messages.partition_record import PartitionRecord
from barnabas.protocol.messages.remove_topic_record import RemoveTopicRecord
from barnabas.protocol.messages.topic_record import TopicRecord

if TYPE_CHECKING:
    from barnabas.controller.requests import NewTopics, TopicsToDelete
    from barnabas.controller.settings import ControllerSettings

__all__ = [
    "NO_BROKERS",
    "NO_TOPIC_ID",
    "create_topics",
    "delete_topics",
    "invalid_replicas",
    "partition_record",
    "spread",
]

NO_TOPIC_ID = bytes(16)
UNASSIGNED_DIRECTORY = bytes(16)
USE_DEFAULT = -1
NO_BROKERS = "All brokers are currently fenced, or have all their log directories cordoned."


# CreateTopics


def create_topics(image: Image, request: NewTopics, settings: ControllerSettings) -> tuple[list[Any], Any]:
    """Decides about CreateTopics. Every topic of the request is answered for itself."""
    message = request.message
    name_counts: dict[str, int] = {}
    for topic in message.topics:
        name_counts[topic.name] = name_counts.get(topic.name, 0) + 1
    collisions = {}
    for name in image.topics:
        key = collision_key(name)
        if key is not None:
            collisions[key] = name
    records: list[Any] = []
    results = []
    for topic, topic_id in zip(message.topics, request.topic_ids, strict=True):
        if name_counts[topic.name] > 1:
            continue
        try:
            _check_name(topic.name, image, collisions)
            new_records, result = _create_topic(image, topic, topic_id, settings, len(records))
            if request.mutations is not None:
                request.mutations.charge(result.num_partitions)
        except Refused as refused:
            results.append(_refusal(topic.name, refused.code, refused.message))
            continue
        results.append(result)
        records += new_records
    for name, count in name_counts.items():
        if count > 1:
            results.append(_refusal(name, InvalidRequestError.code, "Duplicate topic name."))
    response = CreateTopicsResponse(topics=results)
    return [] if message.validate_only else records, response


def _refusal(name: str, code: int, message: str | None) -> CreateTopicsResponse.CreatableTopicResult:
    return CreateTopicsResponse.CreatableTopicResult(name=name, error_code=code, error_message=message)


def _check_name(name: str, image: Image, collisions: dict[str, str]) -> None:
    if name == METADATA_TOPIC:
        raise Refused(InvalidRequestError.code, f"Creation of internal topic {METADATA_TOPIC} is prohibited.")
    why = invalid_topic_name(name)
    if why is not None:
        raise Refused(InvalidTopicError.code, why)
    if name in image.topics:
        raise Refused(TopicAlreadyExistsError.code, f"Topic '{name}' already exists.")
    other = collisions.get(collision_key(name) or "")
    if other is not None:
        raise Refused(InvalidTopicError.code, f"Topic '{name}' collides with existing topic: {other}")


def _create_topic(
    image: Image,
    topic: Any,
    topic_id: bytes,
    settings: ControllerSettings,
    record_count: int,
) -> tuple[list[Any], CreateTopicsResponse.CreatableTopicResult]:
    own: dict[str, str] = {config.name: config.value for config in topic.configs}
    broker = BrokerConfigs.of(image, settings)
    why = invalid_topic_config(own, broker_topic_defaults(broker.texts()))
    if why is not None:
        raise Refused(InvalidConfigError.code, why)
    replicas_of = _manual_assignment(image, topic) if topic.assignments else _assignment(image, topic, settings)
    if record_count + len(replicas_of) > settings.partition_count_max:
        raise Refused(
            PolicyViolationError.code,
            f"Excessively large number of partitions per request: at most {settings.partition_count_max}.",
        )
    records: list[Any] = [TopicRecord(name=topic.name, topic_id=topic_id)]
    records += [
        ConfigRecord(resource_type=TOPIC_RESOURCE, resource_name=topic.name, name=name, value=value)
        for name, value in own.items()
    ]
    records += [
        partition_record(image, topic_id, partition, replicas) for partition, replicas in sorted(replicas_of.items())
    ]
    result = CreateTopicsResponse.CreatableTopicResult(
        name=topic.name,
        topic_id=topic_id,
        error_message=None,
        num_partitions=len(replicas_of),
        replication_factor=len(replicas_of[0]),
        configs=[
            CreateTopicsResponse.CreatableTopicConfigs(
                name=setting.name,
                value=setting.value,
                read_only=False,
                config_source=setting.source,
                is_sensitive=False,
            )
            for setting in effective_topic_config(own, broker)
        ],
    )
    return records, result


def _assignment(image: Image, topic: Any, settings: ControllerSettings) -> dict[int, list[int]]:
    """Spreads the partitions over the brokers: leaders in turn, followers on the next ones."""
    factor, count = topic.replication_factor, topic.num_partitions
    if factor < USE_DEFAULT or factor == 0:
        raise Refused(
            InvalidReplicationFactorError.code,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        )
    if count < USE_DEFAULT or count == 0:
        raise Refused(
            InvalidPartitionsError.code,
            "Number of partitions was set to an invalid non-positive value.",
        )
    factor = settings.replication_factor if factor == USE_DEFAULT else factor
    count = settings.partition_count if count == USE_DEFAULT else count
    brokers = sorted(image.brokers)
    if not brokers:
        why = f"Unable to replicate the partition {factor} time(s): {NO_BROKERS}"
        raise Refused(InvalidReplicationFactorError.code, why)
    if factor > len(brokers):
        raise Refused(
            InvalidReplicationFactorError.code,
            f"Unable to replicate the partition {factor} time(s): The target replication factor of {factor} cannot be "
            f"reached because only {len(brokers)} broker(s) are registered or some brokers have all their log "
            "directories cordoned.",
        )
    if count > settings.partition_count_max:
        raise Refused(
            PolicyViolationError.code,
            f"Excessively large number of partitions per request: at most {settings.partition_count_max}.",
        )
    return spread(image, sum(len(other.partitions) for other in image.topics.values()), count, factor)


def spread(image: Image, start: int, count: int, factor: int) -> dict[int, list[int]]:
    """Returns replicas of `count` partitions: leaders in turn, followers on the next brokers."""
    brokers = sorted(image.brokers)
    return {
        partition: [brokers[(start + partition + step) % len(brokers)] for step in range(factor)]
        for partition in range(count)
    }


def _manual_assignment(image: Image, topic: Any) -> dict[int, list[int]]:
    """Checks an assignment that the request spells out."""
    for value, what in ((topic.replication_factor, "replication factor"), (topic.num_partitions, "numPartitions")):
        if value != USE_DEFAULT:
            raise Refused(
                InvalidRequestError.code,
                f"A manual partition assignment was specified, but {what} was not set to -1.",
            )
    replicas_of: dict[int, list[int]] = {}
    for assignment in topic.assignments:
        partition, nodes = assignment.partition_index, list(assignment.broker_ids)
        why = invalid_replicas(image, nodes, replicas_of)
        if partition in replicas_of:
            why = f"Found multiple manual partition assignments for partition {partition}"
        if why is not None:
            raise Refused(InvalidReplicaAssignmentError.code, why)
        replicas_of[partition] = nodes
    if any(partition not in replicas_of for partition in range(len(replicas_of))):
        raise Refused(
            InvalidReplicaAssignmentError.code,
            "partitions should be a consecutive 0-based integer sequence",
        )
    return replicas_of


def invalid_replicas(image: Image, nodes: list[int], others: dict[int, list[int]]) -> str | None:
    """Returns why a partition cannot have these replicas beside the others of its topic, in Kafka's words."""
    if not nodes:
        return "The manual partition assignment includes an empty replica list."
    seen = set()
    for node in sorted(nodes):
        if node not in image.brokers:
            return f"The manual partition assignment includes broker {node}, but no such broker is registered."
        if node in seen:
            return f"The manual partition assignment includes the broker {node} more than once."
        seen.add(node)
    for other in others.values():
        if len(other) != len(nodes):
            return (
                f"The manual partition assignment includes a partition with {len(nodes)} replica(s), but this is not "
                f"consistent with previous partitions, which have {len(other)} replica(s)."
            )
    return None


def partition_record(image: Image, topic_id: bytes, partition: int, replicas: list[int]) -> PartitionRecord:
    """Returns the record of a new partition, led by its first replica whose broker is there."""
    isr = [node for node in replicas if not image.brokers[node].fenced]
    return PartitionRecord(
        partition_id=partition,
        topic_id=topic_id,
        replicas=replicas,
        isr=isr,
        leader=isr[0] if isr else -1,
        leader_epoch=0,
        partition_epoch=0,
        directories=[_directory(image, node) for node in replicas] if image.has_directories else [],
    )


def _directory(image: Image, node: int) -> bytes:
    """Returns the data directory that a broker's new replica will be in: its only one, or one that it will choose."""
    log_dirs = image.brokers[node].registration.log_dirs
    return bytes(log_dirs[0]) if len(log_dirs) == 1 else UNASSIGNED_DIRECTORY


# DeleteTopics


def delete_topics(image: Image, request: TopicsToDelete, settings: ControllerSettings) -> tuple[list[Any], list[Any]]:
    """Decides about DeleteTopics; returns (records, results)."""
    topics = request.message.topics
    names = [wanted.name for wanted in topics if wanted.name is not None]
    ids = [bytes(wanted.topic_id) for wanted in topics if wanted.topic_id != NO_TOPIC_ID]
    records: list[Any] = []
    results = []
    repeated: set[Any] = set()
    for wanted in topics:
        name, topic_id = wanted.name, bytes(wanted.topic_id)
        key = topic_id if name is None else name
        if key in repeated:
            continue
        if key != NO_TOPIC_ID:
            repeated.add(key)
        result = DeleteTopicsResponse.DeletableTopicResult(name=name, topic_id=topic_id)
        results.append(result)
        try:
            _check_once(key, names, ids)
            topic = _topic_to_delete(image, name, topic_id, settings)
            result.name, result.topic_id = topic.name, topic.topic_id
            if topic.name in names and topic.topic_id in ids:
                repeated |= {topic.name, topic.topic_id}
                why = "The provided topic name maps to an ID that was already supplied."
                raise Refused(InvalidRequestError.code, why)  # noqa: TRY301
            if request.mutations is not None:
                request.mutations.charge(len(topic.partitions))
            records.append(RemoveTopicRecord(topic_id=topic.topic_id))
        except Refused as refused:
            result.error_code, result.error_message = refused.code, refused.message
    return records, results


def _check_once(key: str | bytes, names: list[str], ids: list[bytes]) -> None:
    """A topic that is named more than once is not deleted: the request is not what somebody meant."""
    if isinstance(key, str) and names.count(key) > 1:
        raise Refused(InvalidRequestError.code, "Duplicate topic name.")
    if isinstance(key, bytes) and ids.count(key) > 1:
        raise Refused(InvalidRequestError.code, "Duplicate topic id.")


def _topic_to_delete(image: Image, name: str | None, topic_id: bytes, settings: ControllerSettings) -> TopicImage:
    if not settings.delete_topic_enable:
        raise Refused(TopicDeletionDisabledError.code, "Topic deletion is disabled.")
    if name is not None and topic_id != NO_TOPIC_ID:
        raise Refused(InvalidRequestError.code, "You may not specify both topic name and topic id.")
    if name is None and topic_id == NO_TOPIC_ID:
        raise Refused(InvalidRequestError.code, "Neither topic name nor id were specified.")
    topic = image.topics.get(name) if name is not None else image.topic_by_id(topic_id)
    if topic is None:
        if name is not None:
            raise Refused(UnknownTopicOrPartitionError.code, "This server does not host this topic-partition.")
        raise Refused(UnknownTopicIdError.code, "This server does not host this topic ID.")
    return topic
