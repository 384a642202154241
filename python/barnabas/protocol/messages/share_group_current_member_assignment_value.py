# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupCurrentMemberAssignmentValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ShareGroupCurrentMemberAssignmentValue(Message):
    """Value of a coordinator's record, key 14, version 0."""

    API_KEY: ClassVar[int] = 14
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "assigned_partitions",
    )
    STRUCT: ClassVar[int] = 473

    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[ShareGroupCurrentMemberAssignmentValue.TopicPartitions] = UNSET,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions: list[ShareGroupCurrentMemberAssignmentValue.TopicPartitions] = (
            [] if assigned_partitions is UNSET else assigned_partitions
        )
        self.unknown_tagged_fields = None

    class TopicPartitions(Struct):
        """Part of ShareGroupCurrentMemberAssignmentValue."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 474

        def __init__(self, *, topic_id: bytes = ZERO_UUID, partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
