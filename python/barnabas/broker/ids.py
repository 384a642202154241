"""Random ids. The one source of randomness of the control plane; the machines get ids as arguments."""

from __future__ import annotations

import binascii
import os

__all__ = ["directory_ids", "fresh_cluster_id", "fresh_topic_id", "fresh_uuid", "fresh_uuid_text", "uuid_of"]

_BASE64_DASH = 62


def fresh_uuid() -> bytes:
    """Returns a random (version 4) UUID."""
    drawn = bytearray(os.urandom(16))
    drawn[6] = drawn[6] & 0x0F | 0x40
    drawn[8] = drawn[8] & 0x3F | 0x80
    return bytes(drawn)


def fresh_uuid_text() -> str:
    """Returns a random UUID as text, as Kafka puts it behind a member's client id."""
    text = fresh_uuid().hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def fresh_topic_id() -> bytes:
    """Returns a random topic id whose text, as in Kafka, does not start with a dash."""
    while True:
        drawn = fresh_uuid()
        if drawn[0] >> 2 != _BASE64_DASH:
            return drawn


def fresh_cluster_id() -> str:
    """Returns a random cluster id: a UUID in URL-safe base64 without padding."""
    text = binascii.b2a_base64(fresh_topic_id(), newline=False).decode().rstrip("=")
    return text.replace("+", "-").replace("/", "_")


def uuid_of(text: str) -> bytes:
    """Reads a UUID from Kafka's text of it: URL-safe base64 without padding.

    Raises:
        ValueError: It is none.
    """
    data = binascii.a2b_base64(text.replace("-", "+").replace("_", "/") + "==", strict_mode=True)
    if len(data) != 16:
        raise ValueError(f"{text!r} is no UUID")
    return data


def directory_ids(data_dirs: list[str]) -> list[bytes]:
    """Returns the ids of data directories, as their `meta.properties` tell them; those without one are left out."""
    ids = []
    for data_dir in data_dirs:
        try:
            with open(f"{data_dir}/meta.properties", encoding="latin-1") as file:  # noqa: PTH123 - as in `server`
                lines = file.read().splitlines()
        except OSError:
            continue
        pairs = (line.partition("=") for line in lines)
        ids += [uuid_of(value.strip()) for name, _, value in pairs if name.strip() == "directory.id"]
    return ids
