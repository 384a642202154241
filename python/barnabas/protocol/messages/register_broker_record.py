# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""RegisterBrokerRecord."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class RegisterBrokerRecord(Message):
    """Record of the metadata log, key 0, versions 0 to 4."""

    API_KEY: ClassVar[int] = 0
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "is_migrating_zk_broker",
        "incarnation_id",
        "broker_epoch",
        "end_points",
        "features",
        "rack",
        "fenced",
        "in_controlled_shutdown",
        "log_dirs",
        "cordoned_log_dirs",
    )
    STRUCT: ClassVar[int] = 423

    def __init__(
        self,
        *,
        broker_id: int = 0,
        is_migrating_zk_broker: bool = False,
        incarnation_id: bytes = ZERO_UUID,
        broker_epoch: int = 0,
        end_points: list[RegisterBrokerRecord.BrokerEndpoint] = UNSET,
        features: list[RegisterBrokerRecord.BrokerFeature] = UNSET,
        rack: str | None = "",
        fenced: bool = True,
        in_controlled_shutdown: bool = False,
        log_dirs: list[bytes] = UNSET,
        cordoned_log_dirs: list[bytes] | None = None,
    ) -> None:
        self.broker_id = broker_id
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.incarnation_id = incarnation_id
        self.broker_epoch = broker_epoch
        self.end_points: list[RegisterBrokerRecord.BrokerEndpoint] = [] if end_points is UNSET else end_points
        self.features: list[RegisterBrokerRecord.BrokerFeature] = [] if features is UNSET else features
        self.rack = rack
        self.fenced = fenced
        self.in_controlled_shutdown = in_controlled_shutdown
        self.log_dirs: list[bytes] = [] if log_dirs is UNSET else log_dirs
        self.cordoned_log_dirs = cordoned_log_dirs
        self.unknown_tagged_fields = None

    class BrokerEndpoint(Struct):
        """Part of RegisterBrokerRecord."""

        __slots__ = (
            "name",
            "host",
            "port",
            "security_protocol",
        )
        STRUCT: ClassVar[int] = 424

        def __init__(self, *, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.security_protocol = security_protocol
            self.unknown_tagged_fields = None

    class BrokerFeature(Struct):
        """Part of RegisterBrokerRecord."""

        __slots__ = (
            "name",
            "min_supported_version",
            "max_supported_version",
        )
        STRUCT: ClassVar[int] = 425

        def __init__(self, *, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0) -> None:
            self.name = name
            self.min_supported_version = min_supported_version
            self.max_supported_version = max_supported_version
            self.unknown_tagged_fields = None
