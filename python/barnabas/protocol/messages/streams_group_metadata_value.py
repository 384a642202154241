# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class StreamsGroupMetadataValue(Message):
    """Value of a coordinator's record, key 17, version 0."""

    API_KEY: ClassVar[int] = 17
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "epoch",
        "metadata_hash",
        "validated_topology_epoch",
        "last_assignment_configs",
    )
    STRUCT: ClassVar[int] = 541

    def __init__(
        self,
        *,
        epoch: int = 0,
        metadata_hash: int = 0,
        validated_topology_epoch: int = -1,
        last_assignment_configs: list[StreamsGroupMetadataValue.LastAssignmentConfig] | None = UNSET,
    ) -> None:
        self.epoch = epoch
        self.metadata_hash = metadata_hash
        self.validated_topology_epoch = validated_topology_epoch
        self.last_assignment_configs: list[StreamsGroupMetadataValue.LastAssignmentConfig] | None = (
            [] if last_assignment_configs is UNSET else last_assignment_configs
        )
        self.unknown_tagged_fields = None

    class LastAssignmentConfig(Struct):
        """Part of StreamsGroupMetadataValue."""

        __slots__ = (
            "key",
            "value",
        )
        STRUCT: ClassVar[int] = 542

        def __init__(self, *, key: str = "", value: str = "") -> None:
            self.key = key
            self.value = value
            self.unknown_tagged_fields = None
