"""Checks the crate boundaries that the design rests on; part of `make lint`."""

import json
import subprocess
import sys

# crate: the project's crates that it may depend on
ALLOWED = {
    "barnabas-records": set(),
    "barnabas-wire": set(),
    "barnabas-log": {"barnabas-records"},
    "barnabas-columnar": {"barnabas-records"},
    "barnabas-net": {"barnabas-wire"},
    "barnabas-client": {"barnabas-net", "barnabas-wire", "barnabas-records"},
    "barnabas-scan": {"barnabas-client", "barnabas-columnar"},
    "barnabas-broker": {"barnabas-net", "barnabas-wire", "barnabas-records", "barnabas-log"},
}
BINDINGS = "barnabas-py"
ONLY_IN_BINDINGS = {"pyo3", "pyo3-arrow"}
ARROW_USERS = {"barnabas-columnar", "barnabas-scan", BINDINGS}


def violations(metadata: dict) -> list[str]:
    """Returns one line per dependency that the design forbids."""
    found = []
    members = {package["id"] for package in metadata["packages"] if package["id"] in set(metadata["workspace_members"])}
    for package in metadata["packages"]:
        if package["id"] not in members:
            continue
        name = package["name"]
        normal = {dependency["name"] for dependency in package["dependencies"] if dependency["kind"] is None}
        if name != BINDINGS:
            if name not in ALLOWED:
                found.append(f"{name}: a new crate needs a line in tools/check_layers.py")
                continue
            extra = {crate for crate in normal if crate.startswith("barnabas-")} - ALLOWED[name]
            found += [f"{name} may not depend on {crate}" for crate in sorted(extra)]
            found += [
                f"{name} may not name {crate}: only {BINDINGS} may" for crate in sorted(normal & ONLY_IN_BINDINGS)
            ]
        if name not in ARROW_USERS:
            found += [f"{name} may not depend on {crate}" for crate in sorted(normal) if crate.startswith("arrow")]
    return found


def main() -> int:
    """Prints violations; the exit code is 1 if there are any."""
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked"]
    metadata = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    found = violations(metadata)
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
