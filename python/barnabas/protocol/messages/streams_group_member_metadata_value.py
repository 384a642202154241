# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""StreamsGroupMemberMetadataValue."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class StreamsGroupMemberMetadataValue(Message):
    """Value of a coordinator's record, key 19, version 0."""

    API_KEY: ClassVar[int] = 19
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "instance_id",
        "rack_id",
        "client_id",
        "client_host",
        "rebalance_timeout_ms",
        "topology_epoch",
        "process_id",
        "user_endpoint",
        "client_tags",
    )
    STRUCT: ClassVar[int] = 537

    def __init__(
        self,
        *,
        instance_id: str | None = "",
        rack_id: str | None = "",
        client_id: str = "",
        client_host: str = "",
        rebalance_timeout_ms: int = -1,
        topology_epoch: int = 0,
        process_id: str = "",
        user_endpoint: StreamsGroupMemberMetadataValue.Endpoint | None = None,
        client_tags: list[StreamsGroupMemberMetadataValue.KeyValue] = UNSET,
    ) -> None:
        self.instance_id = instance_id
        self.rack_id = rack_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.topology_epoch = topology_epoch
        self.process_id = process_id
        self.user_endpoint = user_endpoint
        self.client_tags: list[StreamsGroupMemberMetadataValue.KeyValue] = [] if client_tags is UNSET else client_tags
        self.unknown_tagged_fields = None

    class Endpoint(Struct):
        """Part of StreamsGroupMemberMetadataValue."""

        __slots__ = (
            "host",
            "port",
        )
        STRUCT: ClassVar[int] = 538

        def __init__(self, *, host: str = "", port: int = 0) -> None:
            self.host = host
            self.port = port
            self.unknown_tagged_fields = None

    class KeyValue(Struct):
        """Part of StreamsGroupMemberMetadataValue."""

        __slots__ = (
            "key",
            "value",
        )
        STRUCT: ClassVar[int] = 539

        def __init__(self, *, key: str = "", value: str = "") -> None:
            self.key = key
            self.value = value
            self.unknown_tagged_fields = None
