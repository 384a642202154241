# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupTargetAssignmentMemberValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class StreamsGroupTargetAssignmentMemberValue(Message):
    """Value of a coordinator's record, key 21, version 0."""

    API_KEY: ClassVar[int] = 21
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "active_tasks",
        "standby_tasks",
        "warmup_tasks",
    )
    STRUCT: ClassVar[int] = 544

    def __init__(
        self,
        *,
        active_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = UNSET,
        standby_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = UNSET,
        warmup_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = UNSET,
    ) -> None:
        self.active_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = (
            [] if active_tasks is UNSET else active_tasks
        )
        self.standby_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = (
            [] if standby_tasks is UNSET else standby_tasks
        )
        self.warmup_tasks: list[StreamsGroupTargetAssignmentMemberValue.TaskIds] = (
            [] if warmup_tasks is UNSET else warmup_tasks
        )
        self.unknown_tagged_fields = None

    class TaskIds(Struct):
        """Part of StreamsGroupTargetAssignmentMemberValue."""

        __slots__ = (
            "subtopology_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 545

        def __init__(self, *, subtopology_id: str = "", partitions: list[int] = UNSET) -> None:
            self.subtopology_id = subtopology_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
