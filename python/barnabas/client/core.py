"""The door to the extension module, and what every client's life has in common: closing, forking, one thread at a time.

No other module of `barnabas.client` imports `barnabas._core`.
"""

from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Final

from barnabas import lines
from barnabas._core import (
    AsyncDelivery,
    AsyncDeliveryBatch,
    CallbackQueue,
    ClientCore,
    Delivery,
    DeliveryBatch,
    FetchCore,
    ProducerCore,
    Record,
    Records,
)
from barnabas.errors import ConcurrentUseError, ForkedClientError, IllegalStateError

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

__all__ = [
    "NO_RECORDS",
    "AsyncDelivery",
    "AsyncDeliveryBatch",
    "CallbackQueue",
    "ClientCore",
    "Delivery",
    "DeliveryBatch",
    "FetchCore",
    "Life",
    "OneThread",
    "ProducerCore",
    "Record",
    "Records",
    "Refusing",
]

NO_RECORDS: Final = Records.from_bytes("", 0, b"")
"""What a poll returns that found nothing."""


class Life:
    """Whether a client may be used: open, closed, or in a child process that has none of its threads."""

    __slots__ = ("__weakref__", "_error", "_kind", "_log", "_on_fork", "closed")

    def __init__(self, kind: str, on_fork: Callable[[], None]) -> None:
        self.closed = False
        """Whether the client was closed; a client that was inherited through fork was not."""
        self._kind = kind
        self._error: IllegalStateError | None = None
        self._on_fork = on_fork
        lines.start()
        # Also of a client that nobody closes before it is collected.
        self._log = weakref.finalize(self, lines.stop)
        self._log.atexit = False
        _LIVES.add(self)

    def check(self) -> None:
        """Refuses the use of a client that is not open.

        Raises:
            IllegalStateError: The client is closed, or was inherited through fork.
        """
        if self._error is not None:
            raise type(self._error)(*self._error.args)

    def close(self) -> bool:
        """Marks the client closed; whether it was open, so that there is something to do."""
        was_open = self._error is None
        if was_open:
            self.closed = True
            self._error = IllegalStateError(f"this {self._kind} is closed: make a new one")
            self._log()
        return was_open

    @property
    def is_open(self) -> bool:
        """Whether the client may be used."""
        return self._error is None

    def fork(self) -> None:
        """Marks the client dead in a forked child."""
        # The child counts its own.
        self._log.detach()
        if self._error is None:
            self._error = ForkedClientError(
                f"this {self._kind} was made before the process forked, and its threads did not come along: make a new "
                f"{self._kind} in the child, or start children with the 'spawn' method"
            )
            self._on_fork()


class Refusing:
    """Stands in for a core that must not be used any more: every attribute raises what `Life.check` raises."""

    __slots__ = ("_core", "_life")

    def __init__(self, life: Life, core: object) -> None:
        self._life = life
        self._core = core

    def __getattr__(self, name: str) -> Any:
        self._life.check()
        raise AttributeError(name)


_LIVES: Final[weakref.WeakSet[Life]] = weakref.WeakSet()


def _after_fork_in_child() -> None:
    for life in list(_LIVES):
        life.fork()


os.register_at_fork(after_in_child=_after_fork_in_child)


class OneThread:
    """Lets one thread at a time into a consumer, and that thread again (a rebalance listener commits).

    A consumer that two threads use at once would lose records without a word; so the second one is refused.
    """

    __slots__ = ("_life", "_lock")

    def __init__(self, life: Life) -> None:
        self._life = life
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            raise ConcurrentUseError(
                "this Consumer is being used by another thread: give each thread a consumer of its own, or hand "
                "records from one polling thread to workers; only wakeup() may be called from any thread"
            )
        try:
            self._life.check()
        except BaseException:
            self._lock.release()
            raise

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lock.release()
