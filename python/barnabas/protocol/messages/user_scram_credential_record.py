# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""UserScramCredentialRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class UserScramCredentialRecord(Message):
    """Record of the metadata log, key 11, version 0."""

    API_KEY: ClassVar[int] = 11
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "name",
        "mechanism",
        "salt",
        "stored_key",
        "server_key",
        "iterations",
    )
    STRUCT: ClassVar[int] = 580

    def __init__(
        self,
        *,
        name: str = "",
        mechanism: int = 0,
        salt: bytes = b"",
        stored_key: bytes = b"",
        server_key: bytes = b"",
        iterations: int = 0,
    ) -> None:
        self.name = name
        self.mechanism = mechanism
        self.salt = salt
        self.stored_key = stored_key
        self.server_key = server_key
        self.iterations = iterations
        self.unknown_tagged_fields = None
