"""Checksum, key hash and codecs of the extension against other implementations of them."""

import contextlib
import gzip
import json
from pathlib import Path

import crc32c as reference_crc32c
import lz4.frame
import pytest
from aiokafka.codec import (
    gzip_decode,
    gzip_encode,
    lz4_decode,
    lz4_encode,
    snappy_decode,
    snappy_encode,
    zstd_decode,
    zstd_encode,
)
from hypothesis import given
from hypothesis import strategies as st

from barnabas.columns.codecs import compress, crc32c, decompress, murmur2

GOLDEN = Path(__file__).parents[2] / "golden" / "records" / "java"
LEVELS = {
    "gzip": [None, -1, *range(1, 10)],
    "snappy": [None],
    "lz4": [None, *range(1, 18)],
    "zstd": [None, -131072, -5, 0, 1, 3, 19],
}
ENCODERS = {"gzip": gzip_encode, "snappy": snappy_encode, "lz4": lz4_encode, "zstd": zstd_encode}
DECODERS = {"gzip": gzip_decode, "snappy": snappy_decode, "lz4": lz4_decode, "zstd": zstd_decode}

payloads = st.one_of(
    st.binary(max_size=3000),
    st.builds(lambda part, count: part * count, st.binary(min_size=1, max_size=60), st.integers(0, 4000)),
)


@given(st.binary(max_size=5000))
def test_checksum_equals_the_crc32c_package(data: bytes):
    assert crc32c(data) == reference_crc32c.crc32c(data)


def test_checksum_of_every_short_length_and_alignment_equals_the_crc32c_package():
    data = bytes(index * 7 & 0xFF for index in range(2200))
    for length in [*range(300), 511, 512, 513, 1023, 1024, 1025, 2047, 2048]:
        for start in (0, 1, 3, 8, 13):
            part = data[start : start + length]
            assert crc32c(part) == reference_crc32c.crc32c(part)


def test_key_hashes_equal_javas():
    rows = json.loads((GOLDEN / "keys.json").read_text())
    assert len(rows) >= 40
    for row in rows:
        assert murmur2(bytes.fromhex(row["key"])) == row["murmur2"]


@pytest.mark.parametrize("codec", ENCODERS)
@given(data=payloads, choice=st.integers(0, 99))
def test_codecs_read_what_other_implementations_write_and_the_reverse(codec: str, data: bytes, choice: int):
    data = data or b"aiokafka cannot read an empty snappy stream"
    level = LEVELS[codec][choice % len(LEVELS[codec])]
    assert DECODERS[codec](compress(codec, data, level)) == data
    assert decompress(codec, ENCODERS[codec](data)) == data


def test_higher_levels_are_smaller():
    data = b"".join(b'{"row":%d,"name":"%x","flag":%d}' % (row, row * row, row % 3) for row in range(5000))
    for codec, low, high in (("gzip", 1, 9), ("lz4", 9, 12), ("zstd", 1, 19)):
        assert len(compress(codec, data, high)) < len(compress(codec, data, low))
    assert compress("gzip", data, -1) == compress("gzip", data)
    assert compress("lz4", data, 9) == compress("lz4", data)


@pytest.mark.parametrize(
    ("codec", "level"), [("gzip", 0), ("gzip", 10), ("lz4", 0), ("lz4", 18), ("zstd", 23), ("zstd", -131073)]
)
def test_levels_have_kafkas_bounds(codec: str, level: int):
    with pytest.raises(ValueError, match=f"no compression level {level}"):
        compress(codec, b"data", level)


def test_several_gzip_members_are_read_also_equal_ones():
    for members in ([b"a" * 1000, b"b"], [b"same", b"same"], [b"", b"x", b""]):
        data = b"".join(map(gzip.compress, members))
        assert decompress("gzip", data) == b"".join(members)


def test_lz4_frames_of_every_kind_are_read():
    data = bytes(range(256)) * 2000
    for linked in (True, False):
        for checksum in (True, False):
            frame = lz4.frame.compress(data, block_linked=linked, content_checksum=checksum, block_checksum=checksum)
            assert decompress("lz4", frame) == data


@pytest.mark.parametrize("codec", ENCODERS)
def test_output_is_bounded_by_size_and_by_ratio(codec: str):
    zeros = bytes(2 << 20)
    with pytest.raises(ValueError, match="more than"):
        decompress(codec, compress(codec, zeros), len(zeros) - 1)
    bomb = compress("zstd", bytes(64 << 20))
    with pytest.raises(ValueError, match="more than 1024 times its size"):
        decompress("zstd", bomb)


@given(st.sampled_from(sorted(ENCODERS)), st.binary(max_size=300))
def test_random_bytes_are_refused_or_read(codec: str, data: bytes):
    with contextlib.suppress(ValueError):
        assert len(decompress(codec, data, 1 << 20)) <= 1 << 20
