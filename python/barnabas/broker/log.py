"""The broker's log: Python's `logging` under `barnabas`, without anybody of the broker waiting for it.

A line goes into a bounded ring of the data plane (`_core.log_push`), as do the lines of the data plane's own threads,
and one thread hands them to `logging`. So a handler that blocks, such as a stream to a pipe that nobody reads, holds up
that thread and no other: lines that do not fit are dropped and counted (`barnabas_log_lines_lost_total`), and of lines
of one kind at most ten are kept in ten seconds, followed by a line that says how many were left out.

The thread runs while this process has an open broker; without one a line goes to `logging` at once. Records carry what
is known of the circumstances as `record.fields`, a dictionary of texts, and the name of the thread that wrote the line.
"""

from __future__ import annotations

import os
import threading

from barnabas.broker import core

__all__ = ["error", "exception", "info", "start", "stop", "warning"]

NAME = "barnabas.broker"
INFO, WARNING, ERROR = 20, 30, 40
PULL_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 2.0

_lock = threading.Lock()
_thread: threading.Thread | None = None
_brokers = 0
_stopping = threading.Event()


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
    texts = [(name, str(value)) for name, value in fields.items()]
    thread = threading.current_thread().name
    if _brokers:
        core.log_push(level, NAME, message, (text, thread, texts))
    else:
        _emit(level, NAME, None, (text, thread, texts))


def start() -> None:
    """Counts a broker of this process; the first one starts the thread."""
    global _brokers, _thread  # noqa: PLW0603 - one log per process
    with _lock:
        _brokers += 1
        if _thread is None:
            _stopping.clear()
            _thread = threading.Thread(target=_run, name="barnabas-log", daemon=True)
            _thread.start()


def stop() -> bool:
    """Takes a broker off the count; after the last one the lines that wait are written and the thread ends.

    Returns:
        False if the thread is still held up by a handler.
    """
    global _brokers, _thread  # noqa: PLW0603 - one log per process
    with _lock:
        _brokers -= 1
        if _brokers or _thread is None:
            return True
        thread, _thread = _thread, None
        _stopping.set()
        core.log_wake()
        thread.join(STOP_TIMEOUT_S)
        return not thread.is_alive()


def _run() -> None:
    me = threading.current_thread()
    while True:
        is_last = _stopping.is_set()
        for level, target, text, created, thread, fields in core.log_pull(0.0 if is_last else PULL_TIMEOUT_S):
            _emit(level, _logger_name(target), created, (text, thread, fields))
        if is_last or _thread not in (me, None):
            return


def _logger_name(target: str) -> str:
    """Returns `barnabas.log.recovery` for the data plane's `barnabas_log::recovery`."""
    return target.replace("barnabas_", "barnabas.", 1).replace("::", ".")


def _emit(level: int, name: str, created: float | None, line: tuple[str, str, list[tuple[str, str]]]) -> None:
    import logging  # noqa: PLC0415 - 6 ms that most brokers' starts need not spend

    logger = logging.getLogger(name)
    if not logger.isEnabledFor(level):
        return
    text, thread, fields = line
    record = logger.makeRecord(name, level, "", 0, text, (), None, extra={"fields": dict(fields)})
    record.threadName = thread
    if created is not None:
        record.created = created
        record.msecs = created % 1 * 1000
    logger.handle(record)


def _after_fork() -> None:
    """The child has neither the thread nor the brokers."""
    global _brokers, _thread, _lock
    _brokers, _thread, _lock = 0, None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
