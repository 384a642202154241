# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemoteLogSegmentMetadataUpdateRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class RemoteLogSegmentMetadataUpdateRecord(Message):
    """Data, key 1, version 0."""

    API_KEY: ClassVar[int] = 1
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "remote_log_segment_id",
        "broker_id",
        "event_timestamp_ms",
        "custom_metadata",
        "remote_log_segment_state",
    )
    STRUCT: ClassVar[int] = 435

    def __init__(
        self,
        *,
        remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry = UNSET,
        broker_id: int = 0,
        event_timestamp_ms: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
    ) -> None:
        self.remote_log_segment_id: RemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry = (
            RemoteLogSegmentMetadataUpdateRecord.RemoteLogSegmentIdEntry()
            if remote_log_segment_id is UNSET
            else remote_log_segment_id
        )
        self.broker_id = broker_id
        self.event_timestamp_ms = event_timestamp_ms
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.unknown_tagged_fields = None

    class RemoteLogSegmentIdEntry(Struct):
        """Part of RemoteLogSegmentMetadataUpdateRecord."""

        __slots__ = (
            "topic_id_partition",
            "id",
        )
        STRUCT: ClassVar[int] = 436

        def __init__(
            self,
            *,
            topic_id_partition: RemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry = UNSET,
            id: bytes = ZERO_UUID,
        ) -> None:
            self.topic_id_partition: RemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry = (
                RemoteLogSegmentMetadataUpdateRecord.TopicIdPartitionEntry()
                if topic_id_partition is UNSET
                else topic_id_partition
            )
            self.id = id
            self.unknown_tagged_fields = None

    class TopicIdPartitionEntry(Struct):
        """Part of RemoteLogSegmentMetadataUpdateRecord."""

        __slots__ = (
            "name",
            "id",
            "partition",
        )
        STRUCT: ClassVar[int] = 437

        def __init__(self, *, name: str = "", id: bytes = ZERO_UUID, partition: int = 0) -> None:
            self.name = name
            self.id = id
            self.partition = partition
            self.unknown_tagged_fields = None
