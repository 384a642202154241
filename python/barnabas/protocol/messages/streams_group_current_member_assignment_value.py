# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupCurrentMemberAssignmentValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class StreamsGroupCurrentMemberAssignmentValue(Message):
    """Value of a coordinator's record, key 22, version 0."""

    API_KEY: ClassVar[int] = 22
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "member_epoch",
        "previous_member_epoch",
        "state",
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
        "active_tasks_pending_revocation",
        "standby_tasks_pending_revocation",
        "warmup_tasks_pending_revocation",
    )
    STRUCT: ClassVar[int] = 507

    def __init__(
        self,
        *,
        member_epoch: int = 0,
        previous_member_epoch: int = 0,
        state: int = 0,
        active_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = UNSET,
        standby_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = UNSET,
        warmup_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = UNSET,
        active_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = UNSET,
        standby_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = UNSET,
        warmup_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = UNSET,
    ) -> None:
        self.member_epoch = member_epoch
        self.previous_member_epoch = previous_member_epoch
        self.state = state
        self.active_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = (
            [] if active_tasks is UNSET else active_tasks
        )
        self.standby_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = (
            [] if standby_tasks is UNSET else standby_tasks
        )
        self.warmup_tasks: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = (
            [] if warmup_tasks is UNSET else warmup_tasks
        )
        self.active_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = (
            [] if active_tasks_pending_revocation is UNSET else active_tasks_pending_revocation
        )
        self.standby_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = (
            [] if standby_tasks_pending_revocation is UNSET else standby_tasks_pending_revocation
        )
        self.warmup_tasks_pending_revocation: list[StreamsGroupCurrentMemberAssignmentValue.TaskIds] = (
            [] if warmup_tasks_pending_revocation is UNSET else warmup_tasks_pending_revocation
        )
        self.unknown_tagged_fields = None

    class TaskIds(Struct):
        """Part of StreamsGroupCurrentMemberAssignmentValue."""

        __slots__ = (
            "subtopology_id",
            "partitions",
            "assignment_epochs",
        )
        STRUCT: ClassVar[int] = 508

        def __init__(
            self,
            *,
            subtopology_id: str = "",
            partitions: list[int] = UNSET,
            assignment_epochs: list[int] | None = UNSET,
        ) -> None:
            self.subtopology_id = subtopology_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.assignment_epochs: list[int] | None = [] if assignment_epochs is UNSET else assignment_epochs
            self.unknown_tagged_fields = None
