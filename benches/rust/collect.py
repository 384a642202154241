"""Collect criterion's figures of one crate's benches into benches/results/NAME.json.

cargo bench -p barnabas-records
python benches/rust/collect.py records "cargo bench -p barnabas-records"
"""

import argparse
import json
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def machine() -> dict[str, Any]:
    """Describe where the figures were taken."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = {line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")}
    rustc = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    return {
        "cpu": " / ".join(sorted(models)),
        "cores": os.cpu_count(),
        "kernel": platform.release(),
        "rustc": rustc,
        "load_average": os.getloadavg(),
    }


def figures(criterion: Path) -> list[dict[str, Any]]:
    """Read each benchmark's latest run: median with its 95 % interval, and per element or byte."""
    rows = []
    for path in sorted(criterion.glob("**/new/benchmark.json")):
        benchmark = json.loads(path.read_text())
        estimates = json.loads((path.parent / "estimates.json").read_text())
        median = estimates["median"]
        interval = median["confidence_interval"]
        row = {
            "benchmark": benchmark["full_id"],
            "median_ns": round(median["point_estimate"], 2),
            "interval_95_ns": [round(interval["lower_bound"], 2), round(interval["upper_bound"], 2)],
        }
        for unit, count in (benchmark["throughput"] or {}).items():
            if unit == "Elements":
                row["ns_per_record"] = round(median["point_estimate"] / count, 2)
            else:
                row["gb_per_s"] = round(count / median["point_estimate"], 2)
        rows.append(row)
    return rows


def main() -> None:
    """Run the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name")
    parser.add_argument("command", help="what was run, kept with the figures")
    arguments = parser.parse_args()
    result = {
        "command": arguments.command,
        "machine": machine(),
        "figures": figures(ROOT / "target" / "criterion"),
    }
    path = ROOT / "benches" / "results" / f"{arguments.name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result, indent=1) + "\n")
    print(f"{len(result['figures'])} figures in {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
