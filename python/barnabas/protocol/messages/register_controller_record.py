# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RegisterControllerRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class RegisterControllerRecord(Message):
    """Record of the metadata log, key 27, version 0."""

    API_KEY: ClassVar[int] = 27
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "controller_id",
        "incarnation_id",
        "zk_migration_ready",
        "end_points",
        "features",
    )
    STRUCT: ClassVar[int] = 426

    def __init__(
        self,
        *,
        controller_id: int = 0,
        incarnation_id: bytes = ZERO_UUID,
        zk_migration_ready: bool = False,
        end_points: list[RegisterControllerRecord.ControllerEndpoint] = UNSET,
        features: list[RegisterControllerRecord.ControllerFeature] = UNSET,
    ) -> None:
        self.controller_id = controller_id
        self.incarnation_id = incarnation_id
        self.zk_migration_ready = zk_migration_ready
        self.end_points: list[RegisterControllerRecord.ControllerEndpoint] = [] if end_points is UNSET else end_points
        self.features: list[RegisterControllerRecord.ControllerFeature] = [] if features is UNSET else features
        self.unknown_tagged_fields = None

    class ControllerEndpoint(Struct):
        """Part of RegisterControllerRecord."""

        __slots__ = (
            "name",
            "host",
            "port",
            "security_protocol",
        )
        STRUCT: ClassVar[int] = 427

        def __init__(self, *, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.security_protocol = security_protocol
            self.unknown_tagged_fields = None

    class ControllerFeature(Struct):
        """Part of RegisterControllerRecord."""

        __slots__ = (
            "name",
            "min_supported_version",
            "max_supported_version",
        )
        STRUCT: ClassVar[int] = 428

        def __init__(self, *, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0) -> None:
            self.name = name
            self.min_supported_version = min_supported_version
            self.max_supported_version = max_supported_version
            self.unknown_tagged_fields = None
