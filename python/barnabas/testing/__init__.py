"""What tests of programs that use Kafka need: a broker whose requests fail on purpose, and whose clock can be advanced.

`broker.faults`, `broker.clock` and `broker.requests` of any `barnabas.Broker` are of these types.
"""

from __future__ import annotations

from barnabas.broker.hooks import Clock, Fault, Faults, Requests, SeenRequest

__all__ = ["Clock", "Fault", "Faults", "Requests", "SeenRequest"]
