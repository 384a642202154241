"""Lines of log on their way to Python's `logging` without anybody waiting for it.

The data plane's threads write lines into a bounded ring (`_core.log_push`), and so does a broker's control plane. One
thread hands them to `logging`, so that a handler that blocks, such as a stream to a pipe that nobody reads, holds up
that thread and no other: lines that do not fit are dropped and counted (`barnabas_log_lines_lost_total`), and of lines
of one kind at most ten are kept in ten seconds, followed by a line that says how many were left out.

The thread runs while this process has an open broker or client. Records carry what is known of the circumstances as
`record.fields`, a dictionary of texts, and the name of the thread that wrote the line.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Final

__all__ = ["emit", "is_running", "push", "start", "stop"]

Line = tuple[str, str, list[tuple[str, str]]]
"""Text, thread, fields."""

PULL_TIMEOUT_S: Final = 10.0
STOP_TIMEOUT_S: Final = 2.0
WAKE_AGAIN_S: Final = 0.1

# Reentrant: a client that is collected as garbage takes itself off the count, wherever that happens.
_lock = threading.RLock()
_thread: threading.Thread | None = None
_users = 0
_stopping = threading.Event()


def start() -> None:
    """Counts a broker or client of this process; the first one starts the thread."""
    global _users, _thread  # noqa: PLW0603 - one log per process
    with _lock:
        _users += 1
        if _thread is None:
            _thread = threading.Thread(target=_run, name="barnabas-log", daemon=True)
            _stopping.clear()
            try:
                _thread.start()
            except RuntimeError:
                # At the interpreter's end, or where a process may have no more threads: clients work without their log.
                _thread = None


def stop() -> bool:
    """Takes a user off the count; after the last one the lines that wait are written and the thread ends.

    Returns:
        False if the thread is still held up by a handler.
    """
    from barnabas._core import log_wake  # noqa: PLC0415 - the extension loads with what needs it

    global _users, _thread  # noqa: PLW0603 - one log per process
    with _lock:
        _users = max(0, _users - 1)
        if _users or _thread is None:
            return True
        thread, _thread = _thread, None
        _stopping.set()
    if thread is threading.current_thread():
        return True
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while thread.is_alive() and time.monotonic() < deadline:
        # Again, because a thread that was started meanwhile may have taken it.
        log_wake()
        thread.join(WAKE_AGAIN_S)
    return not thread.is_alive()


def is_running() -> bool:
    """Whether somebody takes lines out of the ring."""
    return _thread is not None


def push(level: int, name: str, template: str, line: Line) -> None:
    """Hands a line over without waiting; of one template's lines only some are kept."""
    from barnabas._core import log_push  # noqa: PLC0415 - as in `stop`

    log_push(level, name, template, *line)


def emit(level: int, name: str, created: float | None, line: Line) -> None:
    """Hands a line to `logging`, on this thread."""
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


def _run() -> None:
    from barnabas._core import log_pull  # noqa: PLC0415 - as in `stop`

    me = threading.current_thread()
    while True:
        is_last = _stopping.is_set()
        for level, target, text, created, thread, fields in log_pull(0.0 if is_last else PULL_TIMEOUT_S):
            emit(level, _logger_name(target), created, (text, thread, fields))
        if is_last or _thread not in (me, None):
            return


def _logger_name(target: str) -> str:
    """Returns `barnabas.log.recovery` for the data plane's `barnabas_log::recovery`."""
    return target.replace("barnabas_", "barnabas.", 1).replace("::", ".")


def _after_fork() -> None:
    """The child has neither the thread nor its users."""
    global _users, _thread, _lock
    _users, _thread, _lock = 0, None, threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
