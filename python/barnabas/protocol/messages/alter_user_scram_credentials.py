# Written by tools/protocol/generate.py from the schemas of Apache Kafka 4.3.0. Do not edit.
"""AlterUserScramCredentials, key 51."""

from __future__ import annotations

from typing import ClassVar

from barnabas.protocol.struct import UNSET, Message, Struct


class AlterUserScramCredentialsRequest(Message):
    """Request of AlterUserScramCredentials, key 51, version 0."""

    API_KEY: ClassVar[int] = 51
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "deletions",
        "upsertions",
    )
    STRUCT: ClassVar[int] = 53

    def __init__(
        self,
        *,
        deletions: list[AlterUserScramCredentialsRequest.ScramCredentialDeletion] = UNSET,
        upsertions: list[AlterUserScramCredentialsRequest.ScramCredentialUpsertion] = UNSET,
    ) -> None:
        self.deletions: list[AlterUserScramCredentialsRequest.ScramCredentialDeletion] = (
            [] if deletions is UNSET else deletions
        )
        self.upsertions: list[AlterUserScramCredentialsRequest.ScramCredentialUpsertion] = (
            [] if upsertions is UNSET else upsertions
        )
        self.unknown_tagged_fields = None

    class ScramCredentialDeletion(Struct):
        """Part of AlterUserScramCredentialsRequest."""

        __slots__ = (
            "name",
            "mechanism",
        )
        STRUCT: ClassVar[int] = 54

        def __init__(self, *, name: str = "", mechanism: int = 0) -> None:
            self.name = name
            self.mechanism = mechanism
            self.unknown_tagged_fields = None

    class ScramCredentialUpsertion(Struct):
        """Part of AlterUserScramCredentialsRequest."""

        __slots__ = (
            "name",
            "mechanism",
            "iterations",
            "salt",
            "salted_password",
        )
        STRUCT: ClassVar[int] = 55

        def __init__(
            self,
            *,
            name: str = "",
            mechanism: int = 0,
            iterations: int = 0,
            salt: bytes = b"",
            salted_password: bytes = b"",
        ) -> None:
            self.name = name
            self.mechanism = mechanism
            self.iterations = iterations
            self.salt = salt
            self.salted_password = salted_password
            self.unknown_tagged_fields = None


class AlterUserScramCredentialsResponse(Message):
    """Response of AlterUserScramCredentials, key 51, version 0."""

    API_KEY: ClassVar[int] = 51
    VERSIONS: ClassVar[tuple[int, int]] = (0, 0)
    FLEXIBLE_FROM: ClassVar[int | None] = 0
    __slots__ = (
        "throttle_time_ms",
        "results",
    )
    STRUCT: ClassVar[int] = 56

    def __init__(
        self,
        *,
        throttle_time_ms: int = 0,
        results: list[AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult] = UNSET,
    ) -> None:
        self.throttle_time_ms = throttle_time_ms
        self.results: list[AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult] = (
            [] if results is UNSET else results
        )
        self.unknown_tagged_fields = None

    class AlterUserScramCredentialsResult(Struct):
        """Part of AlterUserScramCredentialsResponse."""

        __slots__ = (
            "user",
            "error_code",
            "error_message",
        )
        STRUCT: ClassVar[int] = 57

        def __init__(self, *, user: str = "", error_code: int = 0, error_message: str | None = "") -> None:
            self.user = user
            self.error_code = error_code
            self.error_message = error_message
            self.unknown_tagged_fields = None
