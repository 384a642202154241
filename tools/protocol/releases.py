"""Writes `barnabas/protocol/releases.py`: which versions of which APIs older releases of Kafka serve.

    python tools/protocol/releases.py [--check]

The facts come from the jars of each release, fetched with Maven and asked by `Release.java`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "python" / "barnabas" / "protocol" / "releases.py"
RELEASES = {"2.1": "2.1.1", "2.4": "2.4.1", "3.0": "3.0.2", "3.9": "3.9.1"}
"""Name of the release: which of its versions is asked."""
WITH_FEATURES = ("3.9",)
"""Releases that have levels of features; they are in a second jar."""


def fetch(artifact: str, directory: Path) -> None:
    """Fetches a jar."""
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={directory}"]
    subprocess.run(command, check=True)


def facts(name: str, version: str) -> tuple[dict[int, tuple[int, int]], dict[str, tuple[int, int]]]:
    """Returns the ranges of APIs and of features of a release."""
    apis: dict[int, tuple[int, int]] = {}
    features: dict[str, tuple[int, int]] = {}
    with tempfile.TemporaryDirectory() as directory:
        fetch(f"org.apache.kafka:kafka-clients:{version}", Path(directory))
        fetch("org.slf4j:slf4j-api:1.7.36", Path(directory))
        if name in WITH_FEATURES:
            fetch(f"org.apache.kafka:kafka-server-common:{version}", Path(directory))
        command = ["java", "-cp", f"{directory}/*", str(HERE / "Release.java")]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    for line in lines:
        kind, what, low, high = line.split()
        if kind == "api":
            apis[int(what)] = (int(low), int(high))
        else:
            features[what] = (int(low), int(high))
    return apis, features


def module() -> str:
    """Returns the text of the module."""
    versions = ", ".join(RELEASES.values())
    lines = [
        f"# Written by tools/protocol/releases.py from the jars of Apache Kafka {versions}. Do not edit.",
        '"""What older releases of Kafka serve, for `barnabas.api.versions.as`."""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import Final",
        "",
        "# release: ({API key: (oldest, newest version)}, {feature: (lowest, highest level)})",
        "RELEASES: Final[dict[str, tuple[dict[int, tuple[int, int]], dict[str, tuple[int, int]]]]] = {",
    ]
    for name, version in RELEASES.items():
        apis, features = facts(name, version)
        lines += [f'    "{name}": (', "        {"]
        lines += [f"            {key}: {ranges}," for key, ranges in sorted(apis.items())]
        lines += ["        },", "        {"] if features else ["        },", "        {},"]
        lines += [f'            "{feature}": {levels},' for feature, levels in sorted(features.items())]
        lines += ["        },", "    ),"] if features else ["    ),"]
    return "\n".join([*lines, "}", ""])


def main() -> int:
    """Writes the module, or says whether it is as it would be written."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    text = module()
    if parser.parse_args().check:
        is_same = TARGET.read_text(encoding="utf-8") == text
        print("up to date" if is_same else f"{TARGET} differs", file=sys.stderr)
        return 0 if is_same else 1
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
