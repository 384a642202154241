"""SCRAM credentials, stored and described: (image, request) -> (records, response). Passwords are never kept."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Any

from barnabas.errors import (
    DuplicateResourceError,
    ResourceNotFoundError,
    UnacceptableCredentialError,
    UnsupportedSaslMechanismError,
)
from barnabas.protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsResponse
from barnabas.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsResponse
from barnabas.protocol.messages.remove_user_scram_credential_record import RemoveUserScramCredentialRecord
from barnabas.protocol.messages.user_scram_credential_record import UserScramCredentialRecord

if TYPE_CHECKING:
    from barnabas.controller.image import Image
    from barnabas.controller.settings import ControllerSettings
    from barnabas.protocol.messages.alter_user_scram_credentials import AlterUserScramCredentialsRequest
    from barnabas.protocol.messages.describe_user_scram_credentials import DescribeUserScramCredentialsRequest

__all__ = ["alter_user_scram_credentials", "describe_user_scram_credentials"]

_HASHES = {1: "sha256", 2: "sha512"}
_ITERATIONS_MIN = 4096
_ITERATIONS_MAX = 16_384
_TWICE = "A user credential cannot be altered twice in the same request"

Error = tuple[int, str]


def alter_user_scram_credentials(
    image: Image, message: AlterUserScramCredentialsRequest, settings: ControllerSettings
) -> tuple[list[Any], AlterUserScramCredentialsResponse]:
    """Decides about credentials. A user is named once per request."""
    del settings
    errors: dict[str, Error] = {}
    deletions: dict[str, Any] = {}
    upsertions: dict[str, Any] = {}
    for deletion in message.deletions:
        _sort(deletion, _refused_deletion(image, deletion), deletions, (deletions,), errors)
    for upsertion in message.upsertions:
        _sort(upsertion, _refused_upsertion(upsertion), upsertions, (deletions, upsertions), errors)
    records: list[Any] = [
        RemoveUserScramCredentialRecord(name=name, mechanism=deletion.mechanism) for name, deletion in deletions.items()
    ]
    records += [_credential(upsertion) for upsertion in upsertions.values()]
    shape = AlterUserScramCredentialsResponse.AlterUserScramCredentialsResult
    results = [shape(user=name, error_message=None) for name in (*deletions, *upsertions)]
    results += [shape(user=name, error_code=code, error_message=why) for name, (code, why) in errors.items()]
    return records, AlterUserScramCredentialsResponse(results=results)


def _sort(
    wanted: Any, refused: Error | None, into: dict[str, Any], seen: tuple[dict[str, Any], ...], errors: dict[str, Error]
) -> None:
    name = wanted.name
    if name in errors:
        return
    if any(some.pop(name, None) is not None for some in seen):
        errors[name] = DuplicateResourceError.code, _TWICE
    elif refused is not None:
        errors[name] = refused
    else:
        into[name] = wanted


def _refused_name(name: str, mechanism: int) -> Error | None:
    if not name:
        return UnacceptableCredentialError.code, "Username must not be empty"
    if mechanism not in _HASHES:
        return UnsupportedSaslMechanismError.code, "Unknown SCRAM mechanism"
    return None


def _refused_deletion(image: Image, deletion: Any) -> Error | None:
    refused = _refused_name(deletion.name, deletion.mechanism)
    if refused is None and (deletion.name, deletion.mechanism) not in image.scram:
        return ResourceNotFoundError.code, "Attempt to delete a user credential that does not exist"
    return refused


def _refused_upsertion(upsertion: Any) -> Error | None:
    refused = _refused_name(upsertion.name, upsertion.mechanism)
    if refused is None and upsertion.iterations < _ITERATIONS_MIN:
        return UnacceptableCredentialError.code, "Too few iterations"
    if refused is None and upsertion.iterations > _ITERATIONS_MAX:
        return UnacceptableCredentialError.code, "Too many iterations"
    return refused


def _credential(upsertion: Any) -> UserScramCredentialRecord:
    kind = _HASHES[upsertion.mechanism]
    salted = bytes(upsertion.salted_password)
    client_key = hmac.new(salted, b"Client Key", kind).digest()
    return UserScramCredentialRecord(
        name=upsertion.name,
        mechanism=upsertion.mechanism,
        salt=bytes(upsertion.salt),
        stored_key=hashlib.new(kind, client_key).digest(),
        server_key=hmac.new(salted, b"Server Key", kind).digest(),
        iterations=upsertion.iterations,
    )


def describe_user_scram_credentials(
    image: Image, message: DescribeUserScramCredentialsRequest, settings: ControllerSettings
) -> tuple[list[Any], DescribeUserScramCredentialsResponse]:
    """Says which mechanisms users have credentials for, and with how many iterations."""
    del settings
    names = [user.name for user in message.users or []]
    if not names:
        names = sorted({name for name, _ in image.scram})
    results = [_described(image, name, names.count(name)) for name in dict.fromkeys(names)]
    return [], DescribeUserScramCredentialsResponse(results=results, error_message="")


def _described(
    image: Image, name: str, count: int
) -> DescribeUserScramCredentialsResponse.DescribeUserScramCredentialsResult:
    shape = DescribeUserScramCredentialsResponse
    result = shape.DescribeUserScramCredentialsResult(user=name, error_message="")
    result.credential_infos = [
        shape.CredentialInfo(mechanism=mechanism, iterations=image.scram[name, mechanism].iterations)
        for mechanism in _HASHES
        if (name, mechanism) in image.scram
    ]
    if count > 1:
        result.credential_infos = []
        result.error_code = DuplicateResourceError.code
        result.error_message = f"Cannot describe SCRAM credentials for the same user twice in a single request: {name}"
    elif not result.credential_infos:
        result.error_code = ResourceNotFoundError.code
        result.error_message = f"Attempt to describe a user credential that does not exist: {name}"
    return result
