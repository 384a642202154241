"""`python -m barnabas` is the `barnabas` command."""

from __future__ import annotations

import sys

from barnabas.cli import main

if __name__ == "__main__":
    sys.exit(main())
