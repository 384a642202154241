# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ConsumerGroupMemberMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ConsumerGroupMemberMetadataValue(Message):
    """Value of a coordinator's record, key 5, version 0."""

    API_KEY: ClassVar[int] = 5
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "subscribed_topic_names",
        "subscribed_topic_regex",
        "rebalance_timeout_ms",
        "server_assignor",
        "classic_member_metadata",
    )
    STRUCT: ClassVar[int] = 106

    def __init__(
        self,
        *,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = UNSET,
        subscribed_topic_regex: str | None = "",
        rebalance_timeout_ms: int = -1,
        server_assignor: str | None = "",
        classic_member_metadata: ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None = UNSET,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names: list[str] = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.subscribed_topic_regex = subscribed_topic_regex
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.server_assignor = server_assignor
        self.classic_member_metadata: ConsumerGroupMemberMetadataValue.ClassicMemberMetadata | None = (
            ConsumerGroupMemberMetadataValue.ClassicMemberMetadata()
            if classic_member_metadata is UNSET
            else classic_member_metadata
        )
        self.unknown_tagged_fields = None

    class ClassicMemberMetadata(Struct):
        """Part of ConsumerGroupMemberMetadataValue."""

        __slots__ = (
            "session_timeout_ms",
            "supported_protocols",
        )
        STRUCT: ClassVar[int] = 107

        def __init__(
            self,
            *,
            session_timeout_ms: int = 0,
            supported_protocols: list[ConsumerGroupMemberMetadataValue.ClassicProtocol] = UNSET,
        ) -> None:
            self.session_timeout_ms = session_timeout_ms
            self.supported_protocols: list[ConsumerGroupMemberMetadataValue.ClassicProtocol] = (
                [] if supported_protocols is UNSET else supported_protocols
            )
            self.unknown_tagged_fields = None

    class ClassicProtocol(Struct):
        """Part of ConsumerGroupMemberMetadataValue."""

        __slots__ = (
            "name",
            "metadata",
        )
        STRUCT: ClassVar[int] = 108

        def __init__(self, *, name: str = "", metadata: bytes = b"") -> None:
            self.name = name
            self.metadata = metadata
            self.unknown_tagged_fields = None
