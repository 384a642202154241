# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""PartitionRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message


class PartitionRecord(Message):
    """Record of the metadata log, key 3, versions 0 to 2."""

    API_KEY: ClassVar[int] = 3
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "partition_id",
        "topic_id",
        "replicas",
        "isr",
        "removing_replicas",
        "adding_replicas",
        "leader",
        "leader_recovery_state",
        "leader_epoch",
        "partition_epoch",
        "directories",
        "eligible_leader_replicas",
        "last_known_elr",
    )
    STRUCT: ClassVar[int] = 393

    def __init__(
        self,
        *,
        partition_id: int = -1,
        topic_id: bytes = ZERO_UUID,
        replicas: list[int] = UNSET,
        isr: list[int] = UNSET,
        removing_replicas: list[int] = UNSET,
        adding_replicas: list[int] = UNSET,
        leader: int = -1,
        leader_recovery_state: int = 0,
        leader_epoch: int = -1,
        partition_epoch: int = -1,
        directories: list[bytes] = UNSET,
        eligible_leader_replicas: list[int] | None = None,
        last_known_elr: list[int] | None = None,
    ) -> None:
        self.partition_id = partition_id
        self.topic_id = topic_id
        self.replicas: list[int] = [] if replicas is UNSET else replicas
        self.isr: list[int] = [] if isr is UNSET else isr
        self.removing_replicas: list[int] = [] if removing_replicas is UNSET else removing_replicas
        self.adding_replicas: list[int] = [] if adding_replicas is UNSET else adding_replicas
        self.leader = leader
        self.leader_recovery_state = leader_recovery_state
        self.leader_epoch = leader_epoch
        self.partition_epoch = partition_epoch
        self.directories: list[bytes] = [] if directories is UNSET else directories
        self.eligible_leader_replicas = eligible_leader_replicas
        self.last_known_elr = last_known_elr
        self.unknown_tagged_fields = None
