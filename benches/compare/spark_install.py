"""What it takes from an empty environment to a first `count()`: packages, files, jars, seconds, beside Spark's own connector.

Wheels come from a directory that `pip wheel` fills first, so that no network is timed; jars lie ready, too.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import Row

ROOT = Path(__file__).parents[2]
CONSTRAINTS = str(ROOT / "requirements" / "constraints.txt")
RECORDS = 8_000
PIP = ["--disable-pip-version-check", "-q", "-c", CONSTRAINTS]
FIRST = """
import json, sys, time
begin = time.perf_counter()
from pyspark.sql import SparkSession
source, servers, topic, jars = sys.argv[1:]
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = (builder.config("spark.jars", jars) if jars else builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")
started = time.perf_counter()
reader = spark.read.format(source).option("kafka.bootstrap.servers", servers).option("subscribe", topic)
found = reader.load().count()
counted = time.perf_counter()
print(json.dumps({"rows": found, "session_s": started - begin, "first_count_s": counted - started}))
"""
"""What a user does first, in a process of its own."""


def wheels(directory: Path) -> None:
    """Puts our wheel and those of what both connectors need into a directory."""
    built = sorted((ROOT / "dist").glob("barnabas-*.whl"))
    if not built:
        raise SystemExit("dist/ has no wheel: run `make wheel` first")
    shutil.copy(built[-1], directory)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *PIP, "-w", str(directory), f"{built[-1]}[spark]"], check=True
    )


def once(directory: Path, source: str, wanted: str, place: tuple[str, str], jars: list[Path]) -> dict[str, float]:
    """Makes an environment, installs into it, and counts a topic."""
    environment = directory / "environment"
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python, packages = str(environment / "bin" / "python"), environment / "lib"
    before = sum(path.is_file() for path in packages.rglob("*"))
    made = time.perf_counter()
    offline = ["--no-index", "--find-links", str(directory / "wheels")]
    subprocess.run([python, "-m", "pip", "install", *PIP, *offline, wanted], check=True)
    installed = time.perf_counter()
    # Away from the source tree, whose packages are not what was installed.
    first = [python, "-I", "-c", FIRST, source, *place, ",".join(map(str, jars))]
    variables = {"PATH": f"{environment / 'bin'}:/usr/bin:/bin", "PYSPARK_PYTHON": python, "HOME": str(directory)}
    java = shutil.which("java")
    if java is not None:
        variables["PATH"] = f"{Path(java).parent}:{variables['PATH']}"
    done = subprocess.run(first, cwd=directory, env=variables, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    if found.pop("rows") != RECORDS:
        raise SystemExit(f"{source}: the count is wrong")
    listed = subprocess.run([python, "-m", "pip", "list", "--format=json"], check=True, capture_output=True, text=True)
    files = [path for path in packages.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    measured = {
        "environment_s": made - begin,
        "install_s": installed - made,
        **found,
        "all_s": installed - begin + found["session_s"] + found["first_count_s"],
        "packages": len([one for one in json.loads(listed.stdout) if one["name"] != "pip"]),
        "files": len(files) - before,
        "mb": sum(path.stat().st_size for path in [*files, *jars]) / 1e6,
        "jars": len(jars),
    }
    shutil.rmtree(environment)
    return measured


def measure(place: tuple[str, str], jars: list[Path], runs: int) -> tuple[dict[str, list[dict[str, float]]], list[Row]]:
    """The samples and the table, connectors by turns."""
    samples: dict[str, list[dict[str, float]]] = {"barnabas": [], "kafka": []}
    with tempfile.TemporaryDirectory(prefix="barnabas-install-") as name:
        directory = Path(name)
        (directory / "wheels").mkdir()
        wheels(directory / "wheels")
        for _ in range(runs):
            samples["barnabas"].append(once(directory, "barnabas", "barnabas[spark]", place, []))
            samples["kafka"].append(once(directory, "kafka", "pyspark", place, jars))
            print(".", end="", flush=True)
    what = "from an empty environment to a first count()"
    rows = [
        Row(what, unit, *(sorted(one[key] for one in samples[source])[runs // 2] for source in samples))
        for key, unit in (
            ("packages", "Python packages"),
            ("jars", "jars beside Spark's"),
            ("files", "files installed"),
            ("mb", "MB"),
            ("install_s", "s to install, from wheels on the disk"),
            ("session_s", "s to a session"),
            ("first_count_s", f"s to count {RECORDS} records"),
            ("all_s", "s in all"),
        )
    ]
    return samples, rows
