"""Writes `docs/configuration.md` from the clients' tables: `PYTHONPATH=python python tools/configuration_page.py`."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from barnabas.client.options import ADMIN, CONSUMER, PRODUCER
from barnabas.config import REQUIRED, Kind

if TYPE_CHECKING:
    from barnabas.config import Option, OptionTable

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "configuration.md"
TABLES = {"Producer": PRODUCER, "Consumer": CONSUMER, "Admin": ADMIN}

INTRODUCTION = """\
# Options of the clients

Written by `tools/configuration_page.py` from the option tables that check what you pass.

Options are Apache Kafka's, written as keywords (`linger_ms=20`) or in a dict with Kafka's dotted names
(`Producer({"linger.ms": 20})`, `Consumer("orders", config={"group.id": "billing"})`). A name that is not known raises
`ConfigError` with the nearest one that is; one that is known and not supported raises `UnsupportedOptionError` and
says what to do instead. Defaults are those of Apache Kafka 4 unless the table says otherwise. The clients of asyncio
take the same options as their twins.
"""


def default(option: Option) -> str:
    """How the table shows a default."""
    if option.default is REQUIRED:
        return "required"
    if option.default is None or option.default in ("", ()):
        return ""
    if isinstance(option.default, bool):
        return str(option.default).lower()
    if isinstance(option.default, tuple):
        return ", ".join(option.default)
    return str(option.default)


def valid(option: Option) -> str:
    """Says which values an option takes."""
    parts = []
    if option.choices:
        parts.append(", ".join(option.choices))
    if option.form is not None:
        parts.append("by_duration:<ISO 8601>")
    if option.kind is Kind.NAME_OR_CALLABLE:
        parts.append("or a callable")
    if option.low is not None and option.high is not None:
        parts.append(f"{option.low} to {option.high}")
    elif option.low is not None:
        parts.append(f"from {option.low}")
    return " ".join(parts)


def row(option: Option) -> str:
    """One row of a table."""
    doc = option.doc
    if option.differs:
        doc += f" Not Kafka's default: {option.differs}."
    if option.source == "barnabas":
        doc += " An option of this package."
    cells = (f"`{option.name}`", option.kind.value, default(option), valid(option), doc)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def section(name: str, table: OptionTable, common: frozenset[str]) -> list[str]:
    """The lines about one client; options that all have are in a section of their own."""
    works = [option for key, option in table.items() if not option.unsupported and key not in common]
    lines = [f"## {name}", "", "| option | type | default | valid | what it does |", "|---|---|---|---|---|"]
    lines += [row(option) for option in sorted(works, key=lambda option: option.name)]
    lines += ["", "Names of librdkafka that are understood:", ""]
    for alias in sorted(table.aliases.values(), key=lambda alias: alias.name):
        scale = f" (times {alias.scale})" if alias.scale != 1 else ""
        lines.append(f"- `{alias.name}`: `{alias.option}`{scale}")
    reasons: dict[str, list[str]] = defaultdict(list)
    for option in table.values():
        if option.unsupported:
            reasons[option.unsupported].append(f"`{option.name}`")
    lines += ["", "Known and not supported:", ""]
    lines += [f"- {', '.join(sorted(names))}: {why}" for why, names in sorted(reasons.items())]
    return [*lines, ""]


def page() -> str:
    """The page's text."""
    common = frozenset(
        name
        for name, option in PRODUCER.items()
        if not option.unsupported and all(name in table and table[name] == option for table in TABLES.values())
    )
    lines = [INTRODUCTION, "## Options of every client", ""]
    lines += ["| option | type | default | valid | what it does |", "|---|---|---|---|---|"]
    lines += [row(PRODUCER[name]) for name in sorted(common)]
    lines.append("")
    for name, table in TABLES.items():
        lines += section(name, table, common)
    return "\n".join(lines).rstrip() + "\n"


def main() -> int:
    """Writes the page, or says whether it is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, fail if the page would change")
    if not parser.parse_args().check:
        PAGE.write_text(page())
        return 0
    return int(PAGE.read_text() != page())


if __name__ == "__main__":
    sys.exit(main())
