# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DefaultPrincipalData."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import Message


class DefaultPrincipalData(Message):
    """Data, version 0."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "type",
        "name",
        "token_authenticated",
    )
    STRUCT: ClassVar[int] = 150

    def __init__(self, *, type: str = "", name: str = "", token_authenticated: bool = False) -> None:
        self.type = type
        self.name = name
        self.token_authenticated = token_authenticated
        self.unknown_tagged_fields = None
