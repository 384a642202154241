"""The page of the clients' options says what the tables say."""

import subprocess
import sys
from pathlib import Path

from barnabas.client.options import ADMIN, CONSUMER, PRODUCER

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "configuration_page.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0, "run python tools/configuration_page.py"


def test_it_names_every_option() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text()
    for table in (PRODUCER, CONSUMER, ADMIN):
        assert [name for name in (*table, *table.aliases) if f"`{name}`" not in text] == []
