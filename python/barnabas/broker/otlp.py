"""Metrics that clients push: OpenTelemetry's protobuf (`MetricsData`, version 1) to samples. Bytes in, values out.

Only what a sample needs is read; fields that are not known are passed over, as protobuf wants it.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["InvalidPayload", "Sample", "decode_metrics"]

SAMPLES_MAX = 10_000
"""Samples of one payload; Kafka's clients send some hundreds."""
VARINT_BYTES_MAX = 10
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
DELTA = 1

Labels = tuple[tuple[str, str], ...]


class InvalidPayload(ValueError):  # noqa: N818 - it names what is wrong, and becomes an error code above
    """Bytes that are no metrics."""


class Sample(NamedTuple):
    """One number that a client has measured.

    Attributes:
        name: As the client names the metric, with what of a histogram it is behind it.
        labels: Attributes of the resource and of the data point, by name.
        is_counter: Whether it only grows.
        is_delta: Whether it is what was added since the last push.
    """

    name: str
    labels: Labels
    value: float
    is_counter: bool
    is_delta: bool


def decode_metrics(data: bytes) -> list[Sample]:
    """Reads a payload.

    Raises:
        InvalidPayload: It is malformed, or has more than `SAMPLES_MAX` samples.
    """
    samples: list[Sample] = []
    for resource in _messages(data, 1):
        labels = dict(pair for message in _messages(resource, 1) for pair in _attributes(message, 1))
        for scope in _messages(resource, 2):
            for metric in _messages(scope, 2):
                samples += _samples(metric, labels)
                if len(samples) > SAMPLES_MAX:
                    raise InvalidPayload(f"more than {SAMPLES_MAX} samples")
    return samples


def _samples(metric: bytes, labels: dict[str, str]) -> Iterator[Sample]:
    name = ""
    for number, _, value in _fields(metric):
        if number == 1:
            name = _text(value)
    for gauge in _messages(metric, 5):
        for point in _messages(gauge, 1):
            yield Sample(name, _labels(point, 7, labels), _number(point), is_counter=False, is_delta=False)
    for total in _messages(metric, 7):
        temporality, is_counter = _varint_of(total, 2), bool(_varint_of(total, 3))
        for point in _messages(total, 1):
            found = _labels(point, 7, labels)
            yield Sample(name, found, _number(point), is_counter=is_counter, is_delta=temporality == DELTA)
    for histogram in _messages(metric, 9):
        is_delta = _varint_of(histogram, 2) == DELTA
        for point in _messages(histogram, 1):
            yield from _histogram(name, point, _labels(point, 9, labels), is_delta=is_delta)


def _histogram(name: str, point: bytes, labels: Labels, *, is_delta: bool) -> Iterator[Sample]:
    count, total = 0, 0.0
    counts: list[float] = []
    bounds: list[float] = []
    for number, kind, value in _fields(point):
        if number == 4 and kind == FIXED64:
            count = int.from_bytes(value, "little")
        elif number == 5 and kind == FIXED64:
            (total,) = struct.unpack("<d", value)
        elif number == 6:
            counts += _unpacked("<Q", value)
        elif number == 7:
            bounds += _unpacked("<d", value)
    passed = 0.0
    for limit, within in zip([*bounds, float("inf")], counts, strict=False):
        passed += within
        bound = ("le", "+Inf" if limit == float("inf") else repr(limit))
        yield Sample(f"{name}.bucket", tuple(sorted((*labels, bound))), passed, is_counter=True, is_delta=is_delta)
    yield Sample(f"{name}.count", labels, count, is_counter=True, is_delta=is_delta)
    yield Sample(f"{name}.sum", labels, total, is_counter=True, is_delta=is_delta)


def _number(point: bytes) -> float:
    for number, kind, value in _fields(point):
        if kind == FIXED64 and number == 4:
            return float(struct.unpack("<d", value)[0])
        if kind == FIXED64 and number == 6:
            return float(int.from_bytes(value, "little", signed=True))
    return 0.0


def _labels(point: bytes, field: int, of_resource: dict[str, str]) -> Labels:
    return tuple(sorted({**of_resource, **dict(_attributes(point, field))}.items()))


def _attributes(message: bytes, field: int) -> Iterator[tuple[str, str]]:
    for attribute in _messages(message, field):
        key, text = "", ""
        for number, _, value in _fields(attribute):
            if number == 1:
                key = _text(value)
            elif number == 2:
                text = _any_value(value)
        yield key, text


def _any_value(message: bytes) -> str:
    for number, kind, value in _fields(message):
        if number == 1:
            return _text(value)
        if number == 2:
            return "true" if any(value) else "false"
        if number == 3 and kind == VARINT:
            whole = int.from_bytes(value, "little")
            return str(whole - (1 << 64) if whole >> 63 else whole)
        if number == 4 and kind == FIXED64:
            return repr(struct.unpack("<d", value)[0])
    return ""


# Protobuf


def _fields(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yields (number, wire type, bytes) of each field; a varint's bytes are its value, little end first."""
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        kind = tag & 7
        if kind == VARINT:
            value, position = _varint(data, position)
            yield tag >> 3, kind, value.to_bytes(8, "little")
            continue
        if kind == BYTES:
            size, position = _varint(data, position)
        elif kind in (FIXED64, FIXED32):
            size = 8 if kind == FIXED64 else 4
        else:
            raise InvalidPayload(f"wire type {kind}")
        if size > len(data) - position:
            raise InvalidPayload(f"a field of {size} bytes where {len(data) - position} are left")
        yield tag >> 3, kind, data[position : position + size]
        position += size


def _messages(data: bytes, field: int) -> Iterator[bytes]:
    return (value for number, kind, value in _fields(data) if number == field and kind == BYTES)


def _varint_of(data: bytes, field: int) -> int:
    found = [value for number, kind, value in _fields(data) if number == field and kind == VARINT]
    return int.from_bytes(found[-1], "little") if found else 0


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = 0
    for index, byte in enumerate(data[position : position + VARINT_BYTES_MAX]):
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return value & (1 << 64) - 1, position + index + 1
    raise InvalidPayload("a number without an end")


def _unpacked(format_: str, value: bytes) -> list[float]:
    if len(value) % 8:
        raise InvalidPayload(f"{len(value)} bytes of packed numbers")
    return [item[0] for item in struct.iter_unpack(format_, value)]


def _text(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError as error:
        raise InvalidPayload(str(error)) from None
