# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ElectLeaders, key 43."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ElectLeadersRequest(Message):
    """Request of ElectLeaders, key 43, versions 0 to 2."""

    API_KEY: ClassVar[int] = 43
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "election_type",
        "topic_partitions",
        "timeout_ms",
    )
    STRUCT: ClassVar[int] = 252

    def __init__(
        self,
        *,
        election_type: int = 0,
        topic_partitions: list[ElectLeadersRequest.TopicPartitions] | None = UNSET,
        timeout_ms: int = 60000,
    ) -> None:
        self.election_type = election_type
        self.topic_partitions: list[ElectLeadersRequest.TopicPartitions] | None = (
            [] if topic_partitions is UNSET else topic_partitions
        )
        self.timeout_ms = timeout_ms
        self.unknown_tagged_fields = None

    class TopicPartitions(Struct):
        """Part of ElectLeadersRequest."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 253

        def __init__(self, *, topic: str = "", partitions: list[int] = UNSET) -> None:
            self.topic = topic
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class ElectLeadersResponse(Message):
    """Response of ElectLeaders, key 43, versions 0 to 2."""

    API_KEY: ClassVar[int] = 43
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "replica_election_results",
    )
    STRUCT: ClassVar[int] = 254

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        replica_election_results: list[ElectLeadersResponse.ReplicaElectionResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.replica_election_results: list[ElectLeadersResponse.ReplicaElectionResult] = (
            [] if replica_election_results is UNSET else replica_election_results
        )
        self.unknown_tagged_fields = None

    class ReplicaElectionResult(Struct):
        """Part of ElectLeadersResponse."""

        __slots__ = (
            "topic",
            "partition_result",
        )
        STRUCT: ClassVar[int] = 255

        def __init__(
            self, *, topic: str = "", partition_result: list[ElectLeadersResponse.PartitionResult] = UNSET
        ) -> None:
            self.topic = topic
            self.partition_result: list[ElectLeadersResponse.PartitionResult] = (
                [] if partition_result is UNSET else partition_result
            )
            self.unknown_tagged_fields = None

    class PartitionResult(Struct):
        """Part of ElectLeadersResponse."""

        __slots__ = (
            "partition_id",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 256

        def __init__(self, *, partition_id: int = 0, error_code: int = 0, error_message: str | None = "") -> None:
            self.partition_id = partition_id
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
