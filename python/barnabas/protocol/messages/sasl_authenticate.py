# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""SaslAuthenticate, key 36."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class SaslAuthenticateRequest(Message):
    """Request of SaslAuthenticate, key 36, versions 0 to 2."""

    API_KEY: ClassVar[int] = 36
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = ("auth_bytes",)
    STRUCT: ClassVar[int] = 448

    def __init__(self, *, auth_bytes: bytes = b"") -> None:
        self.auth_bytes = auth_bytes
        self.unknown_tagged_fields = None


class SaslAuthenticateResponse(Message):
    """Response of SaslAuthenticate, key 36, versions 0 to 2."""

    API_KEY: ClassVar[int] = 36
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "error_code",
        "error_message",
        "auth_bytes",
        "session_lifetime_ms",
    )
    STRUCT: ClassVar[int] = 449

    def __init__(
        self,
        *,
        error_code: int = 0,
        error_message: str | None = "",
        auth_bytes: bytes = b"",
        session_lifetime_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.error_message = error_message
        self.auth_bytes = auth_bytes
        self.session_lifetime_ms = session_lifetime_ms
        self.unknown_tagged_fields = None
