# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""TransactionLogKey."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class TransactionLogKey(Message):
    """Key of a coordinator's record, key 0, version 0."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = ("transactional_id",)
    STRUCT: ClassVar[int] = 558

    def __init__(self, *, transactional_id: str = "") -> None:
        self.transactional_id = transactional_id
        self.unknown_tagged_fields = None
