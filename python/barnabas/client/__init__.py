"""Producer, consumer and admin clients, for this package's broker and for any Apache Kafka from 2.1 on.

What grows with records is done by the extension module's I/O thread; here are the decisions: option tables,
subscription, membership in a group, offsets. Each operation of several steps is a generator in `operations`, and
`driver` runs them.
"""

from __future__ import annotations

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
