# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ConsumerGroupMetadataValue(Message):
    """Value of a coordinator's record, key 3, version 0."""

    API_KEY: ClassVar[int] = 3
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "epoch",
        "metadata_hash",
    )
    STRUCT: ClassVar[int] = 110

    def __init__(self, *, epoch: int = 0, metadata_hash: int = 0) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.unknown_tagged_fields = None
