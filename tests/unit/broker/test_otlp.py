"""OpenTelemetry's protobuf, judged by hand-made bytes; what is malformed is refused, never half read."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from barnabas.broker.otlp import InvalidPayload, Sample, decode_metrics


def part(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2, len(data)]) + data


def metric(body: bytes) -> bytes:
    return part(1, part(2, part(2, part(1, b"m") + body)))


def doubles(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}d", *values)


def test_a_histogram_becomes_buckets_a_count_and_a_sum() -> None:
    point = b"\x21" + struct.pack("<Q", 6) + b"\x29" + doubles(1.5)
    point += part(6, struct.pack("<3Q", 1, 2, 3)) + part(7, doubles(0.5, 1.0))
    assert decode_metrics(metric(part(9, part(1, point) + b"\x10\x02"))) == [
        Sample("m.bucket", (("le", "0.5"),), 1, is_counter=True, is_delta=False),
        Sample("m.bucket", (("le", "1.0"),), 3, is_counter=True, is_delta=False),
        Sample("m.bucket", (("le", "+Inf"),), 6, is_counter=True, is_delta=False),
        Sample("m.count", (), 6, is_counter=True, is_delta=False),
        Sample("m.sum", (), 1.5, is_counter=True, is_delta=False),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (part(1, b"t"), "t"),
        (b"\x10\x01", "true"),
        (b"\x10\x00", "false"),
        (b"\x18" + b"\xff" * 9 + b"\x01", "-1"),
        (b"\x21" + doubles(2.5), "2.5"),
        (b"", ""),
    ],
)
def test_attributes_of_every_kind_are_labels(value: bytes, text: str) -> None:
    attribute = part(7, part(1, b"k") + part(2, value))
    (sample,) = decode_metrics(metric(part(5, part(1, attribute + b"\x31" + struct.pack("<q", -9)))))
    assert sample == Sample("m", (("k", text),), -9.0, is_counter=False, is_delta=False)


def test_fields_that_are_not_known_are_passed_over() -> None:
    more = b"\x78\x05" + b"\x7d\0\0\0\0" + b"\x79" + bytes(8) + part(15, b"xyz")
    (sample,) = decode_metrics(more + metric(more + part(5, part(1, more + b"\x21" + doubles(4.0)))))
    assert sample.value == 4.0


@pytest.mark.parametrize(
    "data", [b"\x0a", b"\x0a\x05abc", b"\x0b", b"\xff" * 11, metric(part(9, part(1, part(6, b"odd"))))]
)
def test_what_is_malformed_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidPayload):
        decode_metrics(data)


def test_names_that_are_no_text_are_refused() -> None:
    with pytest.raises(InvalidPayload):
        decode_metrics(part(1, part(2, part(2, part(1, b"\xff") + part(5, part(1, b""))))))


@settings(max_examples=300)
@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for payload in (data, metric(data), metric(part(9, part(1, data)))[:130]):
        try:
            decode_metrics(payload)
        except InvalidPayload:
            continue
