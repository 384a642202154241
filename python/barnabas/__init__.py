"""Apache Kafka's job as one Python wheel with a Rust data plane.

Example:
    >>> from barnabas import Broker, Consumer, Producer
    >>> with Broker() as broker:
    ...     with Producer(bootstrap_servers=broker.bootstrap_servers) as producer:
    ...         _ = producer.send("greetings", b"hello").result(timeout=10)
    ...     with Consumer("greetings", bootstrap_servers=broker.bootstrap_servers, group_id="readers",
    ...                   auto_offset_reset="earliest") as consumer:
    ...         print(next(iter(consumer)).value)
    b'hello'

Names are loaded on first use, so that importing the package costs little.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from barnabas import errors, types
    from barnabas.aio import AsyncConsumer, AsyncProducer
    from barnabas.broker import Broker
    from barnabas.client import Admin, Consumer, Producer, Records
    from barnabas.errors import KafkaError
    from barnabas.types import (
        NewTopic,
        OffsetAndMetadata,
        OffsetAndTimestamp,
        PartitionInfo,
        RecordMetadata,
        SubscriptionPattern,
        TopicPartition,
    )

__all__ = [
    "Admin",
    "AsyncConsumer",
    "AsyncProducer",
    "Broker",
    "Consumer",
    "KafkaError",
    "NewTopic",
    "OffsetAndMetadata",
    "OffsetAndTimestamp",
    "PartitionInfo",
    "Producer",
    "RecordMetadata",
    "Records",
    "SubscriptionPattern",
    "TopicPartition",
    "errors",
    "types",
]

_HOME = {
    "Admin": "barnabas.client",
    "AsyncConsumer": "barnabas.aio",
    "AsyncProducer": "barnabas.aio",
    "Broker": "barnabas.broker",
    "Consumer": "barnabas.client",
    "KafkaError": "barnabas.errors",
    "NewTopic": "barnabas.types",
    "OffsetAndMetadata": "barnabas.types",
    "OffsetAndTimestamp": "barnabas.types",
    "PartitionInfo": "barnabas.types",
    "Producer": "barnabas.client",
    "RecordMetadata": "barnabas.types",
    "Records": "barnabas.client",
    "SubscriptionPattern": "barnabas.types",
    "TopicPartition": "barnabas.types",
}


if not TYPE_CHECKING:  # a type checker that saw it would let every name pass

    def __getattr__(name: str) -> Any:
        if name in _HOME:
            value = getattr(importlib.import_module(_HOME[name]), name)
        elif name in {"errors", "types"}:
            value = importlib.import_module(f"barnabas.{name}")
        elif name == "AsyncAdmin":
            hint = "use Admin in a thread, for example with asyncio.to_thread"
            raise AttributeError(f"barnabas.{name} is not there yet: {hint}")
        else:
            raise AttributeError(f"module 'barnabas' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
