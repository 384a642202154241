"""Figures beside what they have to reach: lines of a table, and a file of raw results by name of measurement."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from run import machine

if TYPE_CHECKING:
    from pathlib import Path

MEASURED = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    what: str
    unit: str
    barnabas: float
    reference: float | None = None
    reach: str = ""
    met: bool | None = None


def at_most(what: str, unit: str, value: float, limit: float, reference: float | None = None) -> Row:
    return Row(what, unit, value, reference, f"≤ {limit:g}", value <= limit)


def at_least(what: str, unit: str, value: float, limit: float, reference: float | None = None) -> Row:
    return Row(what, unit, value, reference, f"≥ {limit:g}", value >= limit)


class Measurement:
    """The circumstances of one measurement, from its beginning."""

    def __init__(self, command: list[str]) -> None:
        self._command = " ".join(command)
        self._load, self._begin = os.getloadavg(), time.perf_counter()

    def keep(self, path: Path, name: str, results: MEASURED, rows: list[Row]) -> None:
        """Puts its results in the place of those that the file has of this name."""
        everything = json.loads(path.read_text()) if path.exists() else {}
        everything[name] = {
            "command": self._command,
            "machine": {**machine(), "load_average_before": self._load, "load_average_after": os.getloadavg()},
            "seconds": round(time.perf_counter() - self._begin, 1),
            "table": [asdict(row) for row in rows],
            "results": results,
        }
        path.write_text(json.dumps(everything, indent=1, ensure_ascii=False) + "\n")


def report(name: str, rows: list[Row]) -> None:
    number = lambda value: "" if value is None else f"{value:.3g}" if abs(value) < 100 else f"{value:.0f}"  # noqa: E731
    print(f"\n{name:56}{'':46}{'barnabas':>10}{'reference':>11}{'reach':>14}")
    for row in rows:
        met = {None: "", True: "  met", False: "  MISSED"}[row.met]
        values = f"{number(row.barnabas):>10}{number(row.reference):>11}{row.reach:>14}{met}"
        print(f"{row.what:56}{row.unit:46}{values}", flush=True)
