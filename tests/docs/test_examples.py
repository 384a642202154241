"""The Python in the documentation runs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def examples() -> list[object]:
    found = []
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]:
        for index, match in enumerate(FENCE.finditer(document.read_text())):
            name = f"{document.relative_to(ROOT)}:{index}"
            # Those of Spark are run where there is one.
            if "spark." not in match.group(1) and not document.name.startswith("spark"):
                found.append(pytest.param(match.group(1), id=name))
    return found


@pytest.mark.parametrize("source", examples())
def test_the_example_runs(source: str):
    exec(compile(source, "example", "exec"), {"__name__": "__main__"})  # noqa: S102 (our own documents)
