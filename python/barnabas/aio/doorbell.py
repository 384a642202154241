"""Wakes coroutines when a client's I/O thread has news: one byte through a socket pair, however much has happened.

There is no thread between: the event loop watches the socket as it watches its others.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING

from barnabas.errors import ConcurrentUseError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    class Rings(Protocol):
        """A core with a bell."""

        def bell(self) -> int:
            """A new socket, which gets one byte when something happens."""

        def arm_bell(self) -> bool:
            """Lets the next event ring the bell, once; False if there is one already."""


__all__ = ["Doorbell"]

_READ_BYTES = 64


class Doorbell:
    """The bell of one client, for the event loop in which it is first waited for.

    Args:
        core: What rings.
        on_ring: Called at every ring, before those who wait go on.
    """

    def __init__(self, core: Rings, on_ring: Callable[[], None] | None = None) -> None:
        self._core = core
        self._on_ring = on_ring
        self._loop: asyncio.AbstractEventLoop | None = None
        self._line: socket.socket | None = None
        self._listener: asyncio.Task[None] | None = None
        self._waiters: set[asyncio.Future[None]] = set()

    def check(self) -> None:
        """Refuses another event loop than the one that the client belongs to.

        Raises:
            ConcurrentUseError: It is another one, or none while the client belongs to one.
        """
        if self._loop is not None and asyncio._get_running_loop() is not self._loop:  # noqa: SLF001 - None outside of loops
            raise ConcurrentUseError(
                "this client belongs to another event loop: make one in each; only wakeup() may be called from others"
            )

    def listen(self) -> None:
        """Belongs to the loop that runs from now on, and rings there, whether anybody waits or not."""
        self._attached()

    async def wait(self, timeout: float | None) -> None:
        """Waits for news, at most `timeout` seconds. Returns at once if there are some that nobody has looked at."""
        loop = self._attached()
        if not self._core.arm_bell():
            return
        waiter = loop.create_future()
        self._waiters.add(waiter)
        timer = None if timeout is None else loop.call_later(timeout, _resolve, waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)
            if timer is not None:
                timer.cancel()

    def ring(self) -> None:
        """Wakes everybody who waits."""
        if self._on_ring is not None:
            self._on_ring()
        waiters, self._waiters = self._waiters, set()
        for waiter in waiters:
            _resolve(waiter)

    def close(self) -> None:
        """Stops watching; whoever waits is woken."""
        line, self._line = self._line, None
        if line is None:
            return
        if self._loop is not None and not self._loop.is_closed():
            if self._listener is None:
                self._loop.remove_reader(line)
            else:
                self._listener.cancel()
            self.ring()
        line.close()

    def abandon(self) -> None:
        """Closes the socket and leaves the loop alone: in a forked child it is the parent's."""
        line, self._line = self._line, None
        if line is not None:
            line.close()

    def __del__(self) -> None:
        # Of a client that was dropped without being closed, whose core closes itself.
        self.abandon()

    def _attached(self) -> asyncio.AbstractEventLoop:
        if self._loop is not None:
            self.check()
            return self._loop
        loop = asyncio.get_running_loop()
        line = socket.socket(fileno=self._core.bell())
        line.setblocking(False)
        try:
            loop.add_reader(line, self._on_readable, line)
        except NotImplementedError:
            # A proactor watches no sockets; it receives.
            self._listener = loop.create_task(self._receive(loop, line))
        self._loop, self._line = loop, line
        return loop

    def _on_readable(self, line: socket.socket) -> None:
        with contextlib.suppress(BlockingIOError):
            line.recv(_READ_BYTES)
        self.ring()

    async def _receive(self, loop: asyncio.AbstractEventLoop, line: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while await loop.sock_recv(line, _READ_BYTES):
                self.ring()


def _resolve(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
