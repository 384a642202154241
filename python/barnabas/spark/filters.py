"""Conditions on rows that executors check before rows are shipped: option `filter`, and filters that Spark pushes down.

A filter is a list of comparisons with constants that are joined by AND, in SQL's words:

    origin = 'JFK' AND dep_delay >= 15.5 AND carrier IN ('AA', 'B6') AND tail IS NOT NULL

Those on `partition` and `offset` also narrow what is fetched, where these columns are the record's.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from barnabas import columns
from barnabas.errors import ConfigError
from barnabas.spark.offsets import OffsetRange

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql.datasource import Filter

    from barnabas.spark.schemas import Decoding

__all__ = ["Condition", "bind", "earliest_time", "fit", "narrow", "parse", "pushed"]

Value = bool | int | float | str | bytes | dt.datetime | dt.date | decimal.Decimal

_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<text>'(?:[^']|'')*')
      | (?P<number>[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | `(?P<quoted>(?:[^`]|``)+)`
      | (?P<word>[^\W\d]\w*)
      | (?P<sign><=|>=|<>|!=|==|=|<|>|\(|\)|,)
    )""",
    re.VERBOSE,
)
_COMPARISONS: Final = {"=": "in", "==": "in", "!=": "!=", "<>": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_EXAMPLE: Final = "comparisons with constants joined by AND, such as: a = 1 AND b IN ('x', 'y') AND c IS NOT NULL"


@dataclass(frozen=True)
class Condition:
    """A comparison of a column with constants.

    Attributes:
        column: The column.
        test: `in`, `!=`, `<`, `<=`, `>`, `>=`, `is null` or `is not null`.
        values: What it is compared with: any number of values for `in`, none for the tests for null, else one.
    """

    column: str
    test: str
    values: tuple[Value, ...] = ()

    def accepts(self, number: int) -> bool:
        """Whether a whole number meets the condition."""
        if self.test == "in":
            return number in self.values
        if self.test == "!=":
            return number != self.values[0]
        low, high = self.bounds()
        return low <= number < high

    def bounds(self) -> tuple[float, float]:
        """The least whole number that can meet the condition, and the one after the greatest."""
        numbers = [value for value in self.values if isinstance(value, int)]
        if self.test == "is null" or (self.test == "in" and not numbers):
            return 0, 0
        least, most = min(numbers, default=-math.inf), max(numbers, default=math.inf)
        low = {"in": least, ">": least + 1, ">=": least}.get(self.test, -math.inf)
        high = {"in": most + 1, "<": most, "<=": most + 1}.get(self.test, math.inf)
        return low, high


def parse(text: str) -> tuple[Condition, ...]:
    """Reads option `filter`.

    Args:
        text: Comparisons joined by AND.

    Raises:
        ConfigError: It is something else.
    """
    return _Parser(text).conditions()


def pushed(found: Filter) -> Condition | None:
    """A filter of Spark's as a condition; None for one that Spark has to look at itself.

    Args:
        found: What Spark hands to `pushFilters`.
    """
    path: tuple[str, ...] = getattr(found, "attribute", ())
    value = getattr(found, "value", None)
    test = _SPARK.get(type(found).__name__)
    if len(path) != 1 or test is None:
        return None
    if test == "<=>":
        test = "is null" if value is None else "in"
    if test in ("is null", "is not null"):
        return Condition(path[0], test)
    # Null in a list matches nothing, here as in SQL.
    listed = value if isinstance(value, tuple) else (value,)
    values = tuple(one for one in listed if one is not None) if test == "in" else listed
    return Condition(path[0], test, values) if all(isinstance(one, Value) for one in values) else None


_SPARK: Final = {
    "IsNull": "is null",
    "IsNotNull": "is not null",
    "In": "in",
    "EqualTo": "in",
    "EqualNullSafe": "<=>",
    "LessThan": "<",
    "LessThanOrEqual": "<=",
    "GreaterThan": ">",
    "GreaterThanOrEqual": ">=",
}


def fit(conditions: Iterable[Condition], schema: pa.Schema) -> tuple[Condition, ...]:
    """The same conditions with values that fit the columns' types.

    Args:
        conditions: The conditions.
        schema: The columns.

    Raises:
        ConfigError: A column is unknown or has no order, or a value is not of its type.
    """
    fitted = []
    for condition in conditions:
        index = schema.get_field_index(condition.column)
        if index < 0:
            known = ", ".join(schema.names)
            raise ConfigError(f"filter on column {condition.column}, which the read does not have; it has {known}")
        data_type = schema.field(index).type
        try:
            values = tuple(_fitting(value, data_type) for value in condition.values)
            pa.array(values, type=data_type)
        except (pa.ArrowException, TypeError, ValueError) as error:
            shown = ", ".join(repr(value) for value in condition.values)
            raise ConfigError(f"filter on column {condition.column}: {shown} is no {data_type}: {error}") from error
        fitted.append(replace(condition, values=values))
    try:
        columns.check_conditions(schema, bind(fitted, schema))
    except ValueError as error:
        raise ConfigError(f"filter: {error}") from error
    return tuple(fitted)


def bind(conditions: Iterable[Condition], schema: pa.Schema) -> list[tuple[str, str, pa.Array]]:
    """Conditions that `fit` gave, as a scan takes them.

    Args:
        conditions: The conditions.
        schema: The columns.
    """
    return [(one.column, one.test, pa.array(one.values, type=schema.field(one.column).type)) for one in conditions]


def narrow(ranges: Sequence[OffsetRange], decoding: Decoding) -> list[OffsetRange]:
    """What of some ranges can meet a read's conditions on the record's topic, partition and offset.

    Args:
        ranges: Offset ranges.
        decoding: How records become rows, and which of them are wanted.
    """
    found = list(ranges)
    for condition in _of_records(decoding):
        if condition.column == "partition":
            found = [one for one in found if condition.accepts(one.partition)]
        elif condition.column == "topic" and condition.test == "in":
            found = [one for one in found if one.topic in condition.values]
        elif condition.column == "offset":
            low, high = condition.bounds()
            found = [
                OffsetRange(one.topic, one.partition, int(max(one.start, low)), int(min(one.end, high)))
                for one in found
                if max(one.start, low) < min(one.end, high)
            ]
    return found


def earliest_time(decoding: Decoding) -> int | None:
    """The time in milliseconds before which no record can meet a read's conditions; None if there is none.

    Args:
        decoding: How records become rows, and which of them are wanted.
    """
    times = [
        min(value.timestamp() for value in condition.values if isinstance(value, dt.datetime))
        for condition in _of_records(decoding)
        if condition.column == "timestamp" and condition.test in ("in", ">", ">=") and condition.values
    ]
    return max((int(time * 1000) - 1 for time in times), default=None)


def _of_records(decoding: Decoding) -> list[Condition]:
    names = decoding.record_columns()
    return [condition for condition in decoding.conditions if condition.column in names]


def _fitting(value: Value, data_type: pa.DataType) -> Value:
    if pa.types.is_boolean(data_type) != isinstance(value, bool):
        raise TypeError("a boolean column is compared with TRUE or FALSE, others are not")
    if isinstance(value, str):
        if pa.types.is_timestamp(data_type):
            moment = dt.datetime.fromisoformat(value)
            if data_type.tz is not None and moment.tzinfo is None:
                # Spark's session time zone is not known here; one that is guessed would drop rows.
                raise ValueError("a time needs its offset from UTC, as in '2026-01-31 12:00:00Z'")
            return moment
        if pa.types.is_date(data_type):
            return dt.date.fromisoformat(value)
        if pa.types.is_binary(data_type):
            return value.encode()
    if isinstance(value, decimal.Decimal):
        return _number(value, data_type)
    if isinstance(value, int) and pa.types.is_floating(data_type):
        return float(value)
    return value


def _number(value: decimal.Decimal, data_type: pa.DataType) -> Value:
    if pa.types.is_floating(data_type):
        return float(value)
    if pa.types.is_integer(data_type):
        if value != value.to_integral_value():
            raise ValueError("a whole number is needed")
        return int(value)
    return value


class _Parser:
    """Reads a filter's text from left to right."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        position = 0
        while text[position:].strip():
            found = _TOKEN.match(text, position)
            if found is None or found.lastgroup is None:
                raise self._error(f"{text[position:].strip()[:20]!r} is not understood")
            self._tokens.append((found.lastgroup, found[found.lastgroup]))
            position = found.end()
        self._next = 0

    def conditions(self) -> tuple[Condition, ...]:
        found = [self._condition()]
        while self._next < len(self._tokens):
            self._expect("AND")
            found.append(self._condition())
        return tuple(found)

    def _condition(self) -> Condition:
        kind, text = self._take("a column")
        if kind not in ("word", "quoted"):
            raise self._error(f"{text!r} stands where a column's name is expected")
        column = text.replace("``", "`") if kind == "quoted" else text
        if self._is_word("IS"):
            is_negated = self._is_word("NOT")
            self._expect("NULL")
            return Condition(column, "is not null" if is_negated else "is null")
        if self._is_word("IN"):
            return Condition(column, "in", self._list())
        kind, text = self._take("a comparison")
        if kind != "sign" or text not in _COMPARISONS:
            raise self._error(f"{text!r} is no comparison")
        return Condition(column, _COMPARISONS[text], (self._value(),))

    def _list(self) -> tuple[Value, ...]:
        self._expect("(")
        values = [self._value()]
        while self._take(", or )")[1] == ",":
            values.append(self._value())
        if self._tokens[self._next - 1] != ("sign", ")"):
            raise self._error("a list ends with )")
        return tuple(values)

    def _value(self) -> Value:
        kind, text = self._take("a constant")
        if kind == "word" and text.upper() in ("TIMESTAMP", "DATE"):
            kind, text = self._take("a text")
        if kind == "text":
            return text[1:-1].replace("''", "'")
        if kind == "number":
            return int(text) if re.fullmatch(r"[+-]?\d+", text) else decimal.Decimal(text)
        if kind == "word" and text.upper() in ("TRUE", "FALSE"):
            return text.upper() == "TRUE"
        raise self._error(f"{text!r} is no constant: a number, a 'text', TRUE or FALSE")

    def _take(self, what: str) -> tuple[str, str]:
        if self._next == len(self._tokens):
            raise self._error(f"it ends where {what} is expected")
        self._next += 1
        return self._tokens[self._next - 1]

    def _is_word(self, word: str) -> bool:
        if self._next < len(self._tokens) and self._tokens[self._next][0] == "word":
            is_found = self._tokens[self._next][1].upper() == word
            self._next += is_found
            return is_found
        return False

    def _expect(self, wanted: str) -> None:
        text = self._take(wanted)[1]
        if text.upper() != wanted:
            raise self._error(f"{text!r} stands where {wanted} is expected")

    def _error(self, reason: str) -> ConfigError:
        return ConfigError(f"option filter: {reason} in {self._text!r}; it is {_EXAMPLE}")
