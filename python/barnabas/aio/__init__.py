"""Clients for asyncio: twins of those in `barnabas.client`, over the same operations and state machines."""

from __future__ import annotations

from barnabas.aio.consumer import AsyncConsumer
from barnabas.aio.producer import AsyncProducer

__all__ = ["AsyncConsumer", "AsyncProducer"]
