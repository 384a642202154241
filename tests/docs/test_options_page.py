"""The page of options says what the tables say, and gives a reason for every option that does nothing."""

import importlib
import subprocess
import sys
from pathlib import Path

from barnabas.broker.not_applicable import ONLY_AT_A_START, why_without_effect
from barnabas.broker.options import BROKER_OPTIONS, EFFECTIVE

ROOT = Path(__file__).parents[2]

sys.path.insert(0, str(ROOT / "tools"))


def test_every_option_has_an_effect_or_a_reason() -> None:
    assert set(BROKER_OPTIONS) >= EFFECTIVE
    assert not [name for name in BROKER_OPTIONS if name not in EFFECTIVE and why_without_effect(name) is None]


def test_an_option_that_may_be_altered_at_any_time_takes_effect_at_once_or_has_a_reason() -> None:
    at_once = importlib.import_module("options_page").AT_ONCE
    alterable = {name for name, key in BROKER_OPTIONS.items() if key.mode != "read-only" and name in EFFECTIVE}
    assert set(ONLY_AT_A_START) <= alterable - at_once


def test_the_page_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "options_page.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run python tools/options_page.py"
