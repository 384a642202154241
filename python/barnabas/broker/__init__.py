"""The broker's control plane and its public face, `Broker`."""

from __future__ import annotations

from barnabas.broker.server import Broker

__all__ = ["Broker"]
