# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RemoveRaftVoter, key 81."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import ZERO_UUID, Message


class RemoveRaftVoterRequest(Message):
    """Request of RemoveRaftVoter, key 81, version 0."""

    API_KEY: ClassVar[int] = 81
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "cluster_id",
        "voter_id",
        "voter_directory_id",
    )
    STRUCT: ClassVar[int] = 442

    def __init__(
        self, *, cluster_id: str | None = "", voter_id: int = 0, voter_directory_id: bytes = ZERO_UUID
    ) -> None:
        self.cluster_id = cluster_id
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.unknown_tagged_fields = None


class RemoveRaftVoterResponse(Message):
    """Response of RemoveRaftVoter, key 81, version 0."""

    API_KEY: ClassVar[int] = 81
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
    )
    STRUCT: ClassVar[int] = 443

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "") -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = None
