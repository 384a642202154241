# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupHeartbeat, key 76."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ShareGroupHeartbeatRequest(Message):
    """Request of ShareGroupHeartbeat, key 76, version 1."""

    API_KEY: ClassVar[int] = 76
    VERSIONS: ClassVar[tuple[int, int]] = (1, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_id",
        "member_id",
        "member_epoch",
        "rack_id",
        "subscribed_topic_names",
    )
    STRUCT: ClassVar[int] = 481

    def __init__(
        self,
        *,
        group_id: str = "",
        member_id: str = "",
        member_epoch: int = 0,
        rack_id: str | None = None,
        subscribed_topic_names: list[str] | None = None,
    ) -> None:
        self.group_id = group_id
        self.member_id = member_id
        self.member_epoch = member_epoch
        self.rack_id = rack_id
        self.subscribed_topic_names = subscribed_topic_names
        self.unknown_tagged_fields = None


class ShareGroupHeartbeatResponse(Message):
    """Response of ShareGroupHeartbeat, key 76, version 1."""

    API_KEY: ClassVar[int] = 76
    VERSIONS: ClassVar[tuple[int, int]] = (1, 1)
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
    STRUCT: ClassVar[int] = 482

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = None,
        member_id: str | None = None,
        member_epoch: int = 0,
        heartbeat_interval_ms: int = 0,
        assignment: ShareGroupHeartbeatResponse.Assignment | None = None,
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
        """Part of ShareGroupHeartbeatResponse."""

        __slots__ = ("topic_partitions",)
        STRUCT: ClassVar[int] = 483

        def __init__(self, *, topic_partitions: list[ShareGroupHeartbeatResponse.TopicPartitions] = UNSET) -> None:
            self.topic_partitions: list[ShareGroupHeartbeatResponse.TopicPartitions] = (
                [] if topic_partitions is UNSET else topic_partitions
            )
            self.unknown_tagged_fields = None

    class TopicPartitions(Struct):
        """Part of ShareGroupHeartbeatResponse."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 484

        def __init__(self, *, topic_id: bytes = ZERO_UUID, partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
