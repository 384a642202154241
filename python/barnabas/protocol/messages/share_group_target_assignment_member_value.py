# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupTargetAssignmentMemberValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ShareGroupTargetAssignmentMemberValue(Message):
    """Value of a coordinator's record, key 13, version 0."""

    API_KEY: ClassVar[int] = 13
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("topic_partitions",)
    STRUCT: ClassVar[int] = 494

    def __init__(self, *, topic_partitions: list[ShareGroupTargetAssignmentMemberValue.TopicPartition] = UNSET) -> None:
        self.topic_partitions: list[ShareGroupTargetAssignmentMemberValue.TopicPartition] = (
            [] if topic_partitions is UNSET else topic_partitions
        )
        self.unknown_tagged_fields = None

    class TopicPartition(Struct):
        """Part of ShareGroupTargetAssignmentMemberValue."""

        __slots__ = (
            "topic_id",
            "partitions",
        )
        STRUCT: ClassVar[int] = 495

        def __init__(self, *, topic_id: bytes = ZERO_UUID, partitions: list[int] = UNSET) -> None:
            self.topic_id = topic_id
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
