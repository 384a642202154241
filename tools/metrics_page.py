"""Writes the table of `docs/metrics.md` from what a broker exposes. `tests/broker/test_metrics.py` holds it up to date.

PYTHONPATH=python python tools/metrics_page.py
"""

from __future__ import annotations

import re
from pathlib import Path
from urllib.request import urlopen

from barnabas import Admin, Broker

PAGE = Path(__file__).parents[1] / "docs" / "metrics.md"
TABLE = re.compile(r"(?<=\|---\|---\|---\|\n)(\| `barnabas_.*\n)+")


def rows(text: str) -> str:
    """Returns one row per family of an exposition."""
    helps = dict(re.findall(r"^# HELP (\S+) (.*)$", text, re.MULTILINE))
    kinds = dict(re.findall(r"^# TYPE (\S+) (.*)$", text, re.MULTILINE))
    return "".join(f"| `{name}` | {kinds[name]} | {about} |\n" for name, about in helps.items())


def main() -> None:
    """Writes the page."""
    with Broker(barnabas_metrics_listen="127.0.0.1:0") as broker:
        with Admin(bootstrap_servers=broker.bootstrap_servers) as admin:
            admin.list_topics()
        with urlopen(f"http://{broker.metrics_address}/metrics", timeout=30) as answer:
            table = rows(answer.read().decode())
    PAGE.write_text(TABLE.sub(lambda _: table, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
