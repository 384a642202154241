"""Different clients in one group, on our broker and on the reference: a share of the matrix, or all of it.

`SEEDS=n` runs the whole matrix n times, or those groups of it whose names `ONLY` (a pattern) matches; what was seen of each
replaces what the file that `REPORT` names has of it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from mixed_groups import BROKER_OPTIONS, Ledger, Scenario, Span, judge, run, scenarios
from reference_kafka import reference_kafka

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AT_A_TIME = 2
SHARE = [Scenario("classic", "range", "confluent-kafka"), Scenario("consumer", "uniform", "barnabas")]


@contextlib.contextmanager
def our_broker_process(directory: Path) -> Iterator[str]:
    """`barnabas broker` as a process of its own."""
    ready = directory / "ready"
    command = [sys.executable, "-m", "barnabas", "broker", "--data-dir", str(directory / "data")]
    command += ["--listen", "127.0.0.1:0", "--ready-file", str(ready)]
    for name, value in BROKER_OPTIONS.items():
        command += ["--set", f"{name}={value}"]
    with (directory / "broker.log").open("wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        for _ in range(600):
            if ready.exists() and ready.read_text():
                break
            assert process.poll() is None, (directory / "broker.log").read_text()
            threading.Event().wait(0.1)
        yield ready.read_text().strip()
    finally:
        process.terminate()
        process.wait(60)


def run_all(
    address: str, chosen: list[Scenario], directory: Path, keep: Callable[[dict[str, Any]], None] | None = None
) -> list[dict[str, Any]]:
    """Runs scenarios, a few at a time; one that fails does not end the others."""
    keeping = threading.Lock()

    def attempt(scenario: Scenario) -> dict[str, Any]:
        try:
            result = run(address, scenario, directory)
        except Exception as error:  # noqa: BLE001 - it is told with the others
            result = {**scenario._asdict(), "failed": repr(error)}
        if keep is not None:
            with keeping:
                keep(result)
        return result

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        return list(pool.map(attempt, chosen))


def keep_in(path: Path, broker: str, seed: int) -> Callable[[dict[str, Any]], None]:
    """Puts a result in the place of what the file has of the same group."""

    order = scenarios()

    def place(result: dict[str, Any]) -> tuple[int, int]:
        scenario = Scenario(result["protocol"], result["assignor"], result["first"])
        return result["seed"], order.index(scenario) if scenario in order else len(order)

    def keep(result: dict[str, Any]) -> None:
        result = {**result, "seed": seed}
        seen = json.loads(path.read_text()) if path.exists() else {}
        others = [one for one in seen.get(broker, []) if place(one) != place(result)]
        seen[broker] = sorted([*others, result], key=place)
        path.write_text(json.dumps(seen, indent=1) + "\n")

    return keep


def check(results: list[dict[str, Any]]) -> None:
    for result in results:
        name = Scenario(result["protocol"], result["assignor"], result["first"]).name
        assert "failed" not in result, result["failed"]
        assert result["violations"] == [], name
        assert result["records"] > 0, name
        if result["protocol"] == "classic":
            first, last = result["leaders"]
            assert first.startswith(result["first"]), name
            assert last != first, name


@pytest.mark.interop
@pytest.mark.timeout(300)
def test_a_share_of_the_matrix(tmp_path: Path) -> None:
    with our_broker_process(tmp_path) as address:
        check(run_all(address, SHARE, tmp_path))


@pytest.mark.interop
@pytest.mark.timeout(0)
@pytest.mark.skipif("SEEDS" not in os.environ, reason="the whole matrix takes SEEDS=n")
@pytest.mark.parametrize("broker", ["barnabas", "kafka"])
def test_the_whole_matrix(broker: str, tmp_path: Path) -> None:
    chosen = [scenario for scenario in scenarios() if re.search(os.environ.get("ONLY", ""), scenario.name)]
    results: list[dict[str, Any]] = []
    for seed in range(int(os.environ["SEEDS"])):
        directory = tmp_path / str(seed)
        directory.mkdir()
        keep = keep_in(Path(os.environ["REPORT"]), broker, seed) if "REPORT" in os.environ else None
        serving = our_broker_process(directory) if broker == "barnabas" else reference_kafka(directory, BROKER_OPTIONS)
        with serving as address:
            results += run_all(address, chosen, directory, keep)
    check(results)


# What judges the members is judged.


def honest() -> Ledger:
    return Ledger(
        ends={0: 10, 1: 4},
        spans=[Span("a", 0, 1.0, 5.0), Span("a", 1, 1.0, 3.0), Span("b", 1, 3.0, 5.0), Span("a", 1, 5.0, 6.0)],
        reads=[("a", 0, 0, 9), ("a", 1, 0, 2), ("b", 1, 2, 3)],
        committed=[{}, {0: 5}, {0: 10, 1: 3}, {0: 10, 1: 4}],
    )


def test_an_honest_group_passes() -> None:
    assert judge(honest()) == []


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (lambda ledger: ledger.spans.append(Span("b", 0, 4.9, 5.5)), "owned by a and b"),
        (lambda ledger: ledger.spans.append(Span("c", 0, 2.0, 2.1)), "owned by a and c"),
        (lambda ledger: ledger.reads.pop(), "nobody read the offsets 3 to 3"),
        (lambda ledger: ledger.reads.__setitem__(0, ("a", 0, 1, 9)), "nobody read the offsets 0 to 0"),
        (lambda ledger: ledger.reads.pop(0), "nobody read the offsets 0 to 9"),
        (lambda ledger: ledger.committed.insert(3, {0: 4, 1: 3}), "from 10 back to 4"),
        (lambda ledger: ledger.committed.pop(), "3 of 4 records are committed"),
        (lambda ledger: ledger.committed.clear(), "0 of 10 records are committed"),
        (lambda ledger: ledger.ended.append("a"), "a ended by itself"),
    ],
)
def test_a_group_that_breaks_a_promise_does_not(what: Any, says: str) -> None:
    ledger = honest()
    what(ledger)
    assert any(says in violation for violation in judge(ledger))
