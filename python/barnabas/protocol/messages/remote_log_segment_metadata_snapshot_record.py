# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemoteLogSegmentMetadataSnapshotRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class RemoteLogSegmentMetadataSnapshotRecord(Message):
    """Data, key 3, version 0."""

    API_KEY: ClassVar[int] = 3
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "segment_id",
        "start_offset",
        "end_offset",
        "broker_id",
        "max_timestamp_ms",
        "event_timestamp_ms",
        "segment_leader_epochs",
        "segment_size_in_bytes",
        "custom_metadata",
        "remote_log_segment_state",
        "txn_index_empty",
    )
    STRUCT: ClassVar[int] = 433

    def __init__(
        self,
        *,
        segment_id: bytes = ZERO_UUID,
        start_offset: int = 0,
        end_offset: int = 0,
        broker_id: int = 0,
        max_timestamp_ms: int = 0,
        event_timestamp_ms: int = 0,
        segment_leader_epochs: list[RemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry] = UNSET,
        segment_size_in_bytes: int = 0,
        custom_metadata: bytes | None = None,
        remote_log_segment_state: int = 0,
        txn_index_empty: bool = False,
    ) -> None:
        self.segment_id = segment_id
        self.start_offset = start_offset
        self.end_offset = end_offset
        self.broker_id = broker_id
        self.max_timestamp_ms = max_timestamp_ms
        self.event_timestamp_ms = event_timestamp_ms
        self.segment_leader_epochs: list[RemoteLogSegmentMetadataSnapshotRecord.SegmentLeaderEpochEntry] = (
            [] if segment_leader_epochs is UNSET else segment_leader_epochs
        )
        self.segment_size_in_bytes = segment_size_in_bytes
        self.custom_metadata = custom_metadata
        self.remote_log_segment_state = remote_log_segment_state
        self.txn_index_empty = txn_index_empty
        self.unknown_tagged_fields = None

    class SegmentLeaderEpochEntry(Struct):
        """Part of RemoteLogSegmentMetadataSnapshotRecord."""

        __slots__ = (
            "leader_epoch",
            "offset",
        )
        STRUCT: ClassVar[int] = 434

        def __init__(self, *, leader_epoch: int = 0, offset: int = 0) -> None:
            self.leader_epoch = leader_epoch
            self.offset = offset
            self.unknown_tagged_fields = None
