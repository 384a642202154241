"""Kafka's command-line tools, all in one Java process: a start for each would cost more than most of them do."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from reference_kafka import TOOLS, jars

PROGRAM = Path(__file__).parent / "Tools.java"


@dataclass(frozen=True)
class Ended:
    """How a tool ended."""

    code: int
    out: str
    err: str

    def lines(self) -> list[str]:
        return [line for line in self.out.splitlines() if line.strip()]

    def events(self) -> list[dict[str, object]]:
        """The JSON objects that it printed, one a line."""
        return [json.loads(line) for line in self.lines() if line.startswith("{")]


class JavaTools:
    """Runs tools by the names of `TOOLS`, or by those of their classes."""

    def __init__(self) -> None:
        options = ["-XX:+UseSerialGC", "-Xmx512m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"]
        self.process = subprocess.Popen(
            ["java", *options, "-cp", jars(), str(PROGRAM)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def __call__(self, name: str, *arguments: str, stdin: str = "") -> Ended:
        """Runs a tool to its end, which pytest's time limit bounds."""
        asked = {"class": TOOLS.get(name, name), "arguments": arguments, "input": stdin}
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self.process.stdin.write(json.dumps(asked) + "\n")
        self.process.stdin.flush()
        return Ended(**json.loads(self.process.stdout.readline()))

    def close(self) -> None:
        if self.process.stdin is not None:
            self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
