# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupTargetAssignmentMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class StreamsGroupTargetAssignmentMetadataValue(Message):
    """Value of a coordinator's record, key 20, version 0."""

    API_KEY: ClassVar[int] = 20
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "assignment_epoch",
        "assignment_timestamp",
    )
    STRUCT: ClassVar[int] = 547

    def __init__(self, *, assignment_epoch: int = 0, assignment_timestamp: int = 0) -> None:
        self.assignment_epoch = assignment_epoch
        self.assignment_timestamp = assignment_timestamp
        self.unknown_tagged_fields = None
