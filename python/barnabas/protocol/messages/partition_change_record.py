# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""PartitionChangeRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class PartitionChangeRecord(Message):
    """Record of the metadata log, key 5, versions 0 to 2."""

    API_KEY: ClassVar[int] = 5
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "partition_id",
        "topic_id",
        "isr",
        "leader",
        "replicas",
        "removing_replicas",
        "adding_replicas",
        "leader_recovery_state",
        "directories",
        "eligible_leader_replicas",
        "last_known_elr",
    )
    STRUCT: ClassVar[int] = 392

    def __init__(
        self,
        *,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        isr: list[int] | None = None,
        leader: int = -2,
        replicas: list[int] | None = None,
        removing_replicas: list[int] | None = None,
        adding_replicas: list[int] | None = None,
        leader_recovery_state: int = -1,
        directories: list[bytes] | None = None,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.isr = isr
        self.leader = leader
        self.replicas = replicas
        self.removing_replicas = removing_replicas
        self.adding_replicas = adding_replicas
        self.leader_recovery_state = leader_recovery_state
        self.directories = directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.unknown_tagged_fields = None
