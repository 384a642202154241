"""Runs the fuzz targets of rust/fuzz under libFuzzer with AddressSanitizer, one after the other.

`make fuzz MINUTES=5` gives each target five minutes. New inputs are collected in target/fuzz-corpus; with `--keep`
those that reach something new are minimised and the smallest of them join rust/fuzz/corpus. An input that breaks a rule
goes to rust/fuzz/regressions, which the tests read. Counts go to tests/results/fuzz.json.

No nightly toolchain and no cargo-fuzz is needed: the pinned compiler is told to allow what both would.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
FUZZ = ROOT / "rust" / "fuzz"
TRIPLE = "x86_64-unknown-linux-gnu"
BUILD = ROOT / "target" / "fuzz"
WORK = ROOT / "target" / "fuzz-corpus"
RESULTS = ROOT / "tests" / "results" / "fuzz.json"
FLAGS = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "--cfg",
    "fuzzing",
    "-Zsanitizer=address",
]
# GCC marks a static table inside a function of libzstd as gone with the function's scope, which it is not.
C_FLAGS = "-fno-sanitize-address-use-after-scope"
# libdeflate has one table twice, by including a file of its own two times; that is no defect of what is fuzzed.
SANITIZER = {"ASAN_OPTIONS": "detect_odr_violation=0"}
LINE = re.compile(r"^#(\d+)\s+(?:DONE|pulse|NEW|REDUCE|RELOAD|INITED).*cov: (\d+) ft: (\d+) corp: (\d+)/", re.MULTILINE)
LEN_MAX = 4096
LEN_MAX_OF = {"json": 1024, "avro": 1024, "csv": 1024}
"""Targets that decode each input many times over learn more from many short ones."""
RSS_LIMIT_MB = 1024
TIMEOUT_S = 10


def targets() -> list[str]:
    """The targets, as the manifest names them."""
    manifest = tomllib.loads((FUZZ / "Cargo.toml").read_text())
    return [target["name"] for target in manifest["bin"]]


def build() -> None:
    """Builds all targets, instrumented."""
    environment = os.environ | {"RUSTC_BOOTSTRAP": "1", "RUSTFLAGS": " ".join(FLAGS), "CFLAGS": C_FLAGS}
    command = ["cargo", "build", "--locked", "--release", "--bins", "--target", TRIPLE, "--target-dir", str(BUILD)]
    subprocess.run(command, cwd=FUZZ, env=environment, check=True)


def program(target: str) -> Path:
    """The built target."""
    return BUILD / TRIPLE / "release" / target


def run(target: str, seconds: int, seed: int) -> dict[str, object]:
    """Fuzzes one target from its kept corpus on; says what came of it."""
    work = WORK / target
    found = FUZZ / "regressions" / target
    work.mkdir(parents=True, exist_ok=True)
    found.mkdir(parents=True, exist_ok=True)
    before = set(found.iterdir())
    kept = FUZZ / "corpus" / target
    kept.mkdir(parents=True, exist_ok=True)
    command = [
        str(program(target)),
        str(work),
        str(kept),
        f"-artifact_prefix={found}/",
        f"-max_total_time={seconds}",
        f"-max_len={LEN_MAX_OF.get(target, LEN_MAX)}",
        f"-rss_limit_mb={RSS_LIMIT_MB}",
        f"-timeout={TIMEOUT_S}",
        f"-seed={seed}",
        "-print_final_stats=1",
    ]
    started = time.monotonic()
    ended = subprocess.run(
        command, env=os.environ | SANITIZER, capture_output=True, text=True, errors="replace", check=False
    )
    output = ended.stderr
    lines = LINE.findall(output)
    executed = re.search(r"stat::number_of_executed_units:\s+(\d+)", output)
    peak = re.search(r"stat::peak_rss_mb:\s+(\d+)", output)
    findings = sorted(path.name for path in set(found.iterdir()) - before)
    if not any(found.iterdir()):
        found.rmdir()
    row: dict[str, object] = {
        "seconds": round(time.monotonic() - started),
        "seed": seed,
        "executions": int(executed[1]) if executed else 0,
        "coverage": int(lines[-1][1]) if lines else 0,
        "features": int(lines[-1][2]) if lines else 0,
        "corpus": int(lines[-1][3]) if lines else 0,
        "peak_rss_mb": int(peak[1]) if peak else 0,
        "findings": findings,
    }
    if ended.returncode != 0:
        row["message"] = output[-1500:]
    return row


def keep(target: str, limit: int) -> None:
    """Minimises what was collected and keeps the smallest inputs beside those that are kept already."""
    merged = WORK / f"{target}.minimal"
    shutil.rmtree(merged, ignore_errors=True)
    merged.mkdir(parents=True)
    kept = FUZZ / "corpus" / target
    command = [str(program(target)), "-merge=1", str(merged), str(kept), str(WORK / target)]
    subprocess.run(command, env=os.environ | SANITIZER, capture_output=True, check=True)
    known = {path.read_bytes() for path in kept.iterdir()}
    fresh = [path for path in merged.iterdir() if path.read_bytes() not in known]
    for path in sorted(fresh, key=lambda path: (path.stat().st_size, path.name))[:limit]:
        shutil.copyfile(path, kept / path.name[:16])


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", help="all, if none is named")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=int, default=0, metavar="N", help="keep up to N new inputs of each target")
    arguments = parser.parse_args()
    if unknown := set(arguments.targets) - set(targets()):
        parser.error(f"no such target: {', '.join(sorted(unknown))}")
    build()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {"targets": {}}
    results["command"] = "make fuzz MINUTES=n"
    failed = False
    for target in arguments.targets or targets():
        row = run(target, round(arguments.minutes * 60), arguments.seed)
        failed = failed or bool(row["findings"]) or "message" in row
        print(target, json.dumps({name: value for name, value in row.items() if name != "message"}), flush=True)
        if "message" in row:
            print(row.pop("message"), file=sys.stderr)
        results["targets"][target] = row
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
        if arguments.keep:
            keep(target, arguments.keep)
    sys.exit(failed)


if __name__ == "__main__":
    main()
