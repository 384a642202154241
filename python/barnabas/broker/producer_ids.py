"""Producer ids for InitProducerId: handed out from blocks that the controller has committed to this broker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.broker.runtime import Failed
from barnabas.controller.requests import AllocateProducerIds
from barnabas.errors import CoordinatorLoadInProgressError

if TYPE_CHECKING:
    from collections.abc import Callable

    from barnabas.broker.metadata import ClusterMetadata
    from barnabas.machine import Moment

__all__ = ["ProducerIds"]


class ProducerIds:
    """The block that is handed out from. What is left of it when the broker stops is never used."""

    def __init__(self, metadata: ClusterMetadata) -> None:
        self._metadata = metadata
        self._next = 0
        self._end = 0
        self._waiting: list[Callable[[int, int], None]] = []

    def allocate(self, now: Moment, answer: Callable[[int, int], None]) -> None:
        """Calls `answer(error code, producer id)` once, at once while the block lasts."""
        if not self._waiting and self._next < self._end:
            answer(0, self._take())
            return
        self._waiting.append(answer)
        if len(self._waiting) == 1:
            self._request_block(now)

    def _request_block(self, now: Moment) -> None:
        self._metadata.submit(AllocateProducerIds(self._metadata.node_id), now, lambda block: self._got(block, now))

    def _got(self, block: Any, now: Moment) -> None:
        waiting, self._waiting = self._waiting, []
        if isinstance(block, Failed):
            for answer in waiting:
                answer(CoordinatorLoadInProgressError.code, -1)
            return
        first, count = block
        self._next, self._end = first, first + count
        served, left = waiting[:count], waiting[count:]
        for answer in served:
            answer(0, self._take())
        self._waiting = left
        if left:
            self._request_block(now)

    def _take(self) -> int:
        producer_id = self._next
        self._next += 1
        return producer_id
