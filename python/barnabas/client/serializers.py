"""Serializers and deserializers by name, and what a producer does with them and with callables."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any, Final

from barnabas.errors import SerializationError

if TYPE_CHECKING:
    from collections.abc import Callable

    Serializer = Callable[[Any], bytes | None]
    Deserializer = Callable[[bytes], Any]

__all__ = ["DESERIALIZER_SYNONYMS", "NAMES", "SYNONYMS", "deserializer", "serialized", "serializer"]


def _text(value: str) -> bytes:
    return value.encode()


def _packed(form: str) -> Serializer:
    return struct.Struct(form).pack


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _unpacked(form: str) -> Deserializer:
    unpack = struct.Struct(form).unpack
    return lambda data: unpack(data)[0]


_BY_NAME: Final[dict[str, Serializer | None]] = {
    "bytes": None,
    "str": _text,
    "int": _packed(">i"),
    "long": _packed(">q"),
    "double": _packed(">d"),
    "json": _json,
}

_BACK_BY_NAME: Final[dict[str, Deserializer | None]] = {
    "bytes": None,
    "str": bytes.decode,
    "int": _unpacked(">i"),
    "long": _unpacked(">q"),
    "double": _unpacked(">d"),
    "json": json.loads,
}

NAMES: Final = tuple(_BY_NAME)

_JAVA: Final = {"bytearray": "bytes", "string": "str", "integer": "int", "long": "long", "double": "double"}

SYNONYMS: Final = {f"org.apache.kafka.common.serialization.{java}serializer": name for java, name in _JAVA.items()}
"""Java's classes that make the same bytes, in lower case."""
DESERIALIZER_SYNONYMS: Final = {
    f"org.apache.kafka.common.serialization.{java}deserializer": name for java, name in _JAVA.items()
}
"""Java's classes that read the same bytes, in lower case."""


def serializer(given: Serializer | str | None) -> Serializer | None:
    """The function that an option stands for; None where keys or values are bytes already."""
    return _BY_NAME[given] if isinstance(given, str) else given


def deserializer(given: Deserializer | str | None) -> Deserializer | None:
    """The function that an option stands for; None where keys or values stay bytes."""
    return _BACK_BY_NAME[given] if isinstance(given, str) else given


def serialized(what: str, given: Any, function: Serializer) -> bytes | None:
    """The bytes of a key or value; None stays None.

    Raises:
        SerializationError: One of the named serializers refused it; a callable's own exceptions are left as they are.
        TypeError: The serializer made something else than bytes.
    """
    if given is None:
        return None
    try:
        made = function(given)
    except (struct.error, AttributeError, TypeError, ValueError) as error:
        if function not in _BY_NAME.values():
            raise
        raise SerializationError(f"{what} {given!r} does not fit its serializer: {error}") from error
    if made is not None and not isinstance(made, bytes | bytearray | memoryview):
        raise TypeError(f"{what}_serializer must return bytes or None, got {type(made).__name__}")
    return made
