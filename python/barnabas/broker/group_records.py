"""Records of `__consumer_offsets` to bytes and back. Imported with the first shard, which a start does not wait for."""

from __future__ import annotations

from typing import Any

from barnabas.coordinator.committed import OFFSET_KEYS, OffsetKey, check_value, decode_key, encode_key
from barnabas.coordinator.pending import Marker, Transactional
from barnabas.coordinator.records import value_version
from barnabas.errors import ProtocolError
from barnabas.protocol import codec

__all__ = ["decode", "decode_in_transaction", "encode"]

ABORT, COMMIT = b"\0\0\0\0", b"\0\0\0\1"
"""Keys of markers: version and type."""


def encode(record: tuple[Any, Any]) -> tuple[bytes | None, bytes | None]:
    """Returns a record's key and value."""
    key, value = record
    if type(key) is OffsetKey:
        return encode_key(key), value
    encoded = None if value is None else codec.encode_coordinator_record(value, value_version(value))
    return codec.encode_coordinator_record(key, 0), encoded


def decode(key: bytes | None, value: bytes | None) -> tuple[Any, Any] | None:
    """Returns a record; None for one that this version does not know, which is kept in the log and not acted on."""
    if key is None:
        return None
    try:
        if key.startswith(OFFSET_KEYS):
            if value is not None:
                check_value(value)
            return decode_key(key), value
        record = codec.decode_coordinator_record(key, value)
    except ProtocolError:
        return None
    return None if record[0] is None else record


def decode_in_transaction(
    producer: tuple[int, int], key: bytes | None, value: bytes | None, *, is_control: bool
) -> tuple[Any, Any] | None:
    """Returns a record that a producer wrote in a transaction, or the marker that ended it; None for any other."""
    if is_control:
        return (Marker(*producer), key == COMMIT) if key in (ABORT, COMMIT) else None
    record = decode(key, value)
    if record is None or type(record[0]) is not OffsetKey:
        return None
    return Transactional(producer[0], record[0]), record[1]
