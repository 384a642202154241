"""What an administrator asks of a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas import errors
from barnabas.assignors.consumer_protocol import PROTOCOL_TYPE, decode_assignment
from barnabas.client.codes import Code
from barnabas.client.operations.api import (
    ANY_NODE,
    CONTROLLER,
    RETRY_WITH_NEW_COORDINATOR,
    Backoff,
    ForgetCoordinator,
    Gather,
    Operation,
    RefreshMetadata,
    Submit,
    coordinator,
    raise_all,
)
from barnabas.client.operations.metadata import read_cluster
from barnabas.protocol.messages.create_topics import CreateTopicsRequest
from barnabas.protocol.messages.delete_topics import DeleteTopicsRequest
from barnabas.protocol.messages.describe_cluster import DescribeClusterRequest
from barnabas.protocol.messages.describe_groups import DescribeGroupsRequest
from barnabas.protocol.messages.list_groups import ListGroupsRequest
from barnabas.types import ClusterDescription, GroupDescription, GroupListing, MemberDescription, Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from barnabas.types import NewTopic, TopicListing

__all__ = ["create_topics", "delete_topics", "describe_cluster", "describe_groups", "list_groups", "list_topics"]


def create_topics(
    topics: Sequence[NewTopic], timeout: float, backoff: Backoff, *, validate_only: bool = False
) -> Operation[None]:
    """Creates topics.

    Raises:
        KafkaError: A topic could not be created; the others were.
    """
    request = CreateTopicsRequest(
        topics=[_creatable(topic) for topic in topics],
        timeout_ms=round(timeout * 1000),
        validate_only=validate_only,
    )
    while True:
        response = yield Submit(CONTROLLER, request)
        failed = [(topic.name, topic.error_code, topic.error_message) for topic in response.topics if topic.error_code]
        if not (failed and all(code == Code.NOT_CONTROLLER for _, code, _ in failed)):
            raise_all([_topic_error(*failure) for failure in failed])
            return
        yield RefreshMetadata()
        yield backoff.wait()


def _creatable(topic: NewTopic) -> CreateTopicsRequest.CreatableTopic:
    assignments = [
        CreateTopicsRequest.CreatableReplicaAssignment(partition_index=partition, broker_ids=list(brokers))
        for partition, brokers in sorted(topic.replica_assignments.items())
    ]
    return CreateTopicsRequest.CreatableTopic(
        name=topic.name,
        num_partitions=-1 if assignments else topic.num_partitions,
        replication_factor=-1 if assignments else topic.replication_factor,
        assignments=assignments,
        configs=[
            CreateTopicsRequest.CreatableTopicConfig(name=name, value=value) for name, value in topic.configs.items()
        ],
    )


def _topic_error(name: str | None, code: int, message: str | None) -> errors.KafkaError:
    return errors.for_code(code, message, topic_partition=name)


def delete_topics(names: Sequence[str], timeout: float, backoff: Backoff) -> Operation[None]:
    """Deletes topics.

    Raises:
        KafkaError: A topic could not be deleted; the others were.
    """
    request = DeleteTopicsRequest(
        topics=[DeleteTopicsRequest.DeleteTopicState(name=name) for name in names], timeout_ms=round(timeout * 1000)
    )
    while True:
        response = yield Submit(CONTROLLER, request)
        failed = [
            (topic.name, topic.error_code, topic.error_message) for topic in response.responses if topic.error_code
        ]
        if not (failed and all(code == Code.NOT_CONTROLLER for _, code, _ in failed)):
            raise_all([_topic_error(*failure) for failure in failed])
            return
        yield RefreshMetadata()
        yield backoff.wait()


def list_topics(*, include_internal: bool) -> Operation[dict[str, TopicListing]]:
    """Reads all topics."""
    cluster = yield from read_cluster(None)
    return {
        name: listing for name, listing in sorted(cluster.topics.items()) if include_internal or not listing.is_internal
    }


def describe_cluster() -> Operation[ClusterDescription]:
    """Reads the brokers; of a broker that does not know DescribeCluster, from its metadata.

    Raises:
        KafkaError: The broker refused.
    """
    try:
        response = yield Submit(ANY_NODE, DescribeClusterRequest())
    except errors.UnsupportedVersionError:
        cluster = yield from read_cluster(())
        return ClusterDescription(
            cluster.cluster_id, cluster.nodes.get(cluster.controller_id), tuple(cluster.nodes.values())
        )
    if response.error_code:
        raise errors.for_code(response.error_code)
    nodes = {
        broker.broker_id: Node(broker.broker_id, broker.host, broker.port, broker.rack) for broker in response.brokers
    }
    return ClusterDescription(response.cluster_id, nodes.get(response.controller_id), tuple(nodes.values()))


def list_groups() -> Operation[list[GroupListing]]:
    """Asks every broker for the groups it coordinates.

    Raises:
        KafkaError: A broker refused or could not be asked.
    """
    cluster = yield from read_cluster(())
    replies = yield Gather([Submit(("node", node), ListGroupsRequest()) for node in cluster.nodes])
    found: dict[str, GroupListing] = {}
    for reply in replies:
        if isinstance(reply, errors.KafkaError):
            raise reply
        if reply.error_code:
            raise errors.for_code(reply.error_code)
        for group in reply.groups:
            found[group.group_id] = GroupListing(
                group.group_id, group.protocol_type, group.group_state or None, group.group_type or None
            )
    return [found[group_id] for group_id in sorted(found)]


def describe_groups(group_ids: Iterable[str], backoff: Backoff) -> Operation[dict[str, GroupDescription]]:
    """Asks each group's coordinator for the group.

    Raises:
        KafkaError: A coordinator refused.
    """
    found: dict[str, GroupDescription] = {}
    for group_id in group_ids:
        found[group_id] = yield from _describe_group(group_id, backoff)
    return found


def _describe_group(group_id: str, backoff: Backoff) -> Operation[GroupDescription]:
    while True:
        response = yield Submit(coordinator(group_id), DescribeGroupsRequest(groups=[group_id]))
        (group,) = response.groups
        if group.error_code == Code.NONE:
            return _group(group)
        if group.error_code in RETRY_WITH_NEW_COORDINATOR:
            yield ForgetCoordinator(group_id)
        elif group.error_code != Code.COORDINATOR_LOAD_IN_PROGRESS:
            raise errors.for_code(group.error_code)
        yield backoff.wait()


def _group(group: Any) -> GroupDescription:
    decode = decode_assignment if group.protocol_type == PROTOCOL_TYPE else lambda _: ()
    members = tuple(
        MemberDescription(
            member.member_id,
            member.client_id,
            member.client_host,
            member.group_instance_id,
            tuple(decode(bytes(member.member_assignment))),
        )
        for member in group.members
    )
    return GroupDescription(group.group_id, group.group_state, group.protocol_type, group.protocol_data, members)
