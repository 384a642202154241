# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ZkMigrationStateRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ZkMigrationStateRecord(Message):
    """Record of the metadata log, key 21, version 0."""

    API_KEY: ClassVar[int] = 21
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("zk_migration_state",)
    STRUCT: ClassVar[int] = 606

    def __init__(self, *, zk_migration_state: int = 0) -> None:
        self.zk_migration_state = zk_migration_state
        self.unknown_tagged_fields = None
