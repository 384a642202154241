"""Producer, consumer and admin clients, for this package's broker and for any Apache Kafka from 2.1 on.

What grows with records is done by the extension module's I/O thread; here are the decisions: option tables,
subscription, membership in a group, offsets. Each operation of several steps is a generator in `operations`, and
`driver` runs them.

Names are loaded on first use: Spark's workers have options and a scan, and no members of groups.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from barnabas.lazy import lazy_names

if TYPE_CHECKING:
    from barnabas.client.admin import Admin
    from barnabas.client.consumer import Consumer
    from barnabas.client.core import AsyncDelivery, AsyncDeliveryBatch, Delivery, DeliveryBatch, Record, Records
    from barnabas.client.decoding import ConsumerInterceptor, DecodedRecord, DecodedRecords, by_column
    from barnabas.client.interceptors import ProducerInterceptor, ProducerRecord, TraceContext
    from barnabas.client.producer import Producer
    from barnabas.client.subscription import RebalanceListener

__all__ = [
    "Admin",
    "AsyncDelivery",
    "AsyncDeliveryBatch",
    "Consumer",
    "ConsumerInterceptor",
    "DecodedRecord",
    "DecodedRecords",
    "Delivery",
    "DeliveryBatch",
    "Producer",
    "ProducerInterceptor",
    "ProducerRecord",
    "RebalanceListener",
    "Record",
    "Records",
    "TraceContext",
    "by_column",
]

if not TYPE_CHECKING:  # a type checker that saw it would let every name pass
    __getattr__, __dir__ = lazy_names(
        globals(),
        {
            "admin": "Admin",
            "consumer": "Consumer",
            "core": "AsyncDelivery AsyncDeliveryBatch Delivery DeliveryBatch Record Records",
            "decoding": "ConsumerInterceptor DecodedRecord DecodedRecords by_column",
            "interceptors": "ProducerInterceptor ProducerRecord TraceContext",
            "producer": "Producer",
            "subscription": "RebalanceListener",
        },
    )
