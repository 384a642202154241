"""Java properties, the form of `server.properties` and `meta.properties`."""

from __future__ import annotations

__all__ = ["parse_properties"]


def parse_properties(text: str) -> dict[str, str]:
    r"""Reads Java properties: `key=value` or `key: value` lines, comments, continued lines, the usual escapes.

    >>> parse_properties("# a comment\nnum.partitions = 4\nlog.dirs=/a,\\\n  /b")
    {'num.partitions': '4', 'log.dirs': '/a,/b'}
    """
    properties = {}
    lines = iter(text.splitlines())
    for first in lines:
        line = first.lstrip()
        if not line or line[0] in "#!":
            continue
        while (len(line) - len(line.rstrip("\\"))) % 2:
            line = line[:-1] + next(lines, "").lstrip()
        key, value = _split_property(line)
        properties[_unescape(key)] = _unescape(value)
    return properties


def _split_property(line: str) -> tuple[str, str]:
    escaped = False
    for index, char in enumerate(line):
        if not escaped and char in "=: \t\f":
            rest = line[index:].lstrip(" \t\f")
            if rest[:1] in ("=", ":"):
                rest = rest[1:].lstrip(" \t\f")
            return line[:index], rest
        escaped = char == "\\" and not escaped
    return line, ""


_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    out = []
    index = 0
    while index < len(text):
        char = text[index]
        index += 1
        if char != "\\" or index == len(text):
            out.append(char)
            continue
        char = text[index]
        index += 1
        digits = text[index : index + 4]
        if char == "u" and len(digits) == 4 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
            out.append(chr(int(digits, 16)))
            index += 4
        else:
            out.append(_ESCAPES.get(char, char))
    return "".join(out)
