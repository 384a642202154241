"""Topics that a test makes, grows and deletes."""

from __future__ import annotations

import re

from barnabas.coordinator.topics import TopicInfo
from barnabas.errors import InvalidRegularExpressionError


class FakeTopics:
    """Implements `barnabas.coordinator.topics.Topics` in memory."""

    def __init__(self, **partition_counts: int) -> None:
        self.version = 0
        self._topics: dict[str, TopicInfo] = {}
        self._made = 0
        for name, count in partition_counts.items():
            self.put(name, count)

    def put(self, name: str, partition_count: int) -> bytes:
        """Makes a topic, or gives it more partitions; returns its id."""
        known = self._topics.get(name)
        if known is None:
            self._made += 1
        topic_id = self._made.to_bytes(16, "big") if known is None else known.topic_id
        self._topics[name] = TopicInfo(name, topic_id, partition_count)
        self.version += 1
        return topic_id

    def remove(self, name: str) -> None:
        del self._topics[name]
        self.version += 1

    def id(self, name: str) -> bytes:
        return self._topics[name].topic_id

    def all(self) -> list[TopicInfo]:
        return list(self._topics.values())

    def get(self, name: str) -> TopicInfo | None:
        return self._topics.get(name)

    def name(self, topic_id: bytes) -> str | None:
        return next((info.name for info in self._topics.values() if info.topic_id == topic_id), None)

    def matching(self, pattern: str) -> frozenset[str]:
        try:
            compiled = re.compile(pattern)
        except re.error as error:
            raise InvalidRegularExpressionError(str(error)) from error
        return frozenset(name for name in self._topics if compiled.fullmatch(name))
