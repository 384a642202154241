"""Which partition of an internal topic holds a key. Nothing else: any client or tool may import it."""

from __future__ import annotations

__all__ = ["java_string_hash", "partition_for"]

_INT_MIN = -(1 << 31)


def java_string_hash(text: str) -> int:
    """Hashes `text` as Java's `String.hashCode` does: over UTF-16 code units, in 32-bit arithmetic.

    >>> java_string_hash("billing")
    -109829509
    """
    units = text.encode("utf-16-be", "surrogatepass")
    value = 0
    for high, low in zip(units[::2], units[1::2], strict=True):
        value = (value * 31 + (high << 8 | low)) & 0xFFFFFFFF
    return value - (1 << 32) if value >= 1 << 31 else value


def partition_for(key: str, partition_count: int) -> int:
    """Returns the partition of `__consumer_offsets` (or another coordinator topic) for a group or transactional id."""
    value = java_string_hash(key)
    return 0 if value == _INT_MIN else abs(value) % partition_count
