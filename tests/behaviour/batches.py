"""Record batches put together and read by hand, so that no broker is judged by its own encoder.

What is not given is as a plain producer sends it; every field of the header can be set to something else, also to what
contradicts the records.
"""

from __future__ import annotations

import gzip
import struct
from dataclasses import dataclass, field
from typing import Any

import cramjam
import crc32c
import lz4.frame

MADE = 1_700_000_000_000
"""The timestamp of the first record, unless a case says otherwise: November 2023."""
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}
CODEC_NAMES = {number: name for name, number in CODECS.items()}
HEADER = struct.Struct(">qiibI")
BODY = struct.Struct(">hiqqqhii")
SIZE_OF_HEADER = HEADER.size + BODY.size
APPEND_TIME, TRANSACTIONAL, CONTROL, DELETE_HORIZON = 0x08, 0x10, 0x20, 0x40


@dataclass
class Record:
    """One record. `offset_delta` is its place in the batch unless given."""

    value: bytes | None = b"v"
    key: bytes | None = None
    timestamp_delta: int = 0
    headers: list[tuple[str, bytes | None]] = field(default_factory=list)
    offset_delta: int | None = None


def batch(*values: bytes | Record | None, codec: str = "none", **header: Any) -> bytes:
    """Returns one record batch.

    Args:
        values: Its records; bare bytes are a record with that value.
        codec: How the records are compressed.
        **header: Fields that are set to something else: `base_offset`, `leader_epoch`, `magic`, `crc`, `attributes`
            (added to the codec), `last_offset_delta`, `base_timestamp`, `max_timestamp`, `producer_id`, `epoch`,
            `sequence`, `count`, `length`; `records` replaces the encoded records, before compression.
    """
    records = [value if isinstance(value, Record) else Record(value) for value in values]
    encoded = header.get("records")
    if encoded is None:
        encoded = b"".join(encode_record(index, record) for index, record in enumerate(records))
    base = header.get("base_timestamp", MADE)
    body = BODY.pack(
        CODECS[codec] | header.get("attributes", 0),
        header.get("last_offset_delta", len(records) - 1),
        base,
        header.get("max_timestamp", base + max([record.timestamp_delta for record in records], default=0)),
        header.get("producer_id", -1),
        header.get("epoch", -1),
        header.get("sequence", -1),
        header.get("count", len(records)),
    ) + compressed(codec, encoded)
    return (
        HEADER.pack(
            header.get("base_offset", 0),
            header.get("length", HEADER.size - 12 + len(body)),
            header.get("leader_epoch", -1),
            header.get("magic", 2),
            header.get("crc", crc32c.crc32c(body)),
        )
        + body
    )


def encode_record(index: int, record: Record) -> bytes:
    body = b"\0" + varint(record.timestamp_delta)
    body += varint(index if record.offset_delta is None else record.offset_delta)
    for data in (record.key, record.value):
        body += varint(-1) if data is None else varint(len(data)) + data
    body += varint(len(record.headers))
    for name, data in record.headers:
        body += varint(len(name.encode())) + name.encode()
        body += varint(-1) if data is None else varint(len(data)) + data
    return varint(len(body)) + body


def message_set(value: bytes, magic: int, codec: int = 0) -> bytes:
    """Returns one message of format 0 or 1, as clients before Kafka 0.11 sent them."""
    body = struct.pack(">bb", magic, codec)
    if magic == 1:
        body += struct.pack(">q", MADE)
    body += struct.pack(">i", -1) + struct.pack(">i", len(value)) + value
    import zlib  # noqa: PLC0415 (only here)

    return struct.pack(">qiI", 0, len(body) + 4, zlib.crc32(body)) + body


def compressed(codec: str, data: bytes) -> bytes:
    if codec == "gzip":
        return gzip.compress(data, mtime=0)
    if codec == "snappy":
        block = bytes(cramjam.snappy.compress_raw(data))
        return b"\x82SNAPPY\0" + struct.pack(">iii", 1, 1, len(block)) + block
    if codec == "lz4":
        return lz4.frame.compress(data, block_linked=False)
    if codec == "zstd":
        return bytes(cramjam.zstd.compress(data))
    return data


def decompressed(codec: str, data: bytes) -> bytes:
    if codec == "gzip":
        return gzip.decompress(data)
    if codec == "snappy":
        found, position = b"", 16
        while position < len(data):
            (size,) = struct.unpack_from(">i", data, position)
            found += bytes(cramjam.snappy.decompress_raw(data[position + 4 : position + 4 + size]))
            position += 4 + size
        return found
    if codec == "lz4":
        return lz4.frame.decompress(data)
    if codec == "zstd":
        return bytes(cramjam.zstd.decompress(data))
    return data


def told(data: bytes) -> list[dict[str, Any]]:
    """Says what whole batches hold, in the words of the Java oracle; what stands cut at the end is left out."""
    found = []
    position = 0
    while position + SIZE_OF_HEADER <= len(data):
        base_offset, length, leader_epoch, magic, crc = HEADER.unpack_from(data, position)
        end = position + 12 + length
        if end > len(data):
            break
        attributes, last_delta, base_time, max_time, producer, epoch, sequence, count = BODY.unpack_from(
            data, position + HEADER.size
        )
        one = {
            "baseOffset": base_offset,
            "lastOffset": base_offset + last_delta,
            "leaderEpoch": leader_epoch,
            "magic": magic,
            "codec": CODEC_NAMES[attributes & 7],
            "timestampType": "LogAppendTime" if attributes & APPEND_TIME else "CreateTime",
            "transactional": bool(attributes & TRANSACTIONAL),
            "control": bool(attributes & CONTROL),
            "maxTimestamp": max_time,
            "producerId": producer,
            "producerEpoch": epoch,
            "baseSequence": sequence,
            "baseTimestamp": base_time,
            "records": [],
        }
        if crc32c.crc32c(data[position + HEADER.size : end]) == crc:
            body = decompressed(str(one["codec"]), data[position + SIZE_OF_HEADER : end])
            one["records"] = told_records(body, count, one)
        else:
            one["damaged"] = True
        found.append(one)
        position = end
    return found


def told_records(body: bytes, count: int, batch_told: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    at = 0

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = body[at]
            at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value >> 1 ^ -(value & 1)

    def data() -> bytes | None:
        nonlocal at
        size = number()
        if size < 0:
            return None
        at += size
        return body[at - size : at]

    def text(value: bytes | None) -> str | None:
        return None if value is None else value.hex()

    for _ in range(count):
        number()
        at += 1
        time = batch_told["baseTimestamp"] + number()
        if batch_told["timestampType"] == "LogAppendTime":
            time = batch_told["maxTimestamp"]
        offset = batch_told["baseOffset"] + number()
        key, value = text(data()), text(data())
        headers = [[(data() or b"").decode(), text(data())] for _ in range(number())]
        found.append({"offset": offset, "timestamp": time, "key": key, "value": value, "headers": headers})
    return found


def varint(value: int) -> bytes:
    value = value << 1 if value >= 0 else (-value << 1) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
