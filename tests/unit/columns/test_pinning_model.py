"""Random lives of slices and records: every cell stays right, and what is pinned stays within its bound.

A fixed seed and a fresh one, which it prints, run always; `SEEDS=100` (or a list: `SEEDS=3,7`) runs that many, and
`RESULTS=` keeps the counts in that file.
"""

from __future__ import annotations

import json
import os
import random
from pathlib import Path

from barnabas.columns import Record, Records, batches

STEPS = 120
# What an encoded record has beside its value, at most.
OVERHEAD = 24
FLOOR = 64 * 1024


def chosen() -> list[int]:
    asked = os.environ.get("SEEDS", "")
    if "," in asked:
        return [int(seed) for seed in asked.split(",") if seed]
    if asked:
        return list(range(int(asked)))
    fresh = random.SystemRandom().randrange(2**32)
    print(f"fresh seed: SEEDS={fresh},")
    return [1, fresh]


class Life:
    """What is alive of one poll: slices and records beside the places of their records."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311
        sizes = [self.random.choice([0, 20, 2000, 8000]) for _ in range(self.random.randrange(100, 500))]
        self.values = [index.to_bytes(4, "big") + self.random.randbytes(size) for index, size in enumerate(sizes)]
        data = b"".join(
            bytes(batch) for batch in batches(self.values, batch_size=self.random.choice([2048, 65536, 1 << 20]))
        )
        # As `poll(max_records=…)` and seeks have it, a reader may begin and end inside of a batch.
        self.cut = (self.random.randrange(len(sizes)), len(sizes)) if self.random.random() < 0.3 else (0, len(sizes))
        whole = Records.from_bytes("t", 0, data)
        cells = range(len(sizes))
        if self.cut[0]:
            # Offsets begin at 0 in each batch that `batches` makes: a slice stands for the cut.
            whole, cells = whole[self.cut[0] :], cells[self.cut[0] :]
        self.alive: list[tuple[Records | Record, range]] = [(whole, cells)]
        self.compactions = 0

    def step(self) -> None:
        action = self.random.choice(["slice", "index", "iterate", "drop", "drop", "drop", "drop", "detach", "group"])
        slices = [(held, cells) for held, cells in self.alive if isinstance(held, Records) and cells]
        if action == "drop" and len(self.alive) > 1:
            before = self.pinned()
            del slices
            # Of two, the one that holds more: so what is alive becomes less.
            one, other = (self.random.randrange(len(self.alive)) for _ in range(2))
            self.alive.pop(max(one, other, key=lambda place: len(self.alive[place][1])))
            self.compactions += self.pinned() < before
            return
        if not slices:
            return
        held, cells = self.random.choice(slices)
        start = self.random.randrange(len(cells))
        end = min(len(cells), start + 1 + self.random.randrange(max(1, len(cells) * 2 // 3)))
        if action == "slice":
            self.alive.append((held[start:end], cells[start:end]))
        elif action == "index":
            self.alive.append((held[start], cells[start : start + 1]))
        elif action == "iterate":
            taken = [record for record, _ in zip(held, range(5), strict=False)]
            self.alive += [(record, cells[place : place + 1]) for place, record in enumerate(taken)]
        elif action == "detach":
            assert held.detach().values() == [self.values[cell] for cell in cells]
        elif action == "group":
            ((_, group),) = held.by_partition().items()
            self.alive.append((group, cells))

    def pinned(self) -> int:
        return next((held.pinned_bytes for held, _ in self.alive if isinstance(held, Records)), 0)

    def check(self) -> None:
        held, cells = self.random.choice(self.alive)
        expected = [self.values[cell] for cell in cells]
        if isinstance(held, Record):
            assert [held.value] == expected
            assert bytes(memoryview(held)) == expected[0]
        else:
            assert held.values() == expected
            assert [record.value for record in held] == expected
            if self.random.random() < 0.2:
                assert held.to_arrow(["value"], views=self.random.random() < 0.5)["value"].to_pylist() == expected
            assert all(value in memoryview(held).tobytes() for value in expected[:3])
        live = {cell for _, cells in self.alive for cell in cells}
        size = sum(len(self.values[cell]) + OVERHEAD for cell in live)
        assert self.pinned() <= max(2 * size, FLOOR)


def run(seed: int) -> int:
    life = Life(seed)
    for step in range(STEPS):
        if step or not life.cut[0]:
            life.check()
        life.step()
    return life.compactions


def test_what_is_alive_stays_right_and_pins_little():
    lives = chosen()
    compactions = [run(seed) for seed in lives]
    if results := os.environ.get("RESULTS"):
        summary = {
            "command": f"SEEDS={os.environ.get('SEEDS')} pytest tests/unit/columns/test_pinning_model.py",
            "seeds": len(lives),
            "steps": len(lives) * STEPS,
            "compactions": sum(compactions),
            "lives by compactions": {count: compactions.count(count) for count in sorted(set(compactions))},
        }
        Path(results).write_text(json.dumps(summary, indent=1) + "\n")


def test_the_volume_is_at_stake():
    """The seeds do what they are for: lives in which buffers are compacted, some of them several times."""
    compactions = [run(seed) for seed in range(12)]
    assert sum(count > 0 for count in compactions) >= 8, compactions
    assert sum(count > 1 for count in compactions) >= 3, compactions
