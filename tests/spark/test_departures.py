"""The example of the guide comes to what pandas comes to, and draws it."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

EXAMPLE = Path(__file__).parents[2] / "examples" / "spark" / "departures.py"


def test_departures_by_day(spark, tmp_path):
    spec = importlib.util.spec_from_file_location("departures", EXAMPLE)
    departures = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(departures)
    days = departures.run(5_000, tmp_path)
    assert days.departures.sum() == 5_000
    assert set(days.origin) == {"EWR", "JFK", "LGA"}
    departures.plot(days, tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")
