"""The option tables' machinery: one `Option` per name gives validation, documentation and the command line's help.

A table maps Kafka's dotted names to options. `parse` takes what the user wrote (a dict with dotted names, keywords in
snake_case, librdkafka's names for the same things) and returns every option with a checked value. This module has no
effects and knows no particular client: `barnabas.client.options` holds the tables.
"""

from __future__ import annotations

import difflib
import enum
import re  # noqa: TC003 - in the annotations of a dataclass
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from barnabas.errors import ConfigError, UnsupportedOptionError

__all__ = ["REQUIRED", "Alias", "Kind", "Option", "OptionTable", "Options"]


class Kind(enum.Enum):
    """The type of an option's value, named as in Kafka's documentation."""

    STRING = "string"
    BOOLEAN = "boolean"
    INT = "int"
    LONG = "long"
    LIST = "list"
    CALLABLE = "callable"
    OBJECTS = "objects"
    """Strings as in a list, or objects of the user's own."""
    NAME_OR_CALLABLE = "string or callable"
    """One of the choices, or a function of the user's own."""


class _Required(enum.Enum):
    REQUIRED = "required"

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required.REQUIRED
"""Stands as the default of an option that the user must give."""

_INTEGER_LIMIT: Final = {Kind.INT: (-(2**31), 2**31 - 1), Kind.LONG: (-(2**63), 2**63 - 1)}


@dataclass(frozen=True, slots=True)
class Option:
    """One option: its name, type, default, valid values, and what it does in a sentence or two.

    Attributes:
        name: Kafka's dotted name.
        kind: The value's type.
        default: The value when the user gives none, or `REQUIRED`.
        doc: What it does, in words of this project.
        low: Least valid number.
        high: Greatest valid number.
        choices: Valid strings, compared without case.
        form: Valid strings besides the choices.
        nullable: Whether None is a valid value.
        source: Who named it: "kafka", or "barnabas" for an option of our own.
        unsupported: Why it cannot be set yet and what to do instead; empty for an option that works.
        differs: Why the default is not Kafka's; empty where it is.
        synonyms: Other spellings of choices (another client's words, Java's class names) and what they mean.
    """

    name: str
    kind: Kind
    default: Any
    doc: str
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    form: re.Pattern[str] | None = None
    nullable: bool = False
    source: str = "kafka"
    unsupported: str = ""
    differs: str = ""
    synonyms: Mapping[str, str] = field(default_factory=dict)

    @property
    def keyword(self) -> str:
        """The name as a Python keyword argument."""
        return self.name.replace(".", "_")

    def check(self, value: Any) -> Any:  # noqa: C901, PLR0911 - one for each kind
        """Converts a user's value to the option's type and checks its range.

        Args:
            value: A value of the right type, or a string that spells one, as in a properties file.

        Returns:
            The value in the option's own type.

        Raises:
            ConfigError: The value has another type, or lies outside the valid values.
        """
        if value is None:
            if self.nullable:
                return None
            raise ConfigError(f"{self.name} must not be None (expected {self._expected()})")
        match self.kind:
            case Kind.BOOLEAN:
                return self._boolean(value)
            case Kind.INT | Kind.LONG:
                return self._integer(value)
            case Kind.LIST:
                return self._list(value)
            case Kind.STRING:
                return self._string(value)
            case Kind.CALLABLE:
                if not callable(value):
                    raise self._invalid(value)
                return value
            case Kind.OBJECTS:
                return self._objects(value)
            case Kind.NAME_OR_CALLABLE:
                return value if callable(value) else self._string(value)

    def _expected(self) -> str:
        if self.choices:
            others = "" if self.form is None else f", or what matches {self.form.pattern}"
            callables = ", or a callable" if self.kind is Kind.NAME_OR_CALLABLE else ""
            return "one of " + ", ".join(self.choices) + others + callables
        if self.low is not None and self.high is not None:
            return f"{self.kind.value} between {self.low} and {self.high}"
        if self.low is not None:
            return f"{self.kind.value} of at least {self.low}"
        return self.kind.value

    def _invalid(self, value: object) -> ConfigError:
        return ConfigError(f"invalid value {value!r} for {self.name}: expected {self._expected()}")

    def _boolean(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
            return value.strip().lower() == "true"
        raise self._invalid(value)

    def _integer(self, value: object) -> int:
        if isinstance(value, bool) or not isinstance(value, int | str):
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            else:
                raise self._invalid(value)
        try:
            number = int(value)
        except ValueError:
            raise self._invalid(value) from None
        least, greatest = _INTEGER_LIMIT[self.kind]
        low = least if self.low is None else self.low
        high = greatest if self.high is None else self.high
        if not low <= number <= high:
            raise self._invalid(value)
        return number

    def _string(self, value: object) -> str:
        if type(value) is int and (str(value) in self.choices or str(value) in self.synonyms):
            value = str(value)
        if not isinstance(value, str):
            raise self._invalid(value)
        if not self.choices:
            return value
        word = self.synonyms.get(value.strip().lower(), value.strip().lower())
        for choice in self.choices:
            if word == choice.lower():
                return choice
        if self.form is not None and self.form.fullmatch(value.strip()):
            return value.strip()
        raise self._invalid(value)

    def _list(self, value: object) -> tuple[str, ...]:
        if isinstance(value, str):
            items: Iterable[object] = value.split(",")
        elif isinstance(value, Iterable) and not isinstance(value, bytes | Mapping):
            items = value
        else:
            raise self._invalid(value)
        checked = []
        for item in items:
            if not isinstance(item, str):
                raise self._invalid(value)
            word = self.synonyms.get(item.strip().lower(), item.strip())
            if self.choices and word not in self.choices:
                raise self._invalid(value)
            if word:
                checked.append(word)
        return tuple(checked)

    def _objects(self, value: object) -> tuple[object, ...]:
        if isinstance(value, str):
            return self._list(value)
        if not isinstance(value, Iterable) or isinstance(value, bytes | Mapping):
            raise self._invalid(value)
        checked: list[object] = []
        for item in value:
            if item is None or isinstance(item, type):
                raise self._invalid(value)
            checked += self._list([item]) if isinstance(item, str) else [item]
        return tuple(checked)


@dataclass(frozen=True, slots=True)
class Alias:
    """A name that another client uses for an option; `scale` converts its unit."""

    name: str
    option: str
    scale: int = 1
    source: str = "librdkafka"

    def translate(self, value: Any) -> Any:
        """Returns the value as the option itself would be written."""
        if self.scale != 1 and isinstance(value, str) and value.strip().lstrip("-").isdigit():
            value = int(value)
        if self.scale != 1 and isinstance(value, int) and not isinstance(value, bool):
            return value * self.scale
        return value


class Options(Mapping[str, Any]):
    """Checked values by dotted name, for every option of a table; remembers which ones the user gave.

    Example:
        >>> table = OptionTable("demo", [Option("linger.ms", Kind.LONG, 5, "How long a batch waits.", low=0)])
        >>> table.parse(None, {"linger_ms": "20"})["linger.ms"]
        20
    """

    __slots__ = ("_given", "_values")

    def __init__(self, values: Mapping[str, Any], given: Iterable[str]) -> None:
        self._values = dict(values)
        self._given = frozenset(given)

    def __getitem__(self, name: str) -> Any:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={self._values[name]!r}" for name in sorted(self._given))
        return f"Options({given})"

    def given(self, name: str) -> bool:
        """Whether the user set this option."""
        return name in self._given

    def replace(self, **changes: Any) -> Options:
        """A copy with values changed, by keyword; they do not count as given by the user."""
        return Options(self._values | {name.replace("_", "."): value for name, value in changes.items()}, self._given)

    def seconds(self, name: str) -> float:
        """The value of an option in milliseconds, as seconds."""
        return float(self._values[name]) / 1000

    def plain(self) -> dict[str, Any]:
        """Names and values for the extension module: no callables, no None, lists as lists."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self._values.items()
            if value is not None and not callable(value) and not _has_objects(value)
        }


def _has_objects(value: object) -> bool:
    return isinstance(value, tuple) and not all(isinstance(item, str) for item in value)


class OptionTable(Mapping[str, Option]):
    """The options of one client or server, with the names that other clients use for them."""

    def __init__(
        self,
        client: str,
        options: Sequence[Option],
        aliases: Sequence[Alias] = (),
        constraints: Sequence[Callable[[Options], Options]] = (),
    ) -> None:
        self.client = client
        self._options = {option.name: option for option in options}
        self._aliases = {alias.name: alias for alias in aliases}
        self._constraints = tuple(constraints)
        self._by_keyword = {name.replace(".", "_"): name for name in (*self._options, *self._aliases)}

    def __getitem__(self, name: str) -> Option:
        return self._options[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)

    @property
    def aliases(self) -> Mapping[str, Alias]:
        """Other clients' names, and what they stand for."""
        return self._aliases

    def parse(self, config: Mapping[str, Any] | None, keywords: Mapping[str, Any]) -> Options:
        """Checks what a user wrote and fills in defaults.

        Args:
            config: Options by dotted name (keywords' spelling is accepted too).
            keywords: Options by keyword.

        Returns:
            A value for every option of the table.

        Raises:
            ConfigError: A name is unknown, given twice or not supported yet, a value is invalid, a required option is
                missing, or options contradict each other.
        """
        if config is not None and not isinstance(config, Mapping):
            raise ConfigError(
                f"{self.client}: options are keywords, such as bootstrap_servers='host:port', or a dict of dotted "
                f"names, got {config!r}"
            )
        values: dict[str, Any] = {}
        written: dict[str, str] = {}
        for key, value in (*(config or {}).items(), *keywords.items()):
            name, translated = self._resolve(key, value)
            if name in written:
                raise ConfigError(f"{name} is given twice: as {written[name]!r} and as {key!r}")
            option = self._options[name]
            checked = option.check(translated)
            if option.unsupported and checked != option.default:
                raise UnsupportedOptionError(f"{name} is known but not supported yet: {option.unsupported}")
            written[name] = key
            values[name] = checked
        for option in self._options.values():
            if option.name not in values:
                if option.default is REQUIRED:
                    raise ConfigError(f"{self.client}: {option.keyword} must be given ({option.doc})")
                values[option.name] = option.default
        options = Options(values, written)
        for constraint in self._constraints:
            options = constraint(options)
        return options

    def _resolve(self, key: object, value: Any) -> tuple[str, Any]:
        if not isinstance(key, str):
            raise ConfigError(f"option names are strings, got {key!r}")
        name = key if key in self._options or key in self._aliases else self._by_keyword.get(key, "")
        if name in self._options:
            return name, value
        if name in self._aliases:
            alias = self._aliases[name]
            return alias.option, alias.translate(value)
        raise ConfigError(f"{self.client} has no option {key!r}{self._nearest(key)}")

    def _nearest(self, key: str) -> str:
        normal = key.strip().lower().replace("-", "_").replace(".", "_")
        near = difflib.get_close_matches(normal, self._by_keyword, n=1, cutoff=0.6)
        if not near:
            return ""
        name = self._by_keyword[near[0]]
        return f"; did you mean {name if '.' in key else near[0]!r}?"
