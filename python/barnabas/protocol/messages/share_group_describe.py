# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupDescribe, key 77."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ShareGroupDescribeRequest(Message):
    """Request of ShareGroupDescribe, key 77, version 1."""

    API_KEY: ClassVar[int] = 77
    VERSIONS: ClassVar[tuple[int, int]] = (1, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "group_ids",
        "include_authorized_operations",
    )
    STRUCT: ClassVar[int] = 475

    def __init__(self, *, group_ids: list[str] = UNSET, include_authorized_operations: bool = False) -> None:
        self.group_ids: list[str] = [] if group_ids is UNSET else group_ids
        self.include_authorized_operations = include_authorized_operations
        self.unknown_tagged_fields = None


class ShareGroupDescribeResponse(Message):
    """Response of ShareGroupDescribe, key 77, version 1."""

    API_KEY: ClassVar[int] = 77
    VERSIONS: ClassVar[tuple[int, int]] = (1, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "groups",
    )
    STRUCT: ClassVar[int] = 476

    def __init__(
        self, *, throttle_time_ms: int = 0, groups: list[ShareGroupDescribeResponse.DescribedGroup] = UNSET
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.groups: list[ShareGroupDescribeResponse.DescribedGroup] = [] if groups is UNSET else groups
        self.unknown_tagged_fields = None

    class DescribedGroup(Struct):
        """Part of ShareGroupDescribeResponse."""

        __slots__ = (
            "error_code",
            "error_message",
            "group_id",
            "group_state",
            "group_epoch",
            "assignment_epoch",
            "assignor_name",
            "members",
            "authorized_operations",
        )
        STRUCT: ClassVar[int] = 477

        def __init__(
            self,
            *,
            error_code: int = 0,
            error_message: str | None = None,
            group_id: str = "",
            group_state: str = "",
            group_epoch: int = 0,
            assignment_epoch: int = 0,
            assignor_name: str = "",
            members: list[ShareGroupDescribeResponse.Member] = UNSET,
            authorized_operations: int = -2147483648,
        ) -> None:
            self.error_code = error_code
            self.error_message = error_message
            self.group_id = group_id
            self.group_state = group_state
            self.group_epoch = group_epoch
            self.assignment_epoch = assignment_epoch
            self.assignor_name = assignor_name
            self.members: list[ShareGroupDescribeResponse.Member] = [] if members is UNSET else members
            self.authorized_operations = authorized_operations
            self.unknown_tagged_fields = None

    class Member(Struct):
        """Part of ShareGroupDescribeResponse."""

        __slots__ = (
            "member_id",
            "rack_id",
            "member_epoch",
            "client_id",
            "client_host",
            "subscribed_topic_names",
            "assignment",
        )
        STRUCT: ClassVar[int] = 478

        def __init__(
            self,
            *,
            member_id: str = "",
            rack_id: str | None = None,
            member_epoch: int = 0,
            client_id: str = "",
            client_host: str = "",
            subscribed_topic_names: list[str] = UNSET,
            assignment: ShareGroupDescribeResponse.Assignment = UNSET,
        ) -> None:
            self.member_id = member_id
            self.rack_id = rack_id
            self.member_epoch = member_epoch
            self.client_id = client_id
            self.client_host = client_host
            self.subscribed_topic_names: list[str] = [] if subscribed_topic_names is UNSET else subscribed_topic_names
            self.assignment: ShareGroupDescribeResponse.Assignment = (
                ShareGroupDescribeResponse.Assignment() if assignment is UNSET else assignment
            )
            self.unknown_tagged_fields = None

    class Assignment(Struct):
        """Part of ShareGroupDescribeResponse."""

        __slots__ = ("topic_partitions",)
        STRUCT: ClassVar[int] = 479

        def __init__(self, *, topic_partitions: list[ShareGroupDescribeResponse.TopicPartitions] = UNSET) -> None:
            self.topic_partitions: list[ShareGroupDescribeResponse.TopicPartitions] = (
                [] if topic_partitions is UNSET else topic_partitions
            )
            self.unknown_tagged_fields = None

    class TopicPartitions(Struct):
        """Part of ShareGroupDescribeResponse."""

        __slots__ = (
            "topic_id",
            "topic_name",
            "partitions",
        )
        STRUCT: ClassVar[int] = 480

        def __init__(self, *, topic_id: bytes = ZERO_UUID, topic_name: str = "", partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.topic_name = topic_name
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
