"""The cluster's topics as group coordinators see them: the metadata image, and regular expressions over its names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.broker.core import matching_names
from barnabas.coordinator.topics import TopicInfo

if TYPE_CHECKING:
    from barnabas.broker.metadata import ClusterMetadata

__all__ = ["ImageTopics"]


class ImageTopics:
    """Implements `barnabas.coordinator.topics.Topics` over the broker's image."""

    def __init__(self, metadata: ClusterMetadata) -> None:
        self._metadata = metadata

    @property
    def version(self) -> int:
        """Grows with every change to any topic."""
        return self._metadata.image.topics_version

    def get(self, name: str) -> TopicInfo | None:
        """Returns the topic of that name."""
        topic = self._metadata.image.topics.get(name)
        return None if topic is None else TopicInfo(topic.name, topic.topic_id, len(topic.partitions))

    def name(self, topic_id: bytes) -> str | None:
        """Returns the name of the topic with that id."""
        return self._metadata.image.topic_names.get(topic_id)

    def matching(self, pattern: str) -> frozenset[str]:
        """Returns the names that `pattern` matches from beginning to end.

        Raises:
            InvalidRegularExpressionError: `pattern` is no regular expression of RE2, or too large a one.
        """
        return frozenset(matching_names(pattern, list(self._metadata.image.topics)))
