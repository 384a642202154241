# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""BrokerRegistrationChangeRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message


class BrokerRegistrationChangeRecord(Message):
    """Record of the metadata log, key 17, versions 0 to 3."""

    API_KEY: ClassVar[int] = 17
    VERSIONS: ClassVar[tuple[int, int]] = (0, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "broker_epoch",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
    )
    STRUCT: ClassVar[int] = 82

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = 0,
        fenced: int = 0,
        in_controlled_shutdown: int = 0,
        log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs: list[bytes] = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tagged_fields = None
