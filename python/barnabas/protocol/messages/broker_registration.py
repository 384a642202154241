# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""BrokerRegistration, key 62."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, ZERO_UUID, Message, Struct


class BrokerRegistrationRequest(Message):
    """Request of BrokerRegistration, key 62, versions 0 to 4."""

    API_KEY: ClassVar[int] = 62
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "broker_id",
        "cluster_id",
        "incarnation_id",
        "listeners",
        "features",
        "rack",
        "is_migrating_zk_broker",
        "log_dirs",
        "previous_broker_epoch",
    )
    STRUCT: ClassVar[int] = 83

    def __init__(
        self,
        *,
        broker_id: int = 0,
        cluster_id: str = "",
        incarnation_id: bytes = ZERO_UUID,
        listeners: list[BrokerRegistrationRequest.Listener] = UNSET,
        features: list[BrokerRegistrationRequest.Feature] = UNSET,
        rack: str | None = "",
        is_migrating_zk_broker: bool = False,
        log_dirs: list[bytes] = UNSET,
        previous_broker_epoch: int = -1,
    ) -> None:
        self.broker_id = broker_id
        self.cluster_id = cluster_id
        self.incarnation_id = incarnation_id
        self.listeners: list[BrokerRegistrationRequest.Listener] = [] if listeners is UNSET else listeners
        self.features: list[BrokerRegistrationRequest.Feature] = [] if features is UNSET else features
        self.rack = rack
        self.is_migrating_zk_broker = is_migrating_zk_broker
        self.log_dirs: list[bytes] = [] if log_dirs is UNSET else log_dirs
        self.previous_broker_epoch = previous_broker_epoch
        self.unknown_tagged_fields = None

    class Listener(Struct):
        """Part of BrokerRegistrationRequest."""

        __slots__ = (
            "name",
            "host",
            "port",
            "security_protocol",
        )
        STRUCT: ClassVar[int] = 84

        def __init__(self, *, name: str = "", host: str = "", port: int = 0, security_protocol: int = 0) -> None:
            self.name = name
            self.host = host
            self.port = port
            self.security_protocol = security_protocol
            self.unknown_tagged_fields = None

    class Feature(Struct):
        """Part of BrokerRegistrationRequest."""

        __slots__ = (
            "name",
            "min_supported_version",
            "max_supported_version",
        )
        STRUCT: ClassVar[int] = 85

        def __init__(self, *, name: str = "", min_supported_version: int = 0, max_supported_version: int = 0) -> None:
            self.name = name
            self.min_supported_version = min_supported_version
            self.max_supported_version = max_supported_version
            self.unknown_tagged_fields = None


class BrokerRegistrationResponse(Message):
    """Response of BrokerRegistration, key 62, versions 0 to 4."""

    API_KEY: ClassVar[int] = 62
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "broker_epoch",
    )
    STRUCT: ClassVar[int] = 86

    def __init__(self, *, throttle_time_ms: int = 0, error_code: int = 0, broker_epoch: int = -1) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.broker_epoch = broker_epoch
        self.unknown_tagged_fields = None
