# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""SaslHandshake, key 17."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message


class SaslHandshakeRequest(Message):
    """Request of SaslHandshake, key 17, versions 0 to 1."""

    API_KEY: ClassVar[int] = 17
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = ("mechanism",)
    STRUCT: ClassVar[int] = 450

    def __init__(self, *, mechanism: str = "") -> None:
        self.mechanism = mechanism
        self.unknown_tagged_fields = None


class SaslHandshakeResponse(Message):
    """Response of SaslHandshake, key 17, versions 0 to 1."""

    API_KEY: ClassVar[int] = 17
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = None
    __slots__ = (
        "error_code",
        "mechanisms",
    )
    STRUCT: ClassVar[int] = 451

    def __init__(self, *, error_code: int = 0, mechanisms: list[str] = UNSET) -> None:
        self.error_code = error_code
        self.mechanisms: list[str] = [] if mechanisms is UNSET else mechanisms
        self.unknown_tagged_fields = None
