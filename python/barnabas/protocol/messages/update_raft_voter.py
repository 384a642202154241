# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""UpdateRaftVoter, key 82."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class UpdateRaftVoterRequest(Message):
    """Request of UpdateRaftVoter, key 82, version 0."""

    API_KEY: ClassVar[int] = 82
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "cluster_id",
        "current_leader_epoch",
        "voter_id",
        "voter_directory_id",
        "listeners",
        "kraft_version_feature",
    )
    STRUCT: ClassVar[int] = 575

    def __init__(
        self,
        *,
        cluster_id: str | None = "",
        current_leader_epoch: int = 0,
        voter_id: int = 0,
        voter_directory_id: bytes = ZERO_UUID,
        listeners: list[UpdateRaftVoterRequest.Listener] = UNSET,
        kraft_version_feature: UpdateRaftVoterRequest.KRaftVersionFeature = UNSET,
    ) -> None:
        self.cluster_id = cluster_id
        self.current_leader_epoch = current_leader_epoch
        self.voter_id = voter_id
        self.voter_directory_id = voter_directory_id
        self.listeners: list[UpdateRaftVoterRequest.Listener] = [] if listeners is UNSET else listeners
        self.kraft_version_feature: UpdateRaftVoterRequest.KRaftVersionFeature = (
            UpdateRaftVoterRequest.KRaftVersionFeature() if kraft_version_feature is UNSET else kraft_version_feature
        )
        self.unknown_tagged_fields = None

    class Listener(Struct):
        """Part of UpdateRaftVoterRequest."""

        __slots__ = (
            "name",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 576

        def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None

    class KRaftVersionFeature(Struct):
        """Part of UpdateRaftVoterRequest."""

        __slots__ = (
            "min_supported_version",
            "max_supported_version",
        )
        STRUCT: ClassVar[int] = 577

        def __init__(self, *, min_supported_version: int = 0, max_supported_version: int = 0) -> None:
            self.min_supported_version = min_supported_version
            self.max_supported_version = max_supported_version
            self.unknown_tagged_fields = None


class UpdateRaftVoterResponse(Message):
    """Response of UpdateRaftVoter, key 82, version 0."""

    API_KEY: ClassVar[int] = 82
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "current_leader",
    )
    STRUCT: ClassVar[int] = 578

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        current_leader: UpdateRaftVoterResponse.CurrentLeader = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.current_leader: UpdateRaftVoterResponse.CurrentLeader = (
            UpdateRaftVoterResponse.CurrentLeader() if current_leader is UNSET else current_leader
        )
        self.unknown_tagged_fields = None

    class CurrentLeader(Struct):
        """Part of UpdateRaftVoterResponse."""

        __slots__ = (
            "leader_id",
            "leader_epoch",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 579

        def __init__(self, *, leader_id: int = -1, leader_epoch: int = -1, host: str = "", port: int = 0) -> None:
            self.leader_id = leader_id
            self.leader_epoch = leader_epoch
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None
