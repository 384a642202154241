# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RenewDelegationToken, key 39."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class RenewDelegationTokenRequest(Message):
    """Request of RenewDelegationToken, key 39, versions 1 to 2."""

    API_KEY: ClassVar[int] = 39
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "hmac",
        "renew_period_ms",
    )
    STRUCT: ClassVar[int] = 446

    def __init__(self, *, hmac: bytes = b"", renew_period_ms: int = 0) -> None:
        self.hmac = hmac
        self.renew_period_ms = renew_period_ms
        self.unknown_tagged_fields = None


class RenewDelegationTokenResponse(Message):
    """Response of RenewDelegationToken, key 39, versions 1 to 2."""

    API_KEY: ClassVar[int] = 39
    VERSIONS: ClassVar[tuple[int, int]] = (1, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "error_code",
        "expiry_timestamp_ms",
        "throttle_time_ms",
    )
    STRUCT: ClassVar[int] = 447

    def __init__(self, *, error_code: int = 0, expiry_timestamp_ms: int = 0, throttle_time_ms: int = 0) -> None:
        self.error_code = error_code
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tagged_fields = None
