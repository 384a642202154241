"""How the models of groups are run: a fixed share, more with `SEEDS=`, and against each seeded defect."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

if TYPE_CHECKING:
    from collections import Counter

    from hypothesis.stateful import RuleBasedStateMachine

EXAMPLES = int(os.environ.get("SEEDS", "40"))
MUTANT_EXAMPLES = 10_000
"""Many times what the best hidden defect takes, about 400 on average: which examples are tried depends on what else is loaded."""


def shared(steps: int) -> settings:
    """For the model itself."""
    return settings(max_examples=EXAMPLES, stateful_step_count=steps, deadline=None)


def keep_counts(test: str, counts: Counter[str]) -> None:
    """Keeps the counts of a run in the file that `RESULTS=` names, if any."""
    if results := os.environ.get("RESULTS"):
        command = f"SEEDS={EXAMPLES} pytest tests/unit/coordinator/{test}"
        told = {"command": command, "examples": EXAMPLES, **dict(sorted(counts.items()))}
        Path(results).write_text(json.dumps(told, indent=1) + "\n")


def must_catch(model: type[RuleBasedStateMachine], words: str, steps: int) -> None:
    """Runs a model over a defect, the same examples each time; one of the invariants with these words must notice."""
    thorough: Any = settings(
        max_examples=MUTANT_EXAMPLES,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    with pytest.raises(AssertionError, match=rf"^({words}):"):
        run_state_machine_as_test(model, settings=thorough)
