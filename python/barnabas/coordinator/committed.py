"""Committed offsets as they lie in the log: the two hottest records of `__consumer_offsets`, written by hand.

A shard keeps an offset as the bytes of its record's value and decodes it when somebody asks: a million of them are
loaded without making a million objects, which the process's garbage collector would have to walk. A property test holds
the bytes equal to the interpreter's; whatever is not of the usual shape is left to it.
"""

from __future__ import annotations

import re
import struct
from functools import lru_cache
from typing import NamedTuple

from barnabas.errors import ProtocolError
from barnabas.protocol import codec
from barnabas.protocol.messages.offset_commit_value import OffsetCommitValue

__all__ = [
    "NO_TOPIC_ID",
    "OFFSET_KEYS",
    "CommittedOffset",
    "OffsetKey",
    "check_value",
    "decode_key",
    "decode_value",
    "encode_key",
    "encode_value",
]

NO_TOPIC_ID = bytes(16)

OFFSET_KEYS = (b"\0\0", b"\0\1")
"""How keys begin: those that Kafka wrote long ago and, of the same shape, those of today."""
_KEY_TYPE = b"\0\1"
_NAMES_KEPT = 4_096
_VERSION = 4
_VERSION_WITH_EXPIRY = 1
_HEAD = struct.Struct(">hqi")
"""Version, offset, leader epoch."""
_TIME = struct.Struct(">q")
_PARTITION = struct.Struct(">i")
_new_tuple = tuple.__new__
_NO_TAGS = b"\0"
_TOPIC_ID_TAG = b"\1\0\x10"
"""One tagged field, the tag 0, of 16 bytes."""
_SHORT = 0x80
"""Lengths below this take one byte."""
_WITHOUT_METADATA = re.compile(rb"\x00\x04.{12}\x01.{8}(?:\x00|\x01\x00\x10.{16})", re.DOTALL)
"""A value as most clients leave it, with the topic's id or without."""


class OffsetKey(NamedTuple):
    """Key of a committed offset's record."""

    group: str
    topic: str
    partition: int


class CommittedOffset(NamedTuple):
    """A committed position; `expire_timestamp_ms` is -1 unless the client asked for its own retention."""

    offset: int
    leader_epoch: int = -1
    metadata: str = ""
    commit_timestamp_ms: int = -1
    expire_timestamp_ms: int = -1
    topic_id: bytes = NO_TOPIC_ID


def encode_key(key: OffsetKey) -> bytes:
    """Returns a key's bytes."""
    return _key_head(key.group, key.topic) + _PARTITION.pack(key.partition)


def decode_key(data: bytes) -> OffsetKey:
    """Reads a key that begins with one of `OFFSET_KEYS`.

    Raises:
        ProtocolError: The bytes are malformed.
    """
    # A named tuple's own constructor is a call more, for each of a million records.
    return _new_tuple(OffsetKey, (*_names(data[:-4]), *_PARTITION.unpack(data[-4:])))


@lru_cache(_NAMES_KEPT)
def _key_head(group: str, topic: str) -> bytes:
    names = b""
    for name in (group, topic):
        encoded = name.encode()
        names += struct.pack(">h", len(encoded)) + encoded
    return _KEY_TYPE + names


@lru_cache(_NAMES_KEPT)
def _names(head: bytes) -> tuple[str, str]:
    names = []
    position = 2
    for _ in range(2):
        size = int.from_bytes(head[position : position + 2], "big", signed=True)
        position += 2
        if size < 0 or position + size > len(head):
            raise ProtocolError("a committed offset's key is malformed")
        names.append(_text(head[position : position + size]))
        position += size
    if position != len(head):
        raise ProtocolError("a committed offset's key is malformed")
    return names[0], names[1]


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ProtocolError("a committed offset's text is not UTF-8") from None


def encode_value(committed: CommittedOffset) -> bytes:
    """Returns a value's bytes, in the version in which Kafka 4.3 writes it."""
    metadata = committed.metadata.encode()
    if committed.expire_timestamp_ms != -1 or len(metadata) >= _SHORT - 1:
        version = _VERSION if committed.expire_timestamp_ms == -1 else _VERSION_WITH_EXPIRY
        return codec.encode_coordinator_record(_message(committed), version)
    return (
        _HEAD.pack(_VERSION, committed.offset, committed.leader_epoch)
        + bytes((len(metadata) + 1,))
        + metadata
        + _TIME.pack(committed.commit_timestamp_ms)
        + (_NO_TAGS if committed.topic_id == NO_TOPIC_ID else _TOPIC_ID_TAG + committed.topic_id)
    )


def decode_value(data: bytes) -> CommittedOffset:
    """Reads a value of any version.

    Raises:
        ProtocolError: The bytes are malformed, or the version is not known.
    """
    if not _is_usual(data):
        return _unusual(data)
    _, offset, leader_epoch = _HEAD.unpack_from(data)
    end = _HEAD.size + data[_HEAD.size]
    return CommittedOffset(
        offset=offset,
        leader_epoch=leader_epoch,
        metadata=_text(data[_HEAD.size + 1 : end]),
        commit_timestamp_ms=_TIME.unpack_from(data, end)[0],
        topic_id=NO_TOPIC_ID if data[end + 8 :] == _NO_TAGS else data[-16:],
    )


def check_value(data: bytes) -> None:
    """Whether `decode_value` will be able to read a value; costs less than reading it.

    Raises:
        ProtocolError: It will not.
    """
    if not _WITHOUT_METADATA.fullmatch(data):
        decode_value(data)


def _is_usual(data: bytes) -> bool:
    """Whether it is of version 4 with a short metadata string and no other tagged field than the topic's id."""
    if len(data) <= _HEAD.size or data[:2] != b"\0\4" or not 0 < data[_HEAD.size] < _SHORT:
        return False
    tags = data[_HEAD.size + data[_HEAD.size] + 8 :]
    return tags == _NO_TAGS or (len(tags) == 19 and tags[:3] == _TOPIC_ID_TAG)


def _unusual(data: bytes) -> CommittedOffset:
    _, value = codec.decode_coordinator_record(_KEY_TYPE + bytes(8), data)
    assert isinstance(value, OffsetCommitValue)  # noqa: S101 - by the key's type
    return CommittedOffset(
        offset=value.offset,
        leader_epoch=value.leader_epoch,
        metadata=value.metadata,
        commit_timestamp_ms=value.commit_timestamp,
        expire_timestamp_ms=value.expire_timestamp,
        topic_id=bytes(value.topic_id),
    )


def _message(committed: CommittedOffset) -> OffsetCommitValue:
    return OffsetCommitValue(
        offset=committed.offset,
        leader_epoch=committed.leader_epoch,
        metadata=committed.metadata,
        commit_timestamp=committed.commit_timestamp_ms,
        expire_timestamp=committed.expire_timestamp_ms,
        topic_id=committed.topic_id,
    )
