"""The clients that a worker process keeps: Spark reuses worker processes, so connections live on from task to task."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from barnabas.spark.worker import settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from barnabas.config import OptionTable

__all__ = ["Clients"]

Client = TypeVar("Client")


@dataclass
class _Kept(Generic[Client]):
    client: Client
    idle_s: float
    """How long it is kept while nobody uses it; negative for as long as the process lives."""
    users: int = 0
    used_at: float = 0.0

    def is_idle(self, now: float) -> bool:
        return self.users == 0 and 0 <= self.idle_s <= now - self.used_at


def _after(delay_s: float, call: Callable[[], None]) -> None:
    timer = threading.Timer(delay_s, call)
    timer.daemon = True
    timer.start()


class Clients(Generic[Client]):
    """Clients by their options: few of them, and none that nobody used for `connections.max.idle.ms`.

    A client under which a task failed is not lent again: records may be under way that nobody waits for any more.

    Args:
        table: What the options mean.
        make: Makes a client.
        close: Ends one that is kept no longer.
        most: How many are kept, unless more are in use.
        now: The clock, in seconds.
        after: Calls a function after so many seconds.
    """

    def __init__(
        self,
        table: OptionTable,
        make: Callable[[dict[str, str]], Client],
        close: Callable[[Client], None],
        most: int,
        *,
        now: Callable[[], float] = time.monotonic,
        after: Callable[[float, Callable[[], None]], None] = _after,
    ) -> None:
        self._table, self._make, self._close, self._most = table, make, close, most
        self._now, self._after = now, after
        self._kept: OrderedDict[tuple[tuple[str, str], ...], _Kept[Client]] = OrderedDict()
        self._lock = threading.Lock()
        self._is_awaited = False

    @contextmanager
    def lent(self, config: Mapping[str, str]) -> Iterator[Client]:
        """The process's client for some options, which stays open while it is lent.

        Args:
            config: The client's options by Kafka's names.

        Raises:
            ConfigError: An option is unknown or wrong.
        """
        key = tuple(sorted(config.items()))
        with self._lock:
            kept = self._kept.pop(key, None) or self._made(config)
            self._kept[key] = kept
            kept.users += 1
        settle()
        try:
            yield kept.client
        except GeneratorExit:
            # Whoever takes rows has enough of them.
            raise
        except BaseException:
            with self._lock:
                if self._kept.get(key) is kept:
                    del self._kept[key]
            raise
        finally:
            self._returned(key, kept)

    def _made(self, config: Mapping[str, str]) -> _Kept[Client]:
        idle_ms: int = self._table.parse(config, {})["connections.max.idle.ms"]
        return _Kept(self._make(dict(config)), idle_ms / 1000)

    def _returned(self, key: tuple[tuple[str, str], ...], kept: _Kept[Client]) -> None:
        with self._lock:
            kept.users -= 1
            kept.used_at = self._now()
            ended = [kept] if kept.users == 0 and self._kept.get(key) is not kept else []
            unused = [one for one, other in self._kept.items() if other.users == 0]
            ended += [self._kept.pop(one) for one in unused[: max(0, len(self._kept) - self._most)]]
        for one in ended:
            self._close(one.client)
        self._await_idle()

    def _await_idle(self) -> None:
        """Has the next client that may become idle looked at when it is, unless a look is due already."""
        with self._lock:
            left = [one.used_at + one.idle_s for one in self._kept.values() if one.users == 0 and one.idle_s >= 0]
            if self._is_awaited or not left:
                return
            self._is_awaited = True
            delay_s = max(0.0, min(left) - self._now())
        self._after(delay_s, self._close_idle)

    def _close_idle(self) -> None:
        with self._lock:
            self._is_awaited = False
            now = self._now()
            ended = [self._kept.pop(key) for key, one in [*self._kept.items()] if one.is_idle(now)]
        for one in ended:
            self._close(one.client)
        self._await_idle()
