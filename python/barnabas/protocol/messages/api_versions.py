# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""ApiVersions, key 18."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class ApiVersionsRequest(Message):
    """Request of ApiVersions, key 18, versions 0 to 4."""

    API_KEY: ClassVar[int] = 18
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "client_software_name",
        "client_software_version",
    )
    STRUCT: ClassVar[int] = 58

    def __init__(self, *, client_software_name: str = "", client_software_version: str = "") -> None:
        self.client_software_name = client_software_name
        self.client_software_version = client_software_version
        self.unknown_tagged_fields = None


class ApiVersionsResponse(Message):
    """Response of ApiVersions, key 18, versions 0 to 4."""

    API_KEY: ClassVar[int] = 18
    VERSIONS: ClassVar[tuple[int, int]] = (0, 4)
    FLEXIBLE_FROM: ClassVar[int | None] = 3
    __slots__ = (
        "error_code",
        "api_keys",
        "throttle_time_ms",
        "supported_features",
        "finalized_features_epoch",
        "finalized_features",
        "zk_migration_ready",
    )
    STRUCT: ClassVar[int] = 59

    def __init__(
        self,
        *,
        error_code: int = 0,
        api_keys: list[ApiVersionsResponse.ApiVersion] = UNSET,
        throttle_time_ms: int = 0,
        supported_features: list[ApiVersionsResponse.SupportedFeatureKey] = UNSET,
        finalized_features_epoch: int = -1,
        finalized_features: list[ApiVersionsResponse.FinalizedFeatureKey] = UNSET,
        zk_migration_ready: bool = False,
    ) -> None:
        self.error_code = error_code
        self.api_keys: list[ApiVersionsResponse.ApiVersion] = [] if api_keys is UNSET else api_keys
        self.throttle_time_ms = throttle_time_ms
        self.supported_features: list[ApiVersionsResponse.SupportedFeatureKey] = (
            [] if supported_features is UNSET else supported_features
        )
        self.finalized_features_epoch = finalized_features_epoch
        self.finalized_features: list[ApiVersionsResponse.FinalizedFeatureKey] = (
            [] if finalized_features is UNSET else finalized_features
        )
        self.zk_migration_ready = zk_migration_ready
        self.unknown_tagged_fields = None

    class ApiVersion(Struct):
        """Part of ApiVersionsResponse."""

        __slots__ = (
            "api_key",
            "min_version",
            "max_version",
        )
        STRUCT: ClassVar[int] = 60

        def __init__(self, *, api_key: int = 0, min_version: int = 0, max_version: int = 0) -> None:
            self.api_key = api_key
            self.min_version = min_version
            self.max_version = max_version
            self.unknown_tagged_fields = None

    class SupportedFeatureKey(Struct):
        """Part of ApiVersionsResponse."""

        __slots__ = (
            "name",
            "min_version",
            "max_version",
        )
        STRUCT: ClassVar[int] = 61

        def __init__(self, *, name: str = "", min_version: int = 0, max_version: int = 0) -> None:
            self.name = name
            self.min_version = min_version
            self.max_version = max_version
            self.unknown_tagged_fields = None

    class FinalizedFeatureKey(Struct):
        """Part of ApiVersionsResponse."""

        __slots__ = (
            "name",
            "max_version_level",
            "min_version_level",
        )
        STRUCT: ClassVar[int] = 62

        def __init__(self, *, name: str = "", max_version_level: int = 0, min_version_level: int = 0) -> None:
            self.name = name
            self.max_version_level = max_version_level
            self.min_version_level = min_version_level
            self.unknown_tagged_fields = None
