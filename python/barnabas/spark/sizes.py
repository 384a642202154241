"""How many bytes of a leader's log stand for one offset."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final

from barnabas import client
from barnabas.client.options import ADMIN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from barnabas.types import TopicPartition

__all__ = ["OffsetSizes"]

_SIZES_AGE_S: Final = 60.0
"""How old the sizes may be: what a record takes changes slowly."""


class OffsetSizes:
    """Average bytes per offset, asked for once a minute.

    Args:
        config: The client's options by Kafka's names.
    """

    def __init__(self, config: Mapping[str, str]) -> None:
        self._config = {name: value for name, value in config.items() if name in ADMIN}
        self._admin: client.Admin | None = None
        self._known: tuple[float, dict[TopicPartition, float]] = (-math.inf, {})

    def close(self) -> None:
        """Closes the connections."""
        if self._admin is not None:
            self._admin.close()

    def of(self, partitions: Iterable[TopicPartition], consumer: client.Consumer) -> dict[TopicPartition, float]:
        """Bytes per offset of partitions, on average, as they were a minute ago or later.

        Args:
            partitions: The partitions.
            consumer: Tells where they begin and end.

        Raises:
            KafkaError: The sizes could not be had.
        """
        wanted = set(partitions)
        now = time.monotonic()
        looked_at, known = self._known
        if now - looked_at > _SIZES_AGE_S or not wanted <= known.keys():
            if self._admin is None:
                self._admin = client.Admin(config=self._config)
            found = self._admin.partition_sizes(wanted)
            first, last = consumer.beginning_offsets(wanted), consumer.end_offsets(wanted)
            known = {one: found.get(one, 0) / max(1, last[one] - first[one]) for one in wanted}
            self._known = (now, known)
        return known
