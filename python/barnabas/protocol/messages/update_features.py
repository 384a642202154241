# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""UpdateFeatures, key 57."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class UpdateFeaturesRequest(Message):
    """Request of UpdateFeatures, key 57, versions 0 to 2."""

    API_KEY: ClassVar[int] = 57
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "timeout_ms",
        "feature_updates",
        "validate_only",
    )
    STRUCT: ClassVar[int] = 571

    def __init__(
        self,
        *,
        timeout_ms: int = 60000,
        feature_updates: list[UpdateFeaturesRequest.FeatureUpdateKey] = UNSET,
        validate_only: bool = False,
    ) -> None:
        self.timeout_ms = timeout_ms
        self.feature_updates: list[UpdateFeaturesRequest.FeatureUpdateKey] = (
            [] if feature_updates is UNSET else feature_updates
        )
        self.validate_only = validate_only
        self.unknown_tagged_fields = None

    class FeatureUpdateKey(Struct):
        """Part of UpdateFeaturesRequest."""

        __slots__ = (
            "feature",
            "max_version_level",
            "allow_downgrade",
            "upgrade_type",
        )
        STRUCT: ClassVar[int] = 572

        def __init__(
            self, *, feature: str = "", max_version_level: int = 0, allow_downgrade: bool = False, upgrade_type: int = 1
        ) -> None:
            self.feature = feature
            self.max_version_level = max_version_level
            self.allow_downgrade = allow_downgrade
            self.upgrade_type = upgrade_type
            self.unknown_tagged_fields = None


class UpdateFeaturesResponse(Message):
    """Response of UpdateFeatures, key 57, versions 0 to 2."""

    API_KEY: ClassVar[int] = 57
    VERSIONS: ClassVar[tuple[int, int]] = (0, 2)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "results",
    )
    STRUCT: ClassVar[int] = 573

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: list[UpdateFeaturesResponse.UpdatableFeatureResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results: list[UpdateFeaturesResponse.UpdatableFeatureResult] = [] if results is UNSET else results
        self.unknown_tagged_fields = None

    class UpdatableFeatureResult(Struct):
        """Part of UpdateFeaturesResponse."""

        __slots__ = (
            "feature",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 574

        def __init__(self, *, feature: str = "", error_code: int = 0, error_message: str | None = "") -> None:
            self.feature = feature
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
