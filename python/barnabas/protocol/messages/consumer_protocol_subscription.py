# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerProtocolSubscription."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ConsumerProtocolSubscription(Message):
    """Data, versions 0 to 3."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "topics",
        "user_data",
        "owned_partitions",
        "generation_id",
        "rack_id",
    )
    STRUCT: ClassVar[int] = 124

    def __init__(
        self,
        *,
        topics: list[str] = UNSET,
        user_data: bytes | None = None,
        owned_partitions: list[ConsumerProtocolSubscription.TopicPartition] = UNSET,
        generation_id: int = -1,
        rack_id: str | None = None,
    ) -> None:
        self.topics: list[str] = [] if topics is UNSET else topics
        self.user_data = user_data
        self.owned_partitions: list[ConsumerProtocolSubscription.TopicPartition] = (
            [] if owned_partitions is UNSET else owned_partitions
        )
        self.generation_id = generation_id
        self.rack_id = rack_id
        self.unknown_tagged_fields = None

    class TopicPartition(Struct):
        """Part of ConsumerProtocolSubscription."""

        __slots__ = (
            "topic",
            "partitions",
        )
        STRUCT: ClassVar[int] = 125

        def __init__(self, *, topic: str = "", partitions: list[int] = UNSET) -> None:
            self.topic = topic
            self.partitions: list[int] = [] if partitions is UNSET else partitions
            self.unknown_tagged_fields = None
