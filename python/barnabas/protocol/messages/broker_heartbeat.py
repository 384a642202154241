# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""BrokerHeartbeat, key 63."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message


class BrokerHeartbeatRequest(Message):
    """Request of BrokerHeartbeat, key 63, versions 0 to 2."""

    API_KEY: ClassVar[int] = 63
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "broker_epoch",
        "current_metadata_offset",
        "want_fence",
        "want_shut_down",
        "offline_log_dirs",
        "cordoned_log_dirs",
    )
    STRUCT: ClassVar[int] = 80

    def __init__(
        self,
        *,
        broker_id: int = 0,
        broker_epoch: int = -1,
        current_metadata_offset: int = 0,
        want_fence: bool = False,
        want_shut_down: bool = False,
        offline_log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.broker_epoch = broker_epoch
        self.current_metadata_offset = current_metadata_offset
        self.want_fence = want_fence
        self.want_shut_down = want_shut_down
        self.offline_log_dirs: list[bytes] = [] if offline_log_dirs is UNSET else offline_log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tagged_fields = None


class BrokerHeartbeatResponse(Message):
    """Response of BrokerHeartbeat, key 63, versions 0 to 2."""

    API_KEY: ClassVar[int] = 63
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "is_caught_up",
        "is_fenced",
        "should_shut_down",
    )
    STRUCT: ClassVar[int] = 81

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        is_caught_up: bool = False,
        is_fenced: bool = True,
        should_shut_down: bool = False,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.is_caught_up = is_caught_up
        self.is_fenced = is_fenced
        self.should_shut_down = should_shut_down
        self.unknown_tagged_fields = None
