"""The error table: Kafka's facts, printed by a small Java program, with sentences of our own."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True)
class ErrorFact:
    """One protocol error."""

    code: int
    name: str
    retriable: bool
    refreshes_metadata: bool
    exception: str
    fatal: bool
    abortable: bool
    text: str

    @property
    def python_class(self) -> str:
        """The name of the exception class."""
        stem = self.name.removesuffix("_ERROR").removesuffix("_EXCEPTION")
        return "".join(part.capitalize() for part in stem.split("_")) + "Error"


def load(jars: Path) -> list[ErrorFact]:
    """Runs ErrorTable.java on the reference's class path."""
    texts = {}
    for line in (HERE / "error_texts.tsv").read_text().splitlines():
        if not line.startswith("#"):
            name, flags, text = line.split("\t")
            texts[name] = flags, text
    command = ["java", "-cp", f"{jars}/*", str(HERE / "ErrorTable.java")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    facts = []
    for line in printed.splitlines():
        code, name, retriable, refreshes, exception, _ancestors = line.split("\t")
        flags, text = texts.pop(name)
        facts.append(
            ErrorFact(
                int(code), name, retriable == "true", refreshes == "true", exception, "F" in flags, "A" in flags, text
            )
        )
    if texts:
        raise ValueError(f"texts without an error: {sorted(texts)}")
    return sorted(facts, key=lambda fact: fact.code)
