# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""FindCoordinator, key 10."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class FindCoordinatorRequest(Message):
    """Request of FindCoordinator, key 10, versions 0 to 6."""

    API_KEY: ClassVar[int] = 10
    VERSIONS: ClassVar[tuple[int, int]] = (0, 6)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "key",
        "key_type",
        "coordinator_keys",
    )
    STRUCT: ClassVar[int] = 299

    def __init__(self, *, key: str = "", key_type: int = 0, coordinator_keys: list[str] = UNSET) -> None:
        self.key = key
        self.key_type = key_type
        self.coordinator_keys: list[str] = [] if coordinator_keys is UNSET else coordinator_keys
        self.unknown_tagged_fields = None


class FindCoordinatorResponse(Message):
    """Response of FindCoordinator, key 10, versions 0 to 6."""

    API_KEY: ClassVar[int] = 10
    VERSIONS: ClassVar[tuple[int, int]] = (0, 6)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "node_id",
        "host",
        "port",
        "coordinators",
    )
    STRUCT: ClassVar[int] = 300

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        node_id: int = 0,
        host: str = "",
        port: int = 0,
        coordinators: list[FindCoordinatorResponse.Coordinator] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.node_id = node_id
        self.host = host
        self.port = port
        self.coordinators: list[FindCoordinatorResponse.Coordinator] = [] if coordinators is UNSET else coordinators
        self.unknown_tagged_fields = None

    class Coordinator(Struct):
        """Part of FindCoordinatorResponse."""

        __slots__ = (
            "key",
            "node_id",
            "host",
            "port",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 301

        def __init__(
            self,
            *,
            key: str = "",
            node_id: int = 0,
            host: str = "",
            port: int = 0,
            error_code: int = 0,
            error_message: str | None = "",
        ) -> None:
            self.key = key
            self.node_id = node_id
            self.host = host
            self.port = port
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
