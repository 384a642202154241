"""Messages to bytes and back, at any version.

Example:
    >>> from barnabas.protocol.messages.heartbeat import HeartbeatRequest
    >>> data = encode(HeartbeatRequest(group_id="g", generation_id=3, member_id="m"), 4)
    >>> decode(HeartbeatRequest, 4, data).generation_id
    3
"""

from __future__ import annotations

import importlib
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from barnabas import _core
from barnabas.errors import ProtocolError
from barnabas.protocol.apis import APIS, COORDINATOR_RECORDS, METADATA_RECORDS

if TYPE_CHECKING:
    from barnabas.protocol.struct import Message

M = TypeVar("M", bound="Message")
Log = Literal["group", "transaction", "share"]

# The first byte of every record of the metadata log: the version of the frame around the record.
METADATA_FRAME_VERSION = 1

_classes: dict[tuple[str, str], type[Message]] = {}


def message_class(module: str, name: str) -> type[Message]:
    """The class `name` of the module `barnabas.protocol.messages.<module>`, which is imported now at the latest."""
    found = _classes.get((module, name))
    if found is None:
        found = cast("type[Message]", getattr(importlib.import_module(f"barnabas.protocol.messages.{module}"), name))
        _classes[module, name] = found
    return found


def decode(cls: type[M], version: int, data: bytes | bytearray | memoryview, *, trailing: bool = False) -> M:
    """Decodes a message.

    Args:
        cls: The message's class.
        version: The version it was encoded at.
        data: Its bytes.
        trailing: Whether bytes may stand behind it; they are dropped.

    Returns:
        The message; fields that the version lacks have their defaults.

    Raises:
        ProtocolError: If the bytes are malformed, or the message has no such version.
    """
    return _core.decode_message(cls, version, data, trailing)


def encode(message: Message, version: int) -> bytes:
    """Encodes a message.

    Raises:
        ProtocolError: If the message has no such version, or holds a value that the version cannot carry.
        TypeError: If a field holds something of another type.
    """
    return _core.encode_message(message, version)


@cache
def request_class(api_key: int) -> type[Message]:
    """The class of an API's requests.

    Raises:
        ProtocolError: If no API has this key.
    """
    if api_key not in APIS:
        raise ProtocolError(f"no API has the key {api_key}")
    name, module, *_ = APIS[api_key]
    return message_class(module, name + "Request")


@cache
def response_class(api_key: int) -> type[Message]:
    """The class of an API's responses.

    Raises:
        ProtocolError: If no API has this key.
    """
    if api_key not in APIS:
        raise ProtocolError(f"no API has the key {api_key}")
    name, module, *_ = APIS[api_key]
    return message_class(module, name + "Response")


def decode_request(api_key: int, version: int, body: bytes | bytearray | memoryview) -> Message:
    """Decodes the body of a request.

    Raises:
        ProtocolError: If the bytes are malformed, or there is no such API or version.
    """
    return decode(request_class(api_key), version, body)


def decode_response(api_key: int, version: int, body: bytes | bytearray | memoryview) -> Message:
    """Decodes the body of a response.

    Raises:
        ProtocolError: If the bytes are malformed, or there is no such API or version.
    """
    return decode(response_class(api_key), version, body)


def valid_versions(api_key: int) -> tuple[int, int] | None:
    """The oldest and newest valid version of an API; None if there is no such API."""
    api = APIS.get(api_key)
    return None if api is None else (api[2], api[3])


def api_name(api_key: int) -> str:
    """Kafka's name of an API; the key as text if there is no such API."""
    api = APIS.get(api_key)
    return str(api_key) if api is None else api[0]


def encode_versioned(message: Message, version: int) -> bytes:
    """Encodes a message behind its version in two bytes, as in group protocols' metadata and assignments."""
    return _core.encode_message(message, version, version.to_bytes(2, "big"))


def decode_versioned(cls: type[M], data: bytes | bytearray | memoryview) -> M:
    """Decodes a message that stands behind its version in two bytes.

    A version newer than the table's newest is read as that, and what is behind it is dropped: this is how members of
    different age read each other's subscriptions.

    Raises:
        ProtocolError: If the bytes are malformed.
    """
    version = _prefix(data)
    low, high = cls.VERSIONS
    if version < low:
        raise ProtocolError(f"{cls.__name__} has no version {version}")
    return decode(cls, min(version, high), memoryview(data)[2:], trailing=True)


def encode_coordinator_record(message: Message, version: int = 0) -> bytes:
    """Encodes the key or value of a record of a coordinator's log.

    A key stands behind its type, a value behind its version; both in two bytes.

    Raises:
        ProtocolError: If the message has no such version, or holds a value that the version cannot carry.
    """
    prefix = message.API_KEY if type(message).__name__.endswith("Key") else version
    return _core.encode_message(message, version, (prefix or 0).to_bytes(2, "big"))


def decode_coordinator_record(
    key: bytes, value: bytes | None, log: Log = "group"
) -> tuple[Message | None, Message | None]:
    """Decodes a record of a coordinator's log.

    Args:
        key: The record's key.
        value: The record's value; None is a tombstone.
        log: Whose log it is.

    Returns:
        Key and value; the value is None for a tombstone. Both are None if the key's type is not known, as for records
        of a newer Kafka, which are skipped.

    Raises:
        ProtocolError: If the bytes are malformed, or the value's version is not known.
    """
    entry = COORDINATOR_RECORDS[log].get(_prefix(key))
    if entry is None:
        return None, None
    key_module, key_name, value_module, value_name = entry
    decoded = decode(message_class(key_module, key_name), 0, memoryview(key)[2:])
    if value is None or value_module is None:
        return decoded, None
    return decoded, decode(message_class(value_module, value_name), _prefix(value), memoryview(value)[2:])


def encode_metadata_record(record: Message, version: int | None = None) -> bytes:
    """Encodes a record of the metadata log, with its frame; by default at its newest version.

    Raises:
        ProtocolError: If the record has no such version, or holds a value that the version cannot carry.
    """
    if version is None:
        version = record.VERSIONS[1]
    frame = bytes([METADATA_FRAME_VERSION]) + _uvarint(record.API_KEY or 0) + _uvarint(version)
    return _core.encode_message(record, version, frame)


def decode_metadata_record(data: bytes) -> tuple[Message, int]:
    """Decodes a framed record of the metadata log; returns it and its version.

    Raises:
        ProtocolError: If the bytes are malformed, or the frame, type or version is not known.
    """
    frame, position = _core.read_uvarint(data, 0)
    if frame != METADATA_FRAME_VERSION:
        raise ProtocolError(f"metadata record with frame version {frame}")
    key, position = _core.read_uvarint(data, position)
    version, position = _core.read_uvarint(data, position)
    entry = METADATA_RECORDS.get(key)
    if entry is None:
        raise ProtocolError(f"metadata record of unknown type {key}")
    return decode(message_class(*entry), version, memoryview(data)[position:]), version


def _prefix(data: bytes | bytearray | memoryview) -> int:
    if len(data) < 2:
        raise ProtocolError(f"{len(data)} bytes where a two-byte version was expected")
    return int.from_bytes(data[:2], "big", signed=True)


def _uvarint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
