"""Writes the protocol facts that are checked in: `python tools/protocol/generate.py --jars DIR [--check]`.

DIR is the `libs` directory of an Apache Kafka distribution. `--check` writes nothing and fails if a file would change.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import emit_rust
import errors_table
import schema

ROOT = Path(__file__).resolve().parents[2]
RUST = ROOT / "rust/wire/src/generated"


def kafka_version(jars: Path) -> str:
    """The distribution's version, from the name of a jar."""
    (clients,) = jars.glob("kafka-clients-[0-9]*.jar")
    return clients.stem.removeprefix("kafka-clients-")


def rustfmt(text: str) -> str:
    """The text as `cargo fmt` would leave it."""
    command = ["rustfmt", "--edition", "2024", "--config-path", str(ROOT), "--emit", "stdout"]
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def files(jars: Path) -> dict[Path, str]:
    """Every generated file and its text."""
    version = kafka_version(jars)
    messages = schema.load(jars)
    errors = errors_table.load(jars)
    rust = {
        RUST / "apis.rs": emit_rust.apis(messages, version),
        RUST / "errors.rs": emit_rust.errors(errors, version),
    }
    return {path: rustfmt(text) for path, text in rust.items()}


def main() -> int:
    """Runs the generator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jars", type=Path, required=True, help="the libs directory of a Kafka distribution")
    parser.add_argument("--check", action="store_true", help="fail if a checked-in file differs")
    arguments = parser.parse_args()
    stale = []
    for path, text in files(arguments.jars).items():
        if path.exists() and path.read_text() == text:
            continue
        stale.append(path)
        if not arguments.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    for path in stale:
        print(("differs: " if arguments.check else "written: ") + str(path.relative_to(ROOT)))
    return 1 if stale and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
