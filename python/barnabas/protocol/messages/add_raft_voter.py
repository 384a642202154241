# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AddRaftVoter, key 80."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class AddRaftVoterRequest(Message):
    """Request of AddRaftVoter, key 80, versions 0 to 1."""

    API_KEY: ClassVar[int] = 80
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "cluster_id",
        "timeout_ms",
        "voter_id",
        "voter_directory_id",
        "listeners",
        "ack_when_committed",
    )
    STRUCT: ClassVar[int] = 11

    def __init__(
        self,
        *,
        cluster_id: str | None = "",
        timeout_ms: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: list[AddRaftVoterRequest.Listener] = UNSET,
        ack_when_committed: bool = True,
    ) -> None:
        self.cluster_id = cluster_id
        self.timeout_ms = timeout_ms
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners: list[AddRaftVoterRequest.Listener] = [] if listeners is UNSET else listeners
        self.ack_when_committed = ack_when_committed
        self.unknown_tagged_fields = None

    class Listener(Struct):
        """Part of AddRaftVoterRequest."""

        __slots__ = (
            "name",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 12

        def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None


class AddRaftVoterResponse(Message):
    """Response of AddRaftVoter, key 80, versions 0 to 1."""

    API_KEY: ClassVar[int] = 80
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
    )
    STRUCT: ClassVar[int] = 13

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "") -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = None
