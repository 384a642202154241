# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ControllerRegistration, key 70."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class ControllerRegistrationRequest(Message):
    """Request of ControllerRegistration, key 70, version 0."""

    API_KEY: ClassVar[int] = 70
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "controller_id",
        "incarnation_id",
        "zk_migration_ready",
        "listeners",
        "features",
    )
    STRUCT: ClassVar[int] = 127

    def __init__(
        self,
        *,
        controller_id: int = 0,
        incarnation_id: bytes = ZERO_UUID,
        zk_migration_ready: bool = False,
        listeners: list[ControllerRegistrationRequest.Listener] = UNSET,
        features: list[ControllerRegistrationRequest.Feature] = UNSET,
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.listeners: list[ControllerRegistrationRequest.Listener] = [] if listeners is UNSET else listeners
        self.features: list[ControllerRegistrationRequest.Feature] = [] if features is UNSET else features
        self.unknown_tagged_fields = None

    class Listener(Struct):
        """Part of ControllerRegistrationRequest."""

        __slots__ = (
            "name",
            "host",
            "port",
            "security_protocol",
        )
        STRUCT: ClassVar[int] = 128

        def __init__(self, *, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.security_protocol = security_protocol
            self.unknown_tagged_fields = None

    class Feature(Struct):
        """Part of ControllerRegistrationRequest."""

        __slots__ = (
            "name",
            "min_supported_version",
            "max_supported_version",
        )
        STRUCT: ClassVar[int] = 129

        def __init__(self, *, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0) -> None:
            self.name = name
            self.min_supported_version = min_supported_version
            self.max_supported_version = max_supported_version
            self.unknown_tagged_fields = None


class ControllerRegistrationResponse(Message):
    """Response of ControllerRegistration, key 70, version 0."""

    API_KEY: ClassVar[int] = 70
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
    )
    STRUCT: ClassVar[int] = 130

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0, error_message: str | None = "") -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.unknown_tagged_fields = None
