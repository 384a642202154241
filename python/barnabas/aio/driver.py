"""Runs operations in an event loop: as `barnabas.client.driver` for a thread, with a doorbell in place of a wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.aio.doorbell import Doorbell
    from barnabas.client.driver import Driver
    from barnabas.client.operations.api import Operation

__all__ = ["AsyncDriver"]

T = TypeVar("T")


class AsyncDriver:
    """Lets the coroutines of one loop share a driver.

    Args:
        driver: The driver, which nobody else turns.
        bell: Rings when the driver's core has events.
        check: Raises when the client must not be used any more.
    """

    def __init__(self, driver: Driver, bell: Doorbell, check: Callable[[], None]) -> None:
        self._driver = driver
        self._bell = bell
        self._check = check

    async def run(self, name: str, operation: Operation[T], timeout: float) -> T:
        """Runs an operation to its end; others under way go on meanwhile.

        Raises:
            KafkaTimeoutError: The time is over.
            KafkaError: The operation failed.
        """
        task = self._driver.start(name, operation, timeout)
        try:
            while not task.done:
                await self.pause(None)
        finally:
            if not task.done:
                self._driver.drop(task)
        return task.value()

    async def pause(self, deadline: float | None) -> None:
        """Waits for news, the next timer or a time of the driver's clock, then takes events in."""
        ends = [when for when in (deadline, self._driver.next_timer()) if when is not None]
        await self._bell.wait(max(0.0, min(ends) - self._driver.now()) if ends else None)
        self._check()
        self._driver.turn(0.0)
