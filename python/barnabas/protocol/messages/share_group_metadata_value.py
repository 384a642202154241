# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ShareGroupMetadataValue(Message):
    """Value of a coordinator's record, key 11, version 0."""

    API_KEY: ClassVar[int] = 11
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "epoch",
        "metadata_hash",
    )
    STRUCT: ClassVar[int] = 488

    def __init__(self, *, epoch: int = 0, metadata_hash: int = 0) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.unknown_tagged_fields = None
