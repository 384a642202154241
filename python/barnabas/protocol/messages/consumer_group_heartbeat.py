# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupHeartbeat, key 68."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ConsumerGroupHeartbeatRequest(Message):
    """Request of ConsumerGroupHeartbeat, key 68, versions 0 to 1."""

    API_KEY: ClassVar[int] = 68
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "instance_id",
        "rack_id",
        "rebalance_timeout_ms",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "server_assignor",
        "topic_partitions",
    )
    STRUCT: ClassVar[int] = 100

    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        instance_id: str | None = None,
        rack_id: str | None = None,
        rebalance_timeout_ms: int = -1,
        subscribed_topic_names: list[str] | None = None,
        subscribed_topic_regex: str | None = None,
        server_assignor: str | None = None,
        topic_partitions: list[ConsumerGroupHeartbeatRequest.TopicPartitions] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.subscribed_topic_names = subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.server_assignor = server_assignor
        self.topic_partitions = topic_partitions
        self.unknown_tagged_fields = None

    class TopicPartitions(Struct):
        """Part of ConsumerGroupHeartbeatRequest."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 101

        def __init__(self, *, topic_id: bytes = ZERO_UUID, partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None


class ConsumerGroupHeartbeatResponse(Message):
    """Response of ConsumerGroupHeartbeat, key 68, versions 0 to 1."""

    API_KEY: ClassVar[int] = 68
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "member_id",
        "member_epoch",
        "heartbeat_interval_ms",
        "assignment",
    )
    STRUCT: ClassVar[int] = 102

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: ConsumerGroupHeartbeatResponse.Assignment | None = None,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.heartbeat_interval_ms = heartbeat_interval_ms
        self.assignment = assignment
        self.unknown_tagged_fields = None

    class Assignment(Struct):
        """Part of ConsumerGroupHeartbeatResponse."""

        __slots__ = ("topic_partitions",)
        STRUCT: ClassVar[int] = 103

        def __init__(self, *, topic_partitions: list[ConsumerGroupHeartbeatResponse.TopicPartitions] = UNSET) -> None:
            self.topic_partitions: list[ConsumerGroupHeartbeatResponse.TopicPartitions] = (
                [] if topic_partitions is UNSET else topic_partitions
            )
            self.unknown_tagged_fields = None

    class TopicPartitions(Struct):
        """Part of ConsumerGroupHeartbeatResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 104

        def __init__(self, *, topic_id: bytes = ZERO_UUID, partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
