"""The broker's log: Python's `logging` under `barnabas.broker`, without anybody of the broker waiting for it.

While this process has an open broker or client, a line goes through the ring of `barnabas.lines`; without one it goes
to `logging` at once. `fields` stand in `record.fields`.
"""

from __future__ import annotations

import threading

from barnabas import lines

__all__ = ["error", "exception", "info", "warning"]

NAME = "barnabas.broker"
INFO, WARNING, ERROR = 20, 30, 40


def info(message: str, *arguments: object, **fields: object) -> None:
    """Tells what is worth knowing."""
    _write(INFO, message, arguments, fields)


def warning(message: str, *arguments: object, **fields: object) -> None:
    """Tells what somebody should look at."""
    _write(WARNING, message, arguments, fields)


def error(message: str, *arguments: object, **fields: object) -> None:
    """Tells what has failed."""
    _write(ERROR, message, arguments, fields)


def exception(message: str, *arguments: object, **fields: object) -> None:
    """Tells of the exception that is handled, with its traceback."""
    import traceback  # noqa: PLC0415 - not for the start

    _write(ERROR, f"{message}\n%s", (*arguments, traceback.format_exc().rstrip()), fields)


def _write(level: int, message: str, arguments: tuple[object, ...], fields: dict[str, object]) -> None:
    text = message % arguments if arguments else message
    line = (text, threading.current_thread().name, [(name, str(value)) for name, value in fields.items()])
    if lines.is_running():
        lines.push(level, NAME, message, line)
    else:
        lines.emit(level, NAME, None, line)
