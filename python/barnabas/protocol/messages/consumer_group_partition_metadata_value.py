# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupPartitionMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ConsumerGroupPartitionMetadataValue(Message):
    """Value of a coordinator's record, key 4, version 0."""

    API_KEY: ClassVar[int] = 4
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("topics",)
    STRUCT: ClassVar[int] = 112

    def __init__(self, *, topics: list[ConsumerGroupPartitionMetadataValue.TopicMetadata] = UNSET) -> None:
        self.topics: list[ConsumerGroupPartitionMetadataValue.TopicMetadata] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicMetadata(Struct):
        """Part of ConsumerGroupPartitionMetadataValue."""

        __slots__ = (
            "topic_id",
            "topic_name",
            "num_partitions",
            "partition_metadata",
        )
        STRUCT: ClassVar[int] = 113

        def __init__(
            self,
            *,
            topic_id: bytes = ZERO_UUID,
            topic_name: str = "",
            num_partitions: int = 0,
            partition_metadata: list[ConsumerGroupPartitionMetadataValue.PartitionMetadata] = UNSET,
        ) -> None:
            self.topic_id = topic_id
            self.topic_name = topic_name
            self.num_partitions = num_partitions
            self.partition_metadata: list[ConsumerGroupPartitionMetadataValue.PartitionMetadata] = (
                [] if partition_metadata is UNSET else partition_metadata
            )
            self.unknown_tagged_fields = None

    class PartitionMetadata(Struct):
        """Part of ConsumerGroupPartitionMetadataValue."""

        __slots__ = (
            "partition",
            "racks",
        )
        STRUCT: ClassVar[int] = 114

        def __init__(self, *, partition: int = 0, racks: list[str] = UNSET) -> None:
            self.partition = partition
            self.racks: list[str] = [] if racks is UNSET else racks
            self.unknown_tagged_fields = None
