"""The root of the error hierarchy, apart so that the generated classes can derive from it."""

from __future__ import annotations

from typing import ClassVar


class KafkaError(Exception):
    """Something went wrong in talking to a cluster.

    Catch this for everything that a broker, the network or the protocol can do; mistakes of the caller are
    `ConfigError`, `IllegalStateError` and their like.

    Args:
        message: What happened; by default the sentence that belongs to the code.
        broker: Whom it was attempted on.
        topic_partition: What it was about: a topic, or (topic, partition).
        attempt: Which attempt it was, from 1.

    Attributes:
        code: The protocol's error code; -1 for an error that has none.
        name: The protocol's name of the error.
        text: The sentence that belongs to the code.
        retriable: Whether the same call may succeed when it is made again.
        fatal: Whether this client instance cannot go on and must be closed.
        abortable: Whether the current transaction must be aborted, after which the producer can go on.
        refreshes_metadata: Whether the error says that the metadata it was based on is stale.
    """

    # Not ClassVar: an error code that is not known is kept in the instance.
    code: int = -1
    name: str = "UNKNOWN_SERVER_ERROR"
    text: ClassVar[str] = "the broker failed in a way it did not foresee"
    retriable: ClassVar[bool] = False
    fatal: ClassVar[bool] = False
    abortable: ClassVar[bool] = False
    refreshes_metadata: ClassVar[bool] = False

    def __init__(
        self,
        message: str | None = None,
        *,
        broker: int | str | None = None,
        topic_partition: str | tuple[str, int] | None = None,
        attempt: int | None = None,
    ) -> None:
        super().__init__(message or self.text)
        self.broker = broker
        self.topic_partition = topic_partition
        self.attempt = attempt

    def __str__(self) -> str:
        context = [self.name if self.code == -1 else f"{self.name} ({self.code})"]
        if self.topic_partition is not None:
            where = self.topic_partition
            context.append(where if isinstance(where, str) else f"{where[0]}-{where[1]}")
        if self.broker is not None:
            context.append(f"broker {self.broker}")
        if self.attempt is not None:
            context.append(f"attempt {self.attempt}")
        return f"{self.args[0]} [{', '.join(context)}]"
