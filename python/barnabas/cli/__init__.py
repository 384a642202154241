"""The `barnabas` command: standard library only, one module per command, loaded when it is used."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_COMMANDS = {
    "broker": "run a broker until it is told to stop",
}
"""Commands that run without extras: name -> what they do. Each is a module of this package with `add_arguments` and
`run`."""

_NEED_EXTRA = {
    "topic": "cli",
    "group": "cli",
    "produce": "cli",
    "consume": "cli",
    "spark": "spark",
}
"""Commands that are named here already, with the extra that brings them."""

_DESCRIPTION = """\
barnabas: Apache Kafka's job as one Python package.

  barnabas broker --data-dir ./data          run a broker on port 9092
  barnabas broker --listen 127.0.0.1:0 --ready-file ready
                                             any free port; the address is in the file `ready` once it serves
  barnabas broker --help                     all that can be set
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; returns the process's exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words and words[0] in _NEED_EXTRA:
        extra = _NEED_EXTRA[words[0]]
        print(
            f"barnabas: the command {words[0]!r} is not in this version; it will come with the extra {extra!r} "
            f"(pip install 'barnabas[{extra}]'). Until then any Kafka tool or client works with the broker.",
            file=sys.stderr,
        )
        return 2
    parser = argparse.ArgumentParser(
        prog="barnabas",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action=_PrintVersion)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    # Only the command that is asked for is imported; the others stand in the help with one line.
    for name, summary in _COMMANDS.items():
        wanted = bool(words) and words[0] == name
        module = importlib.import_module(f"barnabas.cli.{name}") if wanted else None
        command = commands.add_parser(
            name,
            help=summary,
            description=module.DESCRIPTION if module else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if module is not None:
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    parsed = parser.parse_args(words)
    if parsed.command is None:
        parser.print_help()
        return 0
    status: int = parsed.run(parsed)
    return status


class _PrintVersion(argparse.Action):
    """Looks the version up when it is asked for: that takes longer than all else before a broker's start."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show program's version number and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        print(f"barnabas {_version()}")
        parser.exit()


def _version() -> str:
    from importlib import metadata  # noqa: PLC0415 - slow to import, and only --version needs it

    try:
        return metadata.version("barnabas")
    except metadata.PackageNotFoundError:
        return "(not installed)"
