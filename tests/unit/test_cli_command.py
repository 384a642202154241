"""The `barnabas` command itself, before any of its commands runs."""

import subprocess
import sys

import pytest

from barnabas import cli


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("barnabas ")


def test_a_command_starts_without_looking_its_version_up():
    program = "import sys; from barnabas import cli\ntry: cli.main(['broker', '--help'])\nexcept SystemExit: pass\n"
    program += "sys.exit('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
