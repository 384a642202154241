"""Kafka's checksum, key hash and codec framings as functions."""

from __future__ import annotations

from barnabas._core import compress, crc32c, decompress, murmur2

__all__ = ["compress", "crc32c", "decompress", "murmur2"]
