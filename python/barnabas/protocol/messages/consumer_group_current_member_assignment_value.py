# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupCurrentMemberAssignmentValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ConsumerGroupCurrentMemberAssignmentValue(Message):
    """Value of a coordinator's record, key 8, version 0."""

    API_KEY: ClassVar[int] = 8
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "assigned_partitions",
        "partitions_pending_revocation",
    )
    STRUCT: ClassVar[int] = 92

    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        assigned_partitions: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions] = UNSET,
        partitions_pending_revocation: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions] = UNSET,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.assigned_partitions: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions] = (
            [] if assigned_partitions is UNSET else assigned_partitions
        )
        self.partitions_pending_revocation: list[ConsumerGroupCurrentMemberAssignmentValue.TopicPartitions] = (
            [] if partitions_pending_revocation is UNSET else partitions_pending_revocation
        )
        self.unknown_tagged_fields = None

    class TopicPartitions(Struct):
        """Part of ConsumerGroupCurrentMemberAssignmentValue."""

        __slots__ = (
            "topic_id",
            "partitions",
            "assignment_epochs",
        )
        STRUCT: ClassVar[int] = 93

        def __init__(
            self,
            *,
            topic_id: bytes = ZERO_UUID,
            partitions: list[int] = UNSET,
            assignment_epochs: list[int] | None = UNSET,
        ) -> None:
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.assignment_epochs: list[int] | None = [] if assignment_epochs is UNSET else assignment_epochs
            self.unknown_tagged_fields = None
