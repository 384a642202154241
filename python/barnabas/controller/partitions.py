"""CreatePartitions, ElectLeaders and reassignments: (image, request) -> (records, response)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.controller.refusal import Refused
from barnabas.controller.topics import NO_BROKERS, invalid_replicas, partition_record, spread
from barnabas.errors import (
    ElectionNotNeededError,
    EligibleLeadersNotAvailableError,
    InvalidPartitionsError,
    InvalidReplicaAssignmentError,
    InvalidReplicationFactorError,
    InvalidRequestError,
    NoReassignmentInProgressError,
    PreferredLeaderNotAvailableError,
    UnknownServerError,
    UnknownTopicOrPartitionError,
)
from barnabas.protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsResponse
from barnabas.protocol.messages.create_partitions import CreatePartitionsResponse
from barnabas.protocol.messages.elect_leaders import ElectLeadersResponse
from barnabas.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsResponse

if TYPE_CHECKING:
    from barnabas.controller.image import Image, PartitionImage, TopicImage
    from barnabas.controller.mutations import Mutations
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.alter_partition_reassignments import AlterPartitionReassignmentsRequest
    from barnabas.protocol.messages.create_partitions import CreatePartitionsRequest
    from barnabas.protocol.messages.elect_leaders import ElectLeadersRequest
    from barnabas.protocol.messages.list_partition_reassignments import ListPartitionReassignmentsRequest

__all__ = ["alter_partition_reassignments", "create_partitions", "elect_leaders", "list_partition_reassignments"]

PREFERRED, UNCLEAN = 0, 1


# CreatePartitions


def create_partitions(
    image: Image, message: CreatePartitionsRequest, settings: ControllerSettings, mutations: Mutations | None = None
) -> tuple[list[Any], CreatePartitionsResponse]:
    """Decides about further partitions of topics. Every topic of the request is answered for itself."""
    shape = CreatePartitionsResponse.CreatePartitionsTopicResult
    names = [topic.name for topic in message.topics]
    repeated = dict.fromkeys(name for name in names if names.count(name) > 1)
    results = [
        shape(name=name, error_code=InvalidRequestError.code, error_message="Duplicate topic name.")
        for name in repeated
    ]
    records: list[Any] = []
    for topic in message.topics:
        if topic.name in repeated:
            continue
        try:
            new_records = _more_partitions(image, topic, settings, len(records), mutations)
        except Refused as refused:
            results.append(shape(name=topic.name, error_code=refused.code, error_message=refused.message))
            continue
        records += new_records
        results.append(shape(name=topic.name, error_message=None))
    return [] if message.validate_only else records, CreatePartitionsResponse(results=results)


def _more_partitions(
    image: Image, wanted: Any, settings: ControllerSettings, record_count: int, mutations: Mutations | None
) -> list[Any]:
    topic = image.topics.get(wanted.name)
    if topic is None:
        raise Refused(UnknownTopicOrPartitionError.code, None)
    count = len(topic.partitions)
    if wanted.count == count:
        raise Refused(InvalidPartitionsError.code, f"Topic already has {count} partition(s).")
    if wanted.count < count:
        raise Refused(
            InvalidPartitionsError.code,
            f"The topic {topic.name} currently has {count} partition(s); {wanted.count} would not be an increase.",
        )
    additional = wanted.count - count
    if wanted.assignments is not None and len(wanted.assignments) != additional:
        raise Refused(
            InvalidReplicaAssignmentError.code,
            f"Attempted to add {additional} additional partition(s), but only {len(wanted.assignments)} assignment(s) "
            "were specified.",
        )
    if mutations is not None:
        mutations.charge(additional)
    if record_count + additional > settings.partition_count_max:
        # Where Kafka's list of records is full it only says that something went wrong.
        raise Refused(UnknownServerError.code, None)
    replicas_of = _assignments(image, topic, wanted, additional)
    return [partition_record(image, topic.topic_id, count + index, nodes) for index, nodes in enumerate(replicas_of)]


def _assignments(image: Image, topic: TopicImage, wanted: Any, additional: int) -> list[list[int]]:
    factor = len(next(iter(topic.partitions.values())).replicas)
    if wanted.assignments is None:
        start = len(topic.partitions)
        if not image.brokers:
            raise Refused(InvalidReplicationFactorError.code, NO_BROKERS)
        if factor > len(image.brokers):
            raise Refused(
                InvalidReplicationFactorError.code,
                f"Unable to replicate the partition {factor} time(s): The target replication factor of {factor} "
                f"cannot be reached because only {len(image.brokers)} broker(s) are registered.",
            )
        return list(spread(image, start, additional, factor).values())
    replicas_of: list[list[int]] = []
    for assignment in wanted.assignments:
        nodes = list(assignment.broker_ids)
        why = invalid_replicas(image, nodes, {0: [0] * factor})
        if why is not None:
            raise Refused(InvalidReplicaAssignmentError.code, why)
        replicas_of.append(nodes)
    return replicas_of


# ElectLeaders


def elect_leaders(
    image: Image, message: ElectLeadersRequest, settings: ControllerSettings
) -> tuple[list[Any], ElectLeadersResponse]:
    """Decides about leaders. With one replica each, a partition has the leader that it could have."""
    del settings
    wanted = message.topic_partitions
    if wanted is None:
        results = [_result(name, []) for name in image.topics]
        return [], ElectLeadersResponse(replica_election_results=results)
    named = [(topic.topic, list(topic.partitions)) for topic in wanted]
    if message.election_type not in (PREFERRED, UNCLEAN) and named:
        why = f"Unknown election type {message.election_type}"
        code = InvalidRequestError.code
        results = [_result(name, [(number, code, why) for number in numbers]) for name, numbers in named]
        return [], ElectLeadersResponse(error_code=code, replica_election_results=results)
    results = [
        _result(name, [(number, *_elected(image, name, number, message.election_type)) for number in numbers])
        for name, numbers in named
    ]
    return [], ElectLeadersResponse(replica_election_results=results)


def _result(name: str, partitions: list[tuple[int, int, str | None]]) -> ElectLeadersResponse.ReplicaElectionResult:
    shape = ElectLeadersResponse.PartitionResult
    return ElectLeadersResponse.ReplicaElectionResult(
        topic=name,
        partition_result=[
            shape(partition_id=number, error_code=code, error_message=why) for number, code, why in partitions
        ],
    )


def _elected(image: Image, name: str, number: int, kind: int) -> tuple[int, str | None]:
    topic = image.topics.get(name)
    if topic is None:
        return UnknownTopicOrPartitionError.code, f"No such topic as {name}"
    partition = topic.partitions.get(number)
    if partition is None:
        return UnknownTopicOrPartitionError.code, f"No such partition as {name}-{number}"
    has_wanted = partition.leader == partition.replicas[0] if kind == PREFERRED else partition.leader >= 0
    if has_wanted:
        return ElectionNotNeededError.code, "Leader election not needed for topic partition."
    if kind == PREFERRED:
        return PreferredLeaderNotAvailableError.code, "The preferred leader was not available."
    return EligibleLeadersNotAvailableError.code, "Eligible topic partition leaders are not available."


# Reassignments


def alter_partition_reassignments(
    image: Image, message: AlterPartitionReassignmentsRequest, settings: ControllerSettings
) -> tuple[list[Any], AlterPartitionReassignmentsResponse]:
    """Decides about moving replicas. Among the brokers of one node there is nothing to move."""
    del settings
    shape = AlterPartitionReassignmentsResponse
    responses = []
    for topic in message.topics:
        partitions = []
        for wanted in topic.partitions:
            result = shape.ReassignablePartitionResponse(partition_index=wanted.partition_index, error_message=None)
            partitions.append(result)
            try:
                _check_reassignment(image, topic.name, wanted, message)
            except Refused as refused:
                result.error_code, result.error_message = refused.code, refused.message
        responses.append(shape.ReassignableTopicResponse(name=topic.name, partitions=partitions))
    allowed = message.allow_replication_factor_change
    text = None if responses else ""
    return [], shape(responses=responses, error_message=text, allow_replication_factor_change=allowed)


def _check_reassignment(image: Image, name: str, wanted: Any, message: AlterPartitionReassignmentsRequest) -> None:
    partition = _partition(image, name, wanted.partition_index)
    if wanted.replicas is None:
        raise Refused(NoReassignmentInProgressError.code, None)
    nodes = list(wanted.replicas)
    why = invalid_replicas(image, nodes, {})
    if why is not None:
        raise Refused(InvalidReplicaAssignmentError.code, why)
    if not message.allow_replication_factor_change and len(nodes) != len(partition.replicas):
        raise Refused(
            InvalidReplicationFactorError.code,
            f"The replication factor is changed from {len(partition.replicas)} to {len(nodes)}",
        )


def _partition(image: Image, name: str, number: int) -> PartitionImage:
    topic = image.topics.get(name)
    if topic is None:
        raise Refused(UnknownTopicOrPartitionError.code, f"Unable to find a topic named {name}.")
    partition = topic.partitions.get(number)
    if partition is None:
        raise Refused(UnknownTopicOrPartitionError.code, f"Unable to find partition {name}:{number}.")
    return partition


def list_partition_reassignments(
    image: Image, message: ListPartitionReassignmentsRequest, settings: ControllerSettings
) -> tuple[list[Any], ListPartitionReassignmentsResponse]:
    """Names the replicas that are being moved: none on one node."""
    del image, message, settings
    return [], ListPartitionReassignmentsResponse(error_message=None)
