"""The connector over Spark Connect, in a process of its own: a session of the classic kind cannot be beside it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.spark, pytest.mark.xdist_group("spark"), pytest.mark.timeout(300)]

SCRIPT = Path(__file__).with_name("connect_session.py")


def test_reads_and_writes_run_over_a_connect_session(bootstrap_servers, topic, tmp_path):
    # The server's Python workers run in directories of their own.
    path = os.pathsep.join(str(Path(entry).resolve()) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep))
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), bootstrap_servers, topic, str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert json.loads(done.stdout.splitlines()[-1]) == {
        "session": "pyspark.sql.connect.session",
        "raw": 20,
        "typed": sum(range(20)),
        "inferred": ["n"],
        "table": 10,
        "sink": [20, 20],
        "each": [40, 20],
    }
