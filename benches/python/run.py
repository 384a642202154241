"""Runs the benches of the wheel's records and columns and writes benches/results/python.json.

python benches/python/run.py [-k EXPRESSION]

The interpreter must have barnabas (the wheel, for figures that count) and requirements/bench.txt installed.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RESULT = HERE.parent / "results" / "python.json"


def figures(raw: dict) -> dict[str, list[dict]]:
    """By group: medians per item, and how many times dearer than ours each rival is."""
    groups: dict[str, list[dict]] = {}
    for entry in raw["benchmarks"]:
        info, stats = entry["extra_info"], entry["stats"]
        per = info["per"]
        row = {
            "who": info["who"],
            "median_ns": round(stats["median"] / per * 1e9, 2),
            "min_ns": round(stats["min"] / per * 1e9, 2),
            "interquartile_ns": round(stats["iqr"] / per * 1e9, 2),
            "rounds": stats["rounds"],
            "items_per_round": per,
        }
        if "bytes" in info:
            net = max(row["median_ns"] - info["call_ns"], 0.01)
            row["call_ns"] = round(info["call_ns"], 2)
            row["gb_per_s_without_the_call"] = round(info["bytes"] / net, 2)
        groups.setdefault(entry["group"], []).append(row)
    for rows in groups.values():
        ours = next((row for row in rows if row["who"].startswith("barnabas")), rows[0])
        for row in rows:
            row["times_ours"] = round(row["median_ns"] / ours["median_ns"], 2)
    return groups


def machine() -> dict[str, object]:
    """Where the figures were taken."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = sorted({line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")})
    return {
        "cpu": " / ".join(models),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load_average": os.getloadavg(),
    }


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-k", default="", help="only benches that match")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        raw_path = Path(directory) / "raw.json"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "python_files=bench_*.py"]
        command += ["-o", "timeout=600", "-W", "ignore", "-k", arguments.k]
        command += ["--benchmark-timer=time.thread_time", f"--benchmark-json={raw_path}", "--benchmark-disable-gc"]
        done = subprocess.run([*command, str(HERE)], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stdout[-4000:])
        groups = figures(json.loads(raw_path.read_text()))
    for group, rows in groups.items():
        print(f"\n{group}")
        for row in rows:
            speed = row.get("gb_per_s_without_the_call")
            extra = f"{speed:8.1f} GB/s" if speed else ""
            print(f"  {row['who']:48}{row['median_ns']:10.1f} ns{row['times_ours']:8.2f} x{extra}")
    result = {
        "command": "python benches/python/run.py",
        "unit": "CPU time of the thread, per item",
        "machine": machine(),
        "figures": groups,
    }
    if not arguments.k:
        RESULT.write_text(json.dumps(result, indent=1) + "\n")
        print(f"\n{RESULT.relative_to(HERE.parents[1])} written")


if __name__ == "__main__":
    main()
