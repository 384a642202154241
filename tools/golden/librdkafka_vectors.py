"""Write golden vectors made by librdkafka: batches as its producer sends them, with what they hold.

A broker on this machine receives them; the batches are then read from its log directory, where only base offset
and leader epoch differ from what was sent.

    python librdkafka_vectors.py --bootstrap-servers 127.0.0.1:9092 --log-dir /path/of/log.dirs DIR
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import crc32c
from confluent_kafka import Producer, libversion
from confluent_kafka.admin import AdminClient, NewTopic

TIME_MS = 1_700_000_000_000
PLAIN_MAX = 256
"""Longer byte strings are described by length and CRC32C."""
CODECS = ("none", "gzip", "snappy", "lz4", "zstd")
Record = dict[str, Any]


def text(size: int) -> bytes:
    """Bytes that compress well."""
    return bytes(ord("a") + (i // 7 + i % 11) % 26 for i in range(size))


def noise(size: int) -> bytes:
    """Bytes that do not compress."""
    state, noise = 12345, bytearray()
    for _ in range(size):
        state = (state * 1103515245 + 12345) % (1 << 31)
        noise.append(state >> 16 & 0xFF)
    return bytes(noise)


def varied() -> list[Record]:
    """Null, empty and repeated fields; values beyond one block of every codec."""
    headers = [("trace", b"1"), ("trace", b"2"), ("null", None), ("empty", b""), ("ключ", "значение".encode())]
    rows = [
        (TIME_MS, b"key", b"value", []),
        (TIME_MS - 1000, None, b"no key", []),
        (TIME_MS + 1, b"no value", None, []),
        (TIME_MS, None, None, []),
        (TIME_MS, b"", b"", []),
        (TIME_MS + (1 << 40), b"far", b"ahead", []),
        (TIME_MS, b"headers", b"five", headers),
        *((TIME_MS + i // 7, b"N%d" % (i % 13), b'{"origin":"EWR","row":%d}' % i, []) for i in range(60)),
        (TIME_MS + 99, None, text(200), []),
    ]
    return [{"timestamp": t, "key": k, "value": v, "headers": h} for t, k, v, h in rows]


def blocks() -> list[Record]:
    """Several blocks of every codec."""
    values = [text(40_000 + i) for i in range(5)] + [noise(600)]
    return [{"timestamp": TIME_MS, "key": None, "value": value, "headers": []} for value in values]


def produce(bootstrap: str, topic: str, codec: str, records: list[Record], *, idempotent: bool) -> None:
    """Send all records as one batch."""
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "compression.type": codec,
            "linger.ms": 1000,
            "enable.idempotence": idempotent,
        }
    )
    errors: list[object] = []
    for record in records:
        producer.produce(
            topic,
            record["value"],
            record["key"],
            partition=0,
            timestamp=record["timestamp"],
            headers=record["headers"],
            on_delivery=lambda error, _: errors.append(error) if error else None,
        )
    if producer.flush(30) or errors:
        raise SystemExit(f"{topic}: not delivered: {errors}")


def described_field(data: bytes | None) -> str | Record | None:
    """Describe a key or value."""
    if data is None or len(data) <= PLAIN_MAX:
        return None if data is None else data.hex()
    return {"length": len(data), "crc32c": crc32c.crc32c(data)}


def described(record: Record, offset: int) -> Record:
    """Describe a record as the expected JSON does."""
    return {
        "offset": offset,
        "timestamp": record["timestamp"],
        "key": described_field(record["key"]),
        "value": described_field(record["value"]),
        "headers": [[name.encode().hex(), described_field(value)] for name, value in record["headers"]],
    }


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bootstrap-servers", required=True)
    parser.add_argument("--log-dir", required=True, type=Path)
    parser.add_argument("directory", type=Path)
    arguments = parser.parse_args()
    arguments.directory.mkdir(parents=True, exist_ok=True)
    admin = AdminClient({"bootstrap.servers": arguments.bootstrap_servers})
    vectors = {
        f"{name}_{codec}": (codec, records, codec in ("none", "zstd"))
        for codec in CODECS
        for name, records in (("varied", varied()), ("blocks", blocks()))
        if (name, codec) != ("blocks", "none")
    }
    run = int(time.time())
    topics = {name: f"golden-{run}-{name}" for name in vectors}
    future_allowed = {"message.timestamp.after.max.ms": str((1 << 63) - 1)}
    created = admin.create_topics([NewTopic(topic, 1, 1, config=future_allowed) for topic in topics.values()])
    for future in created.values():
        future.result(30)
    for name, (codec, records, idempotent) in vectors.items():
        produce(arguments.bootstrap_servers, topics[name], codec, records, idempotent=idempotent)
        log = arguments.log_dir / f"{topics[name]}-0" / f"{0:020d}.log"
        (arguments.directory / f"{name}.bin").write_bytes(log.read_bytes())
        expected = {
            "codec": codec,
            "idempotent": idempotent,
            "records": [described(record, offset) for offset, record in enumerate(records)],
        }
        rows = json.dumps(expected, separators=(",", ":")).replace('{"offset"', '\n{"offset"')
        (arguments.directory / f"{name}.json").write_text(rows + "\n")
    print(f"{len(vectors)} vectors by librdkafka {libversion()[0]}")


if __name__ == "__main__":
    main()
