"""What the demo shows on the terminal: steps with their time, a progress bar, a table with bars."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

_BAR = 30
_REDRAW_SECONDS = 0.1


class Step:
    """One step of the demo: a heading, a clock, and the figures for the summary."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.seconds = 0.0
        self.records = 0
        self.bytes = 0

    def __enter__(self) -> Self:
        print(f"\n== {self.title}", flush=True)
        self._start = time.perf_counter()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.seconds = time.perf_counter() - self._start

    def rate(self) -> str:
        """Records and bytes per second, as far as the step has them."""
        seconds = self.seconds or time.perf_counter() - self._start
        parts = []
        if self.records:
            parts.append(f"{self.records / seconds:,.0f} records/s")
        if self.bytes:
            parts.append(f"{self.bytes / seconds / 1e6:,.1f} MB/s")
        return ", ".join(parts)


class Progress:
    """A progress bar that is drawn on terminals only; elsewhere one line at the end."""

    def __init__(self, step: Step, total: int) -> None:
        self._step = step
        self._total = total
        self._live = sys.stdout.isatty()
        self._drawn = 0.0

    def show(self, done: int) -> None:
        """Redraws the bar, if it is time to."""
        now = time.perf_counter()
        if self._live and now - self._drawn >= _REDRAW_SECONDS:
            self._drawn = now
            self._draw(done, end="")

    def finish(self, done: int) -> None:
        """Draws the bar for the last time."""
        self._draw(done, end="\n")

    def _draw(self, done: int, end: str) -> None:
        full = _BAR * done // max(self._total, 1)
        bar = "#" * full + "." * (_BAR - full)
        start = "\r" if self._live else ""
        print(f"{start}  [{bar}] {done:,} of {self._total:,}  {self._step.rate()}   ", end=end, flush=True)


def table(header: tuple[str, ...], rows: list[tuple[str, int, int, float | None]], bar_of: int) -> None:
    """Prints rows in columns; column `bar_of` is drawn as a bar beside each row."""
    lines = [header, *(tuple(_cell(cell) for cell in row) for row in rows)]
    widths = [max(len(line[index]) for line in lines) for index in range(len(header))]
    sizes = [0.0, *(float(row[bar_of] or 0) for row in rows)]
    for line, size in zip(lines, sizes, strict=True):
        cells = "  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        print(f"  {cells}  {'#' * round(_BAR * size / (max(sizes) or 1))}".rstrip())


def _cell(cell: str | float | None) -> str:
    if cell is None:
        return "-"
    return f"{cell:,.2f}" if isinstance(cell, float) else str(cell)


def summary(steps: list[Step]) -> None:
    """Prints the time and the rate of each step."""
    print("\n== Summary")
    width = max(len(step.title) for step in steps)
    for step in steps:
        print(f"  {step.title:<{width}}  {step.seconds:6.2f} s  {step.rate()}")
    print(f"  {'all':<{width}}  {sum(step.seconds for step in steps):6.2f} s")
