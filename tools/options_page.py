"""Writes `docs/broker-options.md` from the option tables: `PYTHONPATH=python python tools/options_page.py`."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from barnabas.broker.not_applicable import ONLY_AT_A_START, why_without_effect
from barnabas.broker.options import BROKER_OPTIONS, EFFECTIVE
from barnabas.controller.group_options import GROUP_OPTIONS, GROUP_SYNONYMS
from barnabas.controller.image import DATA_PLANE_OPTIONS
from barnabas.controller.listeners import LISTENER_OPTIONS
from barnabas.controller.topic_options import BROKER_SYNONYMS, LOG_OPTIONS_OF_THE_BROKER, TOPIC_OPTIONS

if TYPE_CHECKING:
    from barnabas.controller.config_key import ConfigKey

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "broker-options.md"
BEHIND_TOPICS = {option for synonyms in BROKER_SYNONYMS.values() for option, _ in synonyms}
AT_ONCE = (
    BEHIND_TOPICS
    | DATA_PLANE_OPTIONS
    | {*LISTENER_OPTIONS, *LOG_OPTIONS_OF_THE_BROKER, "group.consumer.assignment.interval.ms"}
)

INTRODUCTION = """\
# Options of the broker

Written by `tools/options_page.py` from the option tables, which are written from Apache Kafka's own definitions. Every
option of Kafka 4.3 is known, with Kafka's types, ranges and error texts. The first table names those that do something
here, the last list all others, with the reason. Two of those are refused when they are set at a start, because they
would promise what is not there: `authorizer.class.name` and `remote.log.storage.system.enable`.

A broker option takes effect at a start. Those marked "at once" also take effect when they are altered while the broker
runs; any other that Kafka lets one alter is stored and described, and has no effect.

Of `listeners`, as in Kafka, what has a new name is opened at once and what is named no longer is closed, unless clients
are told of it; another address for a name, and what clients are told, count from the next start, and then before what
the broker's own properties say.
"""


def valid(key: ConfigKey) -> str:
    """Says which values an option takes."""
    parts = []
    if key.low is not None and key.high is not None:
        parts.append(f"{key.low} to {key.high}")
    elif key.low is not None:
        parts.append(f"from {key.low}")
    if key.or_equal is not None:
        parts.append(f"or {key.or_equal}")
    if key.choices:
        parts.append(", ".join(key.choices))
    return " ".join(parts)


def row(key: ConfigKey, *more: str) -> str:
    """One row of a table."""
    default = "" if key.default is None else f"`{key.default}`" if key.default else "empty"
    return f"| `{key.name}` | {key.kind.lower()} | {default} | {' | '.join((valid(key), *more))} |"


def page() -> str:
    """The page's text."""
    lines = [INTRODUCTION, "## Options with an effect", ""]
    lines += ["| option | type | default | valid | altered |", "|---|---|---|---|---|"]
    lines += [
        row(key, "at once" if name in AT_ONCE and key.mode != "read-only" else "")
        for name, key in sorted(BROKER_OPTIONS.items())
        if name in EFFECTIVE
    ]
    lines += ["", "Kafka lets one alter these, too; here they count as the broker's own properties say at a start:", ""]
    lines += [f"- `{name}`: {why}." for name, why in ONLY_AT_A_START.items()]
    lines += ["", "## Options of topics", "", "All take effect at once.", ""]
    lines += ["| option | type | default | valid | broker option behind it |", "|---|---|---|---|---|"]
    lines += [
        row(key, ", ".join(f"`{option}`" for option, _ in BROKER_SYNONYMS.get(name, ())))
        for name, key in sorted(TOPIC_OPTIONS.items())
        if not key.internal
    ]
    lines += ["", "## Options of groups", ""]
    lines += ["| option | type | default | valid | broker option behind it |", "|---|---|---|---|---|"]
    lines += [
        row(key, ", ".join(f"`{option}`" for option, _ in GROUP_SYNONYMS.get(name, ())))
        for name, key in sorted(GROUP_OPTIONS.items())
    ]
    lines += ["", "## Accepted and not applicable", ""]
    reasons: dict[str, list[str]] = defaultdict(list)
    for name in sorted(BROKER_OPTIONS):
        if name not in EFFECTIVE:
            reasons[why_without_effect(name) or ""].append(f"`{name}`")
    for why, names in sorted(reasons.items()):
        lines += [f"{why[:1].upper()}{why[1:]}: {', '.join(names)}.", ""]
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
