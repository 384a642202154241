# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DelegationTokenRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message


class DelegationTokenRecord(Message):
    """Record of the metadata log, key 10, version 0."""

    API_KEY: ClassVar[int] = 10
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "owner",
        "requester",
        "renewers",
        "issue_timestamp",
        "max_timestamp",
        "expiration_timestamp",
        "token_id",
    )
    STRUCT: ClassVar[int] = 151

    def __init__(
        self,
        *,
        owner: str = "",
        requester: str = "",
        renewers: list[str] = UNSET,
        issue_timestamp: int = 0,
        max_timestamp: int = 0,
        expiration_timestamp: int = 0,
        token_id: str = "",
    ) -> None:
        self.owner = owner
        self.requester = requester
        self.renewers: list[str] = [] if renewers is UNSET else renewers
        self.issue_timestamp = issue_timestamp
        self.max_timestamp = max_timestamp
        self.expiration_timestamp = expiration_timestamp
        self.token_id = token_id
        self.unknown_tagged_fields = None
