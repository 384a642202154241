# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""QuorumStateData."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class QuorumStateData(Message):
    """Data, versions 0 to 1."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 1)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "cluster_id",
        "leader_id",
        "leader_epoch",
        "voted_id",
        "voted_directory_id",
        "applied_offset",
        "current_voters",
    )
    STRUCT: ClassVar[int] = 408

    def __init__(
        self,
        *,
        cluster_id: str = "",
        leader_id: int = -1,
        leader_epoch: int = -1,
        voted_id: int = -1,
        voted_directory_id: bytes = ZERO_UUID,
        applied_offset: int = 0,
        current_voters: list[QuorumStateData.Voter] | None = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        self.voted_id = voted_id
        self.voted_directory_id = voted_directory_id
        self.applied_offset = applied_offset
        self.current_voters: list[QuorumStateData.Voter] | None = [] if current_voters is UNSET else current_voters
        self.unknown_tagged_fields = None

    class Voter(Struct):
        """Part of QuorumStateData."""

        __slots__ = ("voter_id",)
        STRUCT: ClassVar[int] = 409

        def __init__(self, *, voter_id: int = 0) -> None:
            self.voter_id = voter_id
            self.unknown_tagged_fields = None
