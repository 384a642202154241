"""Waiting for several deliveries of an `AsyncProducer` at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from barnabas.errors import IllegalStateError, KafkaError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from barnabas.client.core import AsyncDelivery, AsyncDeliveryBatch
    from barnabas.types import RecordMetadata

__all__ = ["awaited"]


def awaited(
    batch: AsyncDeliveryBatch, deliveries: Sequence[AsyncDelivery]
) -> Generator[Any, None, list[RecordMetadata]]:
    """One `await` of a batch: one record of each of the producer's batches that it lies in is waited for."""
    for delivery in deliveries:
        try:
            yield from delivery
        except (KafkaError, IllegalStateError):
            # The batch raises it, if no earlier record has an error.
            continue
    return batch.result()
