# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""LeaderChangeMessage."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class LeaderChangeMessage(Message):
    """Data, versions 0 to 1."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "version",
        "leader_id",
        "voters",
        "granting_voters",
    )
    STRUCT: ClassVar[int] = 327

    def __init__(
        self,
        *,
        version: int = 0,
        leader_id: int = 0,
        voters: list[LeaderChangeMessage.Voter] = UNSET,
        granting_voters: list[LeaderChangeMessage.Voter] = UNSET,
    ) -> None:
        self.version = version
        self.leader_id = leader_id
        self.voters: list[LeaderChangeMessage.Voter] = [] if voters is UNSET else voters
        self.granting_voters: list[LeaderChangeMessage.Voter] = [] if granting_voters is UNSET else granting_voters
        self.unknown_tagged_fields = None

    class Voter(Struct):
        """Part of LeaderChangeMessage."""

        __slots__ = (
            "voter_id",
            "voter_directory_id",
        )
        STRUCT: ClassVar[int] = 328

        def __init__(self, *, voter_id: int = 0, voter_directory_id: bytes = ZERO_UUID) -> None:
            self.voter_id = voter_id
            self.voter_directory_id = voter_directory_id
            self.unknown_tagged_fields = None
