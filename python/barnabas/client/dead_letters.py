"""Records that could not be deserialized, written to a topic of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from barnabas.client.producer import Producer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from barnabas.config import Options
    from barnabas.errors import DeserializationError

__all__ = ["DeadLetters", "letter", "producer_options"]

_PREFIX: Final = "__dlq.errors."
"""As Kafka names the headers of dead letters (KIP-1191)."""
_MESSAGE_LIMIT: Final = 4096


def producer_options(options: Options) -> dict[str, Any]:
    """The options of the producer that writes dead letters: how to reach the cluster is as the consumer does."""
    shared = ("bootstrap.servers", "request.timeout.ms", "retry.backoff.ms", "retry.backoff.max.ms")
    found = {name: options[name] for name in shared}
    return found | {"client.id": f"{options['client.id'] or 'barnabas'}-dead-letters", "linger.ms": 0}


def letter(error: DeserializationError, group_id: str | None) -> dict[str, Any]:
    """What to send for a record: the arguments of `Producer.send` but the topic. Bytes and headers are as they were."""
    record = error.record
    notes: dict[str, object] = {
        "topic": record.topic,
        "partition": record.partition,
        "offset": record.offset,
        "group": group_id,
        "message": str(error.args[0])[:_MESSAGE_LIMIT],
    }
    headers = [*record.headers]
    headers += [(_PREFIX + name, str(note).encode()) for name, note in notes.items() if note is not None]
    return {
        "value": record.value,
        "key": record.key,
        "headers": headers,
        "timestamp": record.timestamp if record.timestamp >= 0 else None,
    }


class DeadLetters:
    """Writes refused records to the dead letter topic; its producer is made with the first of them."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._topic: str = options["barnabas.dead.letter.topic"]
        self._producer: Producer | None = None

    def send(self, refused: Sequence[DeserializationError]) -> None:
        """Writes them and waits until they are written: their offsets may be committed afterwards.

        Raises:
            KafkaError: One could not be written. All are read again then.
        """
        if self._producer is None:
            self._producer = Producer(config=producer_options(self._options))
        group_id = self._options["group.id"]
        deliveries = [self._producer.send(self._topic, **letter(error, group_id)) for error in refused]
        for delivery in deliveries:
            delivery.result()

    def close(self, timeout: float) -> None:
        """Closes the producer."""
        if self._producer is not None:
            self._producer.close(timeout)
