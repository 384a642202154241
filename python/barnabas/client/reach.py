"""Whether any broker can be reached, for whoever is on the way out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from barnabas.client.core import ClientCore
    from barnabas.client.driver import Driver

__all__ = ["REACH_CHECK", "Reach"]

REACH_CHECK: Final = 0.1
"""How often to look, in seconds."""
_PATIENCE: Final = 3.0
"""Seconds without a connection after which nobody is waited for any more; a broker that restarts in this time is."""


class Reach:
    """Watches a client's connections from its making on."""

    def __init__(self, core: ClientCore, driver: Driver) -> None:
        self._core = core
        self._driver = driver
        self._since: float | None = None

    @property
    def is_lost(self) -> bool:
        """Whether there has been no connection to any broker for a while."""
        if self._core.metrics()["connections"] > 0:
            self._since = None
            return False
        now = self._driver.now()
        if self._since is None:
            self._since = now
        return now - self._since >= _PATIENCE
