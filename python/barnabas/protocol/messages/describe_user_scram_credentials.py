# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""DescribeUserScramCredentials, key 50."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class DescribeUserScramCredentialsRequest(Message):
    """Request of DescribeUserScramCredentials, key 50, version 0."""

    API_KEY: ClassVar[int] = 50
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = ("users",)
    STRUCT: ClassVar[int] = 247

    def __init__(self, *, users: list[DescribeUserScramCredentialsRequest.UserName] | None = UNSET) -> None:
        self.users: list[DescribeUserScramCredentialsRequest.UserName] | None = [] if users is UNSET else users
        self.unknown_tagged_fields = None

    class UserName(Struct):
        """Part of DescribeUserScramCredentialsRequest."""

        __slots__ = ("name",)
        STRUCT: ClassVar[int] = 248

        def __init__(self, *, name: str = "") -> None:
            self.name = name
            self.unknown_tagged_fields = None


class DescribeUserScramCredentialsResponse(Message):
    """Response of DescribeUserScramCredentials, key 50, version 0."""

    API_KEY: ClassVar[int] = 50
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "error_code",
        "error_message",
        "results",
    )
    STRUCT: ClassVar[int] = 249

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        error_code: int = 0,
        error_message: str | None = "",
        results: list[DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.error_code = error_code
        self.error_message = error_message
        self.results: list[DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult] = (
            [] if results is UNSET else results
        )
        self.unknown_tagged_fields = None

    class DescribeUserScramCredentialsResult(Struct):
        """Part of DescribeUserScramCredentialsResponse."""

        __slots__ = (
            "user",
            "error_code",
            "error_message",
            "credential_infos",
        )
        STRUCT: ClassVar[int] = 250

        def __init__(
            self,
            *,
            user: str = "",
            error_code: int = 0,
            error_message: str | None = "",
            credential_infos: list[DescribeUserScramCredentialsResponse.CredentialInfo] = UNSET,
        ) -> None:
            self.user = user
            self.error_code = error_code
            self.error_message = error_message
            self.credential_infos: list[DescribeUserScramCredentialsResponse.CredentialInfo] = (
                [] if credential_infos is UNSET else credential_infos
            )
            self.unknown_tagged_fields = None

    class CredentialInfo(Struct):
        """Part of DescribeUserScramCredentialsResponse."""

        __slots__ = (
            "mechanism",
            "iterations",
        )
        STRUCT: ClassVar[int] = 251

        def __init__(self, *, mechanism: int = 0, iterations: int = 0) -> None:
            self.mechanism = mechanism
            self.iterations = iterations
            self.unknown_tagged_fields = None
