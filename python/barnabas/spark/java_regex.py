"""Java regular expressions for Python: what `subscribePattern` is written in, translated or refused.

Only what can match a topic's name matters: letters, digits, `.`, `_` and `-`. The meaning is that of `java.util.regex`;
what has no equal in Python is refused rather than read in another way.
"""

from __future__ import annotations

import re
from typing import Final

from barnabas.errors import ConfigError

__all__ = ["compile_java_regex"]

_POSIX: Final = {
    "Lower": "a-z",
    "Upper": "A-Z",
    "ASCII": r"\x00-\x7f",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Punct": r"!-/:-@\[-`{-~",
    "Graph": "!-~",
    "Print": " -~",
    "Blank": r" \t",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "Space": r"\t-\r ",
}
"""The classes of `\\p{...}` that are about ASCII alone; Java's others are about Unicode."""

_SAME: Final = frozenset("dDsSwWbBAtnrfa")
"""Letters that mean the same after a backslash in both languages, with `re.ASCII`."""
_OTHER_WORDS: Final = {"e": r"\x1b", "z": r"\Z", "Z": r"\Z"}
"""Names have no line ends, which is all that sets \\Z apart in Java."""
_HEX_DIGITS: Final = {"x": 2, "u": 4}
_FLAGS: Final = frozenset("ismx")


def compile_java_regex(pattern: str) -> re.Pattern[str]:
    r"""The pattern as Python matches it.

    Args:
        pattern: A regular expression as `java.util.regex.Pattern` reads it.

    Returns:
        What matches the same topics with `fullmatch`, as `Matcher.matches()` does.

    Raises:
        ConfigError: It is no regular expression, or has something that Python cannot match in the same way.

    Example:
        >>> bool(compile_java_regex(r"orders-\p{Digit}++").fullmatch("orders-17"))
        True
    """
    try:
        return re.compile(_Translation(pattern).result(), re.ASCII)
    except re.error as error:
        raise ConfigError(f"option subscribePattern: {pattern!r} is no regular expression: {error}") from error


class _Translation:
    """One walk over a pattern."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._out: list[str] = []

    def result(self) -> str:
        while self._at < len(self._pattern):
            char = self._next()
            if char == "\\":
                self._out.append(self._escape(in_class=False))
            elif char == "[":
                self._class()
            elif char == "(" and self._peek("?"):
                self._group()
            else:
                self._out.append(char)
        return "".join(self._out)

    def _refuse(self, what: str) -> ConfigError:
        return ConfigError(
            f"option subscribePattern: {what} in {self._pattern!r} has no equal in Python's regular expressions; "
            "write it in another way, or name the topics with subscribe"
        )

    def _next(self) -> str:
        if self._at >= len(self._pattern):
            raise ConfigError(f"option subscribePattern: {self._pattern!r} ends in the middle of an expression")
        self._at += 1
        return self._pattern[self._at - 1]

    def _peek(self, text: str) -> bool:
        return self._pattern.startswith(text, self._at)

    def _until(self, end: str) -> str:
        stop = self._pattern.find(end, self._at)
        if stop < 0:
            raise ConfigError(f"option subscribePattern: {end!r} is missing in {self._pattern!r}")
        found = self._pattern[self._at : stop]
        self._at = stop + len(end)
        return found

    def _escape(self, *, in_class: bool) -> str:
        char = self._next()
        if char == "Q":
            return self._quoted()
        if char in "pP":
            return self._property(negated=char == "P", in_class=in_class)
        if char in _HEX_DIGITS:
            return self._hex(char)
        if char in _OTHER_WORDS:
            return _OTHER_WORDS[char]
        if char == "k" and self._peek("<"):
            return f"(?P={self._until('>')[1:]})"
        if char in _SAME or char in "123456789" or not (char.isascii() and char.isalnum()):
            return "\\" + char if char.isascii() else char
        raise self._refuse(f"\\{char}")

    def _quoted(self) -> str:
        if "\\E" in self._pattern[self._at :]:
            return re.escape(self._until("\\E"))
        rest, self._at = self._pattern[self._at :], len(self._pattern)
        return re.escape(rest)

    def _hex(self, kind: str) -> str:
        if kind == "x" and self._peek("{"):
            self._next()
            digits = self._until("}")
        else:
            digits = "".join(self._next() for _ in range(_HEX_DIGITS[kind]))
        try:
            return re.escape(chr(int(digits, 16)))
        except (ValueError, OverflowError):
            raise ConfigError(f"option subscribePattern: {digits!r} is no character in {self._pattern!r}") from None

    def _property(self, *, negated: bool, in_class: bool) -> str:
        name = self._until("}")[1:] if self._peek("{") else self._next()
        if name not in _POSIX:
            raise self._refuse(f"\\p{{{name}}}")
        if in_class:
            if negated:
                raise self._refuse(f"\\P{{{name}}} inside of brackets")
            return _POSIX[name]
        return f"[{'^' if negated else ''}{_POSIX[name]}]"

    def _class(self) -> None:
        parts = ["["]
        if self._peek("^"):
            parts.append(self._next())
        is_first = True
        while True:
            char = self._next()
            if char == "]" and not is_first:
                break
            if char == "[":
                raise self._refuse("a class inside of a class")
            if char == "&" and self._peek("&"):
                raise self._refuse("an intersection of classes (&&)")
            if char == "]":
                raise self._refuse("] as the first of a class")
            if char == "\\":
                char = self._escape(in_class=True)
            elif char in "-|~" and self._peek(char):
                # Python keeps these doubled signs for set operations to come, and warns.
                char = "\\" + char
            parts.append(char)
            is_first = False
        self._out.append("".join(parts) + "]")

    def _group(self) -> None:
        begin = self._at - 1
        self._next()
        for same in (":", "=", "!", ">", "<=", "<!"):
            if self._peek(same):
                self._at += len(same)
                self._out.append("(?" + same)
                return
        if self._peek("<"):
            self._next()
            self._out.append(f"(?P<{self._until('>')}>")
            return
        flags = ""
        while (char := self._next()) not in ":)":
            flags += char
        on, _, off = flags.partition("-")
        if not set(on + off) <= _FLAGS or (char == ")" and (begin > 0 or off)):
            raise self._refuse(f"(?{flags}{char}")
        self._out.append(f"(?{flags}{char}" if flags else "(?:")
