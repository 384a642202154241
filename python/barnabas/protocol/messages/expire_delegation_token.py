# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ExpireDelegationToken, key 40."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class ExpireDelegationTokenRequest(Message):
    """Request of ExpireDelegationToken, key 40, versions 1 to 2."""

    API_KEY: ClassVar[int] = 40
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "hmac",
        "expiry_time_period_ms",
    )
    STRUCT: ClassVar[int] = 272

    def __init__(self, *, hmac: bytes = b"", expiry_time_period_ms: int = 0) -> None:
        self.hmac = hmac
        self.expiry_time_period_ms = expiry_time_period_ms
        self.unknown_tagged_fields = None


class ExpireDelegationTokenResponse(Message):
    """Response of ExpireDelegationToken, key 40, versions 1 to 2."""

    API_KEY: ClassVar[int] = 40
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "error_code",
        "expiry_timestamp_ms",
        "throttle_time_ms",
    )
    STRUCT: ClassVar[int] = 273

    def __init__(self, *, error_code: int = 0, expiry_timestamp_ms: int = 0, throttle_time_ms: int = 0) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tagged_fields = None
