# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""CreateDelegationToken, key 38."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class CreateDelegationTokenRequest(Message):
    """Request of CreateDelegationToken, key 38, versions 1 to 3."""

    API_KEY: ClassVar[int] = 38
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "owner_principal_type",
        "owner_principal_name",
        "renewers",
        "max_lifetime_ms",
    )
    STRUCT: ClassVar[int] = 135

    def __init__(
        self,
        *,
        owner_principal_type: str | None = "",
        owner_principal_name: str | None = "",
        renewers: list[CreateDelegationTokenRequest.CreatableRenewers] = UNSET,
        max_lifetime_ms: int = 0,
    ) -> None:
        self.owner_principal_type = owner_principal_type
        self.owner_principal_name = owner_principal_name
        self.renewers: list[CreateDelegationTokenRequest.CreatableRenewers] = [] if renewers is UNSET else renewers
        self.max_lifetime_ms = max_lifetime_ms
        self.unknown_tagged_fields = None

    class CreatableRenewers(Struct):
        """Part of CreateDelegationTokenRequest."""

        __slots__ = (
            "principal_type",
            "principal_name",
        )
        STRUCT: ClassVar[int] = 136

        def __init__(self, *, principal_type: str = "", principal_name: str = "") -> None:
            self.principal_type = principal_type
            self.principal_name = principal_name
            self.unknown_tagged_fields = None


class CreateDelegationTokenResponse(Message):
    """Response of CreateDelegationToken, key 38, versions 1 to 3."""

    API_KEY: ClassVar[int] = 38
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "error_code",
        "principal_type",
        "principal_name",
        "token_requester_principal_type",
        "token_requester_principal_name",
        "issue_timestamp_ms",
        "expiry_timestamp_ms",
        "max_timestamp_ms",
        "token_id",
        "hmac",
        "throttle_time_ms",
    )
    STRUCT: ClassVar[int] = 137

    def __init__(
        self,
        *,
        error_code: int = 0,
        principal_type: str = "",
        principal_name: str = "",
        token_requester_principal_type: str = "",
        token_requester_principal_name: str = "",
        issue_timestamp_ms: int = 0,
        expiry_timestamp_ms: int = 0,
        max_timestamp_ms: int = 0,
        token_id: str = "",
        hmac: bytes = b"",
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.principal_type = principal_type
        self.principal_name = principal_name
        self.token_requester_principal_type = token_requester_principal_type
        self.token_requester_principal_name = token_requester_principal_name
        self.issue_timestamp_ms = issue_timestamp_ms
        self.expiry_timestamp_ms = expiry_timestamp_ms
        self.max_timestamp_ms = max_timestamp_ms
        self.token_id = token_id
        self.hmac = hmac
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tagged_fields = None
