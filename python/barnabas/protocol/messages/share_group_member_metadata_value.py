# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ShareGroupMemberMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message


class ShareGroupMemberMetadataValue(Message):
    """Value of a coordinator's record, key 10, version 0."""

    API_KEY: ClassVar[int] = 10
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "rack_id",
        "client_id",
        "client_host",
        "subscribed_topic_names",
    )
    STRUCT: ClassVar[int] = 486

    def __init__(
        self,
        *,
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        subscribed_topic_names: list[str] = UNSET,
    ) -> None:
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.subscribed_topic_names: list[str] = [] if subscribed_topic_names is UNSET else subscribed_topic_names
        self.unknown_tagged_fields = None
