"""Metadata: brokers, topics, leaders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from barnabas import errors
from barnabas.client import cluster
from barnabas.client.codes import Code
from barnabas.client.operations.api import ANY_NODE, Operation, Submit
from barnabas.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from barnabas.types import PartitionInfo

__all__ = ["check_topics", "partitions_of", "read_cluster", "read_cluster_by_id"]

_HOPELESS_TOPIC: Final = frozenset({Code.INVALID_TOPIC_EXCEPTION, Code.TOPIC_AUTHORIZATION_FAILED})


def read_cluster(topics: Iterable[str] | None, *, allow_create: bool = False) -> Operation[cluster.Cluster]:
    """Asks any broker for the cluster and for topics (None: all of them)."""
    request = MetadataRequest(
        topics=None
        if topics is None
        else [MetadataRequest.MetadataRequestTopic(name=topic) for topic in sorted(set(topics))],
        allow_auto_topic_creation=allow_create,
    )
    response = yield Submit(ANY_NODE, request, versions=(1, 32_767))
    return cluster.from_response(response)


def read_cluster_by_id(topic_ids: Iterable[bytes]) -> Operation[cluster.Cluster]:
    """Asks any broker for the topics with these ids; those that it does not know are missing."""
    topics = [MetadataRequest.MetadataRequestTopic(name=None, topic_id=topic_id) for topic_id in sorted(set(topic_ids))]
    request = MetadataRequest(topics=topics, allow_auto_topic_creation=False)
    response = yield Submit(ANY_NODE, request, versions=(12, 32_767))
    return cluster.from_response(response)


def partitions_of(topic: str) -> Operation[list[PartitionInfo]]:
    """The partitions of a topic, ordered by number; none if there is no such topic.

    Raises:
        KafkaError: The topic's name is not valid, or we may not see it.
    """
    found = yield from read_cluster([topic])
    check_topics(found, [topic])
    return list(found.topics[topic].partitions) if topic in found.topics else []


def check_topics(view: cluster.Cluster, topics: Iterable[str]) -> None:
    """Refuses topics that waiting does not help.

    Raises:
        KafkaError: A topic's name is not valid, or we may not see it.
    """
    for topic in topics:
        code = view.topic_errors.get(topic, 0)
        if code in _HOPELESS_TOPIC:
            raise errors.for_code(code, topic_partition=topic)
