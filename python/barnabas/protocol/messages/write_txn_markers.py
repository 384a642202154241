# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""WriteTxnMarkers, key 27."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class WriteTxnMarkersRequest(Message):
    """Request of WriteTxnMarkers, key 27, versions 1 to 2."""

    API_KEY: ClassVar[int] = 27
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = ("markers",)
    STRUCT: ClassVar[int] = 599

    def __init__(self, *, markers: list[WriteTxnMarkersRequest.WritableTxnMarker] = UNSET) -> None:
        self.markers: list[WriteTxnMarkersRequest.WritableTxnMarker] = [] if markers is UNSET else markers
        self.unknown_tagged_fields = None

    class WritableTxnMarker(Struct):
        """Part of WriteTxnMarkersRequest."""

        __slots__ = (
            "producer_id",
            "producer_epoch",
            "transaction_result",
            "topics",
            "coordinator_epoch",
            "transaction_version",
        )
        STRUCT: ClassVar[int] = 600

        def __init__(
            self,
            *,
            producer_id: int = 0,
            producer_epoch: int = 0,
            transaction_result: bool = False,
            topics: list[WriteTxnMarkersRequest.WritableTxnMarkerTopic] = UNSET,
            coordinator_epoch: int = 0,
            transaction_version: int = 0,
        ) -> None:
            self.producer_id = producer_id
            self.producer_epoch = producer_epoch
            self.transaction_result = transaction_result
            self.topics: list[WriteTxnMarkersRequest.WritableTxnMarkerTopic] = [] if topics is UNSET else topics
            self.coordinator_epoch = coordinator_epoch
            self.transaction_version = transaction_version
            self.unknown_tagged_fields = None

    class WritableTxnMarkerTopic(Struct):
        """Part of WriteTxnMarkersRequest."""

        __slots__ = (
            "name",
            "partition_indexes",
        )
        STRUCT: ClassVar[int] = 601

        def __init__(self, *, name: str = "", partition_indexes: list[int] = UNSET) -> None:
            self.name = name
            self.partition_indexes: list[int] = [] if partition_indexes is UNSET else partition_indexes
            self.unknown_tagged_fields = None


class WriteTxnMarkersResponse(Message):
    """Response of WriteTxnMarkers, key 27, versions 1 to 2."""

    API_KEY: ClassVar[int] = 27
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 1
    __slots__ = ("markers",)
    STRUCT: ClassVar[int] = 602

    def __init__(self, *, markers: list[WriteTxnMarkersResponse.WritableTxnMarkerResult] = UNSET) -> None:
        self.markers: list[WriteTxnMarkersResponse.WritableTxnMarkerResult] = [] if markers is UNSET else markers
        self.unknown_tagged_fields = None

    class WritableTxnMarkerResult(Struct):
        """Part of WriteTxnMarkersResponse."""

        __slots__ = (
            "producer_id",
            "topics",
        )
        STRUCT: ClassVar[int] = 603

        def __init__(
            self, *, producer_id: int = 0, topics: list[WriteTxnMarkersResponse.WritableTxnMarkerTopicResult] = UNSET
        ) -> None:
            self.producer_id = producer_id
            self.topics: list[WriteTxnMarkersResponse.WritableTxnMarkerTopicResult] = [] if topics is UNSET else topics
            self.unknown_tagged_fields = None

    class WritableTxnMarkerTopicResult(Struct):
        """Part of WriteTxnMarkersResponse."""

        __slots__ = (
            "name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 604

        def __init__(
            self, *, name: str = "", partitions: list[WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult] = UNSET
        ) -> None:
            self.name = name
            self.partitions: list[WriteTxnMarkersResponse.WritableTxnMarkerPartitionResult] = (
                [] if partitions is UNSET else partitions
            )
            self.unknown_tagged_fields = None

    class WritableTxnMarkerPartitionResult(Struct):
        """Part of WriteTxnMarkersResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
        )
        STRUCT: ClassVar[int] = 605

        def __init__(self, *, partition_index: int = 0, error_code: int = 0) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.unknown_tagged_fields = None
