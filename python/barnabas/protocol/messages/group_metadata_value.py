# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""GroupMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class GroupMetadataValue(Message):
    """Value of a coordinator's record, key 2, versions 0 to 4."""

    API_KEY: ClassVar[int] = 2
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 4
    __slots__ = (
        "protocol_type",
        "generation",
        "protocol",
        "leader",
        "current_state_timestamp",
        "members",
    )
    STRUCT: ClassVar[int] = 305

    def __init__(
        self,
        *,
        protocol_type: str = "",
        generation: int = 0,
        protocol: str | None = "",
        leader: str | None = "",
        current_state_timestamp: int = -1,
        members: list[GroupMetadataValue.MemberMetadata] = UNSET,
    ) -> None:
        self.protocol_type = protocol_type
        self.generation = generation
        self.protocol = protocol
        self.leader = leader
        self.current_state_timestamp = current_state_timestamp
        self.members: list[GroupMetadataValue.MemberMetadata] = [] if members is UNSET else members
        self.unknown_tagged_fields = None

    class MemberMetadata(Struct):
        """Part of GroupMetadataValue."""

        __slots__ = (
            "member_id",
            "group_instance_id",
            "client_id",
            "client_host",
            "rebalance_timeout",
            "session_timeout",
            "subscription",
            "assignment",
        )
        STRUCT: ClassVar[int] = 306

        def __init__(
            self,
            *,
            member_id: str = "",
            group_instance_id: str | None = None,
            client_id: str = "",
            client_host: str = "",
            rebalance_timeout: int = -1,
            session_timeout: int = 0,
            subscription: bytes = b"",
            assignment: bytes = b"",
        ) -> None:
            self.member_id = member_id
            self.group_instance_id = group_instance_id
            self.client_id = client_id
            self.client_host = client_host
            self.rebalance_timeout = rebalance_timeout
            self.session_timeout = session_timeout
            self.subscription = subscription
            self.assignment = assignment
            self.unknown_tagged_fields = None
