"""The extension module's stub says what the module has."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def test_the_stub_is_that_of_the_module():
    command = [sys.executable, "-m", "mypy.stubtest", "barnabas._core", "--mypy-config-file", "pyproject.toml"]
    command += ["--allowlist", str(HERE / "stubtest_allowlist.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ)
    assert done.returncode == 0, done.stdout[-4000:]
