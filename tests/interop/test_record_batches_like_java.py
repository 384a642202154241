"""Our record encoder and decoder against Kafka's own, in both directions, over random batches of all formats and codecs.

`SEEDS=100` (or a list: `SEEDS=3,7`) runs that many seeds; `make interop` a fixed one and a fresh one, which it prints.
With `RESULTS=FILE` the sums are written there.
"""

import json
import os
import random
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from reference_kafka import jars
from reference_kafka import java as reference_java

ROOT = Path(__file__).parents[2]
RUNS_PER_SEED = 300


def seeds() -> list[int]:
    """Which seeds to run."""
    asked = os.environ.get("SEEDS", "")
    if "," in asked:
        return [int(seed) for seed in asked.split(",")]
    if asked:
        return list(range(1, int(asked) + 1))
    fresh = random.SystemRandom().randrange(1 << 30)
    print(f"fresh seed: SEEDS={fresh},")
    return [1, fresh]


def summary_of(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    """What a program says at its end; it must not complain."""
    assert done.returncode == 0, done.stderr[-6000:] or done.stdout
    return json.loads(done.stdout) if done.stdout else {}


def java(*arguments: str) -> dict[str, object]:
    """Run the Java side."""
    return summary_of(reference_java(str(ROOT / "tools" / "golden" / "RecordVectors.java"), *arguments, timeout=600))


def rust(*arguments: str) -> dict[str, object]:
    """Run our side."""
    cargo = ("cargo", "run", "--quiet", "--locked", "-p", "barnabas-records", "--example", "differential", "--")
    return summary_of(subprocess.run([*cargo, *arguments], cwd=ROOT, capture_output=True, text=True, check=False))


def add(total: Counter[str], found: dict[str, object], side: str) -> None:
    """Add up numbers, nested ones by path."""
    for name, value in found.items():
        if isinstance(value, dict):
            add(total, value, f"{side} {name}")
        else:
            total[f"{side} {name}"] += int(str(value))


@pytest.mark.interop
@pytest.mark.timeout(0)
def test_both_sides_read_and_write_the_same_batches(tmp_path: Path):
    total: Counter[str] = Counter()
    chosen = seeds()
    for seed in chosen:
        theirs, ours = str(tmp_path / "theirs.bin"), str(tmp_path / "ours.bin")
        java("random", str(seed), str(RUNS_PER_SEED), theirs)
        add(total, rust("check", theirs), "written by Kafka, read by us:")
        rust("write", str(seed), str(RUNS_PER_SEED), ours)
        add(total, java("check", ours), "written by us, read and encoded again by Kafka:")
    assert total["written by Kafka, read by us: runs"] == len(chosen) * RUNS_PER_SEED
    assert total["written by Kafka, read by us: failed"] == 0
    assert total["written by us, read and encoded again by Kafka: failed"] == 0
    if results := os.environ.get("RESULTS"):
        summary = {
            "command": f"SEEDS={os.environ.get('SEEDS')} pytest -m interop {Path(__file__).relative_to(ROOT)}",
            "kafka_jars": sorted(path.name for path in Path(jars()).parent.glob("kafka-clients*.jar")),
            "seeds": len(chosen),
            **dict(sorted(total.items())),
        }
        Path(results).write_text(json.dumps(summary, indent=1) + "\n")
