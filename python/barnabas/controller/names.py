"""Rules for topic names. Text in, verdict out."""

from __future__ import annotations

import re

__all__ = ["collision_key", "invalid_topic_name"]

_LENGTH_MAX = 249
_LEGAL = re.compile(r"[a-zA-Z0-9._-]*")


def invalid_topic_name(name: str) -> str | None:
    """Returns why a topic may not be called that, in Kafka's words; None when it may."""
    if not name:
        why = "the empty string is not allowed"
    elif name in (".", ".."):
        why = f"'{name}' is not allowed"
    elif len(name) > _LENGTH_MAX:
        why = f"the length of '{name}' is longer than the max allowed length {_LENGTH_MAX}"
    elif _LEGAL.fullmatch(name) is None:
        why = f"'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
    else:
        return None
    return f"Topic name is invalid: {why}"


def collision_key(name: str) -> str | None:
    """Returns what must differ between two topics: metric names turn '.' into '_'. None for names that have neither."""
    return name.replace(".", "_") if "." in name or "_" in name else None
