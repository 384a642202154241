"""Deadlines by name: set, replace, cancel, and take those that have passed. Knows no clock; times come in."""

from __future__ import annotations

import heapq
from typing import Any, NamedTuple

__all__ = ["Deadlines"]

Name = tuple[Any, Any]
"""Whose deadline it is, and which of its."""

# Replacing a deadline leaves its old entry in the heap; the heap is rebuilt when such entries outnumber the live ones
# by this factor, so that memory follows the number of deadlines, not the number of heartbeats.
_STALE_FACTOR = 4
_STALE_MIN = 1024


class _Deadline(NamedTuple):
    at_ms: float
    length_ms: float
    put_off: bool


class Deadlines:
    """A set of named deadlines, in milliseconds of whatever clock the caller uses."""

    def __init__(self) -> None:
        self._at: dict[Name, _Deadline] = {}
        self._heap: list[tuple[float, int, Name]] = []
        self._count = 0

    def __len__(self) -> int:
        return len(self._at)

    def set(self, key: Name, at_ms: float, now_ms: float) -> None:
        """Sets (or replaces) the deadline called `key`."""
        old = self._at.get(key)
        self._at[key] = _Deadline(at_ms, at_ms - now_ms, put_off=False)
        # A later deadline than the one in the heap needs no entry: when the earlier one surfaces, the new one is put
        # in. So a heartbeat costs one dictionary store.
        if old is None or at_ms < old.at_ms:
            self._push(at_ms, key)

    def cancel(self, key: Name) -> None:
        """Forgets the deadline called `key`, if there is one."""
        self._at.pop(key, None)

    def next_ms(self) -> float | None:
        """Returns the earliest deadline, or a time before it."""
        return self._heap[0][0] if self._heap else None

    def due(self, now_ms: float) -> list[Name]:
        """Takes out the names of all deadlines that have passed, earliest first."""
        names = []
        while self._heap and self._heap[0][0] <= now_ms:
            at_ms, _, key = heapq.heappop(self._heap)
            current = self._at.get(key)
            if current is None:
                continue
            if current.at_ms > now_ms:
                self._push(current.at_ms, key)
            elif current.at_ms >= at_ms:
                del self._at[key]
                names.append(key)
        return names

    def extend(self, pause_ms: float, now_ms: float) -> None:
        """Puts off, once each, every deadline by a pause that ended at `now_ms`.

        What was left of a deadline when the pause began is left after it, and never more than it was set for. One that
        was put off before stays until it is set again: a caller whose every turn looks like a pause may not keep a
        dead member for ever.
        """
        for key, deadline in self._at.items():
            if not deadline.put_off:
                at_ms = min(deadline.at_ms + pause_ms, now_ms + max(deadline.length_ms, 0.0))
                self._at[key] = _Deadline(max(deadline.at_ms, at_ms), deadline.length_ms, put_off=True)
        self._rebuild()

    def _push(self, at_ms: float, key: Name) -> None:
        self._count += 1
        heapq.heappush(self._heap, (at_ms, self._count, key))
        if len(self._heap) > max(_STALE_MIN, _STALE_FACTOR * len(self._at)):
            self._rebuild()

    def _rebuild(self) -> None:
        self._heap = []
        for key, deadline in self._at.items():
            self._count += 1
            self._heap.append((deadline.at_ms, self._count, key))
        heapq.heapify(self._heap)
