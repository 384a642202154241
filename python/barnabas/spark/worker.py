"""What Spark's worker processes cost between tasks."""

from __future__ import annotations

import functools
import gc

from pyspark import TaskContext

__all__ = ["settle"]


def settle() -> None:
    """Leaves what a worker process has loaded by its first task out of later garbage collections.

    Spark collects garbage in its worker processes after every task, and looks at each object of every module for it:
    20 ms of CPU, where reading a few records takes one. Modules live as long as their process, so there is nothing to
    find among them. In other processes nothing changes.
    """
    if TaskContext.get() is not None:
        _settled()


@functools.cache
def _settled() -> None:
    gc.collect()
    gc.freeze()
