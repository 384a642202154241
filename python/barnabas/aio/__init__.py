"""Clients for asyncio: twins of those in `barnabas.client`, over the same operations and state machines."""

from __future__ import annotations

from barnabas.aio.consumer import AsyncConsumer

__all__ = ["AsyncConsumer"]
