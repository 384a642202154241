"""The option tables of brokers, topics, groups and client metrics: Kafka's facts, printed by a small Java program."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent

TABLES = {
    "broker": ("broker_options", "KAFKA_OPTIONS", "Every broker option"),
    "broker-quota": ("broker_quota_options", "BROKER_QUOTA_OPTIONS", "Every quota of a broker, for any time,"),
    "topic": ("topic_options", "TOPIC_OPTIONS", "Every topic option"),
    "group": ("group_options", "GROUP_OPTIONS", "Every option of a group"),
    "client-metrics": ("client_metrics_options", "CLIENT_METRICS_OPTIONS", "Every option of a metrics subscription"),
}
"""Table -> module of `barnabas.controller`, name in it, what it holds."""

_OWN_RULES = {
    "NonEmptyString": "filled",
    "NonNullValidator": "",
    "ShareGroupAutoOffsetResetStrategy": "auto-offset-reset",
    "ThrottledReplicaListValidator": "throttled-replicas",
    "ControllerQuorumVotersValidator": "voters",
    "ControllerQuorumBootstrapServersValidator": "servers",
}
_BETWEEN_OR = re.compile(r"\[(-?\d+),\.\.\.,(-?\d+)\] or (-?\d+)")


@dataclass
class Option:
    """One option as the reference defines it."""

    name: str
    kind: str
    default: str | None
    internal: bool
    mode: str
    rule: str
    synonyms: list[tuple[str, int]] = field(default_factory=list)

    def arguments(self) -> str:
        """Returns the arguments of `ConfigKey`."""
        parts = [repr(self.name), repr(self.kind), repr(self.default), *self._rule()]
        if self.mode not in ("read-only", "dynamic"):
            parts.append(f"mode={self.mode!r}")
        if self.internal:
            parts.append("internal=True")
        return ", ".join(parts)

    def _rule(self) -> list[str]:
        kind, _, rest = self.rule.partition(" ")
        if kind == "range":
            low, high = rest.split(" ")
            return [f"{name}={text}" for name, text in (("low", low), ("high", high)) if text != "null"]
        if kind == "text":
            found = _BETWEEN_OR.fullmatch(rest)
            if found is None:
                raise ValueError(f"{self.name}: what does {rest!r} mean?")
            return [f"low={found[1]}", f"high={found[2]}", f"or_equal={found[3]}"]
        words = tuple(rest.split(",")) if rest else ()
        choices = [f"choices={words!r}"] if words else []
        if kind in ("", "words"):
            return choices
        rule = kind if kind in ("list", "filled-list", "words-of-any-case") else _OWN_RULES[kind]
        return [*choices, f"rule={rule!r}"] if rule else choices


def load(jars: Path) -> dict[str, list[Option]]:
    """Runs OptionTable.java on the reference's class path; returns the options of each table, by name."""
    command = ["java", "-cp", f"{jars}/*", str(HERE / "OptionTable.java")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    tables: dict[str, list[Option]] = {table: [] for table in TABLES}
    for line in printed.splitlines():
        if line.startswith("synonym\t"):
            _, table, name, option, factor = line.split("\t")
            (found,) = [candidate for candidate in tables[table] if candidate.name == name]
            found.synonyms.append((option, int(factor)))
            continue
        table, name, kind, default, _importance, internal, mode, rule = line.split("\t")
        given = None if default == "<none>" else default
        tables[table].append(Option(name, kind, given, internal == "true", mode, rule))
    return tables


def modules(jars: Path, version: str) -> dict[str, str]:
    """Returns the text of each module of `barnabas.controller`."""
    return {TABLES[table][0]: _module(table, options, version) for table, options in load(jars).items()}


def _excuse(option: Option) -> str:
    return "  # noqa: S108 - Kafka's default" if option.default == "/tmp/kafka-logs" else ""  # noqa: S108


def _module(table: str, options: list[Option], version: str) -> str:
    _, name, what = TABLES[table]
    exported = [name]
    lines = [
        f"# Written by tools/protocol/generate.py from the option definitions of Apache Kafka {version}. Do not edit.",
        f'"""{what} of Apache Kafka {version}: type, default and valid values. Facts, no behaviour."""',
        "",
        "from __future__ import annotations",
        "",
        "from barnabas.controller.config_key import ConfigKey",
        "",
    ]
    body = ["_KEYS = ("]
    body += [f"    ConfigKey({option.arguments()}),{_excuse(option)}" for option in options]
    body += [")", "", f"{name}: dict[str, ConfigKey] = {{key.name: key for key in _KEYS}}"]
    with_synonyms = [option for option in options if option.synonyms]
    if with_synonyms:
        synonyms = "BROKER_SYNONYMS" if table == "topic" else f"{table.upper()}_SYNONYMS"
        exported.append(synonyms)
        body += ["", f"{synonyms}: dict[str, tuple[tuple[str, int], ...]] = {{"]
        body += [f"    {option.name!r}: {tuple(option.synonyms)!r}," for option in with_synonyms]
        what = "Option -> broker options that give its default, first set one wins: (name, factor to this one's unit)."
        body += ["}", f'"""{what}"""']
    lines += [f"__all__ = {sorted(exported)!r}", ""]
    return "\n".join([*lines, *body, ""])
