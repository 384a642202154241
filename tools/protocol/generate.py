"""Writes the protocol facts that are checked in: `python tools/protocol/generate.py --jars DIR [--vectors | --check]`.

DIR is the `libs` directory of an Apache Kafka distribution. `--check` writes nothing and fails if a file would change.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import emit_python
import emit_rust
import errors_table
import option_tables
import schema

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
VECTORS = ROOT / "tests/golden/wire/messages.tsv.gz"
RUST = ROOT / "rust/wire/src/generated"
PACKAGE = ROOT / "python/barnabas"
MESSAGES = PACKAGE / "protocol/messages"


def kafka_version(jars: Path) -> str:
    """The distribution's version, from the name of a jar."""
    (clients,) = jars.glob("kafka-clients-[0-9]*.jar")
    return clients.stem.removeprefix("kafka-clients-")


def rustfmt(text: str) -> str:
    """The text as `cargo fmt` would leave it."""
    command = ["rustfmt", "--edition", "2024", "--config-path", str(ROOT), "--emit", "stdout"]
    return subprocess.run(command, input=text, check=True, capture_output=True, text=True).stdout


def ruff_format(texts: dict[Path, str]) -> dict[Path, str]:
    """The texts as `ruff format` would leave them."""
    with tempfile.TemporaryDirectory() as directory:
        for number, text in enumerate(texts.values()):
            (Path(directory) / f"f{number}.py").write_text(text)
        command = [
            sys.executable,
            "-m",
            "ruff",
            "format",
            "--quiet",
            "--config",
            str(ROOT / "pyproject.toml"),
            directory,
        ]
        subprocess.run(command, check=True)
        return {path: (Path(directory) / f"f{number}.py").read_text() for number, path in enumerate(texts)}


def struct_ids(messages: list[schema.Message]) -> dict[tuple[str, str], int]:
    """Numbers every struct: both languages know it by this number."""
    names = [(message.name, struct.name) for message in messages for struct in [message.root, *message.structs]]
    return {name: number for number, name in enumerate(names)}


def files(jars: Path) -> dict[Path, str]:
    """Every generated file and its text."""
    version = kafka_version(jars)
    messages = schema.load(jars)
    errors = errors_table.load(jars)
    ids = struct_ids(messages)
    rust = {
        RUST / "apis.rs": emit_rust.apis(messages, version),
        RUST / "messages.rs": emit_rust.table(messages, ids, version),
        RUST / "errors.rs": emit_rust.errors(errors, version),
    }
    python = {
        PACKAGE / "protocol/apis.py": emit_python.apis(messages, version),
        PACKAGE / "error_codes.py": emit_python.errors(errors, version),
    }
    for name, text in emit_python.modules(messages, ids, version).items():
        python[MESSAGES / f"{name}.py"] = text
    for name, text in option_tables.modules(jars, version).items():
        python[PACKAGE / f"controller/{name}.py"] = text
    formatted = {path: rustfmt(text) for path, text in rust.items()}
    return formatted | ruff_format(python)


def main() -> int:
    """Runs the generator."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jars", type=Path, required=True, help="the libs directory of a Kafka distribution")
    parser.add_argument("--vectors", action="store_true", help="also write the golden vectors of tests/golden/wire")
    parser.add_argument("--check", action="store_true", help="fail if a checked-in file differs")
    arguments = parser.parse_args()
    if arguments.vectors:
        program = ["java", "-cp", f"{arguments.jars}/*", str(HERE / "WireVectors.java")]
        subprocess.run([*program, str(arguments.jars), str(VECTORS)], check=True)
    stale = []
    made = files(arguments.jars)
    for path in sorted(set(MESSAGES.glob("*.py")) - set(made)):
        stale.append(path)
        if not arguments.check:
            path.unlink()
    for path, text in made.items():
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
