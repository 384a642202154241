# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupStatePartitionMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ShareGroupStatePartitionMetadataValue(Message):
    """Value of a coordinator's record, key 15, version 0."""

    API_KEY: ClassVar[int] = 15
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "initializing_topics",
        "initialized_topics",
        "deleting_topics",
    )
    STRUCT: ClassVar[int] = 490

    def __init__(
        self,
        *,
        initializing_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo] = UNSET,
        initialized_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo] = UNSET,
        deleting_topics: list[ShareGroupStatePartitionMetadataValue.TopicInfo] = UNSET,
    ) -> None:
        self.initializing_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo] = (
            [] if initializing_topics is UNSET else initializing_topics
        )
        self.initialized_topics: list[ShareGroupStatePartitionMetadataValue.TopicPartitionsInfo] = (
            [] if initialized_topics is UNSET else initialized_topics
        )
        self.deleting_topics: list[ShareGroupStatePartitionMetadataValue.TopicInfo] = (
            [] if deleting_topics is UNSET else deleting_topics
        )
        self.unknown_tagged_fields = None

    class TopicPartitionsInfo(Struct):
        """Part of ShareGroupStatePartitionMetadataValue."""

        __slots__ = (
            "topic_id",
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 491

        def __init__(self, *, topic_id: bytes = ZERO_UUID, topic_name: str = "", partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.topic_name = topic_name
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class TopicInfo(Struct):
        """Part of ShareGroupStatePartitionMetadataValue."""

        __slots__ = (
            "topic_id",
            "topic_name",
        )
        STRUCT: ClassVar[int] = 492

        def __init__(self, *, topic_id: bytes = ZERO_UUID, topic_name: str = "") -> None:
            self.topic_id = topic_id
            self.topic_name = topic_name
            self.unknown_tagged_fields = None
