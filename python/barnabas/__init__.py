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

from typing import TYPE_CHECKING

from barnabas.lazy import lazy_names

if TYPE_CHECKING:
    from barnabas import errors, types
    from barnabas.aio import AsyncConsumer, AsyncProducer
    from barnabas.broker import Broker
    from barnabas.client import Admin, Consumer, Producer, Records
    from barnabas.errors import KafkaError
    from barnabas.types import (
        ConsumerGroupMetadata,
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
    "ConsumerGroupMetadata",
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

if not TYPE_CHECKING:  # a type checker that saw it would let every name pass
    __getattr__, __dir__ = lazy_names(
        globals(),
        {
            "aio": "AsyncConsumer AsyncProducer",
            "broker": "Broker",
            "client": "Admin Consumer Producer Records",
            "errors": "KafkaError errors",
            "types": "ConsumerGroupMetadata NewTopic OffsetAndMetadata OffsetAndTimestamp PartitionInfo RecordMetadata "
            "SubscriptionPattern TopicPartition types",
        },
        missing={
            "AsyncAdmin": "is not there yet: use Admin in a thread, for example with asyncio.to_thread",
            "AdminClient": "is called Admin",
            "KafkaAdminClient": "is called Admin",
            "KafkaConsumer": "is called Consumer",
            "KafkaProducer": "is called Producer",
        },
    )
