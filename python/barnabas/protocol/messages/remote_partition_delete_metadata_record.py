# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemotePartitionDeleteMetadataRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class RemotePartitionDeleteMetadataRecord(Message):
    """Data, key 2, version 0."""

    API_KEY: ClassVar[int] = 2
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "topic_id_partition",
        "broker_id",
        "event_timestamp_ms",
        "remote_partition_delete_state",
    )
    STRUCT: ClassVar[int] = 438

    def __init__(
        self,
        *,
        topic_id_partition: RemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry = UNSET,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        remote_partition_delete_state: int = 0,
    ) -> None:
        self.topic_id_partition: RemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry = (
            RemotePartitionDeleteMetadataRecord.TopicIdPartitionEntry()
            if topic_id_partition is UNSET
            else topic_id_partition
        )
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.remote_partition_delete_state = remote_partition_delete_state
        self.unknown_tagged_fields = None

    class TopicIdPartitionEntry(Struct):
        """Part of RemotePartitionDeleteMetadataRecord."""

        __slots__ = (
            "name",
            "id",
            "partition",
        )
        STRUCT: ClassVar[int] = 439

        def __init__(self, *, name: str = "", id: bytes = ZERO_UUID, partition: int = 0) -> None:
            self.name = name
            self.id = id
            self.partition = partition
            self.unknown_tagged_fields = None
