"""What the reference answered, kept in `tests/golden/behaviour/`, one file for each module of cases."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

from behaviour.play import Recording, Step

DIRECTORY = Path(__file__).parents[1] / "golden" / "behaviour"


class Recordings:
    """All recordings, by case. A file has a line for the names of a case, then one for each of its steps."""

    def __init__(self) -> None:
        self.files: dict[str, dict[str, Recording]] = defaultdict(dict)
        self.cases: dict[str, Recording] = {}
        self.changed: set[str] = set()
        for path in sorted(DIRECTORY.glob("*.jsonl.gz")):
            for line in gzip.decompress(path.read_bytes()).decode().splitlines():
                told = json.loads(line)
                if "names" in told:
                    recording = Recording(told["case"], told["names"])
                    self.files[path.name.partition(".")[0]][recording.case] = self.cases[recording.case] = recording
                else:
                    recording.steps.append(Step.from_json(told))

    def keep(self, module: str, recording: Recording) -> None:
        """Puts a recording in the place of an older one of its case."""
        self.files[module][recording.case] = self.cases[recording.case] = recording
        self.changed.add(module)

    def save(self) -> None:
        """Writes the files of which something was put in."""
        DIRECTORY.mkdir(exist_ok=True)
        for module in self.changed:
            lines = []
            for name, recording in sorted(self.files[module].items()):
                lines.append({"case": name, "names": recording.names})
                lines += [step.to_json() for step in recording.steps]
            texts = [json.dumps(line, separators=(",", ":"), ensure_ascii=False) for line in lines]
            data = "".join(f"{text}\n" for text in texts).encode()
            (DIRECTORY / f"{module}.jsonl.gz").write_bytes(gzip.compress(data, mtime=0))

    def forget(self, cases: set[str]) -> None:
        """Drops what is no case any more."""
        for module, found in self.files.items():
            for name in cases & set(found):
                del found[name], self.cases[name]
                self.changed.add(module)
