# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerProtocolAssignment."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ConsumerProtocolAssignment(Message):
    """Data, versions 0 to 3."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "assigned_partitions",
        "user_data",
    )
    STRUCT: ClassVar[int] = 122

    def __init__(
        self,
        *,
        assigned_partitions: list[ConsumerProtocolAssignment.TopicPartition] = UNSET,
        user_data: bytes | None = None,
    ) -> None:
        self.assigned_partitions: list[ConsumerProtocolAssignment.TopicPartition] = (
            [] if assigned_partitions is UNSET else assigned_partitions
        )
        self.user_data = user_data
        self.unknown_tagged_fields = None

    class TopicPartition(Struct):
        """Part of ConsumerProtocolAssignment."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 123

        def __init__(self, *, topic: str = "", partitions: list[int] = UNSET) -> None:
            self.topic = topic
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
