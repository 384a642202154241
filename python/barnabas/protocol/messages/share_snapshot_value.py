# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareSnapshotValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ShareSnapshotValue(Message):
    """Value of a coordinator's record, key 0, version 0."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "snapshot_epoch",
        "state_epoch",
        "leader_epoch",
        "start_offset",
        "delivery_complete_count",
        "create_timestamp",
        "write_timestamp",
        "state_batches",
    )
    STRUCT: ClassVar[int] = 499

    def __init__(
        self,
        *,
        snapshot_epoch: int = 0,
        state_epoch: int = 0,
        leader_epoch: int = 0,
        start_offset: int = 0,
        delivery_complete_count: int = -1,
        create_timestamp: int = 0,
        write_timestamp: int = 0,
        state_batches: list[ShareSnapshotValue.StateBatch] = UNSET,
    ) -> None:
        self.snapshot_epoch = snapshot_epoch
        self.state_epoch = state_epoch
        self.leader_epoch = leader_epoch
        self.start_offset = start_offset
        self.delivery_complete_count = delivery_complete_count
        self.create_timestamp = create_timestamp
        self.write_timestamp = write_timestamp
        self.state_batches: list[ShareSnapshotValue.StateBatch] = [] if state_batches is UNSET else state_batches
        self.unknown_tagged_fields = None

    class StateBatch(Struct):
        """Part of ShareSnapshotValue."""

        __slots__ = (
            "first_offset",
            "last_offset",
            "delivery_state",
            "delivery_count",
        )
        STRUCT: ClassVar[int] = 500

        def __init__(
            self, *, first_offset: int = 0, last_offset: int = 0, delivery_state: int = 0, delivery_count: int = 0
        ) -> None:
            self.first_offset = first_offset
            self.last_offset = last_offset
            self.delivery_state = delivery_state
            self.delivery_count = delivery_count
            self.unknown_tagged_fields = None
