"""What tests of programs that use Kafka need: brokers that fail on purpose, and a proxy that harms connections.

`broker.faults`, `broker.clock` and `broker.requests` of any `barnabas.Broker` are of these types.
"""

from __future__ import annotations

from barnabas.broker.hooks import Clock, Fault, Faults, Requests, SeenRequest
from barnabas.testing.proxy import Proxy, ProxyFault

__all__ = ["Clock", "Fault", "Faults", "Proxy", "ProxyFault", "Requests", "SeenRequest"]
