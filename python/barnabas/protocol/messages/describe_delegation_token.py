# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeDelegationToken, key 41."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeDelegationTokenRequest(Message):
    """Request of DescribeDelegationToken, key 41, versions 1 to 3."""

    API_KEY: ClassVar[int] = 41
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = ("owners",)
    STRUCT: ClassVar[int] = 199

    def __init__(
        self, *, owners: list[DescribeDelegationTokenRequest.DescribeDelegationTokenOwner] | None = UNSET
    ) -> None:
        self.owners: list[DescribeDelegationTokenRequest.DescribeDelegationTokenOwner] | None = (
            [] if owners is UNSET else owners
        )
        self.unknown_tagged_fields = None

    class DescribeDelegationTokenOwner(Struct):
        """Part of DescribeDelegationTokenRequest."""

        __slots__ = (
            "principal_type",
            "principal_name",
        )
        STRUCT: ClassVar[int] = 200

        def __init__(self, *, principal_type: str = "", principal_name: str = "") -> None:
            self.principal_type = principal_type
            self.principal_name = principal_name
            self.unknown_tagged_fields = None


class DescribeDelegationTokenResponse(Message):
    """Response of DescribeDelegationToken, key 41, versions 1 to 3."""

    API_KEY: ClassVar[int] = 41
    VERSIONS: ClassVar[tuple[int, int]] = (1, 3)
    FLEXIBLE_FROM: ClassVar[int | None] = 2
    __slots__ = (
        "error_code",
        "tokens",
        "throttle_time_ms",
    )
    STRUCT: ClassVar[int] = 201

    def __init__(
        self,
        *,
        error_code: int = 0,
        tokens: list[DescribeDelegationTokenResponse.DescribedDelegationToken] = UNSET,
        throttle_time_ms: int = 0,
    ) -> None:
        self.error_code = error_code
        self.tokens: list[DescribeDelegationTokenResponse.DescribedDelegationToken] = [] if tokens is UNSET else tokens
        self.throttle_time_ms = throttle_time_ms
        self.unknown_tagged_fields = None

    class DescribedDelegationToken(Struct):
        """Part of DescribeDelegationTokenResponse."""

        __slots__ = (
            "principal_type",
            "principal_name",
            "token_requester_principal_type",
            "token_requester_principal_name",
            "issue_timestamp",
            "expiry_timestamp",
            "max_timestamp",
            "token_id",
            "hmac",
            "renewers",
        )
        STRUCT: ClassVar[int] = 202

        def __init__(
            self,
            *,
            principal_type: str = "",
            principal_name: str = "",
            token_requester_principal_type: str = "",
            token_requester_principal_name: str = "",
            issue_timestamp: int = 0,
            expiry_timestamp: int = 0,
            max_timestamp: int = 0,
            token_id: str = "",
            hmac: bytes = b"",
            renewers: list[DescribeDelegationTokenResponse.DescribedDelegationTokenRenewer] = UNSET,
        ) -> None:
            self.principal_type = principal_type
            self.principal_name = principal_name
            self.token_requester_principal_type = token_requester_principal_type
            self.token_requester_principal_name = token_requester_principal_name
            self.issue_timestamp = issue_timestamp
            self.expiry_timestamp = expiry_timestamp
            self.max_timestamp = max_timestamp
            self.token_id = token_id
            self.hmac = hmac
            self.renewers: list[DescribeDelegationTokenResponse.DescribedDelegationTokenRenewer] = (
                [] if renewers is UNSET else renewers
            )
            self.unknown_tagged_fields = None

    class DescribedDelegationTokenRenewer(Struct):
        """Part of DescribeDelegationTokenResponse."""

        __slots__ = (
            "principal_type",
            "principal_name",
        )
        STRUCT: ClassVar[int] = 203

        def __init__(self, *, principal_type: str = "", principal_name: str = "") -> None:
            self.principal_type = principal_type
            self.principal_name = principal_name
            self.unknown_tagged_fields = None
