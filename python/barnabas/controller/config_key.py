"""One key of a Kafka configuration: name, type, default and valid values, and how a value's text is read.

The tables of topic and broker options are made of these. No key is acted on here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ConfigKey", "ConfigValue", "InvalidConfigValue", "Setting"]

ConfigValue = bool | int | float | str | list[str]

_BITS = {"INT": 31, "LONG": 63, "SHORT": 15}
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)

_OFFSET_RESET = re.compile(
    r"earliest|latest|by_duration:\+?P(?=.)(\+?[0-9]+D)?(T(?=.)(\+?[0-9]+H)?(\+?[0-9]+M)?(\+?[0-9]+([.,][0-9]{0,9})?S)?)?",
    re.ASCII,
)


class InvalidConfigValue(ValueError):  # noqa: N818 - it names what is wrong, and becomes an error code above
    """A value that its key does not accept; the text says why, in Kafka's words."""


class ConfigKey(NamedTuple):
    """One key.

    Attributes:
        kind: Kafka's type name: BOOLEAN, INT, LONG, SHORT, DOUBLE, STRING, LIST, PASSWORD or CLASS.
        default: The default's text; None when there is none.
        low: Least valid number.
        high: Greatest valid number.
        choices: Valid words, for STRING and for the items of LIST; empty when any word is valid.
        or_equal: A valid number outside of `low` to `high`.
        rule: What else makes a text valid: "list" (no empty items), "filled-list" (not empty either), "filled" (not the
            empty text), "words-of-any-case"; others are checked where the option is used.
        mode: When a broker option may change: "read-only" (at a start), "per-broker" or "cluster-wide" (at any time).
        internal: Not one of the options that users are told of.
    """

    name: str
    kind: str
    default: str | None
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    or_equal: int | None = None
    rule: str = ""
    mode: str = "read-only"
    internal: bool = False

    def parse(self, text: str) -> ConfigValue:
        """Reads a value.

        Raises:
            InvalidConfigValue: The text has another type or lies outside the valid values.
        """
        given, text = text, text.strip()
        if self.kind == "BOOLEAN":
            if text.lower() not in ("true", "false"):
                raise self._invalid(given, "Expected value to be either true or false")
            return text.lower() == "true"
        if self.kind in ("INT", "LONG", "SHORT", "DOUBLE"):
            return self._number(text)
        if self.kind == "LIST":
            return self._list(text)
        self._check_choice(text)
        return text

    def normal(self, text: str) -> str:
        """Returns a valid value's text as Kafka tells it: without spaces around, numbers and words in one form."""
        value = self.parse(text)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, list):
            return ",".join(value)
        if isinstance(value, float):
            return _java_double(value)
        return str(value)

    def _list(self, text: str) -> list[str]:
        items = [item.strip() for item in text.split(",")] if text else []
        if self.rule == "filled-list" and not items:
            valid = f"[{', '.join(self.choices)}]" if self.choices else "any non-empty value"
            raise InvalidConfigValue(f"Configuration '{self.name}' must not be empty. Valid values include: {valid}")
        for item in items:
            if not item and self.rule in ("list", "filled-list"):
                raise InvalidConfigValue(f"Configuration '{self.name}' values must not be empty.")
            self._check_choice(item)
        return list(dict.fromkeys(items))

    def _number(self, text: str) -> float:
        is_decimal = self.kind == "DOUBLE"
        if not (_DECIMAL if is_decimal else _WHOLE).fullmatch(text):
            raise self._invalid(text, f"Not a number of type {self.kind}")
        number: float = float(text) if is_decimal else int(text, 10)
        bits = _BITS.get(self.kind)
        if bits is not None and not -(1 << bits) <= number < 1 << bits:
            raise self._invalid(text, f"Not a number of type {self.kind}")
        if number == self.or_equal:
            return number
        is_low = self.low is not None and number < self.low
        is_high = self.high is not None and number > self.high
        if self.or_equal is not None and (is_low or is_high):
            bounds = f"between {self.low} and {self.high} or equal to {self.or_equal}"
            raise self._invalid(str(number), f"Value must be {bounds}")
        if is_low:
            raise self._invalid(str(number), f"Value must be at least {self.low}")
        if is_high:
            raise self._invalid(str(number), f"Value must be no more than {self.high}")
        return number

    def _check_choice(self, word: str) -> None:
        if self.rule == "words-of-any-case":
            if word.upper() not in self.choices:
                why = f"String must be one of (case insensitive): {', '.join(self.choices)}"
                raise self._invalid(word, why)
        elif self.choices and word not in self.choices:
            raise self._invalid(word, f"String must be one of: {', '.join(self.choices)}")
        elif self.rule == "filled" and not word:
            raise self._invalid(word, "String must be non-empty")
        elif self.rule == "auto-offset-reset" and _OFFSET_RESET.fullmatch(word) is None:
            raise self._invalid(
                word,
                f"Invalid value `{word}` for configuration {self.name}. The value must be either 'earliest', 'latest' "
                "or of the format 'by_duration:<PnDTnHnMn.nS>'.",
            )

    def _invalid(self, text: str, why: str) -> InvalidConfigValue:
        return InvalidConfigValue(f"Invalid value {text} for configuration {self.name}: {why}")


def _java_double(number: float) -> str:
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(float(number))
    digits = exponent = ""
    for places in range(17):
        digits, _, exponent = f"{number:.{places}e}".partition("e")
        if float(f"{digits}e{exponent}") == number:
            break
    return f"{digits if '.' in digits else digits + '.0'}E{int(exponent)}"


class Setting(NamedTuple):
    """A key's value and where it comes from, as DescribeConfigs and CreateTopics tell it."""

    name: str
    value: str | None
    source: int
