# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AlterPartition, key 56."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class AlterPartitionRequest(Message):
    """Request of AlterPartition, key 56, versions 2 to 3."""

    API_KEY: ClassVar[int] = 56
    VERSIONS: ClassVar[tuple[int, int]] = (2, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "broker_epoch",
        "topics",
    )
    STRUCT: ClassVar[int] = 34

    def __init__(
        self, *, broker_id: int = 0, broker_epoch: int = -1, topics: list[AlterPartitionRequest.TopicData] = UNSET
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.topics: list[AlterPartitionRequest.TopicData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of AlterPartitionRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 35

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[AlterPartitionRequest.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[AlterPartitionRequest.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of AlterPartitionRequest."""

        __slots__ = (
            "partition_index",
            "leader_epoch",
            "new_isr",
            "new_isr_with_epochs",
            "leader_recovery_state",
            "partition_epoch",
        )
        STRUCT: ClassVar[int] = 36

        def __init__(
            self,
            *,
            partition_index: int = 0,
            leader_epoch: int = 0,
            new_isr: list[int] = UNSET,
            new_isr_with_epochs: list[AlterPartitionRequest.BrokerState] = UNSET,
            leader_recovery_state: int = 0,
            partition_epoch: int = 0,
        ) -> None:
            self.partition_index = partition_index
            self.leader_epoch = leader_epoch
            self.new_isr: list[int] = [] if new_isr is UNSET else new_isr
            self.new_isr_with_epochs: list[AlterPartitionRequest.BrokerState] = (
                [] if new_isr_with_epochs is UNSET else new_isr_with_epochs
            )
            self.leader_recovery_state = leader_recovery_state
            self.partition_epoch = partition_epoch
            self.unknown_tagged_fields = None

    class BrokerState(Struct):
        """Part of AlterPartitionRequest."""

        __slots__ = (
            "broker_id",
            "broker_epoch",
        )
        STRUCT: ClassVar[int] = 37

        def __init__(self, *, broker_id: int = 0, broker_epoch: int = -1) -> None:
            self.broker_id = broker_id
            self.broker_epoch = broker_epoch
            self.unknown_tagged_fields = None


class AlterPartitionResponse(Message):
    """Response of AlterPartition, key 56, versions 2 to 3."""

    API_KEY: ClassVar[int] = 56
    VERSIONS: ClassVar[tuple[int, int]] = (2, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "topics",
    )
    STRUCT: ClassVar[int] = 38

    def __init__(
        self, *, throttle_time_ms: int = 0, error_code: int = 0, topics: list[AlterPartitionResponse.TopicData] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.topics: list[AlterPartitionResponse.TopicData] = [] if topics is UNSET else topics
        self.unknown_tagged_fields = None

    class TopicData(Struct):
        """Part of AlterPartitionResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 39

        def __init__(
            self, *, topic_id: bytes = ZERO_UUID, partitions: list[AlterPartitionResponse.PartitionData] = UNSET
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[AlterPartitionResponse.PartitionData] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None

    class PartitionData(Struct):
        """Part of AlterPartitionResponse."""

        __slots__ = (
            "partition_index",
            "error_code",
            "leader_id",
            "leader_epoch",
            "isr",
            "leader_recovery_state",
            "partition_epoch",
        )
        STRUCT: ClassVar[int] = 40

        def __init__(
            self,
            *,
            partition_index: int = 0,
            error_code: int = 0,
            leader_id: int = 0,
            leader_epoch: int = 0,
            isr: list[int] = UNSET,
            leader_recovery_state: int = 0,
            partition_epoch: int = 0,
        ) -> None:
            self.partition_index = partition_index
            self.error_code = error_code
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.isr: list[int] = [] if isr is UNSET else isr
            self.leader_recovery_state = leader_recovery_state
            self.partition_epoch = partition_epoch
            self.unknown_tagged_fields = None
