# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""Envelope, key 58."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class EnvelopeRequest(Message):
    """Request of Envelope, key 58, version 0."""

    API_KEY: ClassVar[int] = 58
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "request_data",
        "request_principal",
        "client_host_address",
    )
    STRUCT: ClassVar[int] = 270

    def __init__(
        self, *, request_data: bytes = b"", request_principal: bytes | None = b"", client_host_address: bytes = b""
    ) -> None:
        self.request_data = request_data
        self.request_principal = request_principal
        self.client_host_address = client_host_address
        self.unknown_tagged_fields = None


class EnvelopeResponse(Message):
    """Response of Envelope, key 58, version 0."""

    API_KEY: ClassVar[int] = 58
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "response_data",
        "error_code",
    )
    STRUCT: ClassVar[int] = 271

    def __init__(self, *, response_data: bytes | None = None, error_code: int = 0) -> None:
        self.response_data = response_data
        self.error_code = error_code
        self.unknown_tagged_fields = None
