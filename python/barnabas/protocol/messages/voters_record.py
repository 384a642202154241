# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""VotersRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class VotersRecord(Message):
    """Data, version 0."""

    API_KEY: ClassVar[int | None] = None
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "version",
        "voters",
    )
    STRUCT: ClassVar[int] = 588

    def __init__(self, *, version: int = 0, voters: list[VotersRecord.Voter] = UNSET) -> None:
        self.version = version
        self.voters: list[VotersRecord.Voter] = [] if voters is UNSET else voters
        self.unknown_tagged_fields = None

    class Voter(Struct):
        """Part of VotersRecord."""

        __slots__ = (
            "voter_id",
            "voter_directory_id",
            "endpoints",
            "kraft_version_feature",
        )
        STRUCT: ClassVar[int] = 589

        def __init__(
            self,
            *,
            voter_id: int = 0,
            voter_directory_id: bytes = ZERO_UUID,
            endpoints: list[VotersRecord.Endpoint] = UNSET,
            kraft_version_feature: VotersRecord.KRaftVersionFeature = UNSET,
        ) -> None:
            self.voter_id = voter_id
            self.voter_directory_id = voter_directory_id
            self.endpoints: list[VotersRecord.Endpoint] = [] if endpoints is UNSET else endpoints
            self.kraft_version_feature: VotersRecord.KRaftVersionFeature = (
                VotersRecord.KRaftVersionFeature() if kraft_version_feature is UNSET else kraft_version_feature
            )
            self.unknown_tagged_fields = None

    class Endpoint(Struct):
        """Part of VotersRecord."""

        __slots__ = (
            "name",
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 590

        def __init__(self, *, name: str = "", host: str = "", port: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None

    class KRaftVersionFeature(Struct):
        """Part of VotersRecord."""

        __slots__ = (
            "min_supported_version",
            "max_supported_version",
        )
        STRUCT: ClassVar[int] = 591

        def __init__(self, *, min_supported_version: int = 0, max_supported_version: int = 0) -> None:
            self.min_supported_version = min_supported_version
            self.max_supported_version = max_supported_version
            self.unknown_tagged_fields = None
