"""How much the partitions take on disk, counted on a thread of its own: directories may be large and disks slow."""

from __future__ import annotations

import os
import queue
import threading
from typing import TYPE_CHECKING, NamedTuple

from barnabas.broker import log

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DirectorySize", "LogDirs"]

WAITING_MAX = 16
"""Counts that may wait; further requests are told to come again."""


class DirectorySize(NamedTuple):
    """One data directory.

    Attributes:
        path: Its absolute path.
        total_bytes: Size of its disk; -1 if it cannot be told.
        usable_bytes: What is left of it.
        sizes: Partition's directory name -> bytes of its log; None if the directory cannot be read.
    """

    path: str
    total_bytes: int
    usable_bytes: int
    sizes: dict[str, int] | None


class LogDirs:
    """Counts on request, one at a time. The thread starts with the first request."""

    def __init__(self) -> None:
        self._waiting: queue.Queue[tuple[list[str], Callable[[list[DirectorySize]], None]]] = queue.Queue(WAITING_MAX)
        self._thread: threading.Thread | None = None

    def count(self, data_dirs: list[str], done: Callable[[list[DirectorySize]], None]) -> bool:
        """Counts, then calls `done` on the counting thread. False if too many wait already."""
        try:
            self._waiting.put_nowait((data_dirs, done))
        except queue.Full:
            return False
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="barnabas-log-dirs", daemon=True)
            self._thread.start()
        return True

    def _run(self) -> None:
        while True:
            data_dirs, done = self._waiting.get()
            try:
                done([_directory_size(path) for path in data_dirs])
            except Exception:  # noqa: BLE001 - one count that fails must not end the others
                log.exception("the data directories could not be counted")


def _directory_size(path: str) -> DirectorySize:
    path = os.path.abspath(path)  # noqa: PTH100 - without pathlib, which the broker does not import
    try:
        disk = os.statvfs(path)
        total, usable = disk.f_frsize * disk.f_blocks, disk.f_frsize * disk.f_bavail
        with os.scandir(path) as entries:
            sizes = {entry.name: _log_size(entry.path) for entry in entries if entry.is_dir()}
    except OSError:
        return DirectorySize(path, -1, -1, None)
    return DirectorySize(path, total, usable, sizes)


def _log_size(path: str) -> int:
    size = 0
    try:
        with os.scandir(path) as entries:
            for entry in entries:
                if entry.name.endswith(".log"):
                    size += entry.stat().st_size
    except OSError:
        return size  # It went away while it was counted.
    return size
