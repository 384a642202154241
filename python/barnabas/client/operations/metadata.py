"""Metadata: brokers, topics, leaders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.client import cluster
from barnabas.client.operations.api import ANY_NODE, Operation, Submit
from barnabas.protocol.messages.metadata import MetadataRequest

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["read_cluster", "read_cluster_by_id"]


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
